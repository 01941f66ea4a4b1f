"""What the kernel is given, and what it has to make of it."""

from __future__ import annotations

import numpy as np


def arguments(rng: np.random.Generator, n: int) -> dict[str, np.ndarray | np.generic]:
    """The kernel's arguments by name, in its order. out holds NaN until it is written."""
    return {
        "x": rng.integers(-8, 9, n).astype(np.float32),
        "out": np.full(n, np.nan, np.float32),
        "n": np.int32(n),
    }


def expected(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by name."""
    x = given["x"].astype(np.float64)
    groups = np.split(x, range(32, x.size, 32))
    return {"out": np.concatenate([group - group.mean() for group in groups])}
