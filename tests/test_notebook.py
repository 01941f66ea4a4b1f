"""What lessons call: counted runs and the tables made of them."""

from __future__ import annotations

import pytest

from course_utils import devices, kernels, metrics, notebook
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
