"""Made matrices: their shapes, and products that are exact."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import sparse
from course_utils.sparse import matrices

MAKERS = [sparse.regular, sparse.banded, sparse.random, sparse.skewed]


def rng(seed: int = 7) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(("rows", "per_row"), [(1, 1), (33, 4), (500, 12), (5, 9)])
def test_a_made_matrix_is_whole(make, rows: int, per_row: int) -> None:  # noqa: ANN001
    matrix = make(rows, per_row, rng())
    assert (matrix.rows, matrix.width) == (rows, rows)
    assert matrix.starts[0] == 0
    assert matrix.count == matrix.lengths.sum() == matrix.values.size == matrix.columns.size
    assert (matrix.lengths >= 0).all()
    assert ((matrix.columns >= 0) & (matrix.columns < rows)).all()
    assert (matrix.values.dtype, matrix.columns.dtype, matrix.starts.dtype) == (
        np.float32,
        np.int32,
        np.int32,
    )
    assert np.array_equal(matrix.row_of, np.repeat(np.arange(rows), matrix.lengths))


def test_the_shapes_are_what_they_are_called() -> None:
    regular, banded, random, skewed = (make(2000, 16, rng()) for make in MAKERS)
    assert set(regular.lengths) == set(banded.lengths) == {16}
    assert np.abs(banded.columns - banded.row_of).max() <= 16
    assert np.abs(regular.columns - regular.row_of).max() > 1000
    assert 14 < random.lengths.mean() < 18
    assert 3 < random.lengths.std() < 5  # of a binomial distribution: 4
    assert skewed.lengths.max() > 20 * skewed.lengths.mean()
    assert np.median(skewed.lengths) < skewed.lengths.mean()


@pytest.mark.parametrize("make", MAKERS)
def test_products_are_scipys_and_exact_in_float32_in_any_order(make) -> None:  # noqa: ANN001
    matrix = make(700, 20, rng())
    x = matrices.sixteenths(rng(1), matrix.width)
    y = matrix.times(x)
    assert np.array_equal(y, matrix.scipy(np.float64) @ x.astype(np.float64))
    assert np.array_equal(y.astype(np.float32), matrix.scipy() @ x)
    assert np.array_equal(y.astype(np.float32), y)


def test_sixteenths_reach_from_minus_one_to_one() -> None:
    values = matrices.sixteenths(rng(), 5000)
    assert (values.min(), values.max()) == (-1, 1)
    assert np.array_equal(values * 16, np.rint(values * 16))


def test_grid_has_each_points_neighbours() -> None:
    matrix = sparse.grid(3)
    assert matrix.scipy().toarray()[4].tolist() == [0, -1, 0, -1, 4, -1, 0, -1, 0]
    assert matrix.lengths.tolist() == [3, 4, 3, 4, 5, 4, 3, 4, 3]
    assert sparse.grid(1).scipy().toarray().tolist() == [[4]]


def test_from_scipy_adds_up_what_stands_twice() -> None:
    import scipy.sparse

    twice = scipy.sparse.coo_array(([1.0, 2.0, 5.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 3))
    matrix = matrices.from_scipy(twice)
    assert (matrix.values.tolist(), matrix.columns.tolist(), matrix.starts.tolist()) == (
        [3, 5],
        [1, 0],
        [0, 1, 2],
    )
    assert matrix.width == 3
