"""What the function is given, and what it has to make of it."""

from __future__ import annotations

import numpy as np


def arguments(rng: np.random.Generator, count: int, m: int, n: int, k: int) -> dict[str, np.ndarray | int]:
    """The arguments by name, in their order. Y holds NaN until it is written."""
    return {
        "X": rng.integers(-8, 9, count * m * k).astype(np.float32),
        "W": rng.integers(-8, 9, n * k).astype(np.float32),
        "Y": np.full(count * m * n, np.nan, np.float32),
        "count": count,
        "m": m,
        "n": n,
        "k": k,
    }


def expected(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by name."""
    count, m, n, k = (int(given[name]) for name in ("count", "m", "n", "k"))
    x = given["X"].reshape(count, k, m).swapaxes(1, 2)
    w = given["W"].reshape(k, n)
    return {"Y": (x @ w).swapaxes(1, 2).reshape(-1)}
