"""Numerical kernels against NumPy."""

from __future__ import annotations

import math

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from course_utils.simulator import Program

from .family import Family, rng

family = Family("numerics")
fast = Family("numerics_fast", options=["--use_fast_math"], file="numerics")


@family.case("float4 tiles in dynamic shared memory, float3 stores, rsqrtf")
def nbody_tiles(program: Program) -> None:
    n = 150
    bodies = rng().random((n, 4), dtype=np.float32)
    out = np.zeros((n, 3), np.float32)
    program.launch("nbody_tiles", 3, 64, [bodies, out, n], shared_bytes=64 * 16)
    wide = bodies.astype(float)
    apart = wide[None, :, :3] - wide[:, None, :3]
    strength = wide[:, 3] / ((apart**2).sum(-1) + 0.01) ** 1.5
    assert_allclose(out, (apart * strength[..., None]).sum(1), rtol=1e-4, atol=1e-4)


@family.case("__brev, sincosf, complex numbers as float2, forward and inverse")
def fft_radix2(program: Program) -> None:
    x = rng().standard_normal((2, 256, 2), dtype=np.float32)
    spectrum, back = np.zeros_like(x), np.zeros_like(x)
    program.launch("fft_radix2<8>", 2, 96, [x, spectrum, False])
    assert_allclose(
        spectrum[..., 0] + 1j * spectrum[..., 1], np.fft.fft(x[..., 0] + 1j * x[..., 1]), atol=1e-4
    )
    program.launch("fft_radix2<8>", 2, 96, [spectrum, back, True])
    assert_allclose(back, x, atol=1e-5)


@family.case("double log, sqrt, exp, erfc")
def black_scholes(program: Program) -> None:
    n, r, vol = 333, 0.02, 0.3
    s, x, t = (rng(i).uniform(low, high, n) for i, (low, high) in enumerate(((5, 30), (1, 100), (0.25, 10))))
    call, put = np.zeros(n), np.zeros(n)
    program.launch("black_scholes", 2, 128, [call, put, s, x, t, r, vol, n])
    d1 = (np.log(s / x) + (r + vol**2 / 2) * t) / (vol * np.sqrt(t))
    below = np.vectorize(lambda d: 0.5 * math.erfc(-d / math.sqrt(2)))
    expected = s * below(d1) - x * np.exp(-r * t) * below(d1 - vol * np.sqrt(t))
    assert_allclose(call, expected, rtol=1e-11, atol=1e-13)
    assert_allclose(put, expected + x * np.exp(-r * t) - s, rtol=1e-10, atol=1e-11)


@family.case("xorshift by reference, a comparison added as a number, 64-bit atomics")
def monte_carlo_pi(program: Program) -> None:
    hits = np.zeros(1, np.uint64)
    program.launch("monte_carlo_pi", 2, 96, [hits, 50])
    state = (np.uint32(2463534242) + np.uint32(7919) * np.arange(192, dtype=np.uint32)).astype(np.uint32)

    def drawn() -> np.ndarray:
        nonlocal state
        for shift in (13, -17, 5):
            state ^= state << np.uint32(shift) if shift > 0 else state >> np.uint32(-shift)
        return (state >> np.uint32(8)).astype(np.float64) / 2**24

    expected = sum(int((drawn() ** 2 + drawn() ** 2 < 1).sum()) for _ in range(50))
    assert abs(int(hits[0]) - expected) <= 1  # single precision against double, on the circle itself


@family.case("__umulhi, uint4 by value, a static member function and a call operator")
def philox_bits(program: Program) -> None:
    n, seed, offset = 70, 0x0123456789ABCDEF, (1 << 32) - 30
    out = np.zeros((n, 4), np.uint32)
    program.launch("philox_bits", 3, 32, [out, np.uint64(seed), np.uint64(offset), n])
    for i in range(n):
        a, b, c, d = (offset + i) & 0xFFFFFFFF, (offset + i) >> 32, 0, 0
        k0, k1 = seed & 0xFFFFFFFF, seed >> 32
        for _ in range(10):
            p, q = 0xD2511F53 * a, 0xCD9E8D57 * c
            a, b, c, d = (q >> 32) ^ b ^ k0, q & 0xFFFFFFFF, (p >> 32) ^ d ^ k1, p & 0xFFFFFFFF
            k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
        assert_array_equal(out[i], [a, b, c, d])


@family.case("overloaded operators, friends, a lambda that captures by value, cos in double")
def oscillators(program: Program) -> None:
    n, h, steps = 40, 0.1, 12
    states, omega = rng(1).random((n, 2)), rng(2).uniform(0.5, 3, n)

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        return np.stack([y[:, 1], -(omega**2) * y[:, 0] + np.cos(t)], 1)

    y = states.copy()
    for s in range(steps):
        t = s * h
        k1 = slope(t, y)
        k2 = slope(t + h / 2, y + h / 2 * k1)
        k3 = slope(t + h / 2, y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(t + h, y + h * k3))
    program.launch("oscillators", 2, 32, [states.view([("x", float), ("v", float)]), omega, h, steps, n])
    assert_allclose(states, y, rtol=1e-12)


@family.case("functions of double precision: slow paths, tables, loops inside the library")
def library_f64(program: Program) -> None:
    x = np.concatenate([rng().uniform(-15, 15, 60), [1e-9, -0.3, 7.0]])
    out = np.zeros((21, x.size))
    program.launch("library_f64", 2, 40, [x, out, x.size])
    a = abs(x)
    erf, lgamma = np.vectorize(math.erf), np.vectorize(math.lgamma)
    expected = [
        np.sin(x), np.cos(x), np.arcsin(x / 20), np.arctan(x), np.sinh(x / 4), np.tanh(x), np.exp2(x),
        np.expm1(x), np.log10(a), np.log1p(a), np.cbrt(x), a**1.7, np.arctan2(x, 2.5), np.fmod(x, 0.7),
        np.floor(x), np.rint(x),
        erf(x), lgamma(a), np.sqrt(a), 1 / x, np.copysign(a, -x),
    ]  # fmt: skip
    for number, (found, wanted) in enumerate(zip(out, expected, strict=True)):
        assert_allclose(found, wanted, rtol=1e-13, atol=1e-15, err_msg=f"function {number}")


@family.case("a for loop left by break with different counts a lane")
def newton_roots(program: Program) -> None:
    c = rng().uniform(0, 1000, 70).astype(np.float32)
    roots, steps = np.zeros_like(c), np.zeros(70, np.int32)
    program.launch("newton_roots", 3, 32, [c, roots, steps, 70])
    assert_allclose(roots.astype(float) ** 3 + roots, c, rtol=1e-5, atol=1e-5)
    assert steps.min() > 0
    assert np.unique(steps).size > 2


def check_fast_math(program: Program) -> None:
    x = rng().uniform(0.1, 3, 90).astype(np.float32)
    out = np.zeros((14, x.size), np.float32)
    program.launch("fast_math", 3, 32, [x, out, x.size])
    v = x.astype(float)
    expected = [
        np.exp(v), np.sin(v), np.cos(v), v / (3 + v), v**1.5, np.log(v), 1 / np.sqrt(v), np.clip(v - 1, 0, 1),
        np.tan(v), np.sqrt(v) / (v + 1), 10**v, np.log2(v),
    ]  # fmt: skip
    for number, (found, wanted) in enumerate(zip(out, expected, strict=False)):
        slack = 2e-4 * abs(wanted) if number == 8 else 0  # near the pole of the tangent
        assert (abs(found - wanted) <= 2e-5 * abs(wanted) + 2e-6 + slack * 20).all(), number
    square, sum_ = v * v, v + float(np.float32(1e-8))
    down = square.astype(np.float32)
    down = np.where(down > square, np.nextafter(down, np.float32(0)), down)
    up = sum_.astype(np.float32)
    up = np.where(up < sum_, np.nextafter(up, np.float32(9)), up)
    assert_array_equal(out[12], down)
    assert_array_equal(out[13], up)


@family.case("fast intrinsics: __expf, __sinf, __fdividef, __powf; directed rounding")
def fast_math(program: Program) -> None:
    check_fast_math(program)


@fast.case("the same with --use_fast_math: approximate division, root, sine; flush to zero")
def fast_math_option(program: Program) -> None:
    check_fast_math(program)
