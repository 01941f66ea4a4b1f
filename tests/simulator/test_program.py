"""Counters that can be worked out by hand, their sums by source line, and a program's variables."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import simulator
from course_utils.simulator.counters import LINE_KEYS
from tests.simulator.counted import NAMES, counted
from tests.simulator.instructions import header

SOURCE = """
extern "C" __global__ void copy(const float *a, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i];
}
extern "C" __global__ void strided(const float *a, float *out, int stride) {
    out[threadIdx.x] = a[threadIdx.x * stride];
}
extern "C" __global__ void quads(const float4 *a, float4 *out) { out[threadIdx.x] = a[threadIdx.x]; }
extern "C" __global__ void bytes(const char *a, char *out) { out[threadIdx.x] = a[threadIdx.x]; }
extern "C" __global__ void column(float *out, int pitch) {
    __shared__ float board[33 * 32];
    board[threadIdx.x * pitch] = 1.0f;
    __syncthreads();
    out[threadIdx.x] = board[threadIdx.x];
}
extern "C" __global__ void uneven(float *out, const int *rounds) {
    float total = 0;
    #pragma unroll 1
    for (int i = 0; i < rounds[threadIdx.x]; ++i)
        total += out[i];
    out[threadIdx.x + 64] = total;
}
extern "C" __global__ void histogram(const int *key, int *bins) { atomicAdd(&bins[key[threadIdx.x]], 1); }
__constant__ float table[4] = {1.0f, 2.0f, 3.0f, 4.0f};
__device__ int calls[2] = {5, 7};
__device__ float *where;
extern "C" __global__ void variables(float *out) {
    out[threadIdx.x] = table[threadIdx.x % 4];
    if (threadIdx.x == 0) calls[1] += 1;
}
"""
PROGRAM = simulator.compile(SOURCE, name="program.cu")


def launch(kernel: str, grid: object, block: object, *args: object, **options: object) -> simulator.Run:
    return PROGRAM.launch(kernel, grid, block, args, **options)  # type: ignore[arg-type]


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(SOURCE.splitlines(), 1) if text in line)


def floats(count: int) -> np.ndarray:
    return np.ones(count, np.float32)


GLOBAL = ("ld_requests", "ld_sectors", "st_requests", "st_sectors")


@pytest.mark.parametrize(
    ("n", "grid", "block", "expected"),
    [
        (32, 1, 32, (1, 4, 1, 4)),  # a warp of floats is 128 bytes: 4 sectors
        (256, 2, 128, (8, 32, 8, 32)),
        (33, 2, 32, (2, 5, 2, 5)),  # the second warp has one lane: 1 sector
        (9, 1, 32, (1, 2, 1, 2)),  # 36 bytes
        (20, 1, 20, (1, 3, 1, 3)),  # a warp of 20 threads: 80 bytes
        (0, 1, 64, (0, 0, 0, 0)),  # nobody gets past the guard
    ],
)
def test_a_copy(n: int, grid: int, block: int, expected: tuple[int, ...]) -> None:
    out = np.zeros(256, np.float32)
    run = launch("copy", grid, block, floats(256), out, n)
    assert counted(run, *GLOBAL) == expected
    assert out.sum() == n
    split = sum(1 for first in range(0, grid * block, 32) if first < n < min(first + 32, grid * block))
    assert counted(run, "divergent") == (split,)


@pytest.mark.parametrize(("stride", "sectors"), [(0, 1), (1, 4), (2, 8), (4, 16), (8, 32), (16, 32)])
def test_strides(stride: int, sectors: int) -> None:
    assert counted(launch("strided", 1, 32, floats(512), floats(32), stride), *GLOBAL) == (1, sectors, 1, 4)


def test_the_offset_of_a_slice_counts() -> None:
    """From the second float on, 32 floats touch a fifth sector. Sectors count from the buffer's beginning."""
    for first, sectors in ((0, 4), (1, 5), (7, 5), (8, 4)):
        assert counted(launch("copy", 1, 32, floats(64)[first:], floats(32), 32), "ld_sectors") == (sectors,)


def test_wide_and_narrow_accesses() -> None:
    assert counted(launch("quads", 1, 32, floats(128), floats(128)), *GLOBAL) == (1, 16, 1, 16)
    data = np.zeros(64, np.int8)
    assert counted(launch("bytes", 1, 64, data, data.copy()), *GLOBAL) == (2, 2, 2, 2)


@pytest.mark.parametrize(("pitch", "wavefronts"), [(1, 1), (2, 2), (4, 4), (32, 32), (33, 1), (0, 1)])
def test_bank_conflicts(pitch: int, wavefronts: int) -> None:
    run = launch("column", 1, 32, floats(32), pitch)
    assert counted(run, "shared_st", "conflicts_st") == (wavefronts, wavefronts - 1)
    assert counted(run, "shared_ld", "conflicts_ld") == (1, 0)


def test_loops_that_lanes_leave_one_by_one() -> None:
    """Lane i makes i rounds, so there are 31 loads, each of one place, by 31, 30, ... 1 lanes."""
    out = floats(96)
    run = launch("uneven", 1, 32, out, np.arange(32, dtype=np.int32))
    assert (out[64:] == np.arange(32)).all()
    line = run.by_line[line_of("total += out[i]")]
    loads = line["global_sectors"]
    assert loads == 31
    assert line["global_sectors_ideal"] == 31  # all lanes want the same float: no order of lanes does better
    assert run.metrics[NAMES["divergent"]] >= 31  # some lanes leave, others go on: every time but the last


def test_atomics_are_not_loads_or_stores() -> None:
    bins = np.zeros(8, np.int32)
    run = launch("histogram", 1, 32, (np.arange(32) % 8).astype(np.int32), bins)
    assert (bins == 4).all()
    assert counted(run, *GLOBAL) == (1, 4, 0, 0)


PTX = """{
    .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    setp.lt.u32 %p1, %r1, 10;
    @%p1 st.global.u32 [%rd3], %r1;
    @!%p1 bra END;
    st.global.u32 [%rd3], 7;
END:
    ret;
}"""


@pytest.mark.parametrize(
    ("block", "warp_inst", "thread_inst", "divergent", "requests"),
    [
        # 7 instructions for all (the guarded store among them), a store for ten lanes, and ret.
        (32, 9, 32 * 8 + 10, 2, 2),
        (10, 9, 10 * 9, 0, 2),  # all ten of a warp take both
        (64, 9 + 8, 64 * 8 + 10, 2, 2),  # the second warp takes neither
    ],
)
def test_ptx_instructions(
    block: int, warp_inst: int, thread_inst: int, divergent: int, requests: int
) -> None:
    """A guarded instruction is issued by its warp whoever takes part, and parts lanes as a branch does."""
    out = np.zeros(64, np.uint32)
    run = simulator.load_ptx(header(".param .u64 out") + PTX).launch("k", 1, block, [out])
    assert counted(run, "warp_inst", "thread_inst", "divergent", "st_requests") == (
        warp_inst,
        thread_inst,
        divergent,
        requests,
    )
    assert out.tolist() == [7] * 10 + [0] * 54
    assert not [
        name for name in run.metrics if name.startswith("launch__")
    ]  # facts of machine code, which there is none of


def test_lines_add_up_to_the_metrics() -> None:
    runs = [
        launch("copy", 3, 100, floats(256), floats(256), 250),
        launch("column", 2, 32, floats(32), 5),
        launch("uneven", 1, 64, floats(128), np.arange(64, dtype=np.int32) % 7),
    ]
    for run in runs:
        total = {key: sum(line[key] for line in run.by_line.values()) for key in LINE_KEYS}
        assert all(tuple(line) == LINE_KEYS for line in run.by_line.values())
        assert total["inst"] == run.metrics[NAMES["warp_inst"]]
        assert total["thread_inst"] == run.metrics[NAMES["thread_inst"]]
        assert total["divergent_branches"] == run.metrics[NAMES["divergent"]]
        assert total["global_sectors"] == sum(counted(run, "ld_sectors", "st_sectors"))
        assert total["shared_wavefronts"] == sum(counted(run, "shared_ld", "shared_st"))
        conflicts = total["shared_wavefronts"] - total["shared_wavefronts_ideal"]
        assert conflicts == sum(counted(run, "conflicts_ld", "conflicts_st"))
        assert total["thread_inst_on"] <= total["thread_inst"] <= 32 * total["inst"]
        assert list(run.by_line) == sorted(run.by_line)


def test_counters_are_the_same_for_any_number_of_workers_and_every_time() -> None:
    rounds = (np.arange(64) * 7 % 13).astype(np.int32)
    runs = [launch("uneven", 20, 64, floats(128), rounds, workers=workers) for workers in (1, 2, 3, 7, 1, 2)]
    assert all(run.metrics == runs[0].metrics and run.by_line == runs[0].by_line for run in runs)


def test_facts_of_the_machine_code() -> None:
    run = launch("column", 1, 32, floats(32), 1)
    assert run.metrics["launch__shared_mem_per_block_static"] == 33 * 32 * 4
    assert 0 < run.metrics["launch__registers_per_thread"] <= 255
    assert run.metrics["launch__occupancy_limit_warps"] == 64  # 64 warps an SM, one a block
    assert run.metrics["launch__occupancy_limit_blocks"] == 32


# Variables ------------------------------------------------------------------------------------------------


def test_constants_and_device_variables() -> None:
    program = simulator.compile(SOURCE)
    out = np.zeros(8, np.float32)
    program.launch("variables", 1, 8, [out])
    assert out.tolist() == [1, 2, 3, 4, 1, 2, 3, 4]
    program.set_symbol("table", np.array([5, 6], np.float32))
    program.launch("variables", 3, 8, [out], workers=1)
    assert out.tolist() == [5, 6, 3, 4, 5, 6, 3, 4]
    assert program.get_symbol("calls").view(np.int32).tolist() == [5, 11]  # kept from launch to launch
    assert PROGRAM.get_symbol("calls").view(np.int32).tolist() == [5, 7]  # and by each program for itself
    program.set_symbol("calls", np.array([0, 0], np.int32))
    assert program.get_symbol("calls").view(np.int32).tolist() == [0, 0]


def test_a_copy_of_a_variable_is_a_copy() -> None:
    copy = PROGRAM.get_symbol("table")
    copy[:] = 0
    assert PROGRAM.get_symbol("table").view(np.float32).tolist() == [1, 2, 3, 4]


def test_variables_that_do_not_fit() -> None:
    with pytest.raises(simulator.ArgumentError, match=r"^table has 16 bytes, the value has 20"):
        PROGRAM.set_symbol("table", np.zeros(5, np.float32))
    with pytest.raises(
        simulator.ArgumentError,
        match=r"^there is no variable 'tabel' in this program; there is: calls, table",
    ):
        PROGRAM.get_symbol("tabel")


def test_fresh_memory_is_odd_and_the_same_every_time() -> None:
    for shape, dtype in (((3, 4), np.float32), (7, np.uint8), ((), np.float64), ((0, 2), np.int32)):
        one = simulator.fresh(shape, dtype)
        assert one.dtype == dtype
        assert one.shape == (shape if isinstance(shape, tuple) else (shape,))
        assert set(one.tobytes()) <= {0xCD}
        assert one.tobytes() == simulator.fresh(shape, dtype).tobytes()


def test_a_syntax_error_has_the_files_own_line() -> None:
    with pytest.raises(simulator.CompileError, match=r"broken\.cu\(2\): error: ") as caught:
        simulator.compile('extern "C" __global__ void k(float *a) {\n    a[0] = b;\n}', name="broken.cu")
    assert isinstance(caught.value, simulator.Error)


def test_executions_by_opcode_are_those_of_the_threads() -> None:
    program = simulator.compile(
        """
extern "C" __global__ void powers(float *out, float a) {
    float v = 0;
    for (int i = 0; i < threadIdx.x; ++i) v = v * a + 1.0f;
    out[threadIdx.x] = v;
}
"""
    )
    run = program.launch("powers", 3, 40, [np.zeros(40, np.float32), np.float32(2)])
    assert run.by_opcode["fma.rn.f32"] == 3 * sum(range(40))
    assert run.by_opcode["st.global.f32"] == 3 * 40
    assert list(run.by_opcode) == sorted(run.by_opcode)
