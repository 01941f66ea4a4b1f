"""Cases of the products of a sparse matrix with a vector, laid out place by place, as the formats say."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from .case import Case, Maker, out_of

Rows = list[list[tuple[int, float]]]
"""Of each row its (column, value) in order."""
Layout = Callable[[Rows, dict[str, int]], list[object]]
"""The arguments that stand before x."""


def _ragged(rng: np.random.Generator, lengths: list[int], width: int) -> Rows:
    """Rows of small whole numbers, whose sums are exact in any order."""
    return [
        [(int(rng.integers(width)), float(rng.integers(1, 9))) for _ in range(length)] for length in lengths
    ]


def _lengths(rng: np.random.Generator) -> Iterator[list[int]]:
    """Empty rows, one long row among short ones, more than a block of rows, fewer than a warp."""
    yield [3]
    yield [0, 0, 5, 0]
    yield [1, 2, 0, 300, 1, 0, 0, 4]
    yield [int(length) for length in rng.integers(0, 12, 33)]
    yield [700, *(0 for _ in range(31)), 1]
    yield [int(length) for length in rng.pareto(1.2, 520) * 2]


def _arrays(places: list[tuple[int, float]]) -> list[object]:
    """(values, columns), at least one of each."""
    filled = places or [(-1, 0.0)]
    return [
        np.array([value for _, value in filled], np.float32),
        np.array([column for column, _ in filled], np.int32),
    ]


def _csr(rows: Rows, values: dict[str, int]) -> list[object]:
    starts = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    return [*_arrays([place for row in rows for place in row]), starts]


def _padded(row: list[tuple[int, float]], width: int) -> list[tuple[int, float]]:
    return row + [(-1, 0.0)] * (width - len(row))


def _ell(rows: Rows, values: dict[str, int]) -> list[object]:
    width = max(map(len, rows))
    whole = [_padded(row, width) for row in rows]
    return _arrays([row[k] for k in range(width) for row in whole])


def _jds(rows: Rows, values: dict[str, int]) -> list[object]:
    order = sorted(range(len(rows)), key=lambda row: -len(rows[row]))
    diagonals = [[rows[row][k] for row in order if len(rows[row]) > k] for k in range(max(map(len, rows)))]
    starts = np.cumsum([0, *map(len, diagonals)]).astype(np.int32)
    return [*_arrays([place for each in diagonals for place in each]), starts, np.array(order, np.int32)]


def _sell(rows: Rows, values: dict[str, int], window: int = 64) -> list[object]:
    height, order = values["SLICE"], []
    for first in range(0, len(rows), window):
        order += sorted(range(first, min(first + window, len(rows))), key=lambda row: -len(rows[row]))
    places: list[tuple[int, float]] = []
    starts = [0]
    for first in range(0, len(rows), height):
        of_slice = [rows[row] for row in order[first : first + height]]
        of_slice += [[]] * (height - len(of_slice))
        width = max(map(len, of_slice))
        whole = [_padded(row, width) for row in of_slice]
        places += [row[k] for k in range(width) for row in whole]
        starts.append(len(places))
    named = np.full((len(starts) - 1) * height, -1, np.int32)
    named[: len(order)] = order
    return [*_arrays(places), np.array(starts, np.int32), named]


def _product(layout: Layout, *, adds: bool = False, width: bool = False) -> Maker:
    def make(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
        for lengths in _lengths(rng):
            columns = len(lengths) + 3
            rows = _ragged(rng, lengths, columns)
            x = rng.integers(-4, 5, columns).astype(np.float32)
            y, whole = out_of(len(rows))
            if adds:
                y[:] = 0
            expected = np.array([sum(value * x[column] for column, value in row) for row in rows], np.float32)
            last = [max(map(len, rows))] if width else []
            args = [*layout(rows, values), x, y, len(rows), *last]
            yield Case(args, {"rows": len(rows)}, y, whole, expected)

    return make


MAKERS: dict[str, Maker] = {
    "spmv/csr_add": _product(_csr, adds=True),
    "spmv/csr_scalar": _product(_csr),
    "spmv/csr_vector": _product(_csr),
    "spmv/csr_merge": _product(_csr, adds=True),
    "spmv/ell": _product(_ell, width=True),
    "spmv/jds": _product(_jds, width=True),
    "spmv/sell": _product(_sell),
}
