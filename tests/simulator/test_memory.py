"""Buffers: what an access reads and writes, what it costs, and what happens when it is not legal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils import simulator
from course_utils.simulator import sectors as rules
from tests.simulator.counted import counted

SOURCE = """
extern "C" __global__ void strided(const float *a, float *out, int stride, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i * stride + offset];
}
extern "C" __global__ void gather(const float *a, float *out, const int *index) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (index[i] < 1000000) out[i] = a[index[i]];
}
extern "C" __global__ void scatter(float *out, const int *index) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[index[i]] = i;
}
extern "C" __global__ void unrolled(const float *a, float *out, int pitch) {
    const int i = threadIdx.x;
    out[i] = a[i] + 1.0f;                 // line 16
    out[i + pitch] = 2.0f;
    out[i + pitch + 32] = 3.0f;
    out[i + pitch + 64] = 4.0f;           // line 19
    out[i + pitch + 96] = 5.0f;
}
extern "C" __global__ void row(const float *a, float *out, int width, int start) {
    out[threadIdx.y * blockDim.x + threadIdx.x] = a[start + (int)threadIdx.y * width + (int)threadIdx.x];
}
extern "C" __global__ void column(float *out, int width, int start) {
    out[start + (int)threadIdx.y * width + (int)threadIdx.x] = threadIdx.y * 100 + threadIdx.x;
}
extern "C" __global__ void one_place(float *out, const float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < 0) return;
    out[0] = i + a[0];
    out[1] = 7.0f;
    if (i % 2) out[2] = i;
}
extern "C" __global__ void quads(const float *a, float4 *out, int shift) {
    out[threadIdx.x] = *(const float4 *)(a + 4 * threadIdx.x + shift);
}
extern "C" __global__ void shared_index(float *out, int shift) {
    __shared__ float board[64];
    board[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = board[(int)threadIdx.x + shift];
}
extern "C" __global__ void generic(float *out, int lane, int index) {
    __shared__ float board[32];
    float mine[4];
    for (int i = 0; i < 4; ++i) mine[i] = out[i];
    float *to = threadIdx.x % 3 == 0 ? board : threadIdx.x % 3 == 1 ? mine : out;
    to[threadIdx.x == lane ? index : (int)threadIdx.x % 4] = 1.0f;
    __syncthreads();
    out[threadIdx.x] = board[threadIdx.x] + mine[threadIdx.x % 4];
}
extern "C" __global__ void both(float *a, float *b) {
    a[threadIdx.x] = b[threadIdx.x] + 1.0f;
}
extern "C" __global__ void wrapped(const unsigned *table, unsigned *out, unsigned stride, unsigned start) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[(i * stride + start) >> 24];
}
extern "C" __global__ void wrapped_signed(const unsigned *table, unsigned *out, unsigned stride,
                                          unsigned start) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[128 + ((int)(i * stride + start) >> 24)];
}
"""
PROGRAM = simulator.compile(SOURCE, name="memory.cu")


def line_of(text: str) -> int:
    """The line of the source that contains a text."""
    return next(number for number, line in enumerate(SOURCE.splitlines(), 1) if text in line)


def launch(kernel: str, grid: object, block: object, *args: object) -> simulator.Run:
    return PROGRAM.launch(kernel, grid, block, args, workers=1)  # type: ignore[arg-type]


# Bounds ---------------------------------------------------------------------------------------------------

SIZE = 500


@settings(max_examples=80, deadline=None, derandomize=True, database=None)
@given(
    block=st.integers(1, 100),
    grid=st.integers(1, 3),
    stride=st.one_of(st.integers(-4, 4), st.integers(-40, 40), st.sampled_from([1 << 20, -(1 << 20)])),
    offset=st.integers(-3, SIZE + 3),
)
def test_the_first_thread_out_of_bounds_is_named(block: int, grid: int, stride: int, offset: int) -> None:
    a = np.arange(SIZE, dtype=np.float32)
    out = np.full(block * grid, -1, np.float32)
    index = np.arange(block * grid) * stride + offset
    wrong = np.nonzero((index < 0) | (index >= SIZE))[0]
    if not len(wrong):
        launch("strided", grid, block, a, out, np.int32(stride), np.int32(offset))
        assert (out == a[index]).all()
        return
    with pytest.raises(simulator.IllegalAccess) as caught:
        launch("strided", grid, block, a, out, np.int32(stride), np.int32(offset))
    first = int(wrong[0])
    error = caught.value
    assert (error.buffer, error.index, error.line) == ("a", index[first], line_of("out[i] = a[i * stride"))
    assert (error.block, error.thread) == ((first // block, 0, 0), (first % block, 0, 0))
    assert f"a[{index[first]}] is out of bounds; a has {SIZE} elements of 4 bytes" in str(error)
    assert f"memory.cu:{error.line}, block {error.block}, thread {error.thread}" in str(error)
    # Warps before the one at fault have run; nobody else has stored anything.
    in_block = first % block
    done = first - in_block + in_block // 32 * 32
    assert (out[:done] == a[index[:done]]).all()
    assert (out[done:] == -1).all()


@pytest.mark.parametrize("bad", [-1, 300, 12345, -(1 << 30), (1 << 31) - 1, -(1 << 31)])
@pytest.mark.parametrize("lane", [0, 13, 31])
def test_a_gathered_index_out_of_bounds(bad: int, lane: int) -> None:
    index = np.arange(64, dtype=np.int32)
    index[32 + lane] = bad
    a, out = np.zeros(300, np.float32), np.zeros(64, np.float32)
    with pytest.raises(simulator.IllegalAccess) as caught:
        launch("scatter", 1, 64, a, index)
    assert (caught.value.buffer, caught.value.index, caught.value.thread) == ("out", bad, (32 + lane, 0, 0))
    assert "illegal store of 4 bytes" in str(caught.value)
    if bad < 1000000:  # behind a branch that the guarded lanes do not take
        index[32 + (lane + 1) % 32] = 2000000
        with pytest.raises(simulator.IllegalAccess) as caught:
            launch("gather", 1, 64, a, out, index)
        assert (caught.value.buffer, caught.value.index, caught.value.thread) == ("a", bad, (32 + lane, 0, 0))
        assert "illegal load of 4 bytes" in str(caught.value)


def test_an_unrolled_group_names_the_access_at_fault() -> None:
    """Four stores are checked together; the third is out of bounds from lane 20 on, those before are done."""
    a, out = np.zeros(32, np.float32), np.zeros(32 + 64 + 20, np.float32)
    with pytest.raises(simulator.IllegalAccess) as caught:
        launch("unrolled", 1, 32, a, out, np.int32(32))
    error = caught.value
    assert (error.buffer, error.index, error.thread) == ("out", 116, (20, 0, 0))
    assert error.line == line_of("= 4.0f")
    assert (out[:32] == 1).all()
    assert (out[32:64] == 2).all()
    assert (out[64:96] == 3).all()
    assert (out[96:] == 0).all()


def test_an_unrolled_group_may_reach_over_two_buffers() -> None:
    """A group whose accesses are all legal is legal, wherever they are: here before a slice, in its base."""
    a, base = np.zeros(32, np.float32), np.zeros(1000, np.float32)
    launch("unrolled", 1, 32, a, base[500:], np.int32(-400))
    expected = np.zeros(1000, np.float32)
    for start, value in ((500, 1), (100, 2), (132, 3), (164, 4), (196, 5)):
        expected[start : start + 32] = value
    assert (base == expected).all()


@pytest.mark.parametrize("count", [1, 31, 32, 33, 40])
def test_a_null_pointer(count: int) -> None:
    with pytest.raises(simulator.IllegalAccess, match="null pointer") as caught:
        launch("strided", 1, count, None, np.zeros(count, np.float32), np.int32(1), np.int32(0))
    assert (caught.value.buffer, caught.value.index, caught.value.thread) == (None, None, (0, 0, 0))


@pytest.mark.parametrize("shift", [1, 2, 3, 4])
def test_alignment(shift: int) -> None:
    """A float4 must lie at a multiple of 16 bytes from the buffer's beginning."""
    a, out = np.arange(256, dtype=np.float32), np.zeros(128, np.float32)
    launch("quads", 1, 32, a, out, np.int32(0))
    assert (out == np.arange(128)).all()
    if shift == 4:
        launch("quads", 1, 32, a, out, np.int32(shift))
        assert (out == np.arange(128) + 4).all()
        return
    with pytest.raises(simulator.IllegalAccess, match="misaligned") as caught:
        launch("quads", 1, 32, a, out, np.int32(shift))
    assert (caught.value.buffer, caught.value.index) == ("a", shift)


@pytest.mark.parametrize(("shift", "byte", "thread"), [(1, 256, 63), (-1, -4, 0), (1 << 20, 1 << 22, 0)])
def test_shared_memory_out_of_bounds(shift: int, byte: int, thread: int) -> None:
    out = np.zeros(64, np.float32)
    launch("shared_index", 1, 64, out, np.int32(0))
    assert (out == np.arange(64)).all()
    with pytest.raises(
        simulator.IllegalAccess, match=f"byte {byte} of shared memory, which has 256 bytes"
    ) as caught:
        launch("shared_index", 1, 64, out, np.int32(shift))
    assert caught.value.thread == (thread, 0, 0)
    assert caught.value.line == line_of("board[(int)threadIdx.x + shift]")


@pytest.mark.parametrize(
    ("lane", "index", "buffer", "sentence"),
    [
        (6, 32, "shared memory", "byte 128 of shared memory, which has 128 bytes"),
        (6, -1, "shared memory", "byte -4 of shared memory"),
        (7, 4, "local memory", "byte 16 of local memory, which has 16 bytes"),
        (7, -2, "local memory", "byte -8 of local memory"),
        (8, 64, "out", r"out\[64\] is out of bounds"),
        (8, -1, "out", r"out\[-1\] is out of bounds"),
    ],
)
def test_a_generic_pointer_out_of_bounds(lane: int, index: int, buffer: str, sentence: str) -> None:
    """Lanes point into three kinds of memory; the one at fault is named, with the memory that it meant."""
    out = np.zeros(64, np.float32)
    with pytest.raises(simulator.IllegalAccess, match=sentence) as caught:
        launch("generic", 1, 32, out, np.int32(lane), np.int32(index))
    assert (caught.value.buffer, caught.value.index, caught.value.thread) == (buffer, index, (lane, 0, 0))


def test_a_launch_after_an_illegal_access_works() -> None:
    a, out = np.ones(64, np.float32), np.zeros(64, np.float32)
    for _ in range(3):
        with pytest.raises(simulator.IllegalAccess):
            PROGRAM.launch("strided", 64, 1, [a, out, np.int32(100), np.int32(0)])
        PROGRAM.launch("strided", 2, 32, [a, out, np.int32(1), np.int32(0)])
        assert (out == 1).all()
        out[:] = 0


# Wrap-around ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["wrapped", "wrapped_signed"])
@pytest.mark.parametrize("block", [32, 20, 64, 250])
@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(
    stride=st.one_of(
        st.integers(0, (1 << 32) - 1), st.sampled_from([0, 1, 1 << 24, 1 << 31, (1 << 32) - (1 << 24)])
    ),
    start=st.one_of(
        st.integers(0, (1 << 32) - 1),
        st.sampled_from([0, (1 << 31) - 1, (1 << 32) - 1, (1 << 32) - (5 << 24)]),
    ),
)
def test_indices_wrap_around_in_32_bits(kernel: str, block: int, stride: int, start: int) -> None:
    table, out = np.arange(256, dtype=np.uint32) * 3, np.zeros(2 * block, np.uint32)
    launch(kernel, 2, block, table, out, np.uint32(stride), np.uint32(start))
    number = (np.arange(2 * block) * stride + start) % (1 << 32)
    if kernel == "wrapped_signed":
        number = (number + (1 << 31)) % (1 << 32)
    assert (out == table[number >> 24]).all()


# Rows of a block of threads -------------------------------------------------------------------------------

BLOCKS = [(8, 4), (4, 8), (16, 2), (2, 16), (16, 16), (8, 3), (16, 3), (5, 5), (1, 32), (3, 20), (32, 2)]
WIDTHS = [0, 1, 2, 5, 8, 16, 33, 64, -1, -8, -40]


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_rows_with_a_width_known_at_run_time(block: tuple[int, int]) -> None:
    """Values, and sectors by the rule, for widths that overlap, touch, run backwards or stand still."""
    x, y = block
    a = np.arange(4096, dtype=np.float32)
    tx, ty = np.tile(np.arange(x), y), np.repeat(np.arange(y), x)
    for width in WIDTHS:
        for start in (2048, 2051):
            out = np.zeros(x * y, np.float32)
            run = launch("row", 1, block, a, out, np.int32(width), np.int32(start))
            index = start + ty * width + tx
            assert (out == a[index]).all(), width
            warps = [4 * index[first : first + 32] for first in range(0, x * y, 32)]
            touched = [rules.sectors(warp.tolist(), 4) for warp in warps]
            assert counted(run, "ld_sectors", "ld_requests") == (sum(touched), len(warps)), (width, start)
            (line,) = [each for each in run.by_line.values() if each["global_sectors"] > 0]
            loads = sum(rules.ideal(len(warp), 4, each) for warp, each in zip(warps, touched, strict=True))
            stores = sum(rules.ideal(len(warp), 4, 32) for warp in warps)
            assert line["global_sectors_ideal"] == loads + stores, (width, start)


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_rows_stored_over_each_other(block: tuple[int, int]) -> None:
    """Where lanes of a warp store to one place, the last lane's value stays, and so from warp to warp."""
    x, y = block
    for width in WIDTHS:
        out, expected = np.zeros(4096, np.float32), np.zeros(4096, np.float32)
        launch("column", 1, block, out, np.int32(width), np.int32(2048))
        for row in range(y):
            for column in range(x):
                expected[2048 + row * width + column] = row * 100 + column
        assert (out == expected).all(), width


@pytest.mark.parametrize("width", [1 << 20, -(1 << 20), 2000, -2000])
@pytest.mark.parametrize("block", [(8, 4), (16, 16), (8, 3)], ids=str)
def test_a_row_out_of_bounds_is_named(block: tuple[int, int], width: int) -> None:
    a, out = np.zeros(1000, np.float32), np.zeros(block[0] * block[1], np.float32)
    with pytest.raises(simulator.IllegalAccess) as caught:
        launch("row", 1, block, a, out, np.int32(width), np.int32(500))
    assert (caught.value.buffer, caught.value.index, caught.value.thread) == ("a", 500 + width, (0, 1, 0))


@pytest.mark.parametrize("block", [1, 5, 32, 33, 64, 80])
def test_all_lanes_at_one_place(block: int) -> None:
    out, a = np.zeros(3, np.float32), np.array([0.5], np.float32)
    run = launch("one_place", 2, block, out, a, np.int32(0))
    last = 2 * block - 1
    assert out.tolist() == [last + 0.5, 7.0, last if last % 2 else last - 1]
    warps = 2 * -(-block // 32)
    odd = sum(
        1
        for each in range(2)
        for first in range(0, block, 32)
        if (each * block + first) % 2 or min(block - first, 32) > 1
    )
    assert counted(run, "ld_sectors", "st_sectors") == (warps, 2 * warps + odd)


# Views ----------------------------------------------------------------------------------------------------


def test_slices_and_views_share_memory_with_their_base() -> None:
    base = np.arange(100, dtype=np.float32)
    launch("both", 1, 32, base[10:42], base[11:43])  # lane by lane: a warp loads all before it stores
    expected = np.arange(100, dtype=np.float32)
    expected[10:42] = np.arange(11, 43) + 1
    assert (base == expected).all()


def test_the_base_is_the_buffer() -> None:
    """A slice's pointer may move within its base, as on a GPU, but not beyond."""
    base, out = np.arange(100, dtype=np.float32), np.zeros(4, np.float32)
    launch("strided", 1, 4, base[50:60], out, np.int32(1), np.int32(-50))
    assert out.tolist() == [0, 1, 2, 3]
    with pytest.raises(simulator.IllegalAccess) as caught:
        launch("strided", 1, 4, base[50:60], out, np.int32(1), np.int32(-51))
    assert (caught.value.buffer, caught.value.index) == ("a", -51)


def test_two_dimensions_reshaped_and_rows() -> None:
    matrix, out = np.arange(64, dtype=np.float32).reshape(8, 8), np.zeros((2, 4), np.float32)
    launch("strided", 1, 8, matrix[3], out, np.int32(1), np.int32(0))
    assert out.reshape(-1).tolist() == matrix[3].tolist()


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros((8, 8), np.float32)[:, 1], "not C-contiguous"),
        (np.zeros((8, 8), np.float32).T, "not C-contiguous"),
        (np.zeros(64, np.float32)[::2], "not C-contiguous"),
        (np.frombuffer(bytes(256), np.float32), "read-only"),
        (np.broadcast_to(np.float32(1), (64,)), "not C-contiguous"),
    ],
)
def test_arrays_that_cannot_be_a_buffer_are_refused(array: np.ndarray, words: str) -> None:
    with pytest.raises(simulator.ArgumentError, match=rf"^a: the array is {words}"):
        launch("strided", 1, 8, array, np.zeros(8, np.float32), np.int32(1), np.int32(0))


def test_an_empty_array_is_a_buffer_without_elements() -> None:
    with pytest.raises(simulator.IllegalAccess, match=r"a\[0\] is out of bounds; a has 0 elements"):
        launch("strided", 1, 8, np.zeros(0, np.float32), np.zeros(8, np.float32), np.int32(1), np.int32(0))
