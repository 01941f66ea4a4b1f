"""What the kernel is given, and what it has to make of it."""

from __future__ import annotations

import numpy as np


def arguments(rng: np.random.Generator, n: int) -> dict[str, np.ndarray | np.generic]:
    """The kernel's arguments by name, in its order. out holds NaN until it is written."""
    return {
        "in": rng.integers(-64, 65, n).astype(np.float32),
        "out": np.full(n, np.nan, np.float32),
        "n": np.int32(n),
    }


def expected(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by name."""
    return {"out": 1.5 * given["in"].astype(np.float64) + 0.25}
