"""Histograms and other atomics against NumPy."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from course_utils.simulator import Program

from .family import Family, rng

family = Family("histograms")


@family.case("global atomics on bytes' counts, grid stride")
def histogram_global(program: Program) -> None:
    data = rng().integers(0, 256, 3001, dtype=np.uint8)
    bins = np.zeros(256, np.uint32)
    program.launch("histogram_global", 4, 192, [data, bins, data.size])
    assert_array_equal(bins, np.bincount(data, minlength=256))


@family.case("shared atomics, uchar4 loads, pointer arithmetic on a shared array")
def histogram_shared(program: Program) -> None:
    data = (rng().normal(128, 30, 4000)).clip(0, 255).astype(np.uint8)
    bins = np.zeros(256, np.uint32)
    program.launch("histogram_shared", 3, 160, [data, bins, 1000])
    assert_array_equal(bins, np.bincount(data, minlength=256))


@family.case("__match_any_sync, __ffs, __activemask, 64-bit atomics, remainder by a variable")
def histogram_matched(program: Program) -> None:
    keys = rng().integers(0, 10_000, 2222, dtype=np.int32)
    bins = np.zeros(37, np.uint64)
    program.launch("histogram_matched", 3, 128, [keys, bins, keys.size, 37], shared_bytes=4 * 37 * 4)
    assert_array_equal(bins, np.bincount(keys % 37, minlength=37))


@family.case("bisection in double, NaN left out, atomicAdd(double*)")
def histogram_weighted(program: Program) -> None:
    x, weight = rng().normal(size=1000), rng(2).random(1000)
    x[::50] = np.nan
    edges = np.array([-3, -1, -0.5, 0, 0.25, 2, 2.5])
    sums = np.zeros(6)
    program.launch("histogram_weighted", 8, 128, [x, weight, edges, sums, x.size, 6])
    expected, _ = np.histogram(x[~np.isnan(x)], edges, weights=weight[~np.isnan(x)])
    assert_allclose(sums, expected, rtol=1e-12)


@family.case("atomicMin, Max, Sub, Or, And, Xor, Dec in the widths and signs they have")
def atomic_statistics(program: Program) -> None:
    v = rng().integers(-(1 << 31), 1 << 31, 700).astype(np.int32)
    v[v & 15 == 3] += 1
    i32 = np.array([2**31 - 1, -(2**31), 0], np.int32)
    u32 = np.array([0, 0xFFFFFFFF, 0, 5], np.uint32)
    i64, u64 = np.array([2**62]), np.zeros(2, np.uint64)
    program.launch("atomic_statistics", 6, 128, [v, i32, u32, i64, u64, v.size])
    unsigned = v.view(np.uint32)
    assert_array_equal(i32, [v.min(), v.max(), -v.sum(dtype=np.int32)])
    bits = np.bitwise_or.reduce(np.uint32(1) << (unsigned & 31))
    kept = 0xFFFFFFFF & ~int(np.bitwise_or.reduce(np.uint32(1) << (unsigned & 15)))
    mixed = np.bitwise_xor.reduce(unsigned * np.uint32(2654435761))
    down = (5 - 700) % 10
    assert_array_equal(u32, [bits, kept, mixed, down])
    wide = v.astype(np.int64)
    assert i64[0] == min(2**62, (wide * wide * np.where(wide < 0, -1, 1)).min())
    assert_array_equal(
        u64, [(unsigned.astype(np.uint64) << np.uint64(20)).max(), wide.sum().astype(np.uint64)]
    )


@family.case("atomicAdd of __half, __half2 and __nv_bfloat162, atomicCAS of 16 bits")
def half_atomics(program: Program) -> None:
    n = 90
    pairs, one = np.zeros((3, 2), np.float16), np.zeros(1, np.float16)
    brains, counter = np.zeros(2, np.uint16), np.zeros(1, np.uint16)
    program.launch("half_atomics", 2, 64, [pairs, one, brains, counter, n])
    assert_array_equal(pairs, [[30, -15]] * 3)
    assert one[0] == n / 4
    assert_array_equal((brains.astype(np.uint32) << 16).view(np.float32), [90, 180])
    assert counter[0] == 3 * n
