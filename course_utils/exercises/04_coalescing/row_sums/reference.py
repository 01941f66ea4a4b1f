"""What the kernel is given, and what it has to make of it."""

from __future__ import annotations

import numpy as np


def arguments(rng: np.random.Generator, rows: int, cols: int) -> dict[str, np.ndarray | np.generic]:
    """The kernel's arguments by name, in its order. sums holds NaN until it is written."""
    return {
        "in": rng.integers(-8, 9, (rows, cols)).astype(np.float32),
        "sums": np.full(rows, np.nan, np.float32),
        "rows": np.int32(rows),
        "cols": np.int32(cols),
    }


def expected(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by name."""
    return {"sums": given["in"].sum(axis=1)}
