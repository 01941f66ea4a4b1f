"""The calls, against NumPy: every flag, leading dimension, type and increment, on random shapes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils import blas

TOLERANCE = {np.float16: 1e-2, np.float32: 1e-5, np.float64: 1e-13}
SIZES = st.integers(1, 7)
FEW = settings(max_examples=12, deadline=None)


@pytest.fixture(scope="module")
def handle() -> blas.Handle:
    return blas.create("simulator")


def operand(
    random: np.random.Generator, rows: int, columns: int, trans: str, gap: int, kind: type
) -> tuple[np.ndarray, int, np.ndarray]:
    """(a buffer, its leading dimension, the matrix that op of it is); NaN lies in the gaps."""
    stored = random.uniform(-1, 1, (rows, columns) if trans == "N" else (columns, rows)).astype(kind)
    ld = stored.shape[0] + gap
    return blas.store(stored, "columns", ld, np.nan), ld, stored if trans == "N" else stored.T


@pytest.mark.parametrize("kind", list(TOLERANCE))
@pytest.mark.parametrize(("transa", "transb"), list(itertools.product("NTC", repeat=2)))
@FEW
@given(m=SIZES, n=SIZES, k=SIZES, gaps=st.tuples(*[st.integers(0, 3)] * 3), seed=st.integers(0, 99))
def test_gemm(
    kind: type, transa: str, transb: str, m: int, n: int, k: int, gaps: tuple[int, ...], seed: int
) -> None:
    random = np.random.default_rng(seed)
    a, lda, left = operand(random, m, k, transa, gaps[0], kind)
    b, ldb, right = operand(random, k, n, transb, gaps[1], kind)
    c, ldc, before = operand(random, m, n, "N", gaps[2], kind)
    with blas.create("simulator") as handle:
        handle.gemm(transa, transb, m, n, k, 2, a, lda, b, ldb, 0.5, c, ldc)
        (call,) = handle.calls
    wide = [each.astype(np.float64) for each in (left, right, before)]
    found = blas.fetch(c, m, n, "columns", ldc)
    scale = np.abs(wide[0]) @ np.abs(wide[1]) + np.abs(wide[2])
    assert (np.abs(found - (2 * wide[0] @ wide[1] + 0.5 * wide[2])) <= 2 * TOLERANCE[kind] * scale).all()
    assert np.isnan(c.reshape(n, ldc)[:, m:]).all()
    assert call.operations == m * n * k
    letter = {np.float16: "H", np.float32: "S", np.float64: "D"}[kind]
    assert call.text.startswith(f"cublas{letter}gemm(handle, CUBLAS_OP_{transa}, CUBLAS_OP_{transb}, {m}, ")


def test_with_beta_0_the_result_is_not_read(handle: blas.Handle) -> None:
    c = np.full(4, np.nan, np.float32)
    handle.gemm("N", "N", 2, 2, 1, 1, np.ones(2, np.float32), 2, np.ones(2, np.float32), 1, 0, c, 2)
    assert (c == 1).all()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@FEW
@given(n=st.integers(0, 9), steps=st.tuples(*[st.sampled_from([-3, -1, 1, 2])] * 2))
def test_dot(kind: type, n: int, steps: tuple[int, int]) -> None:
    vectors = [np.arange(1, 40, dtype=kind)[: max((n - 1) * abs(step) + 1, 0)] for step in steps]
    with blas.create("simulator") as handle:
        found = handle.dot(n, vectors[0], steps[0], vectors[1], steps[1])
    assert found == np.dot(*(each[::step][:n] for each, step in zip(vectors, steps, strict=True)))


@pytest.mark.parametrize("trans", "NTC")
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@FEW
@given(m=SIZES, n=SIZES, gap=st.integers(0, 3), steps=st.tuples(*[st.sampled_from([-2, 1, 3])] * 2))
def test_gemv(kind: type, trans: str, m: int, n: int, gap: int, steps: tuple[int, int]) -> None:
    random = np.random.default_rng(m + 8 * n)
    matrix = random.integers(-8, 9, (m, n)).astype(kind)
    long, short = (n, m) if trans == "N" else (m, n)
    x = random.integers(-8, 9, (long - 1) * abs(steps[0]) + 1).astype(kind)
    y = random.integers(-8, 9, (short - 1) * abs(steps[1]) + 1).astype(kind)
    before = y.copy()
    with blas.create("simulator") as handle:
        a = blas.store(matrix, "columns", m + gap, np.nan)
        handle.gemv(trans, m, n, 3, a, m + gap, x, steps[0], 2, y, steps[1])
    op = matrix if trans == "N" else matrix.T
    assert np.array_equal(y[:: steps[1]], 3 * (op @ x[:: steps[0]]) + 2 * before[:: steps[1]])
    others = np.ones(y.size, bool)
    others[:: steps[1]] = False
    assert np.array_equal(y[others], before[others])


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_batches(handle: blas.Handle, kind: type) -> None:
    random = np.random.default_rng(1)
    x = random.integers(-8, 9, (5, 3, 4)).astype(kind)
    w = random.integers(-8, 9, (4, 2)).astype(kind)
    expected = np.concatenate([blas.store(each @ w, "columns") for each in x])
    flat = np.concatenate([blas.store(each, "columns") for each in x])
    lies = blas.store(w.T, "columns")
    found, strided = np.zeros((2, 5 * 6), kind)
    parts = [[flat[12 * i :] for i in range(5)], [lies] * 5, [found[6 * i :] for i in range(5)]]
    handle.gemm_batched("N", "T", 3, 2, 4, 1, parts[0], 3, parts[1], 2, 0, parts[2], 3)
    handle.gemm_strided_batched("N", "T", 3, 2, 4, 1, flat, 3, 12, lies, 2, 0, 0, strided, 3, 6, 5)
    assert np.array_equal(found, expected)
    assert np.array_equal(strided, expected)
    assert [call.operations for call in handle.calls[-2:]] == [5 * 24, 5 * 24]


@pytest.mark.parametrize(
    ("compute", "kind", "result", "expected"),
    [
        ("32F", np.float32, np.float32, 4097),
        ("64F", np.float64, np.float64, 4097),
        ("32F_FAST_TF32", np.float32, np.float32, 4096),
        ("32F_FAST_16F", np.float32, np.float32, 4096),
        ("32F_FAST_16BF", np.float32, np.float32, 4096),
        ("32F", np.float16, np.float32, 4096),
        ("16F", np.float16, np.float16, 4096),
    ],
)
def test_gemm_ex_rounds_its_inputs(
    handle: blas.Handle, compute: str, kind: type, result: type, expected: float
) -> None:
    a, one, c = np.array([4097], kind), np.ones(1, kind), np.zeros(1, result)
    handle.gemm_ex("N", "N", 1, 1, 1, 1, a, 1, one, 1, 0, c, 1, compute)
    assert c[0] == expected
    assert f"CUBLAS_COMPUTE_{compute}" in handle.calls[-1].text


def test_life_cycle() -> None:
    x = np.ones(2, np.float32)
    handle = blas.create("simulator")
    assert "SciPy" in handle.where
    handle.destroy()
    for closed, words in ((handle, "was destroyed"), (blas.Handle(), "never created")):
        with pytest.raises(blas.BlasError, match=words) as caught:
            closed.dot(2, x, 1, x, 1)
        assert caught.value.status == "CUBLAS_STATUS_NOT_INITIALIZED"
        assert words in repr(closed)
    with pytest.raises(blas.BlasError, match="was destroyed"):
        handle.destroy()
    with blas.create("simulator") as other:
        other.dot(2, x, 1, x, 1)
    with pytest.raises(blas.BlasError, match="was destroyed"):
        other.dot(2, x, 1, x, 1)


def test_an_unknown_device() -> None:
    with pytest.raises(ValueError, match="no device 'cpu'"):
        blas.create("cpu")
