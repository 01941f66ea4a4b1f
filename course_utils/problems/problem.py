"""One problem: inputs, the right result, and whether a launch has found it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from ..kernels import EntryPoint

TOLERANCE = 1e-5
"""Of the largest element of the right result; sums of a few thousand float32 products stay far below it."""

HALF_TOLERANCE = 2.0**-8
"""The same where results and intermediate numbers are float16, each rounded to 11 bits."""


Sizes = Mapping[str, int]
"""Sizes, and other parameters and tunables on which the inputs or the result depend."""


@dataclass(frozen=True)
class Problem:
    """Values by parameter name.

    `arrays`: buffers, changed by a launch. `expected`: the right content of those that the kernel writes, in
    float64. `told`: how NumPy computes it. `operations`: multiply-adds, None where there are none. `moved`:
    bytes that must be moved at least, each element that is used once; None where that says little. `adds`:
    the kernel adds to what it writes, which holds zeros before a launch. `tolerance`: how far a right element
    may be from the expected one, as a share of the largest.
    """

    arrays: dict[str, np.ndarray]
    scalars: dict[str, np.generic]
    expected: dict[str, np.ndarray]
    told: str
    operations: int | None = None
    moved: int | None = None
    adds: bool = False
    tolerance: float = TOLERANCE

    def arguments(self, entry: EntryPoint) -> list[object]:
        """The values in the order of an entry point's parameters; ValueError for one that has none."""
        known: dict[str, object] = {**self.arrays, **self.scalars}
        missing = [parameter.name for parameter in entry.parameters if parameter.name not in known]
        if missing:
            raise ValueError(
                f"{entry.name} has the parameter {missing[0]}, for which this problem has no value; it has "
                f"{', '.join(known)}"
            )
        return [known[parameter.name] for parameter in entry.parameters]

    def verdict(self) -> tuple[bool, str]:
        """After a launch: whether its results are right, and a sentence on it."""
        for name, right in self.expected.items():
            found = self.arrays[name]
            close = np.abs(found - right) <= self.tolerance * max(float(np.abs(right).max()), 1e-30)
            if not close.all():
                place = tuple(int(index) for index in np.argwhere(~close)[0])
                wrong = int((~close).sum())
                return False, (
                    f"wrong: {wrong:,} of {right.size:,} elements of {name} differ from NumPy's {self.told}; "
                    f"{name}{list(place)} is {_value(found[place])}, NumPy has {right[place]:.6g}"
                )
        return (
            True,
            f"{' and '.join(self.expected)} equals NumPy's {self.told} within {_power(self.tolerance)}",
        )

    def error(self) -> float:
        """After a launch: |found - right| / |right|, Euclidean norms over all that the kernel writes."""
        squares = [
            (np.square(self.arrays[name] - right).sum(), np.square(right).sum())
            for name, right in self.expected.items()
        ]
        wrong, right = (float(sum(column)) for column in zip(*squares, strict=True))
        return float(np.sqrt(wrong / right)) if right else float(np.sqrt(wrong))

    def reset(self) -> None:
        """Forget the results of a launch. (No kernel here writes to its inputs.)"""
        for name in self.expected:
            self.arrays[name].fill(0 if self.adds else _unwritten(self.arrays[name].dtype))


def _power(tolerance: float) -> str:
    return f"{tolerance:.1g}".replace("e-0", "e-")


def _value(value: np.generic) -> str:
    return "not written" if np.isnan(value) else f"{value:.6g}"


def _unwritten(dtype: np.dtype) -> float:
    return np.nan if dtype.kind == "f" else np.iinfo(dtype).max


Maker = Callable[[Sizes, np.random.Generator], Problem]


@dataclass(frozen=True)
class Setting:
    """What a kernel is run on.

    `timed`: sizes to time it at on a GPU, the last one with every tunable. `counted`: small ones to compare
    counters at, the first one with every tunable. `best`: the tunables to time at all sizes, else the
    kernel's defaults. `every_size`: every tunable at all of them. `by_tunables`: the inputs or the right
    result depend on the tunables. `shaping`: sizes that shape the inputs and are no parameters of the kernel.
    `faulty`: tunables with the value that makes the kernel faulty on purpose, such as one without a barrier;
    what expects right results leaves these out.
    """

    make: Maker
    timed: tuple[Sizes, ...] = ()
    counted: tuple[Sizes, ...] = ()
    best: Mapping[str, int] = field(default_factory=dict)
    every_size: bool = False
    by_tunables: bool = False
    shaping: frozenset[str] = frozenset()
    faulty: Mapping[str, int] = field(default_factory=dict)

    def sound(self, tunables: Mapping[str, int]) -> bool:
        """Whether no tunable has the value that makes the kernel faulty."""
        return not self.faulty.items() & tunables.items()


def floats(random: np.random.Generator, *shape: int) -> np.ndarray:
    """Random float32 from -1 to 1."""
    values = random.random(shape, np.float32)
    values *= 2
    values -= 1
    return values


def empty(*shape: int) -> np.ndarray:
    """Of float32 that are not written yet: NaN."""
    return np.full(shape, np.nan, np.float32)


def powers(*exponents: int) -> tuple[Sizes, ...]:
    """n = 2^exponent for each."""
    return tuple({"n": 1 << exponent} for exponent in exponents)
