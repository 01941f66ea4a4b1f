"""What the kernel is given, and what it has to make of it."""

from __future__ import annotations

import numpy as np


def arguments(rng: np.random.Generator, rows: int, cols: int) -> dict[str, np.ndarray | np.generic]:
    """The kernel's arguments by name, in its order: a pixel is 4 floats. out is NaN until written."""
    return {
        "in": rng.random((rows, cols, 4), np.float32),
        "out": np.full((cols, rows, 4), np.nan, np.float32),
        "rows": np.int32(rows),
        "cols": np.int32(cols),
    }


def expected(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by name."""
    return {"out": given["in"].transpose(1, 0, 2)}
