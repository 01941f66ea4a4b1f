"""The layers of neural networks against NumPy."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from course_utils.simulator import Program

from .family import Family, rng

family = Family("networks")


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@family.case("expf, infinity, lambdas as operators of a warp-wide reduction")
def softmax_two_pass(program: Program) -> None:
    x = 10 * rng().standard_normal((3, 301), dtype=np.float32)
    y = np.zeros_like(x)
    program.launch("softmax_two_pass", 3, 128, [x, y, 301])
    assert_allclose(y, softmax(x.astype(float)), rtol=1e-5, atol=1e-12)


@family.case("an aligned structure in registers, aggregate initialisation, size_t offsets")
def softmax_online(program: Program) -> None:
    x = 10 * rng().standard_normal((7, 75), dtype=np.float32)
    y = np.zeros_like(x)
    program.launch("softmax_online", 2, (32, 4), [x, y, 7, 75])
    assert_allclose(y, softmax(x.astype(float)), rtol=1e-5, atol=1e-12)


@family.case("Welford's sums merged by shuffles, rsqrtf, lanes without data")
def layernorm_welford(program: Program) -> None:
    for cols in (19, 90):
        x = rng().standard_normal((4, cols), dtype=np.float32) + 3
        gamma, beta = rng(1).random(cols, dtype=np.float32), rng(2).random(cols, dtype=np.float32)
        y, stats = np.zeros_like(x), np.zeros((4, 2), np.float32)
        program.launch("layernorm_welford", 4, 32, [x, gamma, beta, y, stats, cols, 1e-5])
        wide = x.astype(float)
        mean, rstd = wide.mean(1), 1 / np.sqrt(wide.var(1) + 1e-5)
        assert_allclose(stats, np.stack([mean, rstd], 1), rtol=1e-5)
        assert_allclose(y, (wide - mean[:, None]) * rstd[:, None] * gamma + beta, rtol=1e-4, atol=1e-5)


@family.case("__half22float2 and back, in place")
def rmsnorm_half2(program: Program) -> None:
    x, w = rng(1).standard_normal((3, 50)).astype(np.float16), rng(2).random(50).astype(np.float16)
    wide = x.astype(float)
    expected = wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-6) * w
    program.launch("rmsnorm_half2", 3, 32, [x, w, 25, 1e-6])
    assert_allclose(x, expected, rtol=2e-3, atol=1e-4)


@family.case("local arrays in registers, __expf, bool by value, causal masks")
def flash_attention(program: Program) -> None:
    n, d = 50, 16
    q, k, v = (rng(i).standard_normal((2, n, d), dtype=np.float32) for i in range(3))
    for causal in (False, True):
        out = np.zeros_like(q)
        program.launch("flash_attention<16, 24>", (2, 2), 32, [q, k, v, out, n, 0.25, causal])
        scores = 0.25 * q.astype(float) @ k.transpose(0, 2, 1)
        if causal:
            scores = np.where(np.tri(n, dtype=bool), scores, -np.inf)
        assert_allclose(out, softmax(scores) @ v, rtol=1e-4, atol=1e-5)


@family.case("a structure by value, powf")
def adamw(program: Program) -> None:
    n = 200
    p, g, m = (rng(i).standard_normal(n, dtype=np.float32) for i in range(3))
    v = rng(4).random(n, dtype=np.float32)
    wide = [each.astype(float) for each in (p, g, m, v)]
    fields = [(name, np.float32) for name in ("lr", "beta1", "beta2", "eps", "decay")]
    settings = np.array((1e-2, 0.9, 0.99, 1e-8, 0.1, 3), [*fields, ("step", np.int32)])[()]
    program.launch("adamw", 2, 128, [p, g, m, v, n, settings])
    first, second = 0.9 * wide[2] + 0.1 * wide[1], 0.99 * wide[3] + 0.01 * wide[1] ** 2
    update = first / (1 - 0.9**3) / (np.sqrt(second / (1 - 0.99**3)) + 1e-8) + 0.1 * wide[0]
    assert_allclose(m, first, rtol=1e-4, atol=1e-6)
    assert_allclose(v, second, rtol=1e-4)
    assert_allclose(p, wide[0] - 1e-2 * update, rtol=1e-4, atol=1e-5)


@family.case("sincosf of large angles, 64-bit positions, a reference to a float2 in memory")
def rope(program: Program) -> None:
    x = rng().standard_normal((5, 3, 16, 2), dtype=np.float32)
    positions = np.array([0, 1, 17, 1000, 30000])
    expected = x.astype(float)[..., 0] + 1j * x[..., 1]
    powers = np.float32(10000) ** (-np.arange(16, dtype=np.float32) / 16)
    angles = positions[:, None].astype(np.float32) * powers
    expected = expected * np.exp(1j * angles.astype(float))[:, None]
    program.launch("rope", 5, (16, 3), [x, positions, 3, 16])
    assert_allclose(x[..., 0] + 1j * x[..., 1], expected, atol=4e-3)


@family.case("__half constructed and copied, 64-bit index arithmetic")
def embedding(program: Program) -> None:
    table = rng().standard_normal((10, 40)).astype(np.float16)
    ids = np.array([3, -1, 9, 0, 3])
    out = np.ones((5, 40), np.float16)
    program.launch("embedding", (2, 5), 32, [table, ids, out, 40])
    assert_array_equal(out, np.where(ids[:, None] < 0, 0, table[ids]))


@family.case("char4 stores, rounding to nearest even, nested fmaxf")
def quantize_rows(program: Program) -> None:
    x = rng().standard_normal((3, 60), dtype=np.float32)
    x[1] = 0
    out, scales = np.zeros((3, 60), np.int8), np.zeros(3, np.float32)
    program.launch("quantize_rows", 3, 32, [x, out, scales, 15])
    most = abs(x).max(1)
    assert_allclose(scales, most / 127, rtol=1e-6)
    inverse = np.array([np.float32(127) / m if m else 0 for m in most], np.float32)
    assert_array_equal(out, np.rint(x * inverse[:, None]))


@family.case("3-D blocks and grids of odd shapes, early return")
def max_pool(program: Program) -> None:
    x = rng().standard_normal((5, 14, 22), dtype=np.float32)
    out, where = np.zeros((5, 7, 11), np.float32), np.zeros((5, 7, 11), np.int32)
    program.launch("max_pool", (2, 3, 2), (7, 3, 3), [x, out, where, 5, 14, 22])
    windows = x.reshape(5, 7, 2, 11, 2).transpose(0, 1, 3, 2, 4).reshape(5, 7, 11, 4)
    assert_array_equal(out, windows.max(-1))
    assert_array_equal(np.take_along_axis(x.reshape(5, -1), where.reshape(5, -1), 1).reshape(out.shape), out)


@family.case("insertion into registers, an argmax whose winner alone acts")
def topk_warp(program: Program) -> None:
    x = rng().permutation(3 * 200).reshape(3, 200).astype(np.float32)
    values, indices = np.zeros((3, 4), np.float32), np.zeros((3, 4), np.int32)
    program.launch("topk_warp<4>", 3, 32, [x, values, indices, 200])
    order = np.argsort(-x, axis=1)[:, :4]
    assert_array_equal(indices, order)
    assert_array_equal(values, np.take_along_axis(x, order, 1))
