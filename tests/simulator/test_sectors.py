"""The counting rules: sectors.py against cases done by hand, and the compiled counting against sectors.py."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils import simulator
from course_utils.simulator import sectors as rules
from tests.simulator.counted import counted
from tests.simulator.instructions import header

OPCODES = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "v2.u64"}
BYTES = 8192


def gather(space: str) -> str:
    """Loads or stores of every size at a byte offset that each lane reads, under a mask of lanes, chosen by
    `size`.

    `size` is uniform; lanes outside `mask` take no part, so that the masked code runs unless all do."""
    lines = [
        "{ .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .b16 %rs<4>;",
        f".shared .align 16 .b8 board[{BYTES}];",
        "ld.param.u64 %rd1, [data]; ld.param.u64 %rd2, [places];",
        "ld.param.u32 %r1, [mask]; ld.param.u32 %r2, [size]; mov.u32 %r3, %tid.x;",
        "mul.wide.u32 %rd3, %r3, 4; add.s64 %rd4, %rd2, %rd3; ld.global.u32 %r4, [%rd4];",
        "shr.u32 %r5, %r1, %r3; and.b32 %r6, %r5, 1; setp.eq.s32 %p1, %r6, 0; @%p1 bra DONE;",
        "mov.u64 %rd8, 0; mov.u64 %rd9, 0; mov.b32 %r9, 0; mov.b16 %rs1, 0;",
    ]
    if space == "global":
        lines.append("cvt.u64.u32 %rd5, %r4; add.s64 %rd6, %rd1, %rd5;")
        place = "[%rd6]"
    else:
        lines.append("mov.u32 %r7, board; add.s32 %r8, %r7, %r4;")
        place = "[%r8]"
    for number, (size, opcode) in enumerate(OPCODES.items()):
        value = {1: "%rs1", 2: "%rs1", 4: "%r9", 8: "%rd8", 16: "{%rd8, %rd9}"}[size]
        lines += [
            f"setp.ne.s32 %p{number + 2}, %r2, {size}; @%p{number + 2} bra AFTER{size};",
            f"st.{space}.{opcode} {place}, {value}; ld.{space}.{opcode} {value}, {place};",
            f"AFTER{size}:",
        ]
    parameters = ".param .u64 data, .param .u64 places, .param .u32 mask, .param .u32 size"
    return header(parameters) + "\n".join([*lines, "DONE: ret; }"])


PROGRAMS = {space: simulator.load_ptx(gather(space)) for space in ("global", "shared")}


@st.composite
def accesses(draw: st.DrawFn) -> tuple[list[int], int, int]:
    """(byte offset of each lane, mask of lanes, bytes a lane), in the shapes that matter: neighbours,
    strides, a few places, pairs that agree, anything."""
    size = draw(st.sampled_from(sorted(OPCODES)))
    slots = BYTES // size
    shape = draw(st.sampled_from(["any", "few", "stride", "pairs", "quads", "sorted"]))
    lane = range(32)
    if shape == "stride":
        start, step = draw(st.integers(0, slots - 1)), draw(st.integers(-40, 40))
        index = [(start + step * each) % slots for each in lane]
    else:
        top = 40 if shape == "few" else slots - 1
        index = [draw(st.integers(0, top)) for _ in lane]
        if shape == "pairs":
            index = [index[each & ~1] for each in lane]
        if shape == "quads":
            index = [index[each & ~2] for each in lane]
        if shape == "sorted":
            index.sort()
    mask = draw(st.one_of(st.just(0xFFFFFFFF), st.integers(1, 0xFFFFFFFF)))
    return [each * size for each in index], mask, size


@pytest.mark.parametrize("space", ["global", "shared"])
@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(accesses())
def test_compiled_counting_follows_the_rules(space: str, access: tuple[list[int], int, int]) -> None:
    offsets, mask, size = access
    data = np.zeros(BYTES, np.uint8)
    run = PROGRAMS[space].launch(
        "k", 1, 32, [data, np.array(offsets, np.uint32), np.uint32(mask), np.uint32(size)], workers=1
    )
    wanted = [offset if mask >> lane & 1 else None for lane, offset in enumerate(offsets)]
    if space == "global":
        each = rules.sectors(wanted, size)
        # The places themselves are read too: 128 bytes are 4 sectors.
        assert counted(run, "ld_sectors", "st_sectors") == (each + 4, each)
    else:
        load, load_ideal = rules.wavefronts(wanted, size, load=True)
        store, store_ideal = rules.wavefronts(wanted, size, load=False)
        assert counted(run, "shared_ld", "shared_st") == (load, store)
        assert counted(run, "conflicts_ld", "conflicts_st") == (load - load_ideal, store - store_ideal)


def lanes(function: object, active: int = 32) -> list[int | None]:
    return [function(lane) if lane < active else None for lane in range(32)]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("addresses", "size", "expected"),
    [
        (lanes(lambda lane: 4 * lane), 4, 4),  # 128 bytes side by side
        (lanes(lambda lane: 4 * lane + 4), 4, 5),  # the same, shifted by one float
        (lanes(lambda lane: 0), 4, 1),  # one place
        (lanes(lambda lane: 32 * lane), 4, 32),  # a sector each
        (lanes(lambda lane: 128 - 4 * lane), 4, 5),  # backwards, from a sector's first word
        (lanes(lambda lane: 16 * lane), 16, 16),  # float4
        (lanes(lambda lane: lane), 1, 1),  # bytes
        (lanes(lambda lane: 4 * lane, active=9), 4, 2),  # 36 bytes
        ([None] * 32, 4, 0),
    ],
)
def test_sectors_by_hand(addresses: list[int | None], size: int, expected: int) -> None:
    assert rules.sectors(addresses, size) == expected


@pytest.mark.parametrize(
    ("addresses", "size", "load", "expected"),
    [
        (lanes(lambda lane: 4 * lane), 4, True, (1, 1)),
        (lanes(lambda lane: 0), 4, True, (1, 1)),  # a broadcast
        (lanes(lambda lane: 8 * lane), 4, True, (2, 1)),  # two lanes a bank
        (lanes(lambda lane: 128 * lane), 4, True, (32, 1)),  # a column of a 32-wide tile
        (lanes(lambda lane: 132 * lane), 4, True, (1, 1)),  # the column of a padded one
        (lanes(lambda lane: lane), 1, True, (1, 1)),  # four lanes share each word
        (lanes(lambda lane: 8 * lane), 8, True, (2, 2)),  # two groups of 16 lanes
        (lanes(lambda lane: 16 * lane), 16, True, (4, 4)),  # four groups of 8
        (lanes(lambda lane: 8 * (lane // 2)), 8, True, (1, 1)),  # pairs agree: one group
        (lanes(lambda lane: 8 * (lane // 2)), 8, False, (2, 2)),  # stores do not merge so
        (lanes(lambda lane: 16 * lane, active=8), 16, False, (1, 1)),  # three groups with nobody in them
        (lanes(lambda lane: 256 * lane, active=3), 8, True, (3, 1)),
    ],
)
def test_wavefronts_by_hand(
    addresses: list[int | None], size: int, load: bool, expected: tuple[int, int]
) -> None:
    assert rules.wavefronts(addresses, size, load=load) == expected


@pytest.mark.parametrize(
    ("count", "size", "touched", "expected"),
    [(32, 4, 32, 4), (1, 1, 1, 1), (9, 4, 9, 2), (32, 16, 17, 16), (32, 4, 1, 1), (32, 8, 3, 3)],
)
def test_ideal_sectors(count: int, size: int, touched: int, expected: int) -> None:
    assert rules.ideal(count, size, touched) == expected


def test_sectors_of_lanes_in_several_buffers() -> None:
    """Buffers never share a sector, whatever the offset in each: every third lane reads another one."""
    source = """extern "C" __global__ void pick(const float *a, const float *b, const float *c, float *out) {
        const float *from = (threadIdx.x % 3 == 0) ? a : (threadIdx.x % 3 == 1) ? b : c;
        out[threadIdx.x] = from[threadIdx.x / 8];
    }"""
    arrays = [np.arange(8, dtype=np.float32) + 10 * number for number in range(3)]
    out = np.zeros(32, np.float32)
    run = simulator.compile(source).launch("pick", 1, 32, [*arrays, out])
    assert counted(run, "ld_sectors") == (3,)  # one of each buffer
    assert out.tolist() == [arrays[lane % 3][lane // 8] for lane in range(32)]
