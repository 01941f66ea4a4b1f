"""CUB's block-wide primitives against NumPy's."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from course_utils.simulator import Program

from .family import Family, rng

family = Family("cub_blocks")


@family.case("cub::BlockReduce by shuffles and by raking, a union of its storages, a functor on int2")
def cub_reduce(program: Program) -> None:
    n = 500
    data = rng().integers(-1000, 1000, n, dtype=np.int32)
    sums, longest = np.zeros(4, np.int32), np.zeros((4, 2), np.int32)
    program.launch("cub_reduce", 4, 128, [data, sums, longest, n])
    rows = np.zeros((4, 128), np.int32)
    rows.flat[:n] = data
    assert_array_equal(sums, rows.sum(1))
    assert_array_equal(longest[:, 0], rows.max(1))
    assert_array_equal(rows.ravel()[longest[:, 1]], longest[:, 0])


@family.case("cub::BlockLoad through shared memory and cub::BlockScan of four items a thread")
def cub_scan(program: Program) -> None:
    data = rng().integers(-1000, 1000, (3, 256), dtype=np.int32)
    out, totals = np.zeros_like(data), np.zeros(3, np.int32)
    program.launch("cub_scan", 3, 64, [data, out, totals])
    assert_array_equal(out, data.cumsum(1) - data)
    assert_array_equal(totals, data.sum(1))


@family.case("cub::BlockRadixSort of signed keys with 16-bit values")
def cub_radix_sort(program: Program) -> None:
    keys = rng().integers(-(1 << 31), 1 << 31, (2, 192)).astype(np.int32)
    before, values = keys.copy(), np.zeros((2, 192), np.uint16)
    program.launch("cub_radix_sort", 2, 64, [keys, values])
    assert_array_equal(keys, np.sort(before, axis=1))
    assert_array_equal(np.take_along_axis(before, values.astype(int), 1), keys)


@family.case("cub::WarpReduce over logical warps of eight lanes")
def cub_warp_reduce(program: Program) -> None:
    data = rng().random(256)
    out = np.zeros(32)
    program.launch("cub_warp_reduce", 2, 128, [data, out])
    assert_allclose(out, data.reshape(32, 8).sum(1), rtol=1e-14)
