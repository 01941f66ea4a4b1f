"""Layouts, read back place by place as their docstrings say, give SciPy's matrix again."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import sparse

SHAPES = [
    sparse.regular(70, 5, np.random.default_rng(1)),
    sparse.banded(33, 4, np.random.default_rng(2)),
    sparse.random(100, 6, np.random.default_rng(3)),
    sparse.skewed(200, 9, np.random.default_rng(4)),
    sparse.grid(5),
    sparse.Csr(np.zeros(0, np.float32), np.zeros(0, np.int32), np.zeros(4, np.int32), 5),
]


def dense(places: list[tuple[int, int, float]], like: sparse.Csr) -> np.ndarray:
    """(row, column, value) added up, those that pad left out."""
    whole = np.zeros((like.rows, like.width))
    for row, column, value in places:
        if column == sparse.NOTHING:
            assert value == 0
        else:
            whole[row, column] += value
    return whole


@pytest.mark.parametrize("matrix", SHAPES, ids=lambda matrix: f"{matrix.rows}-{matrix.count}")
def test_ell(matrix: sparse.Csr) -> None:
    laid = sparse.ell(matrix)
    assert laid.width == matrix.lengths.max()
    assert laid.values.size == laid.columns.size == laid.width * matrix.rows
    places = [(at % matrix.rows, laid.columns[at], laid.values[at]) for at in range(laid.values.size)]
    assert np.array_equal(dense(places, matrix), matrix.scipy().toarray())


@pytest.mark.parametrize("matrix", SHAPES, ids=lambda matrix: f"{matrix.rows}-{matrix.count}")
def test_jds(matrix: sparse.Csr) -> None:
    laid = sparse.jds(matrix)
    assert sorted(laid.order) == list(range(matrix.rows))
    assert (np.diff(matrix.lengths[laid.order]) <= 0).all()
    assert laid.values.size == matrix.count == laid.diagonals[-1]
    assert laid.diagonals.size == matrix.lengths.max() + 1
    places = [
        (laid.order[at - first], laid.columns[at], laid.values[at])
        for first, behind in zip(laid.diagonals, laid.diagonals[1:], strict=False)
        for at in range(first, behind)
    ]
    assert np.array_equal(dense(places, matrix), matrix.scipy().toarray())


@pytest.mark.parametrize("matrix", SHAPES, ids=lambda matrix: f"{matrix.rows}-{matrix.count}")
@pytest.mark.parametrize(("height", "window"), [(32, 1), (4, 16), (8, 1000), (1, 1), (32, 50)])
def test_sell(matrix: sparse.Csr, height: int, window: int) -> None:
    laid = sparse.sell(matrix, height, window)
    order = laid.order[laid.order != sparse.NOTHING]
    assert sorted(order) == list(range(matrix.rows))
    assert laid.order.size % height == 0
    for first in range(0, matrix.rows, window):
        inside = order[first : first + window]
        assert set(inside) == set(range(first, min(first + window, matrix.rows)))
        assert (np.diff(matrix.lengths[inside]) <= 0).all()
    places = []
    for part, (first, behind) in enumerate(zip(laid.starts, laid.starts[1:], strict=False)):
        rows = laid.order[part * height : (part + 1) * height]
        longest = max((matrix.lengths[row] for row in rows if row >= 0), default=0)
        assert behind - first == longest * height
        places += [
            (rows[(at - first) % height], laid.columns[at], laid.values[at]) for at in range(first, behind)
        ]
    assert np.array_equal(dense(places, matrix), matrix.scipy().toarray())


def test_sell_refuses_empty_slices() -> None:
    with pytest.raises(ValueError, match="at least one row"):
        sparse.sell(SHAPES[0], 0, 1)


@pytest.mark.parametrize("matrix", SHAPES, ids=lambda matrix: f"{matrix.rows}-{matrix.count}")
@pytest.mark.parametrize("threads", [1, 3, 64])
def test_merge_shares_walk_the_path(matrix: sparse.Csr, threads: int) -> None:
    """Step by step: a value as long as the row has one, then the end of the row."""
    path, row, value = [(0, 0)], 0, 0
    while row < matrix.rows:
        if value < matrix.starts[row + 1]:
            value += 1
        else:
            row += 1
        path.append((row, value))
    share = -(-(len(path) - 1) // threads)
    found = sparse.merge_shares(matrix, threads)
    assert found.tolist() == [list(path[min(t * share, len(path) - 1)]) for t in range(threads + 1)]


def test_ell_refuses_to_fill_the_memory() -> None:
    long = np.zeros(1 << 20, np.int64)
    long[7] = 1 << 20
    starts = np.concatenate([[0], np.cumsum(long)]).astype(np.int32)
    matrix = sparse.Csr(np.ones(1 << 20, np.float32), np.arange(1 << 20, dtype=np.int32), starts, 1 << 20)
    with pytest.raises(
        sparse.TooMuchPadding, match=r"would take 1,099,511,627,776 places for 1,048,576 values"
    ):
        sparse.ell(matrix)
