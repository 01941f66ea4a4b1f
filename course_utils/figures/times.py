"""Times of launches as bars: recorded ones, and those of this machine's GPU, each with its size and place."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .figure import Figure
from .numbers import DASH, decimal, milliseconds, told_sizes
from .table import Table, aligned


@dataclass(frozen=True)
class Clocked:
    """How long a launch of `name` took: median and spread in `seconds`, over several launches, at `sizes`.

    where: "recorded on NVIDIA H200, 2026-11-29", or "measured on ..." for a GPU of this machine.
    """

    name: str
    seconds: float
    spread: float
    launches: int
    sizes: Mapping[str, int]
    where: str

    @property
    def at(self) -> str:
        """N = 4,096."""
        return told_sizes(self.sizes)


def times_view(name: str, pairs: Sequence[tuple[Clocked, Sequence[Clocked]]], counted_at: str) -> Figure:
    """The times of a kernel, each with those of libraries at the same size and place.

    name: of the kernel with its tunables. counted_at: the sizes of what is counted beside, which are others.
    """
    if not pairs:
        return Figure(f"No time of {name} is recorded for these settings.", "")
    rows = [row for chosen, others in pairs for row in (chosen, *others)]
    longest = max(row.seconds for row in rows)
    bars = "".join(_bar(row, row is chosen, longest) for chosen, others in pairs for row in (chosen, *others))
    sentence = " ".join(_sentence(chosen, others) for chosen, others in pairs)
    sentence += f" What is counted in this lab is counted at {counted_at}." if counted_at else ""
    head = ("", "time", "spread", "launches", "at", "where")
    cells = [
        (row.name, milliseconds(row.seconds), milliseconds(row.spread), str(row.launches), row.at, row.where)
        for row in rows
    ]
    picture = f'<div class="lk-bars lk-times" role="img" aria-label="{html.escape(sentence)}">{bars}</div>'
    return Figure(sentence, f'<div class="lk-access">{picture}</div>', aligned(head, cells, left=(0, 4, 5)))


def _bar(row: Clocked, chosen: bool, longest: float) -> str:
    note = f"{row.where}, {row.at}; spread {milliseconds(row.spread)}"
    width = f"{100 * row.seconds / longest:.2f}%"
    return (
        f"<div>{html.escape(row.name)}</div>"
        f'<div class="lk-bar"><i class="{"held" if chosen else "old"}" style="width:{width}"></i></div>'
        f'<div>{milliseconds(row.seconds)}</div><div class="lk-note">{html.escape(note)}</div>'
    )


def _sentence(chosen: Clocked, others: Sequence[Clocked]) -> str:
    told = f"A launch of {chosen.name} took {milliseconds(chosen.seconds)} at {chosen.at}"
    for each in others:
        ratio = chosen.seconds / each.seconds
        times = decimal(ratio, 2 if ratio < 10 else 0)
        told += f", {times} times the {milliseconds(each.seconds)} of {each.name}"
    return f"{told} ({chosen.where})."


def times_table(control: str, times: Mapping[object, Sequence[Clocked]]) -> Table | None:
    """A row for each value of a control, a column for each place where there are times of them; None where
    there is no time. The caption says at which sizes; where these differ each time says its own."""
    found = [each for row in times.values() for each in row]
    if not found:
        return None
    places = sorted(
        dict.fromkeys(each.where for each in found), key=lambda place: place.startswith("measured")
    )
    sizes = {each.at for each in found}
    common = f"at {sizes.pop()}" if len(sizes) == 1 else ""
    head = (control, *(f"time of a launch\n{place.replace(' on ', chr(10) + 'on ')}" for place in places))
    rows = tuple(
        (str(value), *(_cell(row, place, not common) for place in places)) for value, row in times.items()
    )
    return Table(f"Times {common or 'at the sizes beside them'}, not at the size of the counts", head, rows)


def _cell(row: Sequence[Clocked], place: str, sized: bool) -> str:
    for each in row:
        if each.where == place:
            return milliseconds(each.seconds) + (f" ({each.at})" if sized else "")
    return DASH
