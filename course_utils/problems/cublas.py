"""Matrix products with cuBLAS's arguments, and what follows one in a layer of a network."""

from __future__ import annotations

import numpy as np

from .problem import Problem, Setting, Sizes, empty, floats


def gemm(sizes: Sizes, random: np.random.Generator) -> Problem:
    """C = op(A) op(B), column-major, `pad` elements of 0 behind each column of A and of B."""
    m, n, k, pad = (sizes.get(name, 0) for name in ("m", "n", "k", "pad"))
    transa, transb = sizes.get("transa", 0), sizes.get("transb", 0)
    a, lda = _columns(random, (k, m) if transa else (m, k), pad)
    b, ldb = _columns(random, (n, k) if transb else (k, n), pad)
    left = (a[:, : lda - pad].T if not transa else a[:, : lda - pad]).astype(np.float64)
    right = (b[:, : ldb - pad].T if not transb else b[:, : ldb - pad]).astype(np.float64)
    numbers = {"transa": transa, "transb": transb, "m": m, "n": n, "k": k, "lda": lda, "ldb": ldb, "ldc": m}
    scalars: dict[str, np.generic] = {name: np.int32(value) for name, value in numbers.items()}
    scalars |= {"alpha": np.float32(1), "beta": np.float32(0)}
    return Problem(
        {"A": a, "B": b, "C": empty(n, m)},
        scalars,
        {"C": (left @ right).T},
        "op(A) @ op(B)",
        operations=m * n * k,
        moved=4 * (m * k + k * n + m * n),
    )


def batch(sizes: Sizes, random: np.random.Generator) -> Problem:
    """C[i] = A[i] B[i] for `count` pairs of square matrices, by rows."""
    count, edge = sizes["count"], sizes["edge"]
    a, b = (floats(random, count, edge, edge) for _ in range(2))
    return Problem(
        {"A": a, "B": b, "C": empty(count, edge, edge)},
        {},
        {"C": a.astype(np.float64) @ b.astype(np.float64)},
        "A @ B",
        operations=count * edge**3,
        moved=12 * count * edge**2,
    )


def bias_relu(sizes: Sizes, random: np.random.Generator) -> Problem:
    """out = max(in + bias, 0) for `size` floats in columns of m, a bias for each row."""
    m, size = sizes["m"], sizes["size"]
    if size % m:
        raise ValueError(f"size = {size} is no multiple of m = {m}")
    source, bias = floats(random, size // m, m), floats(random, m)
    wanted = np.maximum(source.astype(np.float64) + bias, 0)
    scalars = {"m": np.int32(m), "size": np.int32(size)}
    arrays = {"in": source, "bias": bias, "out": empty(*source.shape)}
    return Problem(arrays, scalars, {"out": wanted}, "maximum(in + bias, 0)", moved=4 * (2 * size + m))


def gemm_bias_relu(sizes: Sizes, random: np.random.Generator) -> Problem:
    """C = max(A B + bias, 0), column-major."""
    m, n, k = sizes["m"], sizes["n"], sizes["k"]
    a, b, bias = floats(random, k, m), floats(random, n, k), floats(random, m)
    wanted = np.maximum(b.astype(np.float64) @ a.astype(np.float64) + bias, 0)
    return Problem(
        {"A": a, "B": b, "bias": bias, "C": empty(n, m)},
        {name: np.int32(sizes[name]) for name in ("m", "n", "k")},
        {"C": wanted},
        "maximum(A @ B + bias, 0)",
        operations=m * n * k,
        moved=4 * (m * k + k * n + m * n + m),
    )


def _columns(random: np.random.Generator, shape: tuple[int, int], pad: int) -> tuple[np.ndarray, int]:
    """A random matrix, column by column: (an array whose rows are its columns, its leading dimension)."""
    rows, columns = shape
    buffer = np.zeros((columns, rows + pad), np.float32)
    buffer[:, :rows] = floats(random, columns, rows)
    return buffer, rows + pad


_EDGES = tuple({"m": edge, "n": edge, "k": edge} for edge in (256, 1024, 2048))
_FLAGS = tuple(
    {"transa": transa, "transb": transb, "m": 2048, "n": 2048, "k": 2048, "pad": 0}
    for transa, transb in ((1, 1), (0, 1), (1, 0), (0, 0))
)

SETTINGS = {
    "cublas/gemm": Setting(
        gemm,
        _FLAGS,
        (
            {"transa": 0, "transb": 0, "m": 64, "n": 64, "k": 64, "pad": 0},
            {"transa": 1, "transb": 0, "m": 64, "n": 64, "k": 64, "pad": 0},
            {"transa": 1, "transb": 1, "m": 70, "n": 33, "k": 41, "pad": 3},
        ),
        shaping=frozenset({"pad"}),
    ),
    "cublas/bias_relu": Setting(
        bias_relu,
        ({"m": 1024, "size": 1 << 20}, {"m": 2048, "size": 1 << 22}, {"m": 4096, "size": 1 << 24}),
        ({"m": 64, "size": 4096}, {"m": 33, "size": 561}),
    ),
    "cublas/gemm_bias_relu": Setting(
        gemm_bias_relu, _EDGES, ({"m": 64, "n": 64, "k": 64}, {"m": 33, "n": 17, "k": 9})
    ),
}
