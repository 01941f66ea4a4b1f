"""Pictures of recordings: what they say follows from the entries, and names GPU and date."""

from __future__ import annotations

import pytest

from course_utils import recordings
from course_utils.figures import ladder, latencies, over_sizes, recorded_against_counted
from course_utils.figures.recorded import _flat
from course_utils.recordings import Recording
from course_utils.recordings.agreement import Agreement, Compared
from course_utils.recordings.recording import new
from tests.recordings.test_recording import ABOUT, timed

H200 = recordings.load()[0]
TILES = [{"TILE": tile} for tile in (8, 16)]


@pytest.fixture
def own() -> Recording:
    recording = new(ABOUT)
    for tile, seconds in ((8, 4e-3), (16, 2e-3)):
        for edge in (64, 128):
            recording.add("times", timed(seconds * edge / 64, tunables={"TILE": tile}, sizes={"N": edge}))
    library = {key: timed(1e-3)[key] for key in ("seconds", "error", "operations", "moved", "sizes")}
    recording.add("libraries", {"library": "a library", "topic": "tiling", **library})
    told = {"curve": "latency", "kernel": "k", "source": "0" * 16, "x": "x", "y": "y", "method": "m"}
    points = (
        [[1024 << n, 40.0] for n in range(4)] + [[1 << 20, 100.0]] + [[1 << n, 300.0] for n in (21, 22, 23)]
    )
    recording.add("curves", {**told, "points": points})
    return recording


def test_ladder(own: Recording) -> None:
    figure = ladder([own], {"tiling/tiled": TILES}, ["a library"], N=64)
    assert figure.sentence == (
        "At N = 64 the fastest of these kernels is tiled, TILE 16 with 2 ms, the slowest tiled, TILE 8 with "
        "4 ms; a library takes 1 ms, 2.0 times less than the fastest (recorded on Fake 9000, 2026-11-29)."
    )
    rows = figure.text.splitlines()[2:]
    assert [row.split()[:5] for row in rows[:2]] == [
        ["tiled,", "TILE", "8", "4", "4"],
        ["tiled,", "TILE", "16", "2", "2"],
    ]
    assert rows[2].startswith("a library")
    assert "recorded on Fake 9000, 2026-11-29" in figure.html
    assert "a library: 1" in figure.html


def test_a_slower_library_and_a_single_kernel(own: Recording) -> None:
    own.document["libraries"][0]["seconds"]["median"] = 2.5e-3
    told = ladder([own], {"tiling/tiled": TILES}, ["a library"], N=64).sentence
    assert "a library takes 2.5 ms, 1.25 times the fastest" in told
    told = ladder([own], {"tiling/tiled": [{"TILE": 8}]}, N=64).sentence
    assert told == "At N = 64 tiled, TILE 8 takes 4 ms (recorded on Fake 9000, 2026-11-29)."


def test_a_learners_bars_stand_beside_the_courses(own: Recording) -> None:
    own.add("times", timed(5e-3, tunables={"TILE": 8}, sizes={"N": 256}))
    figure = ladder([H200, own], {"tiling/tiled": TILES}, N=256)
    assert figure.html.count("tiled, TILE 8 (recorded on NVIDIA H200") == 1
    assert figure.html.count("tiled, TILE 8 (recorded on Fake 9000") == 1


def test_what_was_not_recorded_is_no_picture(own: Recording) -> None:
    with pytest.raises(ValueError, match="no recording has a time of tiling/tiled at N = 65"):
        ladder([own], {"tiling/tiled": TILES}, N=65)
    with pytest.raises(ValueError, match="no recording has times of these kernels over M"):
        over_sizes([own], "M", [("tiling/tiled", {"TILE": 8})])
    with pytest.raises(ValueError, match="no recording has a curve of latencies"):
        latencies([new(ABOUT)])


@pytest.mark.parametrize(
    ("quantity", "least", "most", "unit"),
    [("time", "2e+03", "4e+03", "us"), ("flops", "0.000262", "0.000131", "TFLOP/s")],
)
def test_over_sizes(own: Recording, quantity: str, least: str, most: str, unit: str) -> None:
    figure = over_sizes([own], "N", [("tiling/tiled", {"TILE": 16})], [], quantity)  # type: ignore[arg-type]
    assert figure.text.splitlines()[0].split()[:5] == [f"[{unit}]", "N", "64", "N", "128"]
    assert figure.text.splitlines()[2].split()[3:5] == [least, most]
    assert f"{unit}, of tiled, TILE 16 at N = " in figure.sentence


def test_latencies(own: Recording) -> None:
    figure = latencies([own])
    assert figure.sentence == (
        "A hop takes 40 cycles up to 8 KiB, 300 from 2 MiB on (recorded on Fake 9000, 2026-11-29)."
    )
    assert "1 MiB         100.0" in figure.text


def test_the_h200_has_three_plateaus() -> None:
    plateaus = _flat(H200.curves["latency"].points)
    assert [round(value) for _, _, value in plateaus] == [40, 282, 661]


def test_recorded_against_counted() -> None:
    agreement = Agreement(new(ABOUT))
    agreement.numbers = [Compared("a", None, "m.sum", 10, 10, 10), Compared("a", None, "n.sum", 8, 8, 6)]
    figure = recorded_against_counted(agreement)
    assert "2 counts of memory traffic" in figure.sentence
    assert "has 1 exactly as they were recorded on Fake 9000, 2026-11-29; 1 differ, by at most 25 %." in (
        figure.sentence
    )
    assert "different: 1" in figure.html
