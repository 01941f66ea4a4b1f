"""Cases of the products with cuBLAS's arguments: every flag, gaps behind columns, alpha and beta."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from .case import POISON, Case, Maker, floats, out_of

SHAPES = ((1, 1, 1), (7, 5, 3), (33, 9, 17), (64, 16, 40))
UNIT = 2.0**-24
"""Half the distance from 1 to the next float."""


def _gemm(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    """The elements between the columns of A, B and C hold POISON; those of C must keep it."""
    scalings = itertools.cycle([(1.0, 0.0), (0.5, 2.0), (-2.0, 1.0)])
    for (m, n, k), transa, transb in itertools.product(SHAPES, (0, 1), (0, 1)):
        (alpha, beta), pad = next(scalings), (m + transa) % 3
        a, lda, left = _operand(rng, m, k, transa, pad)
        b, ldb, right = _operand(rng, k, n, transb, 2 - pad)
        ldc = m + pad
        out, whole = out_of(n * ldc)
        before = floats(rng, m * n).reshape(n, m)
        # With beta = 0 it must not matter what C held.
        out.reshape(n, ldc)[:, :m] = before if beta else np.nan
        product, sizes = left @ right, np.abs(left) @ np.abs(right)
        expected = np.full((n, ldc), POISON, np.float64)
        expected[:, :m] = alpha * product.T + (beta * before if beta else 0)
        bound = np.zeros((n, ldc))
        # As for the other products; then a product, a sum and a rounding more, in whatever order.
        bound[:, :m] = (1.001 * k + 4) * UNIT * (abs(alpha) * sizes.T + abs(beta) * np.abs(before))
        args = [transa, transb, m, n, k, np.float32(alpha), a, lda, b, ldb, np.float32(beta), out, ldc]
        named = {"transa": transa, "transb": transb, "m": m, "n": n, "k": k}
        yield Case(args, named, out, whole, expected.reshape(-1), bound.reshape(-1))


def _operand(
    rng: np.random.Generator, rows: int, columns: int, transposed: int, pad: int
) -> tuple[np.ndarray, int, np.ndarray]:
    """(the buffer, its leading dimension, op of it in float64) of a random matrix; op of it has the shape."""
    stored = (columns, rows) if transposed else (rows, columns)
    buffer = np.full((stored[1], stored[0] + pad), POISON, np.float32)
    buffer[:, : stored[0]] = floats(rng, rows * columns).reshape(stored[::-1])
    matrix = buffer[:, : stored[0]].T.astype(np.float64)
    return buffer, stored[0] + pad, matrix.T if transposed else matrix


def _bias_relu(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for m, n in ((1, 1), (7, 5), (33, 31), (64, 20)):
        source, bias = floats(rng, m * n), floats(rng, m)
        out, whole = out_of(m * n)
        expected = np.maximum(source.reshape(n, m) + bias, 0).reshape(-1)
        yield Case([source, bias, out, m, m * n], {"m": m, "size": m * n}, out, whole, expected)


def _gemm_bias_relu(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for m, n, k in SHAPES:
        a, b, bias = floats(rng, k * m).reshape(k, m), floats(rng, n * k).reshape(n, k), floats(rng, m)
        out, whole = out_of(m * n)
        wide, other = b.astype(np.float64), a.astype(np.float64)
        expected = np.maximum(wide @ other + bias, 0)
        # As for the other products, and the sum with the bias; a maximum with 0 adds nothing.
        bound = (1.001 * k + 2) * UNIT * (np.abs(wide) @ np.abs(other) + np.abs(bias))
        args = [m, n, k, a, b, bias, out]
        yield Case(args, {"m": m, "n": n, "k": k}, out, whole, expected.reshape(-1), bound.reshape(-1))


MAKERS: dict[str, Maker] = {
    "cublas/gemm": _gemm,
    "cublas/bias_relu": _bias_relu,
    "cublas/gemm_bias_relu": _gemm_bias_relu,
}
