"""CUDA C++ as people write it: the math functions, wide integers and half precision of NVIDIA's own
headers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from course_utils import simulator
from tests.simulator.semantics.formats import BF16

COUNT = 512


def run(source: str, *arrays: np.ndarray, options: tuple[str, ...] = ()) -> None:
    """Launch kernel `k` with a thread for each element; `i` is its index."""
    program = simulator.compile(source, options=options)
    program.launch("k", COUNT // 64, 64, list(arrays))


def kernel(parameters: str, body: str, headers: str = "") -> str:
    index = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
    return f'{headers}\nextern "C" __global__ void k({parameters}) {{ {index} {body} }}'


# C++ name -> NumPy's function, lowest and highest argument, ulps allowed by the CUDA C++ Programming Guide.
DOUBLE = {
    "exp": (np.exp, -700, 700, 1),
    "log": (np.log, 1e-300, 1e300, 1),
    "sin": (np.sin, -1e5, 1e5, 2),
    "cos": (np.cos, -1e5, 1e5, 2),
    "tan": (np.tan, -1e3, 1e3, 2),
    "sqrt": (np.sqrt, 0, 1e300, 0),
    "cbrt": (np.cbrt, -1e9, 1e9, 1),
    "tanh": (np.tanh, -20, 20, 2),
    "sinh": (np.sinh, -700, 700, 2),
    "asin": (np.arcsin, -1, 1, 2),
    "atan": (np.arctan, -1e9, 1e9, 2),
    "log1p": (np.log1p, -0.99, 1e9, 1),
    "expm1": (np.expm1, -30, 700, 1),
    "log2": (np.log2, 1e-300, 1e300, 1),
    "exp2": (np.exp2, -1000, 1000, 1),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 1e-300, 1e300, 1),
    "floor": (np.floor, -1e9, 1e9, 0),
    "rint": (np.rint, -1e9, 1e9, 0),
    "erf": (np.vectorize(math.erf), -5, 5, 2),
}


def test_functions_of_doubles() -> None:
    """rcp.approx.ftz.f64 and its Newton steps among them. One ulp is added for NumPy's own error."""
    random = np.random.default_rng(1)
    x = np.zeros((len(DOUBLE), COUNT))
    for row, (_, low, high, _) in zip(x, DOUBLE.values(), strict=True):
        if low > 0:
            row[:] = np.exp(random.uniform(np.log(low), np.log(high), COUNT))
        else:
            row[:] = random.uniform(low, high, COUNT)
    out = np.zeros_like(x)
    lines = [f"y[{COUNT * row} + i] = {name}(x[{COUNT * row} + i]);" for row, name in enumerate(DOUBLE)]
    run(kernel("const double* x, double* y", " ".join(lines)), x, out)
    for row, (name, (true, _, _, bound)) in enumerate(DOUBLE.items()):
        expected = true(x[row])
        off = np.abs(out[row] - expected) / np.spacing(np.abs(expected))
        assert off.max() <= bound + (bound > 0), name


def test_division_power_and_remainder_of_doubles() -> None:
    random = np.random.default_rng(2)
    a, b = (np.ldexp(random.normal(0, 1, COUNT), random.integers(-500, 500, COUNT)) for _ in range(2))
    a[:8] = [0, -0.0, np.inf, np.nan, 5e-324, 1.7e308, 1.0, -1.0]
    b[:8] = [0, 1, np.inf, 1, 2, 1e-300, 0, -0.0]
    out = np.zeros((3, COUNT))
    body = "y[i] = a[i] / b[i]; y[512 + i] = fmod(a[i], b[i]); y[1024 + i] = pow(fabs(a[i]), 0.37);"
    run(kernel("const double* a, const double* b, double* y", body), a, b, out)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(out[0], a / b)
        np.testing.assert_array_equal(out[1], np.fmod(a, b))
        np.testing.assert_allclose(out[2], np.abs(a) ** 0.37, rtol=5e-16)


SINGLE = {
    "expf": (np.exp, -80, 80, 2),
    "logf": (np.log, 1e-30, 1e30, 1),
    "sinf": (np.sin, -1e4, 1e4, 2),
    "cosf": (np.cos, -1e4, 1e4, 2),
    "tanhf": (np.tanh, -9, 9, 2),
    "cbrtf": (np.cbrt, -1e9, 1e9, 1),
    "erff": (np.vectorize(math.erf), -4, 4, 2),
    "atanf": (np.arctan, -1e5, 1e5, 2),
    "sqrtf": (np.sqrt, 0, 1e30, 0.5),
    "exp2f": (np.exp2, -120, 120, 2),
    "log1pf": (np.log1p, -0.9, 1e9, 1),
    "lgammaf": (np.vectorize(math.lgamma), 3, 100, 6),
}


def test_functions_of_floats() -> None:
    """Within the programming guide's bounds, in ulp, and half an ulp for the rounding."""
    random = np.random.default_rng(3)
    x = np.array([random.uniform(low, high, COUNT) for _, low, high, _ in SINGLE.values()], np.float32)
    x = np.maximum(x, np.array([[low] for _, low, _, _ in SINGLE.values()], np.float32))
    out = np.zeros_like(x)
    lines = [f"y[{COUNT * row} + i] = {name}(x[{COUNT * row} + i]);" for row, name in enumerate(SINGLE)]
    run(kernel("const float* x, float* y", " ".join(lines)), x, out)
    for row, (name, (true, _, _, bound)) in enumerate(SINGLE.items()):
        expected = true(x[row].astype(np.float64))
        off = np.abs(out[row] - expected) / np.spacing(np.abs(expected).astype(np.float32))
        assert off.max() <= bound + 0.5, name


def test_128_bits() -> None:
    """A product of 64 by 64 bits and sums with a carry, by way of the headers' functions and of inline
    PTX."""
    random = np.random.default_rng(4)
    a, b = (random.integers(0, (1 << 64) - 1, COUNT, np.uint64, endpoint=True) for _ in range(2))
    a[:4], b[:4] = [0, (1 << 64) - 1, (1 << 64) - 1, 1 << 63], [5, (1 << 64) - 1, 1, 2]
    out = np.zeros((5, COUNT), np.uint64)
    body = """
    typedef unsigned long long u64;
    y[i] = __umul64hi(a[i], b[i]);
    y[512 + i] = (u64)__mul64hi((long long)a[i], (long long)b[i]);
    u64 low, high;
    asm("{ add.cc.u64 %0, %2, %3; addc.u64 %1, %2, %3; }" : "=&l"(low), "=l"(high) : "l"(a[i]), "l"(b[i]));
    y[1024 + i] = low;
    y[1536 + i] = high;
    if (a[i] & 1)
        asm("{ sub.cc.u64 %0, %2, %3; subc.u64 %1, 0, 0; }" : "=&l"(low), "=l"(high) : "l"(a[i]), "l"(b[i]));
    y[2048 + i] = high;"""
    run(
        kernel("const unsigned long long* a, const unsigned long long* b, unsigned long long* y", body),
        a,
        b,
        out,
    )
    top = (1 << 64) - 1
    for x, y, *found in zip(a.tolist(), b.tolist(), *out.tolist(), strict=True):
        signed = [value - (value >> 63 << 64) for value in (x, y)]
        total = x + y
        high = (x + y + (total >> 64)) & top
        assert found == [
            x * y >> 64,
            (signed[0] * signed[1] >> 64) & top,
            total & top,
            high,
            (-(x < y) & top) if x & 1 else high,
        ]


def test_half_precision_of_the_headers() -> None:
    random = np.random.default_rng(5)
    a, b, c = (random.normal(0, 4, COUNT).astype(np.float16) for _ in range(3))
    out = np.zeros((8, COUNT), np.float16)
    body = """
    y[i] = __hadd(a[i], b[i]);
    y[512 + i] = __hmul(a[i], b[i]);
    y[1024 + i] = __hfma(a[i], b[i], c[i]);
    y[1536 + i] = __hdiv(a[i], b[i]);
    y[2048 + i] = hsqrt(__habs(a[i]));
    y[2560 + i] = __hmax(a[i], b[i]);
    y[3072 + i] = __hgt(a[i], b[i]) ? hexp(a[i]) : hlog(__habs(a[i]));
    __half2 pair = __hmul2(__halves2half2(a[i], b[i]), __float2half2_rn(2.0f));
    y[3584 + i] = __hsub(__low2half(pair), __high2half(pair));"""
    run(
        kernel(
            "const __half* a, const __half* b, const __half* c, __half* y", body, "#include <cuda_fp16.h>"
        ),
        a,
        b,
        c,
        out,
    )
    np.testing.assert_array_equal(out[0], a + b)
    np.testing.assert_array_equal(out[1], a * b)
    np.testing.assert_array_equal(out[2], (a.astype(np.float64) * b + c).astype(np.float16))
    np.testing.assert_array_equal(out[3], a / b)
    np.testing.assert_array_equal(out[4], np.sqrt(np.abs(a)))
    np.testing.assert_array_equal(out[5], np.maximum(a, b))
    wide = a.astype(np.float64)
    with np.errstate(over="ignore"):
        expected = np.where(a > b, np.exp(wide), np.log(np.abs(wide))).astype(np.float16)
    np.testing.assert_allclose(out[6], expected, rtol=1e-3, atol=1e-4)
    np.testing.assert_array_equal(out[7], a * np.float16(2) - b * np.float16(2))


def test_bfloat_of_the_headers() -> None:
    random = np.random.default_rng(6)
    x = random.normal(0, 4, (2, COUNT)).astype(np.float32)
    a, b = ((row.view(np.uint32) >> 16).astype(np.uint16) for row in x)
    out = np.zeros((4, COUNT), np.uint16)
    body = """
    y[i] = __hadd(a[i], b[i]);
    y[512 + i] = __hfma(a[i], b[i], b[i]);
    y[1024 + i] = __float2bfloat16(__bfloat162float(a[i]) * 3.0f);
    y[1536 + i] = __int2bfloat16_rn((int)a[i]);"""
    source = kernel(
        "const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* y", body, "#include <cuda_bf16.h>"
    )
    run(source, a, b, out)
    p, q = (bits.astype(np.uint32).__lshift__(16).view(np.float32).astype(np.float64) for bits in (a, b))
    for found, expected in zip(out, (p + q, p * q + q, p * 3, np.trunc(p) + 0.0), strict=True):
        assert found.tolist() == [BF16.bits(value) for value in expected.tolist()]


def test_words_in_parts() -> None:
    random = np.random.default_rng(7)
    a, b = (random.integers(0, 1 << 32, COUNT, np.uint64).astype(np.uint32) for _ in range(2))
    out = np.zeros((6, COUNT), np.uint32)
    body = """
    y[i] = __vadd4(a[i], b[i]);
    y[512 + i] = __vsadu4(a[i], b[i]);
    y[1024 + i] = __vabsdiffu4(a[i], b[i]);
    y[1536 + i] = __vmaxs2(a[i], b[i]);
    y[2048 + i] = __byte_perm(a[i], b[i], 0x1742);
    y[2560 + i] = __dp4a(a[i], b[i], 7u);"""
    run(kernel("const unsigned* a, const unsigned* b, unsigned* y", body), a, b, out)
    p, q = a.view(np.uint8).reshape(-1, 4), b.view(np.uint8).reshape(-1, 4)
    gaps = np.abs(p.astype(np.int32) - q)
    np.testing.assert_array_equal(out[0].view(np.uint8).reshape(-1, 4), p + q)
    np.testing.assert_array_equal(out[1], gaps.sum(1))
    np.testing.assert_array_equal(out[2].view(np.uint8).reshape(-1, 4), gaps)
    np.testing.assert_array_equal(out[3].view(np.int16), np.maximum(a.view(np.int16), b.view(np.int16)))
    both = np.hstack([p, q])
    np.testing.assert_array_equal(out[4].view(np.uint8).reshape(-1, 4), both[:, [2, 4, 7, 1]])
    np.testing.assert_array_equal(out[5], (p.astype(np.uint32) * q).sum(1) + 7)


@pytest.mark.parametrize("flag", ["-use_fast_math", "-ftz=true", "-prec-div=false", "-fmad=false"])
def test_flags_of_arithmetic(flag: str) -> None:
    x = np.random.default_rng(8).uniform(0.1, 3, COUNT).astype(np.float32)
    out = np.zeros(COUNT, np.float32)
    run(
        kernel("const float* x, float* y", "y[i] = sinf(x[i]) / expf(x[i]) + sqrtf(x[i]) * x[i];"),
        x,
        out,
        options=(flag,),
    )
    wide = x.astype(np.float64)
    np.testing.assert_allclose(out, np.sin(wide) / np.exp(wide) + np.sqrt(wide) * wide, rtol=2e-6)
