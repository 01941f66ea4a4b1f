"""What the kernel is given, and what it has to make of it."""

from __future__ import annotations

import numpy as np


def arguments(rng: np.random.Generator, n: int) -> dict[str, np.ndarray | np.generic]:
    """The kernel's arguments by name, in its order. The outputs hold NaN until they are written."""
    return {
        "left": rng.uniform(-1, 1, n).astype(np.float32),
        "right": rng.uniform(-1, 1, n).astype(np.float32),
        "left_out": np.full(n, np.nan, np.float32),
        "right_out": np.full(n, np.nan, np.float32),
        "n": np.int32(n),
    }


def expected(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by name."""
    left, right = given["left"].astype(np.float64), given["right"].astype(np.float64)
    for _ in range(16):
        left, right = left - 0.125 * left**3, 0.75 * right + 0.0625
    return {"left_out": left, "right_out": right}
