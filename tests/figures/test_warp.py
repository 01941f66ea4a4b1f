"""Films of warps: divergence at a guard, a reduction by shuffles, barriers."""

from __future__ import annotations

import re

import numpy as np
import pytest

from course_utils import kernels, simulator
from course_utils.figures import warp_film
from course_utils.figures.frames import frames, is_barrier
from tests.figures.runs import run

SUM = kernels.load("execution_model/warp_sum")


def warp_sum() -> simulator.Run:
    """Two blocks of two warps on 100 elements: the last warp has 4 of them."""
    return run("execution_model/warp_sum", {"BLOCK": 64}, block=(1, 0), n=100)


def test_a_warp_parts_at_the_guard_and_meets_for_the_shuffles() -> None:
    film = frames(warp_sum().trace, 1)
    assert [(frame.line, frame.deed, len(frame.lanes)) for frame in film] == [
        (14, "read the arguments", 32),
        (15, "arithmetic", 32),
        (18, "branch: the lanes part", 32),
        (15, "arithmetic", 4),
        (18, "load of x", 4),
        *((19, f"shuffle down by {distance}", 32) for distance in (16, 8, 4, 2, 1)),
        (19, "arithmetic", 32),
        (21, "branch: the lanes part", 32),
        (21, "arithmetic", 1),
        (15, "arithmetic", 1),
        (21, "store to sums", 1),
        (22, "end", 32),
    ]


@pytest.mark.parametrize("by_line", [True, False])
def test_frames_hold_every_step_once(by_line: bool) -> None:
    trace = run("tiling/tiled", {"TILE": 8}, N=20).trace
    for warp in (0, 1):
        film = frames(trace, warp, by_line=by_line)
        assert [step for frame in film for step in frame.steps] == [
            step for step in trace.steps if step.warp == warp
        ]
        assert all(len({(step.line, step.active) for step in frame.steps}) == 1 for frame in film)


EXCHANGES = simulator.compile(
    """
extern "C" __global__ void exchanges(int* x, int far) {
    int t = threadIdx.x, v = x[t];
    v += __shfl_up_sync(~0u, v, 3);
    v += __shfl_xor_sync(~0u, v, 5);
    v += __shfl_sync(~0u, v, 7);
    v += __shfl_down_sync(~0u, v, 2, 16);
    v += __shfl_down_sync(~0u, v, far);
    x[t] = v;
}
""",
    name="exchanges.cu",
)


def test_sources_of_shuffles() -> None:
    trace = EXCHANGES.launch("exchanges", 1, 32, [np.arange(32, dtype=np.int32), 2], trace={"block": 0}).trace
    shuffles = {frame.line: frame for frame in frames(trace, 0) if frame.deed.startswith("shuffle")}
    lanes = list(range(32))
    expected = {
        4: ("shuffle up by 3", tuple(lane - 3 if lane >= 3 else lane for lane in lanes)),
        5: ("shuffle xor 5", tuple(lane ^ 5 for lane in lanes)),
        6: ("shuffle from lane 7", (7,) * 32),
        7: ("shuffle", None),  # in halves of a warp
        8: ("shuffle", None),  # by a distance that the code does not state
    }
    assert {line: (frame.deed, frame.sources) for line, frame in shuffles.items()} == expected


def test_picture_of_a_shuffle() -> None:
    figure = warp_film(warp_sum().trace, 1, 7, SUM)
    assert figure.sentence == (
        "Step 7 of 16 of warp 1 in block (1, 0), line 19: shuffle down by 8. All 32 lanes take part. Lane 0 "
        "gets the value of lane 8, and so on."
    )
    below = re.findall(r"<b>(\d+)</b>([^<]*)<", figure.html)[1:]  # the first is the number to watch
    assert below == [(str(lane), f"←{lane + 8}" if lane < 24 else "own") for lane in range(32)]
    (picture,) = re.findall(r"<svg.*?</svg>", figure.html)
    assert picture.count("<path") == 24  # an arrow for each lane that gets another's value


def test_picture_of_a_divergent_load() -> None:
    figure = warp_film(warp_sum().trace, 1, 5, SUM)
    assert figure.sentence.endswith("load of x. Of 32 lanes 4 take part (lanes 0–3), and 28 do not.")  # noqa: RUF001
    assert re.findall(r"<b>\d+</b><small>(\d+)</small>", figure.html) == ["96", "97", "98", "99"]
    assert figure.html.count("takes no part</span>") == 1
    assert figure.html.count('title="lane ') == 32
    (marked,) = re.findall(r'<div class="now"><b>▶</b><span>(\d+)</span>', figure.html)
    assert marked == "18"


def test_barriers_of_a_block_and_of_a_warp() -> None:
    program = simulator.compile(
        'extern "C" __global__ void both() { __syncwarp(); __syncthreads(); }', name="both.cu"
    )
    steps = program.launch("both", 1, 64, [], trace={"block": 0}).trace.steps
    waits = [step for step in steps if step.opcode.startswith(("bar", "barrier"))]
    assert {(step.opcode, is_barrier(step)) for step in waits} == {
        ("bar.warp.sync", False),
        ("bar.sync", True),
    }


def test_steps_are_bounded_and_a_full_trace_is_told() -> None:
    trace = warp_sum().trace
    assert warp_film(trace, 1, 99).html == warp_film(trace, 1, 16).html
    assert warp_film(trace, 7, 0).html == warp_film(trace, 0, 1).html
    cut = simulator.trace.Trace(trace.block, trace.steps[:5], complete=False)
    assert warp_film(cut, 0, 99).sentence.endswith("The trace was full here.")
    assert warp_film(simulator.trace.Trace((0, 0, 0), [])).sentence == "No warp of this block did anything."


def test_picture_is_labelled_repeatable_and_of_one_height() -> None:
    trace = warp_sum().trace
    films = [warp_film(trace, 1, step, SUM) for step in range(1, 17)]
    assert films[3].html == warp_film(trace, 1, 4, SUM).html
    heights = {re.findall(r'<svg[^>]*height="(\d+)"', figure.html)[0] for figure in films}
    assert len(heights) == 1
    assert all(f'role="img" aria-label="{figure.sentence}"' in figure.html for figure in films)
    assert re.findall(r"(?:fill|stroke):(?!var\(--lk-|none)[^;\"]*", films[6].html) == []
