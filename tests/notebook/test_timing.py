"""Recorded and measured times."""

from __future__ import annotations

import pytest

from course_utils import devices, notebook, recordings

STRIDED = "coalescing/strided_copy"


def test_recorded_sets_times_beside_counts() -> None:
    settings = notebook.each("stride", (1, 8))
    sizes = {"n": 1 << 24, "offset": 0}
    table = notebook.recorded(
        STRIDED, settings, "in", head="stride", counted={"n": 1024}, timed=sizes
    ).content
    first, second = (recordings.load()[0].time(STRIDED, {"BLOCK": 256}, stride=n, **sizes) for n in (1, 8))
    assert recordings.load()[0].label in table.head[3].replace("\n", " ")
    (_, *_, time, one), (_, sectors, multiple, _, longer) = (row[:5] for row in table.rows)
    assert (time, one) == (f"{first.seconds.median * 1e6:.1f}", "1.00")
    assert (sectors, multiple) == ("32.0", "8.00")
    assert float(longer) == pytest.approx(second.seconds.median / first.seconds.median, abs=0.005)


def test_recorded_says_when_no_recording_has_the_times() -> None:
    with pytest.raises(ValueError, match="no recording has these times of coalescing/strided_copy"):
        notebook.recorded(
            STRIDED, {"": {}}, "in", head="", counted={"n": 1024}, timed={"n": 12, "stride": 1, "offset": 0}
        )


def test_copy_time_names_the_recording(capsys: pytest.CaptureFixture[str]) -> None:
    notebook.copy_time(1 << 26)
    told = capsys.readouterr().out
    assert "device copy of 67,108,864 bytes: " in told
    assert recordings.load()[0].label in told


def test_times_over_sets_each_time_against_the_first() -> None:
    h200 = recordings.load()[0]
    shown = notebook.times_over("tiling/naive", "N", (1024, 4096)).content
    seconds = [h200.time("tiling/naive", {"TILE": 16}, N=edge).seconds.median for edge in (1024, 4096)]
    mine = [row for row in shown.rows if row[3] == h200.label]
    assert [row[2] for row in mine] == ["1.00", f"{seconds[1] / seconds[0]:.2f}"]
    (row,) = notebook.times_over("tiling/naive", "N", (7, 4096)).content.rows
    assert (row[0], row[2]) == ("4096", "")


def test_what_no_recording_has_is_told() -> None:
    assert repr(notebook.times("tiling/naive", N=7)) == "No recording has a time of tiling/naive at N = 7."
    assert "No recording has times of tiling/naive" in repr(notebook.times_over("tiling/naive", "N", (7,)))
    assert repr(notebook.recorded_curve("no such curve")) == "No recording has the curve no such curve."


def test_times_name_the_kernels_that_have_none() -> None:
    told = "Not recorded yet"
    assert told not in repr(notebook.times("tiling/naive", "tiling/tiled", N=4096))
    # No recording times what is there to be faulty.
    both = notebook.times("tiling/tiled", "tiling/barriers", N=4096)
    assert repr(both).endswith(f"{told}: barriers.")
    assert "tiled, TILE 32" in repr(both)


def test_recorded_curve() -> None:
    rows = notebook.recorded_curve("shared latency").content.rows
    assert [row[0] for row in rows[:2]] == ["4,096", "8,192"]
    assert all(float(row[1]) > 20 for row in rows[:2])


def test_measuring_without_a_gpu_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    if devices.current() != devices.SIMULATOR:
        pytest.skip("this machine has a GPU")
    notebook.measure_over("bank_conflicts/strided_sum", "stride", (1,), rounds=1, n=256)
    assert capsys.readouterr().out.strip() == devices.describe()
