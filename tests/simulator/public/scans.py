"""Running sums, and what is built on them, against NumPy's."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from course_utils.simulator import Program

from .family import Family, blocks, rng

family = Family("scans")


@family.case("two buffers in one dynamic array, swapped by index; a length that is no power of two")
def scan_hillis_steele(program: Program) -> None:
    n = 100
    data = rng().random((3, n), dtype=np.float32)
    out = np.zeros_like(data)
    program.launch("scan_hillis_steele", 3, 128, [data, out, n], shared_bytes=2 * 128 * 4)
    assert_allclose(out, data.cumsum(1, dtype=np.float64), rtol=1e-5)


@family.case("up-sweep and down-sweep, padded indices, parameters advanced as pointers")
def scan_blelloch(program: Program) -> None:
    data = rng().integers(-100, 100, (3, 256), dtype=np.int32)
    out, sums = np.zeros_like(data), np.zeros(3, np.int32)
    program.launch("scan_blelloch", 3, 128, [data, out, sums], shared_bytes=(256 + 8) * 4)
    assert_array_equal(out, data.cumsum(1) - data)
    assert_array_equal(sums, data.sum(1))


@family.case("__shfl_up_sync of 32 and 64 bits, a template for two element types")
def scan_warps(program: Program) -> None:
    for kernel, dtype in (("scan_warps<unsigned int>", np.uint32), ("scan_warps<double>", np.float64)):
        data = rng().integers(0, 1000, 300).astype(dtype)
        out = np.zeros_like(data)
        program.launch(kernel, 2, 160, [data, out, data.size])
        expected = np.concatenate([data[:160].cumsum(), data[160:].cumsum()])
        assert_array_equal(out, expected)


@family.case("decoupled look-back: blocks spin on volatile 64-bit words that others publish")
def scan_look_back(program: Program) -> None:
    n = 4321
    tiles = blocks(n, 96)
    data = rng().integers(0, 1 << 20, n, dtype=np.uint32)
    out, status, ticket = np.zeros_like(data), np.zeros(tiles, np.uint64), np.zeros(1, np.uint32)
    program.launch("scan_look_back", tiles, 96, [data, out, status, ticket, n])
    assert_array_equal(out, data.cumsum(dtype=np.uint32))


@family.case("a lambda as a template argument, ballot and popc, remainder by a variable")
def compact_ballot(program: Program) -> None:
    data = rng().integers(-500, 500, 1000, dtype=np.int32)
    out, cursor = np.zeros_like(data), np.zeros(1, np.int32)
    program.launch("compact_ballot", 11, 96, [data, out, cursor, data.size, 3, 200])
    kept = data[(data % 3 == 0) & (data < 200)]
    assert cursor[0] == kept.size
    assert_array_equal(np.sort(out[: kept.size]), np.sort(kept))
    assert not out[kept.size :].any()


@family.case("bool in shared memory, a block of 1024 threads")
def scan_segmented(program: Program) -> None:
    n = 777
    values = rng().integers(-50, 50, n, dtype=np.int32)
    heads = (rng(2).random(n) < 0.05).astype(np.uint8)
    out = np.zeros(n, np.int32)
    program.launch("scan_segmented", 1, 1024, [values, heads, out, n])
    expected, running = np.zeros(n, np.int32), 0
    for i in range(n):
        running = values[i] if heads[i] else running + values[i]
        expected[i] = running
    assert_array_equal(out, expected)
