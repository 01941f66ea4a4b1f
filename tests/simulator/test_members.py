"""Masks of .sync instructions: who may name whom, and what happens when they do not agree."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import simulator

KERNEL = """
extern "C" __global__ void k(int* out) {
    int lane = threadIdx.x, value = lane;
    BODY
    out[lane] = value;
}
"""


def run(body: str, threads: int = 32) -> list[int]:
    out = np.zeros(64, np.int32)
    simulator.compile(KERNEL.replace("BODY", body)).launch("k", 1, threads, [out])
    return out[:threads].tolist()


UNDEFINED = {
    "a branch parts lanes that a full mask names": (
        "if (lane < 16) value = __shfl_down_sync(0xffffffff, value, 1); else value = 3; __syncthreads();",
        r"shfl\.sync\.down\.b32 at kernel\.cu:4.* names lanes 16, 17, .* a branch has parted",
    ),
    "lanes run it that the mask leaves out": (
        "value = __shfl_down_sync(0x7fffffff, value, 1);",
        r"lane 31 ran it without being in the mask",
    ),
    "lanes name each other, not themselves": (
        "value = __ballot_sync(1u << (lane ^ 1), 1);",
        r"vote\.sync\.ballot\.b32 .* lanes 0, 1, .* ran it without being in the mask",
    ),
    "lanes that left a loop early are named in it": (
        "for (int i = 0; i < lane; i++) value += __shfl_xor_sync(~0u, value, 1); __syncwarp();",
        r"a branch has parted",
    ),
    "part of a warp waits for all of it": (
        "if (lane < 5) { out[lane + 32] = 2; __syncwarp(); } else value = 2; __syncwarp();",
        r"bar\.warp\.sync .* names lanes 5, 6, ",
    ),
    "a sum over too few": (
        "if (lane < 5) value = __reduce_add_sync(0xff, value); __syncwarp();",
        r"redux\.sync\.add\.s32 .* names lanes 5, 6, 7, ",
    ),
    "equal values over too few": (
        "if (lane < 5) value = __match_any_sync(0xff, value); __syncwarp();",
        r"match\.any\.sync\.b32 .* names lanes 5, 6, 7, ",
    ),
}


@pytest.mark.parametrize("case", UNDEFINED)
def test_undefined(case: str) -> None:
    body, sentence = UNDEFINED[case]
    with pytest.raises(simulator.Trap, match=sentence):
        run(body)


DEFINED = {
    "half a warp with its own mask": (
        "if (lane < 16) value = __shfl_xor_sync(0xffff, value, 1);",
        [lane ^ 1 if lane < 16 else lane for lane in range(32)],
    ),
    "a mask of those who are there": (
        "if (lane % 3 == 0) value = __popc(__ballot_sync(__activemask(), 1));",
        [11 if lane % 3 == 0 else lane for lane in range(32)],
    ),
    "each lane alone": ("value = __ballot_sync(1u << lane, 1);", [(1 << lane) for lane in range(31)]),
    "lanes that returned before": (
        "if (lane >= 16) return; value = __shfl_xor_sync(0xffffffff, value, 1);",
        [lane ^ 1 if lane < 16 else 0 for lane in range(32)],
    ),
    "lanes that write and return": (
        "if (lane >= 16) { out[lane] = 7; return; } value = __shfl_xor_sync(0xffffffff, value, 1);",
        [lane ^ 1 if lane < 16 else 7 for lane in range(32)],
    ),
    "lanes that work on their own and return": (
        "if (lane >= 16) { out[lane] = __shfl_xor_sync(0xffff0000, value, 2); return; }"
        "value = __shfl_xor_sync(0xffffffff, value, 1);",
        [lane ^ 1 if lane < 16 else lane ^ 2 for lane in range(32)],
    ),
    "lanes that meet again after a loop": (
        "for (int i = 0; i < lane; i++) value += out[lane + 32]; value = __shfl_xor_sync(~0u, value, 1);",
        [lane ^ 1 for lane in range(32)],
    ),
}


@pytest.mark.parametrize("case", DEFINED)
def test_defined(case: str) -> None:
    body, expected = DEFINED[case]
    assert run(body)[: len(expected)] == expected


def test_lanes_that_never_were() -> None:
    assert run("value = __shfl_xor_sync(0xffffffff, value, 1);", 20) == [lane ^ 1 for lane in range(20)]


@pytest.mark.parametrize(
    "joint", ["value = __shfl_xor_sync(~0u, value, 1);", "__syncwarp(); out[lane + 32] = 1;"]
)
def test_lanes_ahead_wait_for_those_in_a_long_loop(joint: str) -> None:
    """More rounds than after which lanes that are ahead get turns, in case others wait for them."""
    factor, more, rounds = 1664525, 1013904223, 200_000
    body = f"for (int i = 0; i < lane * {rounds}; i++) value = value * {factor} + {more}; {joint}"
    step = [1, 0]  # value -> step[0] * value + step[1]: a lane's rounds beyond the one's before
    for _ in range(rounds):
        step = [step[0] * factor & 0xFFFFFFFF, (step[1] * factor + more) & 0xFFFFFFFF]
    expected = []
    for lane in range(32):
        value = lane
        for _ in range(lane):
            value = step[0] * value + step[1] & 0xFFFFFFFF
        expected.append(value)
    if "shfl" in joint:
        expected = [expected[lane ^ 1] for lane in range(32)]
    assert [value & 0xFFFFFFFF for value in run(body)] == expected
