"""Times as bars and as a table: each with its size and its place."""

from __future__ import annotations

import pytest

from course_utils.figures import Clocked, times_table, times_view
from course_utils.figures.times import milliseconds

HERE, THERE = "measured on Fake 9000", "recorded on Fake 8000, 2026-11-29"


def clocked(name: str, seconds: float, where: str = THERE, n: int = 4096) -> Clocked:
    return Clocked(name, seconds, seconds / 10, 20, {"N": n}, where)


@pytest.mark.parametrize(
    ("seconds", "told"), [(2.75e-3, "2.75 ms"), (5.41e-5, "0.0541 ms"), (12.0, "12,000 ms")]
)
def test_milliseconds(seconds: float, told: str) -> None:
    assert milliseconds(seconds) == told


def test_a_kernel_beside_libraries() -> None:
    others = [clocked("a library", 2e-3), clocked("another", 4e-4)]
    figure = times_view("tiled, TILE 8", [(clocked("tiled, TILE 8", 4e-3), others)], "N = 64")
    assert figure.sentence == (
        "A launch of tiled, TILE 8 took 4 ms at N = 4,096, 2.00 times the 2 ms of a library, 10 times the "
        "0.4 ms of another (recorded on Fake 8000, 2026-11-29). What is counted in this lab is counted at "
        "N = 64."
    )
    assert [row.split()[-9:-6] for row in figure.text.splitlines()[2:3]] == [["20", "N", "="]]
    assert 'class="held" style="width:100.00%"' in figure.html
    assert 'class="old" style="width:50.00%"' in figure.html
    assert figure.html.count(f"{THERE}, N = 4,096; spread") == 3


def test_where_there_is_no_time() -> None:
    figure = times_view("tiled, TILE 5", [], "N = 64")
    assert figure.sentence == "No time of tiled, TILE 5 is recorded for these settings."
    assert times_table("TILE", {"4": []}) is None


def test_places_have_columns_and_sizes_are_told() -> None:
    here, there = clocked("k", 1e-3, HERE), clocked("k", 2e-3)
    table = times_table("TILE", {"4": [here, there], "8": [there], "5": []})
    assert table.caption == "Times at N = 4,096, not at the size of the counts"
    assert table.head == (
        "TILE",
        "time of a launch\nrecorded\non Fake 8000, 2026-11-29",
        "time of a launch\nmeasured\non Fake 9000",
    )
    assert table.rows == (("4", "2 ms", "1 ms"), ("8", "2 ms", "–"), ("5", "–", "–"))  # noqa: RUF001
    mixed = times_table("N", {"64": [clocked("k", 1e-3, n=64)], "128": [clocked("k", 2e-3, n=128)]})
    assert mixed.caption == "Times at the sizes beside them, not at the size of the counts"
    assert mixed.rows == (("64", "1 ms (N = 64)"), ("128", "2 ms (N = 128)"))
