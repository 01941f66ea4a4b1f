"""What the kernel is given, and what it has to make of it."""

from __future__ import annotations

import numpy as np


def arguments(rng: np.random.Generator, N: int) -> dict[str, np.ndarray | np.generic]:
    """The kernel's arguments by name, in its order. C holds NaN until it is written."""
    return {
        "A": rng.integers(-8, 9, (N, N)).astype(np.float32),
        "B": rng.integers(-8, 9, (N, N)).astype(np.float32),
        "C": np.full((N, N), np.nan, np.float32),
        "N": np.int32(N),
    }


def expected(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by name."""
    return {"C": given["A"] @ given["B"]}
