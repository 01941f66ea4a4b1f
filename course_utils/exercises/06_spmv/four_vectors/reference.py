"""What the kernel is given, and what it has to make of it."""

from __future__ import annotations

import numpy as np


def arguments(rng: np.random.Generator, rows: int, cols: int) -> dict[str, np.ndarray | np.generic]:
    """The kernel's arguments by name, in its order. The first row is full, most others are short or empty;
    y holds NaN until it is written."""
    lengths = np.minimum(rng.pareto(1.5, rows) * 20, cols).astype(np.int64)
    lengths[0] = cols
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    columns = [np.sort(rng.choice(cols, length, replace=False)) for length in lengths]
    return {
        "values": rng.integers(1, 9, starts[-1]).astype(np.float32),
        "columns": np.concatenate(columns).astype(np.int32),
        "starts": starts,
        "x": rng.integers(-8, 9, (cols, 4)).astype(np.float32),
        "y": np.full((rows, 4), np.nan, np.float32),
        "rows": np.int32(rows),
        "cols": np.int32(cols),
    }


def expected(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by name."""
    row = np.repeat(np.arange(len(given["y"])), np.diff(given["starts"]))
    y = np.zeros_like(given["y"])
    np.add.at(y, row, given["values"][:, None] * given["x"][given["columns"]])
    return {"y": y}
