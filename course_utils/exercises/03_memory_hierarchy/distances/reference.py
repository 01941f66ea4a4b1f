"""What the kernel is given, and what it has to make of it."""

from __future__ import annotations

import numpy as np


def arguments(rng: np.random.Generator, n: int, count: int) -> dict[str, np.ndarray | np.generic]:
    """The kernel's arguments by name, in its order. out holds NaN until it is written."""
    return {
        "points": rng.integers(-20, 21, (8, n)).astype(np.float32),
        "centres": rng.integers(-20, 21, (count, 8)).astype(np.float32),
        "out": np.full((count, n), np.nan, np.float32),
        "n": np.int32(n),
        "count": np.int32(count),
    }


def expected(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by name."""
    apart = given["points"].T[None] - given["centres"][:, None]
    return {"out": np.square(apart).sum(axis=2)}
