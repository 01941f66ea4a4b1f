"""What the kernel is given, and what it has to make of it."""

from __future__ import annotations

import numpy as np

HEAD = 16


def arguments(rng: np.random.Generator, N: int, window: int) -> dict[str, np.ndarray | np.generic]:
    """The kernel's arguments by name, in its order. O holds NaN until it is written."""
    queries, keys, values = (rng.standard_normal((N, HEAD), np.float32) for _ in range(3))
    return {
        "Q": queries,
        "K": keys,
        "V": values,
        "O": np.full((N, HEAD), np.nan, np.float32),
        "N": np.int32(N),
        "window": np.int32(window),
    }


def expected(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by name."""
    q, k, v = (given[name].astype(np.float64) for name in "QKV")
    scores = q @ k.T / np.sqrt(HEAD)
    before = np.arange(len(q))[:, None] - np.arange(len(k))
    scores[(before < 0) | (before >= int(given["window"]))] = -np.inf
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return {"O": weights @ v / weights.sum(axis=1, keepdims=True)}
