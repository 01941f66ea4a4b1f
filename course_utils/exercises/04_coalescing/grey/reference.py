"""What the kernel is given, and what it has to make of it."""

from __future__ import annotations

import numpy as np


def arguments(rng: np.random.Generator, n: int) -> dict[str, np.ndarray | np.generic]:
    """The kernel's arguments by name, in its order. grey holds NaN until it is written."""
    return {
        "pixels": rng.integers(0, 256, (n, 3)).astype(np.float32),
        "grey": np.full(n, np.nan, np.float32),
        "n": np.int32(n),
    }


def expected(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by name."""
    return {"grey": given["pixels"] @ np.array([1, 2, 1], np.float32)}
