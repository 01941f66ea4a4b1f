"""Dense and sparse linear algebra against NumPy."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from course_utils.simulator import Program

from .family import Family, blocks, rng

family = Family("matrices")


def bfloat16(values: np.ndarray) -> np.ndarray:
    """float32 -> bfloat16 bits, to nearest, ties to even."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bfloat16(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


@family.case("float4, 64 accumulators, two shared buffers, lambdas with arrays captured, __launch_bounds__")
def sgemm_double_buffered(program: Program) -> None:
    m, n, k = 64, 128, 40
    a, b, c = (rng(i).random(shape, dtype=np.float32) for i, shape in enumerate(((m, k), (k, n), (m, n))))
    expected = 0.5 * a.astype(float) @ b - 2.0 * c
    program.launch("sgemm_double_buffered", (2, 1), 64, [m, n, k, 0.5, a, b, -2.0, c])
    assert_allclose(c, expected, rtol=1e-5)


@family.case("__half2 arithmetic: __hfma2, __half2half2")
def hgemm_half2(program: Program) -> None:
    m, n, k = 9, 22, 30
    a, b = (
        rng(1).standard_normal((m, k)).astype(np.float16),
        rng(2).standard_normal((k, n)).astype(np.float16),
    )
    c = np.zeros((m, n), np.float16)
    program.launch("hgemm_half2", (2, 3), (8, 4), [a, b, c, m, n // 2, k])
    expected = np.zeros((m, n), np.float16)
    for i in range(k):  # one rounding a step, as an fma has
        expected = (a[:, i : i + 1].astype(float) * b[i].astype(float) + expected).astype(np.float16)
    assert_array_equal(c, expected)


@family.case("bfloat16 to and from float")
def bf16_gemm_relu(program: Program) -> None:
    m, n, k = 10, 13, 17
    a, b = bfloat16(rng(1).standard_normal((m, k))), bfloat16(rng(2).standard_normal((k, n)))
    c = np.zeros((m, n), np.uint16)
    program.launch("bf16_gemm_relu", (2, 2), (8, 8), [a, b, c, m, n, k])
    expected = np.maximum(from_bfloat16(a).astype(float) @ from_bfloat16(b), 0)
    assert_allclose(from_bfloat16(c), expected, rtol=2**-8, atol=1e-5)


@family.case("__dp4a, int to float")
def int8_gemm(program: Program) -> None:
    m, n, k = 11, 14, 36
    a, bt = (rng(i).integers(-128, 128, (rows, k), dtype=np.int8) for i, rows in ((1, m), (2, n)))
    row, col = rng(3).random(m, dtype=np.float32), rng(4).random(n, dtype=np.float32)
    c = np.zeros((m, n), np.float32)
    program.launch(
        "int8_gemm", (2, 3), (8, 4), [a.view(np.int32), bt.view(np.int32), row, col, c, m, n, k // 4]
    )
    expected = (a.astype(int) @ bt.T.astype(int)).astype(np.float32) * row[:, None] * col
    assert_array_equal(c, expected)


@family.case("mma.sync by inline PTX with read-write operands, halves packed by type punning")
def mma_gemm(program: Program) -> None:
    m, n, k = 32, 24, 48
    a, b = (
        rng(1).standard_normal((m, k)).astype(np.float16),
        rng(2).standard_normal((k, n)).astype(np.float16),
    )
    c = np.zeros((m, n), np.float32)
    program.launch("mma_gemm", (3, 2), 32, [a, b, c, n, k])
    assert_allclose(c, a.astype(float) @ b.astype(float), rtol=1e-5, atol=1e-4)


@family.case("float4 through __ldg, a row a warp, whole warps that leave early")
def gemv_warp(program: Program) -> None:
    a, x = rng(1).random((13, 200), dtype=np.float32), rng(2).random(200, dtype=np.float32)
    y = np.zeros(13, np.float32)
    program.launch("gemv_warp", 4, 128, [a, x, y, 13, 50])
    assert_allclose(y, a.astype(float) @ x, rtol=1e-5)


@family.case("compressed rows, ELLPACK with padding and break, jagged diagonals with a permutation")
def sparse(program: Program) -> None:
    rows, cols = 77, 60
    dense = np.where(rng(1).random((rows, cols)) < 0.12, rng(2).standard_normal((rows, cols)), 0)
    dense[5] = 0
    x = rng(3).random(cols)
    expected = dense @ x
    r, c = np.nonzero(dense)
    lengths = np.bincount(r, minlength=rows).astype(np.int32)
    ptr = np.concatenate([[0], lengths.cumsum()]).astype(np.int32)
    col, val = c.astype(np.int32), dense[r, c]

    y = np.zeros(rows)
    program.launch("spmv_csr", blocks(rows, 3), 96, [rows, ptr, col, val, x, y])
    assert_allclose(y, expected, rtol=1e-12, atol=1e-14)

    width = int(lengths.max())
    slot = np.arange(r.size) - ptr[r]
    ell_col, ell_val = np.full((width, rows), -1, np.int32), np.zeros((width, rows))
    ell_col[slot, r], ell_val[slot, r] = col, val
    y = np.zeros(rows)
    program.launch("spmv_ell", 2, 64, [rows, width, ell_col, ell_val, x, y])
    assert_allclose(y, expected, rtol=1e-12, atol=1e-14)

    perm = np.argsort(-lengths, kind="stable").astype(np.int32)
    counts = [int((lengths > j).sum()) for j in range(width)]
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int32)
    jds_col = np.concatenate([ell_col[j, perm[: counts[j]]] for j in range(width)])
    jds_val = np.concatenate([ell_val[j, perm[: counts[j]]] for j in range(width)])
    y = np.zeros(rows)
    program.launch("spmv_jds", 2, 50, [rows, perm, lengths[perm], starts, jds_col, jds_val, x, y])
    assert_allclose(y, expected, rtol=1e-12, atol=1e-14)


@family.case("a pivot by shuffles of value and index, rows exchanged, dynamic and static shared together")
def solve_pivoted(program: Program) -> None:
    n = 20
    a, b = rng(1).standard_normal((3, n, n), dtype=np.float32), rng(2).random((3, n), dtype=np.float32)
    a[:, 0, 0] = 0
    x = np.zeros((3, n), np.float32)
    program.launch("solve_pivoted", 3, 64, [a, b, x, n], shared_bytes=4 * n * (n + 1))
    assert_allclose(x, np.linalg.solve(a.astype(float), b[..., None])[..., 0], rtol=2e-3, atol=2e-3)


@family.case("a 2-D array in local memory indexed at run time, hypot, continue in nested loops")
def givens_qr(program: Program) -> None:
    batch, n = 70, 5
    a = rng().standard_normal((n, n, batch))
    r = np.zeros_like(a)
    program.launch("givens_qr", 3, 32, [a, r, batch, n])
    for each, found in zip(a.transpose(2, 0, 1), r.transpose(2, 0, 1), strict=True):
        assert_allclose(found.T @ found, each.T @ each, rtol=1e-10, atol=1e-11)
        assert_allclose(np.tril(found, -1), 0, atol=1e-13)


@family.case("float4 in shared memory as a record, selects between structures")
def tridiagonal_pcr(program: Program) -> None:
    n, systems = 100, 2
    a, c, d = (rng(i).random((systems, n), dtype=np.float32) for i in range(3))
    b = 3 + rng(3).random((systems, n), dtype=np.float32)
    a[:, 0] = c[:, -1] = 0
    x = np.zeros_like(d)
    program.launch("tridiagonal_pcr", systems, 128, [a, b, c, d, x, n])
    for s in range(systems):
        whole = np.diag(b[s]) + np.diag(a[s, 1:], -1) + np.diag(c[s, :-1], 1)
        assert_allclose(x[s], np.linalg.solve(whole.astype(float), d[s]), rtol=1e-4, atol=1e-5)
