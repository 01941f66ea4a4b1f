"""Templates, instantiated by name, against NumPy."""

from __future__ import annotations

import math

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from course_utils.simulator import Program

from .family import Family, rng

family = Family("templates")


@family.case(
    "default template argument, range-based for over local arrays, padded tiles, odd sizes, int and double"
)
def gemm_patch(program: Program) -> None:
    m, n, k = 19, 35, 21
    for kernel, dtype in (("gemm_patch<double, 16>", np.float64), ("gemm_patch<int, 16, 2>", np.int32)):
        a, b = (rng(i).integers(-99, 99, shape).astype(dtype) for i, shape in enumerate(((m, k), (k, n))))
        c = np.zeros((m, n), dtype)
        side = 4 if dtype is np.float64 else 8
        program.launch(kernel, (3, 2), (side, side), [a, b, c, m, n, k])
        assert_array_equal(c, a @ b)


@family.case("a tile swizzled by exclusive or, elements of 1, 4 and 8 bytes")
def transpose_swizzled(program: Program) -> None:
    for name, dtype in (("float", np.float32), ("unsigned char", np.uint8), ("double", np.float64)):
        data = rng().integers(0, 256, (45, 70)).astype(dtype)
        out = np.zeros((70, 45), dtype)
        program.launch(f"transpose_swizzled<{name}>", (3, 2), (32, 8), [data, out, 70, 45])
        assert_array_equal(out, data.T)


@family.case("blocks that leave as a whole in the middle of a loop, sqrt and division in double")
def cholesky_batched(program: Program) -> None:
    half = rng().standard_normal((4, 12, 12))
    matrices = half @ half.transpose(0, 2, 1) + 0.1 * np.eye(12)
    matrices[2, 7, 7] = -1
    factors, info = matrices.copy(), np.full(4, -1, np.int32)
    program.launch("cholesky_batched<12>", 4, 32, [factors, info])
    assert_array_equal(info, [0, 0, 8, 0])
    for number in (0, 1, 3):
        assert_allclose(factors[number], np.linalg.cholesky(matrices[number]), rtol=1e-9, atol=1e-12)
    assert_array_equal(factors[2], matrices[2])


@family.case("functors as template arguments; erff, tanhf, expf, log1pf")
def activations(program: Program) -> None:
    x = np.concatenate(
        [6 * rng().standard_normal(97, dtype=np.float32), np.float32([0, -50, 30, -0.0, 1e-6])]
    )
    wide = x.astype(float)
    erf = np.array([math.erf(v / math.sqrt(2)) for v in wide])
    cubic = math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3)
    for name, expected in {
        "Gelu": 0.5 * wide * (1 + erf),
        "GeluTanh": 0.5 * wide * (1 + np.tanh(cubic)),
        "Silu": wide / (1 + np.exp(-wide)),
        "Softplus": np.logaddexp(0, wide),
    }.items():
        y = x.copy()
        program.launch(f"activate<{name}>", 1, 32, [y, y.size])
        assert_allclose(y, expected, rtol=2e-5, atol=1e-6)


@family.case("one template by name in several types")
def axpy(program: Program) -> None:
    for name, dtype in (("double", np.float64), ("int", np.int32), ("float", np.float32)):
        x, y = np.arange(50).astype(dtype), np.ones(50, dtype)
        program.launch(f"axpy<{name}>", 2, 32, [dtype(3), x, y, 50])
        assert_array_equal(y, 1 + 3 * np.arange(50))


@family.case("variadic templates, constexpr device functions, float and double by name")
def polynomial(program: Program) -> None:
    for name, dtype in (("float", np.float32), ("double", np.float64)):
        x = rng().uniform(-2, 2, 77).astype(dtype)
        y = np.zeros_like(x)
        program.launch(f"polynomial<{name}>", 3, 32, [x, y, x.size])
        expected = np.polynomial.Polynomial([1, -0.5, 0.25, 2, -3])(x.astype(float))
        assert_allclose(
            y, expected, rtol=1e-12 if name == "double" else 1e-4, atol=1e-5 if name == "float" else 1e-13
        )


@family.case("division and remainder by variables: int, unsigned, long long, short")
def division(program: Program) -> None:
    n = 90
    for name, dtype in (
        ("int", np.int32),
        ("unsigned int", np.uint32),
        ("long long", np.int64),
        ("short", np.int16),
    ):
        limits = np.iinfo(dtype)
        a = rng(1).integers(limits.min, limits.max, n, dtype=dtype)
        b = rng(2).integers(1, 1000, n).astype(dtype)
        b[::3] = rng(3).integers(1, limits.max, b[::3].size, dtype=dtype)
        if limits.min < 0:
            b[::4] *= -1
        quotient, remainder = np.zeros_like(a), np.zeros_like(a)
        program.launch(f"division<{name}>", 2, 48, [a, b, quotient, remainder, n])
        for top, bottom, q, r in zip(*(each.tolist() for each in (a, b, quotient, remainder)), strict=True):
            expected = abs(top) // abs(bottom) * (1 if (top < 0) == (bottom < 0) else -1)
            assert (q, r) == (expected, top - bottom * expected)
