"""What the kernel is given, and what it has to make of it."""

from __future__ import annotations

import numpy as np


def arguments(rng: np.random.Generator, rows: int, cols: int) -> dict[str, np.ndarray | np.generic]:
    """The kernel's arguments by name, in its order. out holds NaN until it is written.

    x is about 100, of which the exponential is no float any more.
    """
    return {
        "x": (100 + 3 * rng.standard_normal((rows, cols))).astype(np.float32),
        "out": np.full(rows, np.nan, np.float32),
        "rows": np.int32(rows),
        "cols": np.int32(cols),
    }


def expected(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by name."""
    x = given["x"].astype(np.float64)
    return {"out": np.logaddexp.reduce(x, axis=1)}
