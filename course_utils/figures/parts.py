"""Pieces that several pictures share: the number to watch, the key below a picture."""

from __future__ import annotations

import html
from collections.abc import Sequence

from ..simulator.kinds import LANES
from .sample import COUNTED

UNCOUNTED = "of this picture, in no counter"
"""The label of a number of accesses that the hardware counts by another rule, or by one that is not known."""


def watch(number: str, unit: str, *facts: str, label: str = COUNTED) -> str:
    """The number that a picture is about, large, with what it is held against and where it comes from."""
    more = "".join(f"<span>{html.escape(fact)}</span>" for fact in facts)
    return (
        f'<p class="lk-watch"><b>{html.escape(number)}</b><span class="lk-watch-unit">{html.escape(unit)}'
        f'</span>{more}<span class="lk-badge">{html.escape(label)}</span></p>'
    )


def legend(*entries: tuple[str, str]) -> str:
    """(class of the mark, what it means), in a line below a picture."""
    marks = "".join(
        f'<span><i class="lk-mark {kind}"></i>{html.escape(meaning)}</span>' for kind, meaning in entries
    )
    return f'<p class="lk-key">{marks}</p>'


def lane_strip(name: str, cells: Sequence[tuple[str, str, str]]) -> str:
    """The 32 lanes of a warp in a row: for each its class, what stands below its number, and a title.

    `name` says what the row shows. In a narrow window the lanes wrap by eights.
    """
    boxes = [
        f'<span class="lk-lane {kind}" title="{html.escape(title)}"><b>{lane}</b>{below}</span>'
        for lane, (kind, below, title) in enumerate(cells)
    ]
    eights = "".join(
        f'<span class="lk-eight">{"".join(boxes[first : first + 8])}</span>' for first in range(0, LANES, 8)
    )
    return f'<p class="lk-row-name">{html.escape(name)}</p><div class="lk-lanes">{eights}</div>'
