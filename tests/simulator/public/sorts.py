"""Sorts against NumPy's."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal

from course_utils.simulator import Program

from .family import Family, blocks, rng

family = Family("sorts")


@family.case("compare-exchange by reference, a template length with __launch_bounds__, both directions")
def bitonic_pairs(program: Program) -> None:
    for ascending in (1, 0):
        keys = rng().integers(0, 1 << 32, (2, 256), dtype=np.uint32)
        values = np.arange(keys.size, dtype=np.uint32).reshape(keys.shape)
        before = keys.copy()
        program.launch("bitonic_pairs<256>", 2, 128, [keys, values, np.uint32(ascending)])
        expected = np.sort(before, axis=1)
        assert_array_equal(keys, expected if ascending else expected[:, ::-1])
        assert_array_equal(before.ravel()[values], keys)


@family.case("16-bit elements, barriers in a do-while that ends by a shared flag")
def odd_even_transposition(program: Program) -> None:
    n = 75
    data = rng().integers(-(1 << 15), 1 << 15, n).astype(np.int16)
    expected, rounds = np.sort(data), np.zeros(1, np.int32)
    program.launch("odd_even_transposition", 1, 40, [data, n, rounds])
    assert_array_equal(data, expected)
    assert 1 < rounds[0] <= n // 2 + 2


@family.case("__shfl_xor_sync of doubles, selects without branches")
def bitonic_warp(program: Program) -> None:
    data = rng().standard_normal(8 * 32)
    expected = np.sort(data.reshape(8, 32), axis=1)
    program.launch("bitonic_warp", 2, 128, [data])
    assert_array_equal(data.reshape(8, 32), expected)


@family.case("shared atomics, ranks from ballots, 2-D shared array, several launches that feed each other")
def radix_sort(program: Program) -> None:
    n = 1111
    keys = rng().integers(0, 1 << 12, n, dtype=np.uint32)
    expected, out, grid = np.sort(keys), np.zeros_like(keys), blocks(n, 160)
    for shift in (0, 4, 8):
        counts = np.zeros(16 * grid, np.uint32)
        program.launch("radix_count", grid, 160, [keys, counts, n, shift])
        offsets = (counts.cumsum() - counts).astype(np.uint32)
        program.launch("radix_scatter", grid, 160, [keys, out, offsets, n, shift])
        keys, out = out, keys
    assert_array_equal(keys, expected)


@family.case("bisection with divergent loop counts, a pointer chosen by a condition")
def merge_by_rank(program: Program) -> None:
    a, b = (np.sort(rng(seed).integers(0, 200, size, dtype=np.int32)) for seed, size in ((1, 301), (2, 250)))
    out = np.zeros(a.size + b.size, np.int32)
    program.launch("merge_by_rank", 5, 120, [a, a.size, b, b.size, out])
    assert_array_equal(out, np.sort(np.concatenate([a, b])))
