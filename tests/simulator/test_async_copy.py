"""cp.async against NumPy: sizes, what becomes zero, what is not read, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import simulator

COPY = r"""
extern "C" __global__ void copy(const unsigned char* data, const int* from, const int* to, const int* amounts,
                                unsigned char* out) {
    __shared__ __align__(16) unsigned char tile[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) tile[i] = 0xEE;
    __syncthreads();
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + to[threadIdx.x];
    const unsigned char* source = data + from[threadIdx.x];
    int amount = amounts[threadIdx.x];
    if (amount > -2)
        asm volatile("{ .reg .pred p; setp.eq.s32 p, %2, 0; "
                     "cp.async." CACHE ".shared.global" HINTS " [%0], [%1], " SIZE REST "; }"
                     :: "r"(at), "l"(source), "r"(amount) : "memory");
    asm volatile("cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) out[i] = tile[i];
}
"""

LANES = np.arange(32)
PLENTY = np.full(32, 99)
SKIP = -2
"""An amount at which a thread copies nothing."""


def copied(
    size: int,
    *,
    amounts: np.ndarray = PLENTY,
    start: np.ndarray = LANES,
    to: np.ndarray = LANES,
    rest: str = "",
    hints: str = "",
    count: int = 1024,
) -> tuple[np.ndarray, np.ndarray, simulator.Run]:
    """(global bytes, shared bytes afterwards, the run). start, to: the piece of `size` bytes a lane moves."""
    data = np.random.default_rng(4).integers(0, 256, count, np.uint8)
    out = np.zeros(1024, np.uint8)
    defines = {
        "CACHE": '"cg"' if size == 16 else '"ca"',
        "SIZE": f'"{size}"',
        "REST": f'"{rest}"',
        "HINTS": f'"{hints}"',
    }
    integers = [(size * start).astype(np.int32), (size * to).astype(np.int32), amounts.astype(np.int32)]
    program = simulator.compile(COPY, defines=defines, name="copy.cu")
    run = program.launch("copy", 1, len(start), [data, *integers, out])
    return data, out, run


@pytest.mark.parametrize("size", [4, 8, 16])
def test_every_lane_moves_its_piece(size: int) -> None:
    random = np.random.default_rng(2)
    start, to = random.permutation(1024 // size)[:32], random.permutation(1024 // size)[:32]
    data, out, _ = copied(size, start=start, to=to)
    expected = np.full((1024 // size, size), 0xEE, np.uint8)
    expected[to] = data.reshape(-1, size)[start]
    np.testing.assert_array_equal(out.reshape(-1, size), expected)


@pytest.mark.parametrize("size", [4, 8, 16])
def test_source_size(size: int) -> None:
    """What lies behind it is zero: no byte, some, all, and more than there are."""
    amounts = LANES % (size + 3)
    data, out, _ = copied(size, amounts=amounts, rest=", %2", hints=".L2::128B")
    pieces = data[: 32 * size].reshape(32, size)
    expected = np.where(np.arange(size) < amounts[:, None], pieces, 0)
    np.testing.assert_array_equal(out[: 32 * size].reshape(32, size), expected)


def test_ignore_source() -> None:
    amounts = LANES % 3
    data, out, _ = copied(16, amounts=amounts, rest=", p")
    expected = np.where(amounts[:, None] == 0, 0, data[:512].reshape(32, 16))
    np.testing.assert_array_equal(out[:512].reshape(32, 16), expected)


def test_some_lanes_only() -> None:
    """In parted code, and in a warp that is not whole."""
    lanes = np.arange(48)
    amounts = np.where(lanes % 5 == 0, SKIP, 1)
    data, out, _ = copied(16, amounts=amounts, start=lanes, to=lanes)
    expected = np.where(amounts[:, None] == SKIP, 0xEE, data[:768].reshape(48, 16))
    np.testing.assert_array_equal(out[:768].reshape(48, 16), expected)


def test_ignored_sources_may_lie_anywhere() -> None:
    start = np.where(LANES == 3, 1 << 24, LANES)
    amounts = np.where(LANES == 3, 0, 16)
    _, out, _ = copied(16, amounts=amounts, start=start, rest=", %2")
    assert not out[48:64].any()


@pytest.mark.parametrize(("lane", "amount"), [(5, 99), (31, 7)])
def test_a_source_outside_its_buffer(lane: int, amount: int) -> None:
    start, amounts = LANES.copy(), np.full(32, 3)
    start[lane], amounts[lane] = 64, amount
    with pytest.raises(simulator.IllegalAccess, match="illegal load of 16 bytes") as caught:
        copied(16, start=start, amounts=amounts, rest=", %2")
    assert caught.value.thread == (lane, 0, 0)
    assert caught.value.buffer == "data"
    assert caught.value.index == 1024


def test_a_short_source_may_end_with_its_buffer() -> None:
    """Only the bytes that are read must be there."""
    amounts = np.where(LANES == 31, 5, 16)
    data, out, _ = copied(16, amounts=amounts, rest=", %2", count=31 * 16 + 5)
    np.testing.assert_array_equal(out[: 31 * 16 + 5], data)
    assert not out[31 * 16 + 5 : 512].any()
    with pytest.raises(simulator.IllegalAccess):
        copied(16, amounts=amounts, rest=", %2", count=31 * 16 + 4)


def test_who_is_to_blame() -> None:
    """Not the lane whose few bytes end with the buffer."""
    start, amounts = LANES.copy(), np.full(32, 16)
    start[[2, 20]], amounts[[2, 20]] = (32, 40), 5
    with pytest.raises(simulator.IllegalAccess) as caught:
        copied(16, start=start, amounts=amounts, rest=", %2", count=512 + 5)
    assert caught.value.thread == (20, 0, 0)


def test_a_target_outside_shared_memory() -> None:
    to = np.where(LANES == 7, 64, LANES)
    with pytest.raises(simulator.IllegalAccess, match="illegal store of 16 bytes") as caught:
        copied(16, to=to)
    assert caught.value.thread == (7, 0, 0)
    assert caught.value.index == 64


def test_addresses_must_be_aligned() -> None:
    data, out = np.zeros(1024, np.uint8), np.zeros(1024, np.uint8)
    defines = {"CACHE": '"ca"', "SIZE": '"8"', "REST": '", %2"', "HINTS": '""'}
    program = simulator.compile(COPY, defines=defines)
    even = (8 * LANES).astype(np.int32)
    odd = np.where(LANES == 9, 8 * LANES + 4, 8 * LANES).astype(np.int32)
    for amount in (8, 3):
        amounts = np.full(32, amount, np.int32)
        with pytest.raises(simulator.IllegalAccess, match=r"load of 8 bytes.*no multiple of 8") as caught:
            program.launch("copy", 1, 32, [data, odd, even, amounts, out])
        assert caught.value.thread == (9, 0, 0)
        with pytest.raises(simulator.IllegalAccess, match=r"store of 8 bytes.*no multiple of 8") as caught:
            program.launch("copy", 1, 32, [data, even, odd, amounts, out])
        assert caught.value.thread == (9, 0, 0)


def test_copies_without_a_rule_leave_no_number() -> None:
    """They would add to the global loads on the GPU, nobody knows how much; and the run says so."""
    _, _, run = copied(16)
    assert "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum" not in run.metrics
    assert "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" not in run.metrics
    assert run.notes == ["uncounted: the memory traffic of cp.async"]


@pytest.mark.parametrize(
    "instruction",
    [
        "cp.async.mbarrier.arrive.shared.b64 [%0];",
        "cp.async.bulk.commit_group;",
    ],
)
def test_what_is_not_built_is_refused(instruction: str) -> None:
    source = f"""
    extern "C" __global__ void k(int* x) {{
        __shared__ long long barrier;
        asm volatile("{instruction}" :: "r"((unsigned)__cvta_generic_to_shared(&barrier)));
        x[0] = 1;
    }}"""
    name = instruction.split()[0].rstrip(";").replace(".", r"\.")
    with pytest.raises(simulator.Unsupported, match=name) as caught:
        simulator.compile(source).launch("k", 1, 32, [np.zeros(1, np.int32)])
    assert caught.value.line == 4
