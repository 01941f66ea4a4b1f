"""Pictures of the rows of a sparse matrix: what their numbers say, and that the bars are as high."""

from __future__ import annotations

import re

import numpy as np
import pytest

from course_utils.figures import padding, row_lengths
from course_utils.figures.rows import used

BAR = re.compile(
    r"<title>warp (\d+), rows [\d,]+ to [\d,]+: longest ([\d,]+), mean ([\d.]+)</title>"
    r'<rect [^>]*height="([\d.]+)"[^>]*url\(#lk-hatch-[^>]*/><rect [^>]*height="([\d.]+)"'
)


def test_the_share_that_is_used() -> None:
    assert used(np.full(64, 5)) == 1
    assert used(np.array([32, *[0] * 31])) == 1 / 32
    assert used(np.array([4] * 16)) == 0.5  # a warp has 32 lanes, also where there are 16 rows
    assert used(np.array([1] * 32 + [9] * 32)) == 1  # each warp has its own longest row
    assert used(np.zeros(5, np.int64)) == 1


def test_a_bar_is_as_high_as_the_longest_row_and_filled_to_the_mean() -> None:
    lengths = np.array([8, *[0] * 31, *[4] * 32, 2])
    figure = row_lengths(lengths, "few")
    found = {int(warp): bar for warp, *bar in BAR.findall(figure.html)}
    assert {warp: (longest, mean) for warp, (longest, mean, *_) in found.items()} == {
        0: ("8", "0.2"),
        1: ("4", "4.0"),
        2: ("2", "0.1"),
    }
    high = {warp: float(bar[2]) for warp, bar in found.items()}
    filled = {warp: float(bar[3]) for warp, bar in found.items()}
    assert high[0] == 2 * high[1] == 4 * high[2]
    assert filled[1] == high[1]
    assert filled[0] == pytest.approx(high[0] / 32, rel=1e-3)
    assert figure.sentence == (
        "few: 65 rows with 138 values, 2.1 on average; the shortest has 0, the longest 8; 31 are empty. If "
        "each lane takes a row, 31 % of the rounds of the lanes are used."
    )


def test_the_classes_hold_all_rows() -> None:
    lengths = np.array([0, 1, 1, 2, 3, 4, 7, 8, 1000])
    rows = [re.split(r" {2,}", line) for line in row_lengths(lengths).text.splitlines()[3:]]
    assert [(name, count) for name, count, _ in rows] == [
        ("0", "1"),
        ("1", "2"),
        ("2 \N{EN DASH} 3", "2"),
        ("4 \N{EN DASH} 7", "2"),
        ("8 \N{EN DASH} 15", "1"),
        ("512 \N{EN DASH} 1,023", "1"),
    ]


def test_many_warps_are_cut_and_no_values_make_no_bar() -> None:
    assert "the first 64 of 65 warps are shown" in row_lengths(np.ones(65 * 32, np.int64)).sentence
    empty = row_lengths(np.zeros(3, np.int64))
    assert not BAR.findall(empty.html)
    assert "3 rows with 0 values" in empty.sentence


def test_pictures_are_described_and_know_the_theme() -> None:
    figure = row_lengths(np.arange(70))
    assert f'aria-label="{figure.sentence}"' in figure.html
    assert not re.search(r"#[0-9a-f]{3,8}\b", figure.html)  # colours are the theme's


def test_padding() -> None:
    figure = padding(75, 100, "sell")
    assert figure.sentence == "sell: 100 places for 75 values, so 25 are padding, 25 %."
    assert "width:75.00%" in figure.html
    assert padding(7, 7).sentence == "7 places for 7 values: no padding."
    assert padding(0, 0).sentence == "0 places for 0 values: no padding."
