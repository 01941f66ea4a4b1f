"""Cooperative groups against NumPy."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from course_utils.simulator import Program

from .family import Family, padded, rng

family = Family("groups")


@family.case("cg::coalesced_threads under divergence: its size, ranks and shfl")
def filter_groups(program: Program) -> None:
    data = rng().random(1001, dtype=np.float32)
    out, count = np.zeros_like(data), np.zeros(1, np.int32)
    program.launch("filter_groups", 8, 128, [data, out, count, 0.7, data.size])
    kept = data[data > np.float32(0.7)]
    assert count[0] == kept.size
    assert_array_equal(np.sort(out[: kept.size]), np.sort(kept))


@family.case("tiles of eight: cg::exclusive_scan, ballot, any, all")
def tile_scan(program: Program) -> None:
    n = 190
    data = rng().integers(0, 100, n, dtype=np.int32)
    out, votes = np.zeros(n, np.int32), np.zeros(24, np.uint32)
    program.launch("tile_scan", 2, 96, [data, out, votes, n])
    rows = padded(data, 8)
    assert_array_equal(out, (rows.cumsum(1) - rows).ravel()[:n])
    odd = ((rows & 1) << np.arange(8)).sum(1)
    assert_array_equal(votes, odd | (rows > 90).any(1) << 8 | (rows > 10).all(1) << 9)


@family.case("cooperative groups: tiled_partition<16>, cg::reduce, meta_group_rank")
def reduce_groups(program: Program) -> None:
    data = rng().random(500, dtype=np.float32)
    sums, maxima = np.zeros(3 * 12, np.float32), np.zeros(3, np.float32)
    program.launch("reduce_groups", 3, 192, [data, sums, maxima, data.size])
    assert_allclose(sums, padded(data, 16).sum(1, dtype=np.float64).tolist() + [0] * (36 - 32), rtol=1e-6)
    assert_array_equal(maxima, padded(data, 192).max(1))


@family.case("grid.sync() in a cooperative launch")
def mean_variance(program: Program) -> None:
    data = rng().standard_normal(3000, dtype=np.float32) + 5
    sums, out = np.zeros(2, np.float32), np.zeros(2, np.float32)
    program.launch("mean_variance", 6, 160, [data, sums, out, data.size], cooperative=True)
    assert_allclose(out, [data.mean(dtype=np.float64), data.var(dtype=np.float64)], rtol=1e-5)


@family.case("grid.sync() in a loop, pointers exchanged")
def wave_steps(program: Program) -> None:
    x = np.linspace(0, 1, 300, dtype=np.float32)
    now, before = np.exp(-200 * (x - 0.4) ** 2), np.exp(-200 * (x - 0.39) ** 2)
    now[0] = now[-1] = before[0] = before[-1] = 0
    expected = [before.astype(float), now.astype(float)]
    for _ in range(5):
        two, one = expected[-2:]
        new = np.zeros(300)
        new[1:-1] = 2 * one[1:-1] - two[1:-1] + 0.5 * (one[:-2] - 2 * one[1:-1] + one[2:])
        expected.append(new)
    program.launch("wave_steps", 3, 128, [now, before, 300, 5, 0.5], cooperative=True)
    assert_allclose(before, expected[-1], atol=1e-5)
    assert_allclose(now, expected[-2], atol=1e-5)
