"""Inputs for the course's kernels, and what NumPy says the result is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ..kernels import EntryPoint

TOLERANCE = 1e-5
"""Of the largest element of the right result; sums of a few hundred float32 products stay far below it."""


@dataclass(frozen=True)
class Problem:
    """Values by parameter name.

    `arrays`: two-dimensional buffers, changed by a launch. `expected`: the right content of those that the
    kernel writes, in float64. `told`: how NumPy computes it. `operations`: multiply-adds, None where there
    are none.
    """

    arrays: dict[str, np.ndarray]
    scalars: dict[str, np.generic]
    expected: dict[str, np.ndarray]
    told: str
    operations: int | None = None

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
            close = np.abs(found - right) <= TOLERANCE * max(float(np.abs(right).max()), 1e-30)
            if not close.all():
                place = tuple(int(index) for index in np.argwhere(~close)[0])
                wrong = int((~close).sum())
                return False, (
                    f"wrong: {wrong:,} of {right.size:,} elements of {name} differ from NumPy's {self.told}; "
                    f"{name}{list(place)} is {_value(found[place])}, NumPy has {right[place]:.6g}"
                )
        return True, f"{' and '.join(self.expected)} equals NumPy's {self.told} within {_TOLD_TOLERANCE}"


_TOLD_TOLERANCE = f"{TOLERANCE:g}".replace("e-0", "e-")


def _value(value: np.floating) -> str:
    return "not written" if np.isnan(value) else f"{value:.6g}"


def matmul(sizes: Mapping[str, int], random: np.random.Generator) -> Problem:
    """C = A B for N x N matrices, values from -1 to 1."""
    edge = sizes["N"]
    a, b = (random.uniform(-1, 1, (edge, edge)).astype(np.float32) for _ in range(2))
    return Problem(
        arrays={"A": a, "B": b, "C": np.full((edge, edge), np.nan, np.float32)},
        scalars={"N": np.int32(edge)},
        expected={"C": a.astype(np.float64) @ b.astype(np.float64)},
        told="A @ B",
        operations=edge**3,
    )


Maker = Callable[[Mapping[str, int], np.random.Generator], Problem]

PROBLEMS: dict[str, Maker] = {"tiling": matmul}
"""Topic of kernels -> what makes their problem."""
