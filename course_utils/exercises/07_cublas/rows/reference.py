"""What the function is given, and what it has to make of it."""

from __future__ import annotations

import numpy as np


def arguments(rng: np.random.Generator, M: int, K: int, N: int) -> dict[str, np.ndarray | int]:
    """The arguments by name, in their order. C holds NaN until it is written."""
    return {
        "A": rng.integers(-8, 9, M * K).astype(np.float32),
        "B": rng.integers(-8, 9, K * N).astype(np.float32),
        "C": np.full(M * N, np.nan, np.float32),
        "M": M,
        "K": K,
        "N": N,
    }


def expected(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by name."""
    a = given["A"].reshape(given["M"], given["K"])
    b = given["B"].reshape(given["K"], given["N"])
    return {"C": (a @ b).reshape(-1)}
