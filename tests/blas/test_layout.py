"""Matrices in buffers, and what calls read of them."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import blas

MATRIX = np.arange(1, 7).reshape(2, 3)


@pytest.mark.parametrize(
    ("order", "ld", "buffer"),
    [
        ("rows", None, [1, 2, 3, 4, 5, 6]),
        ("rows", 4, [1, 2, 3, 9, 4, 5, 6, 9]),
        ("columns", None, [1, 4, 2, 5, 3, 6]),
        ("columns", 3, [1, 4, 9, 2, 5, 9, 3, 6, 9]),
    ],
)
def test_store_and_fetch(order: str, ld: int | None, buffer: list[int]) -> None:
    assert blas.store(MATRIX, order, ld, 9).tolist() == buffer
    assert blas.fetch(np.array(buffer), 2, 3, order, ld).tolist() == MATRIX.tolist()


def test_the_last_gap_may_be_missing() -> None:
    assert blas.fetch(np.array([1, 4, 9, 2, 5, 9, 3, 6]), 2, 3, "columns", 3).tolist() == MATRIX.tolist()


def test_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="no room for rows of 3 elements"):
        blas.store(MATRIX, "rows", 2)
    with pytest.raises(ValueError, match="holds no 2 x 3 matrix with the leading dimension 4"):
        blas.fetch(np.zeros(6), 2, 3, "rows", 4)
    with pytest.raises(ValueError, match='by "rows" or by "columns", not \'row\''):
        blas.store(MATRIX, "row")


@pytest.mark.parametrize("trans", ["N", "T"])
def test_read_at_says_which_elements_a_call_takes(trans: str) -> None:
    buffer = np.random.default_rng(0).integers(-8, 9, 20).astype(np.float64)
    with blas.create("simulator") as handle:
        places = blas.read_at(handle, trans, 3, 4, 5, buffer.size)
        found = np.zeros(3)
        handle.gemm(trans, "N", 3, 1, 4, 1, buffer, 5, np.arange(4.0), 4, 0, found, 3)
    assert np.array_equal(buffer[places] @ np.arange(4), found)
    i, j = np.indices((3, 4))
    assert np.array_equal(places, i + 5 * j if trans == "N" else j + 5 * i)


def test_written_at_says_where_a_call_puts_its_result() -> None:
    with blas.create("simulator") as handle:
        assert blas.written_at(handle, 2, 3, 4, 10).tolist() == [[0, 4, 8], [1, 5, 9]]
        with pytest.raises(blas.OutOfBounds):
            blas.written_at(handle, 2, 3, 4, 9)
        with pytest.raises(blas.BlasError, match="lda is 2"):
            blas.read_at(handle, "N", 3, 1, 2, 9)
