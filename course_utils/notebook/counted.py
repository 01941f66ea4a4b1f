"""A kernel's run in the simulator on random inputs, and how a table is shown."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .. import devices, kernels, metrics, problems
from ..figures import Figure, Sample, Table
from ..figures.style import scoped


@dataclass(frozen=True, repr=False)
class Counted:
    """A kernel's run in the simulator on random inputs, traced for the first warp of its first block.

    `settings`: sizes and tunables. `verdict`: whether the result is right, in words. `shared_bytes`: dynamic
    shared memory of a block. `arrays`: the buffers after the run.
    """

    kernel: kernels.Kernel
    settings: dict[str, int]
    run: devices.Run
    operations: int | None
    verdict: str
    shared_bytes: int = 0
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def requests(self) -> int:
        """Global load requests: one for each load that a warp executes."""
        return self.run.metrics[metrics.names.GLOBAL_LOAD_REQUESTS]

    @property
    def sectors(self) -> int:
        """Global load sectors, of 32 bytes."""
        return self.run.metrics[metrics.names.GLOBAL_LOAD_SECTORS]

    @property
    def sectors_per_request(self) -> float:
        """Global load sectors that a request touches on average."""
        return self.sectors / self.requests

    @property
    def wavefronts(self) -> int:
        """Shared load wavefronts."""
        return self.run.metrics[metrics.names.SHARED_LOAD_WAVEFRONTS]

    @property
    def bytes_per_multiply_add(self) -> float:
        """Bytes of global load sectors for one multiply-add. Raises ValueError for a kernel that has none."""
        found = metrics.ratios.bytes_per_multiply_add(self.run.metrics, self.operations or 0)
        if found is None:
            raise ValueError(f"{self.kernel.name} has no multiply-adds to divide by")
        return found

    def sample(self, told: Sequence[str] = ()) -> Sample:
        """What figures are made from, under the kernel's name and the settings to be told."""
        settings = ", ".join(f"{name} {self.settings[name]}" for name in told if name in self.settings)
        name = self.kernel.path.stem
        told_name = f"{name} ({settings})" if settings else name
        return Sample(told_name, self.run, self.operations, self.shared_bytes)

    def __repr__(self) -> str:
        settings = ", ".join(f"{name} = {value}" for name, value in self.settings.items())
        deep = 2 if self.run.grid[2] == self.run.block[2] == 1 else 3
        grid, block = (" x ".join(map(str, shape[:deep])) for shape in (self.run.grid, self.run.block))
        return f"{self.kernel.name}, {settings}: {grid} blocks of {block} threads.\n{self.verdict}"


@dataclass(frozen=True, repr=False)
class Shown:
    """A table in a notebook, below the sentence that says what it shows.

    Its style is that of the labs and questions on the page. The output itself holds none, or each change of
    style would change the stored outputs that the tests compare.
    """

    content: Figure | Table

    def __repr__(self) -> str:
        return repr(self.content)

    def _repr_html_(self) -> str:
        sentence = self.content.sentence if isinstance(self.content, Figure) else ""
        told = f"<p>{html.escape(sentence)}</p>" if sentence else ""
        return scoped(told + self.content.html)


def count(kernel: str, **settings: int) -> Counted:
    """Run a kernel of the course in the simulator, on any machine, and compare its result with NumPy's.

    `settings`: the kernel's sizes, and its tunables, else as in the file. Raises KernelError for others.
    """
    return traced(kernel, settings, {"block": (0, 0), "warp": 0})


def traced(
    kernel: str, settings: Mapping[str, int], trace: dict[str, object] | None, checks: Sequence[str] = ()
) -> Counted:
    """As `count`, with a trace and checks as `devices.launch` takes them."""
    loaded = kernels.load(kernel)
    tunables = {name: value for name, value in settings.items() if name in loaded.tunables}
    sizes = {name: value for name, value in settings.items() if name not in loaded.tunables}
    geometry = problems.geometry(loaded, tunables, sizes)
    problem = problems.of(loaded).make({**sizes, **loaded.values(tunables)}, np.random.default_rng(0))
    run = devices.launch(
        loaded,
        None,
        geometry.grid,
        geometry.block,
        problem.arguments(loaded.entry),
        geometry.shared_bytes,
        defines=tunables,
        device=devices.SIMULATOR,
        trace=trace,
        checks=checks,
    )
    _, verdict = problem.verdict()
    return Counted(
        loaded,
        sizes | loaded.values(tunables),
        run,
        problem.operations,
        verdict,
        geometry.shared_bytes,
        problem.arrays,
    )
