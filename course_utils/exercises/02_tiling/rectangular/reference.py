"""What the kernel is given, and what it has to make of it."""

from __future__ import annotations

import numpy as np


def arguments(rng: np.random.Generator, M: int, K: int, N: int) -> dict[str, np.ndarray | np.generic]:
    """The kernel's arguments by name, in its order. C holds NaN until it is written."""
    return {
        "A": rng.integers(-8, 9, (M, K)).astype(np.float32),
        "B": rng.integers(-8, 9, (K, N)).astype(np.float32),
        "C": np.full((M, N), np.nan, np.float32),
        "M": np.int32(M),
        "K": np.int32(K),
        "N": np.int32(N),
    }


def expected(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by name."""
    return {"C": given["A"] @ given["B"]}
