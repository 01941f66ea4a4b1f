"""How work is spread over lanes and warps: the picture's numbers are those of the trace."""

from __future__ import annotations

import re

import numpy as np
import pytest

from course_utils import simulator
from course_utils.figures import lane_work
from course_utils.figures.lanes import lanes_at_work
from course_utils.metrics import names
from course_utils.simulator.trace import Trace

LOOPS = simulator.compile(
    """
extern "C" __global__ void loops(const int* rounds, int* out) {
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < rounds[t]; ++k) sum += out[(sum + k) % 64];
    out[64 + t] = sum;
}
""",
    name="loops.cu",
)


def loops(*rounds: int) -> simulator.Run:
    """One block of as many threads, each of which makes its own number of rounds."""
    buffers = [np.array(rounds, np.int32), np.zeros(64 + len(rounds), np.int32)]
    return LOOPS.launch("loops", (1,), (len(rounds),), buffers, trace={"block": (0, 0)})


def bars(html: str) -> dict[int, tuple[int, int]]:
    found = re.findall(r"<title>lane (\d+): ([\d,]+) of ([\d,]+)</title>", html)
    return {
        int(lane): (int(work.replace(",", "")), int(total.replace(",", ""))) for lane, work, total in found
    }


def test_lanes_work_as_long_as_their_rounds() -> None:
    run = loops(*range(32))
    lanes = lanes_at_work(run.trace.of(0))
    assert all(lanes[lane] < lanes[lane + 1] for lane in range(1, 31))
    assert sum(lanes) == run.metrics[names.THREAD_INSTRUCTIONS]
    figure = lane_work(run.trace)
    total = run.metrics[names.WARP_INSTRUCTIONS]
    assert bars(figure.html) == {lane: (work, total) for lane, work in enumerate(lanes)}
    mean = run.metrics[names.THREAD_INSTRUCTIONS] / total
    assert f"{mean:.1f} of 32 lanes active on average" in figure.sentence
    assert f"Lane 31 takes part in {lanes[31]:,} of them, lane 0 in {lanes[0]:,}." in figure.sentence
    assert "warps" not in figure.sentence


def test_warps_are_told_apart() -> None:
    run = loops(*[1] * 32, *[20] * 32)
    first, second = (len(run.trace.of(warp)) for warp in (0, 1))
    figure = lane_work(run.trace, 1)
    assert first < second
    assert f"warp 1 executes most, {second:,}, and warp 0 fewest, {first:,}." in figure.sentence
    assert figure.sentence.startswith("Block (0, 0), warp 1: ")
    assert "32.0 of 32 lanes active" in figure.sentence
    widths = [
        float(width)
        for width in re.findall(r'<rect x="52" y="[\d.]+" width="([\d.]+)" height="15"', figure.html)
    ]
    assert widths[0] / widths[1] == pytest.approx(first / second, rel=1e-3)


def test_two_pictures_on_a_page_share_no_pattern() -> None:
    pictures = [lane_work(loops(*rounds).trace).html for rounds in ([1] * 32, range(32))]
    made = [re.findall(r'<pattern id="([^"]*)"', picture) for picture in pictures]
    used = [set(re.findall(r"url\(#([^)]*)\)", picture)) for picture in pictures]
    assert not set(made[0]) & set(made[1])
    assert all(names <= set(there) for names, there in zip(used, made, strict=True))
    assert all(used)


def test_a_warp_that_is_not_there_and_none_at_all() -> None:
    run = loops(*[1] * 32)
    assert lane_work(run.trace, 9).sentence == lane_work(run.trace, 0).sentence
    assert lane_work(Trace((0, 0, 0), [])).sentence == "No warp of this block did anything."


def test_the_picture_is_described_and_knows_the_theme() -> None:
    figure = lane_work(loops(*range(32)).trace)
    assert f'aria-label="{figure.sentence}"' in figure.html
    assert not re.search(r"#[0-9a-f]{3,8}\b", figure.html)  # colours are the theme's
