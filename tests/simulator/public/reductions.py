"""Sums and extrema against NumPy's."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from course_utils.simulator import Program

from .family import Family, blocks, padded, rng

family = Family("reductions")


@family.case("extern shared array, modulo by a growing divisor, divergent warps")
def reduce_interleaved(program: Program) -> None:
    n = 1000
    data = rng().integers(-1000, 1000, n, dtype=np.int32)
    out = np.zeros(blocks(n, 128), np.int32)
    program.launch("reduce_interleaved", out.size, 128, [data, out, np.uint32(n)], shared_bytes=512)
    assert_array_equal(out, padded(data, 128).sum(1))


@family.case("64-bit sums, the first addition while loading")
def reduce_first_add(program: Program) -> None:
    n = 3001
    data = rng().integers(-(1 << 60), 1 << 60, n)
    out = np.zeros(blocks(n, 512), np.int64)
    program.launch("reduce_first_add", out.size, 256, [data, out, n])
    assert_array_equal(out, padded(data, 512).sum(1))


@family.case("templates by name, volatile shared memory, __syncwarp, grid stride")
def reduce_unrolled(program: Program) -> None:
    n = 5003
    whole = rng().integers(-1000, 1000, n, dtype=np.int32)
    for kernel, threads, data in (
        ("reduce_unrolled<int, 64>", 64, whole),
        ("reduce_unrolled<double, 256>", 256, whole.astype(np.float64)),
    ):
        out = np.zeros(3, data.dtype)
        program.launch(kernel, 3, threads, [data, out, np.uint64(n)])
        owners = np.arange(n) // threads % 3
        assert_array_equal(out, [data[owners == block].sum() for block in range(3)])


@family.case("shuffles, float4 through reinterpret_cast, static shared in a device function, float atomics")
def reduce_shuffle(program: Program) -> None:
    data = rng().random(10_007, dtype=np.float32)
    total = np.zeros(1, np.float32)
    program.launch("reduce_shuffle", 5, 192, [data, total, data.size])
    assert_allclose(total[0], data.sum(dtype=np.float64), rtol=1e-5)


@family.case("__reduce_*_sync over full and partial masks, structures written whole")
def reduce_redux(program: Program) -> None:
    n = 205
    data = rng().integers(-(1 << 31), 1 << 31, n).astype(np.int32)
    names = ["low", "high", "sum", "all", "any", "parity"]
    out = np.zeros(
        blocks(n, 32), [(name, np.int32 if name in ("low", "high") else np.uint32) for name in names]
    )
    program.launch("reduce_redux", blocks(n, 96), 96, [data, out, n])
    for found, start in zip(out, range(0, n, 32), strict=True):
        part = data[start : start + 32]
        bits = part.view(np.uint32)
        assert (found["low"], found["high"]) == (part.min(), part.max())
        assert found["sum"] == bits.sum(dtype=np.uint32)
        assert found["all"] == np.bitwise_and.reduce(bits)
        assert found["any"] == np.bitwise_or.reduce(bits)
        assert found["parity"] == np.bitwise_xor.reduce(bits)


@family.case("__threadfence, a wrapping ticket (atomicInc), bool in shared memory, a __device__ counter kept")
def reduce_last_block(program: Program) -> None:
    for n in (1, 4099):
        data = rng().integers(0, 1 << 40, n).astype(np.float64)
        partial, result = np.zeros(7), np.zeros(1)
        program.launch("reduce_last_block", 7, 128, [data, partial, result, n])
        assert result[0] == data.sum()
        assert program.get_symbol("retirement_count").view(np.uint32)[0] == 0


@family.case("floats ordered as integers, 64-bit shuffles and atomicMin")
def argmin_packed(program: Program) -> None:
    data = rng().standard_normal(3001, dtype=np.float32)
    best = np.full(1, np.iinfo(np.uint64).max)
    program.launch("argmin_packed", 4, 128, [data, best, data.size])
    assert int(best[0]) & 0xFFFFFFFF == data.argmin()


@family.case("2-D blocks, an atomicCAS loop with a break inside do-while")
def column_absmax(program: Program) -> None:
    m = rng().standard_normal((61, 37), dtype=np.float32)
    out = np.zeros(37, np.float32)
    program.launch("column_absmax", (3, 2), (16, 6), [m, out, 61, 37])
    assert_array_equal(out, abs(m).max(0))
