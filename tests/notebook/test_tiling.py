"""Barriers left out, bytes asked for and fetched, one number of several kernels."""

from __future__ import annotations

import pytest

from course_utils import notebook

BARRIERS = {"both": {}, "first": {"FIRST": 0}, "second": {"SECOND": 0}, "one step": {"SECOND": 0, "N": 8}}


def test_races_tell_which_rows_are_right_and_what_the_check_finds() -> None:
    found = notebook.races("tiling/barriers", BARRIERS, N=16, TILE=8).content
    rows = {name: rest for name, *rest in found.rows}
    assert rows["both"] == ["0 of 256", "all", "nothing"]
    # Warps of a block run one after the other up to a barrier: the last finds all tiles filled, and the first
    # is done before anyone fills them anew.
    assert rows["first"] == ["128 of 256", "4, 5, 6, 7, 12, 13, 14 and 15", "2 races: a_tile and b_tile"]
    assert rows["second"] == ["128 of 256", "0, 1, 2, 3, 8, 9, 10 and 11", "2 races: a_tile and b_tile"]
    assert rows["one step"] == ["0 of 64", "all", "nothing"]


def test_checked_shows_a_card_for_each_race() -> None:
    run = notebook.check_races("tiling/barriers", N=16, TILE=8, SECOND=0)
    assert (run.wrong, run.elements, len(run.races)) == (128, 256, 2)
    assert repr(run).endswith("race at lines 41 and 38.")
    assert "128 of 256 elements are wrong. The checks found 2 faults" in repr(run)
    html = run._repr_html_()
    assert html.count('<section class="lk-finding"') == 2
    assert "128 of 256 elements are wrong." in html


def test_checked_says_that_a_sound_kernel_has_no_race() -> None:
    run = notebook.check_races("tiling/tiled", N=9, TILE=8)
    assert repr(run) == "0 of 81 elements are wrong. The checks found nothing."
    assert run.right_rows == tuple(range(9))


def test_intensity_of_what_is_asked_for_and_of_what_is_fetched() -> None:
    naive = notebook.count("tiling/naive", N=64, TILE=32)
    tiled = notebook.count("tiling/tiled", N=64, TILE=32)
    # 8 bytes for a multiply-add of the naive kernel, 8 / 32 of the tiled one, and 4 for each element of C.
    assert 1 / notebook.asked(naive) == pytest.approx(2 / (8 + 4 / 64))
    assert 1 / notebook.asked(tiled) == pytest.approx(2 / (8 / 32 + 4 / 64))
    shown = notebook.intensity({"n": naive, "t": tiled}).content
    rows = {name: numbers for name, *numbers in shown.rows}
    assert rows == {"n": ["0.25", f"{2 / (5 + 4 / 64):.2f}"], "t": ["6.40", "6.40"]}


def test_bars_show_one_number_of_each_run() -> None:
    runs = {
        "one": notebook.count("tiling/tiled", N=64, TILE=32),
        "four": notebook.count("tiling/register_blocked", N=64, PER_THREAD=2),
    }
    figure = notebook.bars(runs, "load_wavefronts_per_operation").content
    assert "least at kernel four (1.00) and most at kernel one (1.50)" in figure.sentence
    assert figure.html.count("<rect") >= 2


@pytest.mark.parametrize(("per_thread", "wavefronts"), [(2, "1.00"), (4, "0.50"), (8, "0.25")])
def test_wavefronts_fall_as_two_by_the_edge_of_a_threads_square(per_thread: int, wavefronts: str) -> None:
    run = notebook.count("tiling/register_blocked", N=64, PER_THREAD=per_thread)
    shown = notebook.compared(run, measures=["load_wavefronts_per_operation", "bytes_per_operation"])
    assert shown.content.rows[0][1:] == (wavefronts, f"{8 / 64:.2f}")
