"""A planted fault: a small kernel with one mistake, the same kernel repaired, and how both are launched.

    faults/<kind>/<name>.cu            the fault; its lines end in `// fault`, the second access's, where it
                                       helps to tell them apart, in `// fault: also`
    faults/<kind>/<name>.repaired.cu   the smallest sensible repair
    faults/<kind>.py                   a function <name>() that says how to launch them

Nothing here knows the simulator, so that the same launches run on a GPU (sanitizer.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
_MARK = re.compile(r"\s*// fault(: also)?$")


@dataclass(frozen=True)
class Fresh:
    """A buffer that counts as never written. One that the kernel fills is compared like any other."""

    shape: int | tuple[int, ...]
    dtype: np.typing.DTypeLike


@dataclass(frozen=True)
class Launch:
    """How a kernel is launched.

    args: arrays and Fresh are buffers, None is a null pointer, the rest goes by value. expected: what the
    repaired kernel leaves in the buffers, by their place in args. symbols: values of __constant__ variables,
    set before the launch. repaired: fields that differ for the repaired kernel, where the mistake is in the
    launch. budget: loop rounds after which the simulator calls it a hang.
    """

    kernel: str
    grid: int | tuple[int, ...]
    block: int | tuple[int, ...]
    args: Sequence[object]
    expected: Mapping[int, np.ndarray] = field(default_factory=dict)
    shared_bytes: int = 0
    symbols: Mapping[str, np.ndarray] = field(default_factory=dict)
    cooperative: bool = False
    repaired: Mapping[str, object] = field(default_factory=dict)
    budget: int | None = None


@dataclass(frozen=True)
class Fault:
    """`kind` is the check that must find it, `sentence` what is wrong, `origin` a public report of such a
    fault (empty: none was followed)."""

    kind: str
    name: str
    sentence: str
    origin: str
    make: Callable[[], Launch]

    def __str__(self) -> str:
        return f"{self.kind}-{self.name}"

    def path(self, repaired: bool = False) -> Path:
        return HERE / self.kind / f"{self.name}{'.repaired' if repaired else ''}.cu"

    def source(self, repaired: bool = False) -> str:
        return self.path(repaired).read_text()

    def launch(self, repaired: bool = False) -> Launch:
        """The launch, with arrays of its own."""
        made = self.make()
        return replace(made, **made.repaired) if repaired else made  # type: ignore[arg-type]

    @property
    def marked(self) -> frozenset[int]:
        """Numbers of the lines of the fault."""
        lines = self.source().splitlines()
        return frozenset(number for number, line in enumerate(lines, 1) if _MARK.search(line))


@dataclass
class Kind:
    """The faults of one kind, in the order of their file."""

    name: str
    faults: list[Fault] = field(default_factory=list)

    def fault(
        self, sentence: str, origin: str = ""
    ) -> Callable[[Callable[[], Launch]], Callable[[], Launch]]:
        """Add a function that makes the launch; its name is the fault's."""

        def add(make: Callable[[], Launch]) -> Callable[[], Launch]:
            self.faults.append(Fault(self.name, make.__name__, sentence, origin, make))
            return make

        return add


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def blocks(items: int, threads: int) -> int:
    """How many blocks of `threads` cover `items`."""
    return -(-items // threads)
