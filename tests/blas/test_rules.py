"""Calls that are refused, each with its status and a sentence on the rule."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import blas

F = np.float32
INVALID = "CUBLAS_STATUS_INVALID_VALUE"


def gemm(**changed: object) -> None:
    """A right call of 4 x 2 = 4 x 3 times 3 x 2, but for what is changed."""
    arguments = {
        "transa": "N", "transb": "N", "m": 4, "n": 2, "k": 3, "alpha": 1, "A": np.ones(12, F), "lda": 4,
        "B": np.ones(6, F), "ldb": 3, "beta": 0, "C": np.ones(8, F), "ldc": 4,
    }  # fmt: skip
    assert changed.keys() <= arguments.keys()
    with blas.create("simulator") as handle:
        handle.gemm(**(arguments | changed))
        assert len(handle.calls) == 1


def test_the_call_is_right_as_it_is() -> None:
    gemm()
    gemm(m=np.int64(4))


REFUSED = [
    ({"transa": "n"}, INVALID, "transa is 'n', and must be \"N\""),
    ({"transb": 1}, INVALID, "transb is 1"),
    ({"m": -1}, INVALID, "m is -1"),
    ({"k": 2**31}, INVALID, "k is 2147483648"),
    ({"n": 2.0}, "", "n must be a whole number"),
    ({"n": True}, "", "n must be a whole number"),
    ({"lda": 3}, INVALID, r"lda is 3, and must be at least max\(1, m\) = 4"),
    ({"transa": "T", "lda": 2}, INVALID, r"lda is 2, and must be at least max\(1, k\) = 3"),
    ({"ldb": 2}, INVALID, r"ldb is 2, and must be at least max\(1, k\) = 3"),
    ({"transb": "T", "ldb": 1}, INVALID, r"ldb is 1, and must be at least max\(1, n\) = 2"),
    ({"ldc": 3}, INVALID, r"ldc is 3, and must be at least max\(1, m\) = 4"),
    ({"m": 0, "lda": 0}, INVALID, r"at least max\(1, m\) = 1"),
    ({"A": np.ones(11, F)}, "", "A has 11 elements, and this call goes on to element 11"),
    ({"lda": 5}, "", "A has 12 elements, and this call goes on to element 13"),
    ({"C": np.ones(7, F)}, "", "C has 7 elements"),
    ({"A": np.ones((3, 4), F)}, "", "A must be a flat buffer"),
    ({"B": np.ones(12, F)[::2]}, "", "B must be a flat buffer"),
    ({"B": [1.0] * 6}, "", "B must be a NumPy array, and is list"),
    ({"B": np.ones(6)}, "", "one type, and here are A float32, B float64, C float32"),
    (dict.fromkeys("ABC", np.ones(12, np.int32)), "", "these buffers hold int32"),
]


@pytest.mark.parametrize(("changed", "status", "words"), REFUSED)
def test_gemm(changed: dict[str, object], status: str, words: str) -> None:
    with pytest.raises(blas.BlasError, match=words) as caught:
        gemm(**changed)
    assert caught.value.status == status
    assert str(caught.value).startswith(status)


def test_what_goes_beyond_a_buffer_is_an_error_of_its_own() -> None:
    with pytest.raises(blas.OutOfBounds):
        gemm(A=np.ones(11, F))


def test_nothing_is_computed_and_no_call_is_noted_where_one_is_refused() -> None:
    c = np.full(8, 7, F)
    with blas.create("simulator") as handle:
        with pytest.raises(blas.BlasError):
            handle.gemm("N", "N", 4, 2, 3, 1, np.ones(12, F), 3, np.ones(6, F), 3, 0, c, 4)
        assert (c == 7).all()
        assert handle.calls == []


X = np.ones(6, F)
HALF = X.astype(np.float16)
OTHERS = [
    ("dot", (6, X, 1, X, 0), INVALID, "incy is 0"),
    ("dot", (7, X, 1, X, 1), "", "x has 6 elements"),
    ("dot", (3, X, 1, X, -3), "", "y has 6 elements"),
    ("dot", (6, X, 1.5, X, 1), "", "incx must be a whole number"),
    ("dot", (6, HALF, 1, HALF, 1), "", "no dot for float16; there is cublasSdot"),
    ("gemv", ("N", 3, 2, 1, X, 2, X, 1, 0, X, 1), INVALID, r"lda is 2, and must be at least max\(1, m\) = 3"),
    ("gemv", ("T", 3, 2, 1, X, 3, X, 3, 0, X, 1), "", "x has 6 elements"),
    ("gemv", ("N", 3, 2, 1, X, 3, X, 1, 0, X, 0), INVALID, "incy is 0"),
    ("gemm_ex", ("N", "N", 1, 1, 1, 1, X, 1, X, 1, 0, X, 1, "8F"), INVALID, "must be one of 64F"),
    ("gemm_ex", ("N", "N", 1, 1, 1, 1, X, 1, X, 1, 0, X, 1, "16F"), "CUBLAS_STATUS_NOT_SUPPORTED", "float32"),
    ("gemm_batched", ("N", "N", 1, 1, 1, 1, [X], 1, [X, X], 1, 0, [X], 1), "", "1, 2 and 1 buffers"),
    ("gemm_batched", ("N", "N", 3, 1, 3, 1, [X], 3, [X], 3, 0, [X], 3), "", "A has 6 elements"),
    (
        "gemm_strided_batched",
        ("N", "N", 2, 1, 1, 1, X, 2, 2, X, 1, 0, 0, X, 2, 1, 3),
        INVALID,
        "stridec is 1, and a result takes 2 elements",
    ),
    (
        "gemm_strided_batched",
        ("N", "N", 2, 1, 1, 1, X, 2, 2, X, 1, 0, 0, X, 2, 2, 4),
        "",
        "A has 6 elements, and this call goes on to element 7",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "status", "words"), OTHERS)
def test_others(name: str, arguments: tuple[object, ...], status: str, words: str) -> None:
    with (
        blas.create("simulator") as handle,
        pytest.raises(blas.BlasError, match=words) as caught,
    ):
        getattr(handle, name)(*arguments)
    assert caught.value.status == status


def test_an_empty_batch_does_nothing() -> None:
    with blas.create("simulator") as handle:
        handle.gemm_batched("N", "N", 1, 1, 1, 1, [], 1, [], 1, 0, [], 1)
        assert handle.calls == []
