"""What lessons call: counted runs and the tables made of them."""

from __future__ import annotations

import math

import pytest

from course_utils import devices, kernels, metrics, notebook, recordings
from course_utils.exercises import manifest


@pytest.fixture(scope="module")
def naive() -> notebook.Counted:
    return notebook.count("tiling/naive", N=64, TILE=32)


@pytest.fixture(scope="module")
def tiled() -> notebook.Counted:
    return notebook.count("tiling/tiled", N=64, TILE=32)


def test_counts_are_those_of_the_simulator(naive: notebook.Counted) -> None:
    """In a round of the loop a warp makes two requests, which touch 1 sector of A and 4 of B."""
    warp_rounds = 64 * 64 // 32 * 64
    assert (naive.requests, naive.sectors) == (2 * warp_rounds, 5 * warp_rounds)
    assert naive.sectors == naive.run.metrics[metrics.names.GLOBAL_LOAD_SECTORS]
    assert naive.bytes_per_multiply_add == 5.0
    assert naive.wavefronts == 0
    assert naive.run.device == devices.SIMULATOR


def test_count_states_settings_and_verdict(naive: notebook.Counted) -> None:
    told = repr(naive)
    assert told.startswith("tiling/naive, N = 64, TILE = 32: 2 x 2 blocks of 32 x 32 threads.\n")
    assert "equals NumPy's" in told


@pytest.mark.parametrize("settings", [{"N": 64, "TILE": 7}, {"N": 64, "WIDTH": 8}, {}])
def test_count_refuses_what_the_kernel_does_not_have(settings: dict[str, int]) -> None:
    with pytest.raises(kernels.KernelError):
        notebook.count("tiling/tiled", **settings)


def test_first_loads(naive: notebook.Counted) -> None:
    rows = {row[1]: row[2:] for row in notebook.first_loads(naive).content.rows}
    assert rows == {"A": ("32", "1", "1"), "B": ("32", "32", "4")}


def test_beside_names_what_sets_the_runs_apart(naive: notebook.Counted, tiled: notebook.Counted) -> None:
    small = notebook.count("tiling/tiled", N=64, TILE=4)
    head = notebook.beside(small, tiled).content.text.splitlines()[0]
    assert "tiled (TILE 4)" in head
    assert "tiled (TILE 32)" in head
    assert "TILE" not in notebook.beside(tiled, naive).content.text.splitlines()[0]


def test_lines_show_the_kernels_source_below_a_sentence(tiled: notebook.Counted) -> None:
    shown = notebook.lines(tiled)
    assert "a_tile[y][k] * b_tile[k][x]" in repr(shown)
    assert f"<p>{shown.content.sentence}</p>" in shown._repr_html_()


def test_what_is_shown_stores_no_style(naive: notebook.Counted, tiled: notebook.Counted) -> None:
    for shown in (notebook.first_loads(naive), notebook.lines(tiled), notebook.beside(tiled, naive)):
        assert "<style" not in shown._repr_html_()
        assert "<table" in shown._repr_html_()


def test_fewer(naive: notebook.Counted, tiled: notebook.Counted) -> None:
    ((tile, *numbers),) = notebook.fewer("tiling/naive", "tiling/tiled", N=64, TILE=[32]).content.rows
    assert tile == "32"
    assert [float(number) for number in numbers] == [
        naive.bytes_per_multiply_add,
        tiled.bytes_per_multiply_add,
        naive.requests / tiled.requests,
        naive.sectors / tiled.sectors,
    ]


def test_lessons_link_to_what_is_written() -> None:
    listed = notebook.lessons().data.splitlines()
    assert len(listed) == len(manifest.lessons()) - 1
    for line, lesson in zip(listed, manifest.lessons()[1:], strict=True):
        assert (f"({lesson.file})" in line) != lesson.to_come
        assert ("(to come)" in line) == lesson.to_come


def test_machine_prints_what_devices_say(capsys: pytest.CaptureFixture[str]) -> None:
    notebook.machine()
    assert capsys.readouterr().out.strip() == devices.describe()


# Banks of shared memory

READ, PAIRED = "bank_conflicts/strided_read", "bank_conflicts/paired_read"


def test_banks_counts_words_and_banks() -> None:
    rows = {row[0]: row[1:] for row in notebook.banks(READ, "stride", (0, 2, 32)).content.rows}
    assert rows == {
        "0": ("1", "1", "1", "1", "0"),
        "2": ("32", "16", "2", "2", "1"),
        "32": ("32", "1", "32", "32", "31"),
    }


def test_banks_of_elements_that_partners_share() -> None:
    rows = notebook.banks(PAIRED, "STEP", (1, 4), WORDS=4).content.rows
    assert rows == (("1", "64", "32", "2", "2", "0"), ("4", "64", "32", "2", "4", "0"))


@pytest.mark.parametrize("words", [1, 2, 4])
def test_wavefronts_of_a_stride(words: int) -> None:
    strides = (1, 2, 3, 8, 12, 16, 31, 32, 33)
    found = notebook.wavefronts(READ, "stride", strides, WORDS=words)
    assert found == [words * math.gcd(stride, 32 // words) for stride in strides]


def test_compared_has_a_row_for_each_run() -> None:
    runs = [notebook.count("coalescing/transpose_shared", rows=64, cols=64, PAD=pad) for pad in (0, 1)]
    table = notebook.compared(*runs, measures=("load_wavefronts", "static_shared"), told=["PAD"]).content
    assert table.rows == (
        ("transpose_shared (PAD 0)", "4,096", "4,096"),
        ("transpose_shared (PAD 1)", "128", "4,224"),
    )


def test_swizzled_has_every_column_once_in_each_row_and_at_each_place() -> None:
    rows = [row[1:] for row in notebook.swizzled(8).content.rows]
    columns = {str(column) for column in range(8)}
    assert all(set(line) == columns for line in (*rows, *zip(*rows, strict=True)))


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


def test_recorded_curve() -> None:
    rows = notebook.recorded_curve("shared latency").content.rows
    assert [row[0] for row in rows[:2]] == ["4,096", "8,192"]
    assert all(float(row[1]) > 20 for row in rows[:2])


def test_measuring_without_a_gpu_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    if devices.current() != devices.SIMULATOR:
        pytest.skip("this machine has a GPU")
    notebook.measure_over("bank_conflicts/strided_sum", "stride", (1,), rounds=1, n=256)
    assert capsys.readouterr().out.strip() == devices.describe()
