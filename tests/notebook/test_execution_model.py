"""What the lesson on the execution model shows: warps of a block, instructions, lanes, waves, times."""

from __future__ import annotations

import re

import pytest

from course_utils import kernels, metrics, notebook, recordings
from course_utils.figures.numbers import DASH

ADD, SCALE = "execution_model/vector_add", "execution_model/scale"
HELD = "execution_model/held_values"
VOLUME = {"nx": 19, "ny": 9, "nz": 5}
N = 1 << 26


def span(first: int, last: int) -> str:
    return f"{first}{DASH}{last}"


def test_warps_of_a_block_are_cut_along_x_first() -> None:
    shown = notebook.warps_of_block("execution_model/thread_numbers", "nz", "ny", "nx", BLOCK_Y=3, **VOLUME)
    assert shown.content.head == ("warp", "threadIdx.z", "threadIdx.y", "threadIdx.x", "lanes")
    assert [row[0] for row in shown.content.rows] == ["0"] * 4 + ["1"] * 2
    assert shown.content.rows[3] == ("0", "1", "0", span(0, 7), span(24, 31))
    assert shown.content.rows[-1] == ("1", "1", "2", span(0, 7), span(8, 15))


def test_warps_of_a_flat_block() -> None:
    shown = notebook.warps_of_block(
        "execution_model/matrix_add", "rows", "cols", rows=64, cols=64, BLOCK_X=64, BLOCK_Y=1
    )
    assert shown.content.rows == (("0", "0", span(0, 31), span(0, 31)), ("1", "0", span(32, 63), span(0, 31)))


def test_instructions_are_those_of_the_trace() -> None:
    counted = notebook.count(ADD, n=40)
    rows = notebook.instructions(counted).content.rows
    assert len(rows) == len(counted.run.trace.of(0))
    assert [row[2] for row in rows].count("ld.global.nc.f32") == 2
    assert {row[3] for row in rows} == {"32"}
    partly = notebook.instructions(notebook.count(ADD, n=8)).content.rows
    assert {row[3] for row in partly if row[2].startswith(("ld.global", "st"))} == {"8"}


def test_lane_values() -> None:
    kernel = "execution_model/lane_sums"
    runs = {way: notebook.count(kernel, n=64, XOR=xor) for xor, way in enumerate(("down", "xor"))}
    x = runs["xor"].arrays["x"][:32]
    shown = notebook.lane_values(runs, lanes=(0, 31))
    assert f"The sum of the 32 values is {x.sum():g}." in shown.content.sentence
    assert f"down: 1 lane (0); xor: 32 lanes ({span(0, 31)})" in shown.content.sentence
    assert [line.split() for line in shown.content.text.splitlines()[-2:]] == [
        ["0", f"{x[0]:g}", f"{x.sum():g}", f"{x.sum():g}"],
        ["31", f"{x[31]:g}", f"{32 * x[31]:g}", f"{x.sum():g}"],
    ]


def test_occupancy_needs_no_run() -> None:
    assert notebook.occupancy(HELD, HELD=64).limited_by == ("registers",)
    assert notebook.occupancy(HELD, HELD=4, SHARED_KB=48).limited_by == ("shared memory",)
    assert notebook.occupancy(ADD, metrics.GPUS["T4"], BLOCK=256).blocks_per_sm == 4


def test_waves() -> None:
    table = notebook.waves(ADD, "H200 SXM", "A100 SXM 80 GB", n=1 << 20).content
    assert table.rows == (
        ("H200 SXM", "132", "8", "1,056", "3.88", "88 %"),
        ("A100 SXM 80 GB", "108", "8", "864", "4.74", "74 %"),
    )
    assert "4,096 blocks of 256 threads" in table.caption
    assert len(notebook.waves(ADD, n=1 << 20).content.rows) == len(metrics.GPUS)
    (whole,) = notebook.waves(ADD, "H200 SXM", n=1056 * 256).content.rows
    assert whole[-2:] == ("1.00", "100 %")


def test_block_sizes_with_recorded_times() -> None:
    shown = notebook.block_sizes(ADD, n=N)
    lines = shown.content.text.splitlines()
    assert "would suggest blocks of 1,024 threads on an H200 SXM" in shown.content.sentence
    recording = recordings.load()[0]
    for line, block in zip(lines[-6:], (32, 64, 128, 256, 512, 1024), strict=True):
        seconds = recording.time(ADD, {"BLOCK": block}, n=N).seconds.median  # type: ignore[union-attr]
        assert line.split()[0] == str(block)
        assert float(re.findall(r"([\d.]+) ms", line)[0]) == pytest.approx(1e3 * seconds, rel=1e-2)


def test_block_sizes_say_where_there_is_no_time() -> None:
    assert notebook.block_sizes(HELD, n=12345).content.text.count("not recorded") == 5


def test_in_flight_counts_the_warps_that_the_gpu_holds() -> None:
    table = notebook.in_flight(SCALE, (1, 1024), BLOCK=256, n=N).content
    (one, one_warps, *_), (many, many_warps, share, *_) = table.rows
    assert (one, one_warps, many, many_warps, share) == ("1", "8", "1,024", "8,192", "97 %")
    with pytest.raises(ValueError, match=r"no recording has the time of .* BLOCKS = 1"):
        notebook.in_flight(SCALE, (1,), BLOCK=256, n=7)


def test_latency() -> None:
    curve = dict(recordings.load()[0].curves["latency"].points)
    assert notebook.latency(4096) == curve[4096]
    assert notebook.latency(5) is None


def test_followed_has_the_numbers_of_the_run() -> None:
    counted = notebook.count(ADD, n=5000)
    here = {row[0]: row[2] for row in notebook.followed(ADD, n=5000).content.rows}
    assert here["host"] == "20 blocks of 256 threads"
    assert here["block to warps"] == "8 warps a block, 160 in all"
    assert f"{counted.requests} requests, {counted.sectors:,} sectors" in here["load to L1"]
    assert [here[step].split("takes ")[1] for step in ("load to L1", "L1 to L2", "L2 to DRAM")] == [
        f"{notebook.latency(size):.0f} cycles" for size in (1 << 15, 1 << 23, 1 << 28)
    ]


def test_symptoms_have_a_number_on_either_side() -> None:
    rows = notebook.symptoms().content.rows
    assert len(rows) == 5
    assert "not recorded" not in str(rows)
    for _, _, _, having, lacking, _ in rows:
        assert having != lacking
        assert re.match(r"[\d.]+ ", having)
        assert re.match(r"[\d.]+ ", lacking)


def test_checked_shows_what_was_found_and_whether_the_values_are_right() -> None:
    kernel = "execution_model/faulty/reverse_guarded"
    found = notebook.checked(kernel, n=500)
    assert found.content.sentence == "The checks found 1 fault: barrier at line 26."
    assert "out equals NumPy's reversed segments" in repr(found)
    assert "__syncthreads" in found._repr_html_()
    clean = notebook.checked(kernel, n=512)
    assert clean._repr_html_().count("The checks found nothing") == 1
    assert "found nothing" in notebook.checked(kernel, "races", n=500).content.sentence


def test_a_block_of_three_dimensions_is_told_in_full() -> None:
    assert "8 x 4 x 2 threads" in repr(notebook.count("execution_model/thread_numbers", **VOLUME))
    assert kernels.load(ADD).path.stem in repr(notebook.count(ADD, n=8))
