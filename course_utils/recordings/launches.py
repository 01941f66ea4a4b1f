"""The launches whose counters are recorded: every kernel of the course over its tunables, and random ones."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from .. import devices, kernels, problems
from . import generated
from .recording import Values, digest

GENERATED = tuple(range(1, 49))
"""The seeds of the random kernels."""

_SEED = 2026


@dataclass(frozen=True)
class Launch:
    """A launch that can be repeated anywhere. `kernel`: of the course, or "generated/SEED". `by_line`: count
    its lines as well."""

    kernel: str
    tunables: Values = field(default_factory=dict)
    sizes: Values = field(default_factory=dict)
    by_line: bool = False

    @property
    def source(self) -> str:
        made = self._generated
        return made.source if made else kernels.load(self.kernel).source

    @property
    def digest(self) -> str:
        return digest(self.source)

    @property
    def entry(self) -> str:
        made = self._generated
        return made.entry if made else kernels.load(self.kernel).entry.name

    def run(self, device: str) -> tuple[devices.Run, int]:
        """Launch on "gpu" or "simulator"; returns the run, and the CRC-32 of all arrays after it."""
        made = self._generated
        if made:
            args = made.arguments()
            run = devices.launch(
                made.source, made.entry, made.grid, made.block, args,
                name=f"{made.entry}.cu", device=device, repeats=0,
            )  # fmt: skip
            return run, checksum(args)
        kernel = kernels.load(self.kernel)
        problem = problems.of(kernel).make({**self.sizes, **self.tunables}, np.random.default_rng(_SEED))
        grid, block, shared = problems.geometry(kernel, self.tunables, self.sizes)
        args = problem.arguments(kernel.entry)
        run = devices.launch(
            kernel, None, grid, block, args, shared, defines=self.tunables, device=device, repeats=0
        )
        return run, checksum(problem.arrays[name] for name in problem.expected)

    @property
    def _generated(self) -> generated.Generated | None:
        kind, _, seed = self.kernel.partition("/")
        return generated.make(int(seed)) if kind == "generated" else None

    def __str__(self) -> str:
        settings = {**self.tunables, **self.sizes}
        return " ".join([self.kernel, *(f"{name}={value}" for name, value in settings.items())])


def checksum(args: Sequence[object] | Iterator[object]) -> int:
    """CRC-32 of the bytes of all arrays among the arguments."""
    found = 0
    for each in args:
        if isinstance(each, np.ndarray):
            found = zlib.crc32(each.tobytes(), found)
    return found


def all_launches() -> list[Launch]:
    """Every kernel with each of its tunables at the first of the sizes to count, with its defaults at the
    others; and the random kernels. Lines are counted for the defaults and for random kernels."""
    found = []
    for name in kernels.find():
        kernel = kernels.load(name)
        first, *others = problems.of(kernel).counted
        default = kernel.values()
        for tunables in problems.combinations(kernel):
            found.append(Launch(name, tunables, first, by_line=tunables == default))
        found += [Launch(name, default, sizes, by_line=True) for sizes in others]
    return found + [Launch(f"generated/{seed}", by_line=True) for seed in GENERATED]
