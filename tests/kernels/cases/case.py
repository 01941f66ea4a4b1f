"""One launch with what must come out, and what the makers of such cases share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

GUARD = 40
POISON = np.float32(-12345.0)

# Below, at, and above a warp, a block and a tile; no multiples; more than the smallest grids have threads.
LENGTHS = (1, 31, 32, 33, 257, 1000, 3001)


@dataclass(frozen=True)
class Case:
    """One launch. `out` lies in args, and in `whole` with GUARD elements of POISON on either side.

    expected: what out must hold; tolerance: how far each element may be from it, None for not at all.
    """

    args: list[object]
    sizes: dict[str, int]
    out: np.ndarray
    whole: np.ndarray
    expected: np.ndarray
    tolerance: np.ndarray | None = None

    def check(self) -> None:
        """Every element of out is right, and nothing beside it was written."""
        if self.tolerance is None:
            np.testing.assert_array_equal(self.out, self.expected)
        else:
            assert np.all(np.abs(self.out.astype(np.float64) - self.expected) <= self.tolerance)
        guards = np.concatenate([self.whole[:GUARD], self.whole[-GUARD:]])
        assert np.all(guards == POISON)


Maker = Callable[[dict[str, int], np.random.Generator], Iterator[Case]]
"""The tunables and a random generator -> launches."""


def out_of(count: int) -> tuple[np.ndarray, np.ndarray]:
    """(an output to be written, that with its guards)."""
    whole = np.full(count + 2 * GUARD, POISON, np.float32)
    return whole[GUARD:-GUARD], whole


def floats(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.standard_normal(count, dtype=np.float32)
