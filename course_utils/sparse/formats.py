"""The same matrix laid out for the lanes of a warp: ELL, JDS, SELL-C-sigma; and the shares of a merge.

A lane has a row. In all three layouts, what neighbouring lanes read in the same round lies side by side.

Sources: N. Bell and M. Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented
processors", SC 2009 (ELL). Y. Saad, "Krylov subspace methods on supercomputers", 1989 (jagged diagonals).
M. Kreutzer et al., "A unified sparse matrix data format ... with wide SIMD units", 2014 (SELL-C-sigma).
D. Merrill and M. Garland, "Merge-based parallel sparse matrix-vector multiplication", SC 2016.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .matrices import Csr

NOTHING = -1
"""The column of a place that pads a row; its value is 0."""


@dataclass(frozen=True)
class Ell:
    """Every row padded to the longest: value k of row r lies at k * rows + r. `width`: of the longest row."""

    values: np.ndarray
    columns: np.ndarray
    width: int


@dataclass(frozen=True)
class Jds:
    """Jagged diagonals: the rows by falling length, no padding. Value k of the row at place p (row order[p])
    lies at diagonals[k] + p. `diagonals` has one more than the longest row has values."""

    values: np.ndarray
    columns: np.ndarray
    diagonals: np.ndarray
    order: np.ndarray


@dataclass(frozen=True)
class Sell:
    """Slices of `height` rows, each padded to the longest of its own. Value k of the row at place p (row
    order[p]) lies at starts[p // height] + k * height + p % height. Past the last row, `order` has NOTHING.
    """

    values: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    order: np.ndarray
    height: int


MOST_PLACES = 1 << 28
"""Of a padded format: 2 GiB of values and columns."""


class TooMuchPadding(ValueError):
    """A format would keep more than MOST_PLACES for a matrix."""


def ell(matrix: Csr) -> Ell:
    """rows x longest row places, most of them padding where one row is long; or raises TooMuchPadding."""
    width = int(matrix.lengths.max(initial=0))
    if width * matrix.rows > MOST_PLACES:
        raise TooMuchPadding(
            f"padded to its longest row, this matrix would take {width * matrix.rows:,} places for "
            f"{matrix.count:,} values; use a format that pads less"
        )
    row = matrix.row_of
    return Ell(*_padded(matrix, _within(matrix) * matrix.rows + row, width * matrix.rows), width)


def jds(matrix: Csr) -> Jds:
    """Rows of the same length stay in their order."""
    order = np.argsort(-matrix.lengths, kind="stable")
    longer = np.bincount(matrix.lengths, minlength=1)[::-1].cumsum()[::-1][
        1:
    ]  # rows longer than 0, 1, 2, ...
    diagonals = np.concatenate([[0], np.cumsum(longer)])
    place = diagonals[_within(matrix)] + _inverse(order)[matrix.row_of]
    values, columns = _padded(matrix, place, matrix.count)
    return Jds(values, columns, diagonals.astype(np.int32), order.astype(np.int32))


def sell(matrix: Csr, height: int, window: int) -> Sell:
    """Rows are sorted by falling length within each `window` of them; 1 leaves them as they are. Raises
    ValueError for a height or a window below 1."""
    if height < 1 or window < 1:
        raise ValueError(f"a slice needs at least one row, and so does a window; not {height} and {window}")
    rows, lengths = matrix.rows, matrix.lengths
    windows = np.arange(rows) // window
    order = np.lexsort((-lengths, windows))
    slices = -(-rows // height)
    whole = np.zeros(slices * height, np.int64)
    whole[:rows] = lengths[order]
    starts = np.concatenate([[0], np.cumsum(whole.reshape(slices, height).max(axis=1) * height)])
    place = _inverse(order)[matrix.row_of]
    target = starts[place // height] + _within(matrix) * height + place % height
    values, columns = _padded(matrix, target, int(starts[-1]))
    named = np.full(slices * height, NOTHING, np.int32)
    named[:rows] = order
    return Sell(values, columns, starts.astype(np.int32), named, height)


def merge_shares(matrix: Csr, threads: int) -> np.ndarray:
    """Where the shares of a merge begin, int64 (threads + 1, 2): the first row and value of each thread.

    The path takes a step for each value and one for the end of each row; every thread gets as many, the last
    ones fewer."""
    ends = matrix.starts[1:].astype(np.int64)
    steps = np.concatenate([np.arange(matrix.count) + matrix.row_of, ends + np.arange(matrix.rows)])
    of_a_row = np.repeat([False, True], [matrix.count, matrix.rows])[np.argsort(steps)]
    done = np.concatenate([[0], np.cumsum(of_a_row)])
    share = -(-steps.size // threads)
    first = np.minimum(np.arange(threads + 1) * share, steps.size)
    return np.stack([done[first], first - done[first]], axis=1)


def _within(matrix: Csr) -> np.ndarray:
    """Of each value its number within its row."""
    return np.arange(matrix.count) - matrix.starts[:-1].astype(np.int64)[matrix.row_of]


def _inverse(order: np.ndarray) -> np.ndarray:
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    return place


def _padded(matrix: Csr, place: np.ndarray, places: int) -> tuple[np.ndarray, np.ndarray]:
    """(values, columns) of so many places, with each value of the matrix at its own."""
    values, columns = np.zeros(places, np.float32), np.full(places, NOTHING, np.int32)
    values[place], columns[place] = matrix.values, matrix.columns
    return values, columns
