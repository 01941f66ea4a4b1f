"""What cuBLAS is called with, by a fake of CuPy's functions that reads memory where it is told to."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import blas
from course_utils.blas import gpu
from tests.blas.fake_libraries import FakeArray, FakeCublas


@pytest.fixture
def library() -> FakeCublas:
    return FakeCublas()


@pytest.fixture
def handle(library: FakeCublas) -> blas.Handle:
    made = gpu.CuBlas.__new__(gpu.CuBlas)
    made._cupy = type("cupy", (), {"asarray": staticmethod(FakeArray)})
    made._library, made._handle, made.where = library, library.create(), "a fake"
    return blas.Handle(made)


def test_destroy_gives_the_handle_back(handle: blas.Handle, library: FakeCublas) -> None:
    assert handle.where == "a fake"
    handle.destroy()
    assert library.handles == []


def test_dot_and_gemv(handle: blas.Handle) -> None:
    x = np.arange(1, 7, dtype=np.float32)
    assert handle.dot(3, x, 2, x, 1) == 1 * 1 + 3 * 2 + 5 * 3
    a, y = np.arange(12.0), np.array([1.0, 9, 1, 9, 1])
    handle.gemv("T", 2, 3, 2, a, 4, np.array([1.0, 10]), 1, 3, y, 2)
    assert y.tolist() == [23, 9, 111, 9, 199]


@pytest.mark.parametrize(
    ("kind", "compute", "number"),
    [
        (np.float32, None, 68),
        (np.float64, None, 70),
        (np.float16, None, 64),
        (np.float32, "32F_FAST_TF32", 77),
    ],
)
def test_gemm(handle: blas.Handle, library: FakeCublas, kind: type, compute: str | None, number: int) -> None:
    """The same as SciPy's BLAS makes of it."""
    random = np.random.default_rng(0)
    a, b, c = (random.integers(-8, 9, size).astype(kind) for size in (20, 15, 12))
    expected = c.copy()
    arguments = ("T", "N", 3, 2, 4, 2, a, 5, b, 6)
    more = () if compute is None else (compute,)
    name = "gemm" if compute is None else "gemm_ex"
    getattr(handle, name)(*arguments, 0.5, c, 4, *more)
    with blas.create("simulator") as host:
        getattr(host, name)(*arguments, 0.5, expected, 4, *more)
    assert np.array_equal(c, expected)
    assert library.asked == [number]


def test_batches(handle: blas.Handle) -> None:
    x, w = np.arange(12, dtype=np.float32), np.array([0, 1, 1, 0], np.float32)
    lists = [[each[4 * i :] for i in (2, 0, 1)] for each in (x, np.zeros(12, np.float32))]
    handle.gemm_batched("N", "N", 2, 2, 2, 1, lists[0], 2, [w] * 3, 2, 0, lists[1], 2)
    swapped = x.reshape(3, 2, 2)[:, ::-1].reshape(-1)
    # A slice goes on to the end of its buffer, where the results of others lie.
    assert lists[1][1].tolist() == swapped.tolist()
    found = np.zeros(12)
    wide = x.astype(np.float64)
    handle.gemm_strided_batched(
        "N", "N", 2, 2, 2, 1, wide, 2, 4, w.astype(np.float64), 2, 0, 0, found, 2, 4, 3
    )
    assert np.array_equal(found, swapped)


def test_the_numbers_are_those_of_cupy() -> None:
    """Where CuPy can load cuBLAS's own module at all."""
    cublas = pytest.importorskip("cupy_backends.cuda.libs.cublas", exc_type=ImportError)
    for name, number in gpu._COMPUTE.items():
        assert getattr(cublas, f"CUBLAS_COMPUTE_{name}") == number
    assert [getattr(cublas, f"CUBLAS_OP_{name}") for name in "NTC"] == [0, 1, 2]
