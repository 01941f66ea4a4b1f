"""The rows of a sparse matrix: how long they are in the order of the warps that take them, and what padding
them takes."""

from __future__ import annotations

import html
from itertools import pairwise

import numpy as np

from ..simulator.kinds import LANES
from .figure import Figure
from .numbers import DASH, count, decimal, percent, plural
from .parts import legend, watch
from .svg import Svg
from .table import Table

_MOST, _BAR, _HEIGHT, _LEFT, _TOP = 64, 12, 130, 52, 22  # warps in sight; units of the picture
_INK, _LINE, _ON = "var(--lk-text)", "var(--lk-line)", "var(--lk-tint)"
COMPUTED = "computed from the rows"


def used(lengths: np.ndarray) -> float:
    """The share of lane rounds that are used if lane r % 32 of warp r // 32 makes a round for each value of
    row r, and a warp ends with its longest row; 1 where no row has a value."""
    rounds = LANES * int(_of_warps(lengths).max(axis=1).sum())
    return float(lengths.sum() / rounds) if rounds else 1.0


def row_lengths(lengths: np.ndarray, name: str = "") -> Figure:
    """A bar for each warp of 32 rows: as high as its longest row, and filled as far as its mean row; below it
    how many rows there are of which length. `lengths`: values of each row, at least one row."""
    warps = _of_warps(lengths)
    seen = warps[:_MOST]
    total, longest = int(lengths.sum()), int(lengths.max())
    empty = int((lengths == 0).sum())
    told = f"{name}: " if name else ""
    told += (
        f"{plural(lengths.size, 'row')} with {plural(total, 'value')}, {decimal(total / lengths.size)} on "
    )
    told += f"average; the shortest has {count(lengths.min())}, the longest {count(longest)}"
    told += f"; {count(empty)} are empty." if empty else "."
    share = percent(used(lengths))
    told += f" If each lane takes a row, {share} of the rounds of the lanes are used"
    more = f"; the first {_MOST} of {count(len(warps))} warps are shown" if len(warps) > _MOST else ""
    sentence = f"{told}{more}."
    picture = _picture(seen, sentence)
    classes = _classes(lengths)
    head = watch(share, "of the lanes' rounds are used", "if each lane takes a row", label=COMPUTED)
    key = legend(
        ("on", "mean length of a warp's 32 rows"),
        ("waste", "up to its longest row: the other lanes wait"),
    )
    return Figure(
        sentence,
        f'{head}<div class="lk-scroll" tabindex="0" role="region" aria-label="rows of each warp">'
        f"{picture}</div>{key}{classes.html}",
        classes.text,
    )


def padding(values: int, places: int, name: str = "") -> Figure:
    """How many places a format keeps for the values of a matrix: a bar, filled as far as they are used."""
    more = places - values
    share = values / places if places else 1.0
    told = f"{name}: " if name else ""
    sentence = f"{told}{plural(places, 'place')} for {plural(values, 'value')}"
    sentence += f", so {count(more)} are padding, {percent(more / places)}." if more else ": no padding."
    head = watch(count(more), f"place{'s' * (more != 1)} of padding", f"of {count(places)}", label=COMPUTED)
    bar = (
        f'<div class="lk-access"><div class="lk-bars" role="img" aria-label="{html.escape(sentence)}">'
        f'<div>places</div><div class="lk-bar"><i class="held" style="width:{100 * share:.2f}%"></i></div>'
        f"<div>{count(places)}</div></div></div>"
    )
    return Figure(sentence, head + bar + legend(("held", "a value"), ("waste", "padding")))


def _of_warps(lengths: np.ndarray) -> np.ndarray:
    """The lengths by warps, (warps, 32); lanes past the last row have none."""
    whole = np.zeros(-(-lengths.size // LANES) * LANES, np.int64)
    whole[: lengths.size] = lengths
    return whole.reshape(-1, LANES)


def _picture(warps: np.ndarray, sentence: str) -> Svg:
    highest = max(int(warps.max()), 1)
    bottom = _TOP + _HEIGHT
    width = _LEFT + max(len(warps), 24) * _BAR + 4
    picture = Svg(width, bottom + 34, sentence)
    picture.patterns()
    picture.text(2, 13, "values of a row", soft=True, size=11)
    for share in (0.0, 0.5, 1.0):
        y = bottom - share * _HEIGHT
        picture.line(_LEFT, y, width - 4, y, line=_LINE, thickness=0.5)
        if share != 0.5 or highest > 1:
            picture.text(_LEFT - 6, y + 4, f"{share * highest:,.4g}", size=11, anchor="end", soft=True)
    for number, rows in enumerate(warps):
        x = _LEFT + number * _BAR + 1
        most, mean = int(rows.max()), float(rows.mean())
        high, filled = (_HEIGHT * value / highest for value in (most, mean))
        first = number * LANES
        picture.open(
            f"warp {number}, rows {first:,} to {first + LANES - 1:,}: longest {most:,}, mean {mean:.1f}"
        )
        if high:
            picture.rectangle(x, bottom - high, _BAR - 2, high, fill="url(#lk-hatch)", line=_LINE)
            picture.rectangle(x, bottom - filled, _BAR - 2, filled, fill=_ON, line=_INK, thickness=0.8)
        picture.close()
        if number % 8 == 0:
            picture.text(x + (_BAR - 2) / 2, bottom + 14, str(number), size=11, anchor="middle", soft=True)
    picture.text(_LEFT, bottom + 29, "warp: 32 rows each, in the order of the rows", soft=True, size=11)
    return picture


def _classes(lengths: np.ndarray) -> Table:
    """How many rows have 0, 1, 2 to 3, 4 to 7, ... values, and which share of all values these are."""
    bounds = [0, 1]
    while bounds[-1] <= lengths.max():
        bounds.append(bounds[-1] * 2)
    total = max(int(lengths.sum()), 1)
    rows = []
    for least, behind in pairwise(bounds):
        inside = lengths[(lengths >= least) & (lengths < behind)]
        if inside.size:
            most = behind - 1
            told = f"{least:,}" if most == least else f"{least:,} {DASH} {most:,}"
            rows.append((told, count(inside.size), percent(int(inside.sum()) / total)))
    return Table(COMPUTED, ("values in a row", "rows", "of all values"), tuple(rows))
