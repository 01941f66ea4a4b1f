"""What the function is given, and what it has to make of it."""

from __future__ import annotations

import numpy as np


def arguments(
    rng: np.random.Generator, R: int, S: int, r: int, s: int, m: int, n: int, k: int
) -> dict[str, np.ndarray | int]:
    """The arguments by name, in their order."""
    given: dict[str, np.ndarray | int] = {
        name: rng.integers(-8, 9, size).astype(np.float32)
        for name, size in (("A", R * S), ("B", k * n), ("C", R * S))
    }
    return given | {"R": R, "S": S, "r": r, "s": s, "m": m, "n": n, "k": k}


def expected(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by name."""
    names = ("R", "S", "r", "s", "m", "n", "k")
    R, S, r, s, m, n, k = (int(given[name]) for name in names)
    a, c = (given[name].reshape(S, R).T for name in "AC")
    b = given["B"].reshape(n, k).T
    result = c.copy()
    result[r : r + m, s : s + n] += a[r : r + m, s : s + k] @ b
    return {"C": result.T.reshape(-1)}
