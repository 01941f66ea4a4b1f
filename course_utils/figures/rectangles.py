"""A matrix of counts as few rectangles, so that a picture of it stays small."""

from __future__ import annotations

import numpy as np

Rectangle = tuple[int, int, int, int, int]

MOST = 600
"""Rectangles of one matrix; a finer pattern is drawn coarser, each cell with the largest count in it."""


def rectangles(counts: np.ndarray) -> list[Rectangle]:
    """(top, left, height, width, count) of areas that have one count above 0, in elements; at most MOST."""
    size = 1
    while True:
        found = _exact(_coarser(counts, size))
        if len(found) <= MOST:
            rows, columns = counts.shape
            return [
                (
                    top * size,
                    left * size,
                    min(height * size, rows - top * size),
                    min(width * size, columns - left * size),
                    count,
                )
                for top, left, height, width, count in found
            ]
        size *= 2


def _coarser(counts: np.ndarray, size: int) -> np.ndarray:
    if size == 1:
        return counts
    rows, columns = (-(-extent // size) for extent in counts.shape)
    padded = np.zeros((rows * size, columns * size), counts.dtype)
    padded[: counts.shape[0], : counts.shape[1]] = counts
    return padded.reshape(rows, size, columns, size).max(axis=(1, 3))


def _exact(counts: np.ndarray) -> list[Rectangle]:
    """Runs in each row, merged with an equal run in the row above."""
    closed: list[Rectangle] = []
    open_runs: dict[tuple[int, int, int], int] = {}  # (left, width, count) -> first row
    for row in range(counts.shape[0] + 1):
        runs = _runs(counts[row]) if row < counts.shape[0] else set()
        for run in [each for each in open_runs if each not in runs]:
            left, width, count = run
            first = open_runs.pop(run)
            closed.append((first, left, row - first, width, count))
        for run in runs:
            open_runs.setdefault(run, row)
    return sorted(closed)


def _runs(row: np.ndarray) -> set[tuple[int, int, int]]:
    edges = np.flatnonzero(np.diff(row)) + 1
    starts, ends = [0, *edges.tolist()], [*edges.tolist(), len(row)]
    return {
        (start, end - start, int(row[start])) for start, end in zip(starts, ends, strict=True) if row[start]
    }
