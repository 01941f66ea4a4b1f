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


STRIDED = "coalescing/strided_copy"


def test_buffers_compares_what_the_requests_of_a_block_touch() -> None:
    settings = notebook.each("stride", (0, 1, 2, 8))
    assert settings["2"] == {"stride": 2}
    table = notebook.buffers(STRIDED, settings, "in", "out", head="stride", n=1024, offset=0).content
    assert table.head[0] == "stride"
    assert "n = 1,024, offset = 0" in table.caption
    coalesced = ("4.0", "32.0")
    assert table.rows == (
        ("0", "1.0", "4.0", *coalesced),
        ("1", "4.0", "32.0", *coalesced),
        ("2", "8.0", "16.0", *coalesced),
        ("8", "32.0", "4.0", *coalesced),
    )


def test_buffers_refuses_one_that_is_not_touched() -> None:
    with pytest.raises(ValueError, match="no request for 'index'"):
        notebook.buffers(STRIDED, {"": {}}, "index", n=64)


@pytest.mark.parametrize(
    ("order", "sectors"), [("sorted", 4), ("shuffled in groups of 32", 4), ("runs of 2", 16)]
)
def test_orders_of_a_gather(order: str, sectors: int) -> None:
    settings = {order: notebook.ORDERS[order]}
    ((_, index, _, values, used),) = notebook.buffers(
        "coalescing/gather", settings, "index", "in", n=65536
    ).content.rows
    assert (index, values, float(used)) == ("4.0", f"{sectors:.1f}", 4 * 32 / sectors)


def test_over_has_a_row_for_each_value_and_a_column_for_each_kernel() -> None:
    names = ("coalescing/array_of_structs", "coalescing/struct_of_arrays")
    table = notebook.over("FIELDS", (1, 8), *names, measures=("sectors",), n=1024).content
    assert [head.split("\n")[-1] for head in table.head] == ["FIELDS", "array_of_structs", "struct_of_arrays"]
    assert table.rows == (("1", "1,024", "128"), ("8", "8,192", "1,024"))


def test_runs_shows_measures_of_each() -> None:
    matrix = notebook.MATRICES["128 x 128"]
    counted = {name: notebook.count(f"coalescing/transpose_{name}", **matrix) for name in ("naive", "shared")}
    table = notebook.runs(counted, ("sectors_per_request", "store_sectors_per_request")).content
    assert table.rows == (("naive", "4.0", "32.0"), ("shared", "4.0", "4.0"))


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
