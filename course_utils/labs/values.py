"""The buffers of a launch, before and after, as a figure."""

from __future__ import annotations

import html

from ..figures import Figure
from ..figures.numbers import count, plural
from ..figures.table import aligned
from ..kernels.errors import listed
from ..playground import Outcome
from ..playground.running import Buffer

_MORE = ", ..."


def values_table(outcome: Outcome) -> Figure:
    """A row for each buffer: its first elements before and after, and how many changed."""
    head = ("buffer", "elements", "changed", "first before", "first after")
    rows = [_cells(buffer) for buffer in outcome.buffers]
    sentence = _sentence(outcome)
    if not rows:
        return Figure(sentence, "", "")
    cells = "".join(
        f'<tr data-buffer="{html.escape(buffer.name)}"><th scope="row">{html.escape(row[0])}'
        f'<div class="lk-metric">{html.escape(buffer.told)}</div></th>'
        f'<td data-column="elements">{row[1]}</td><td data-column="changed">{row[2]}</td>'
        f'<td class="lk-elements" data-column="before">{html.escape(row[3])}</td>'
        f'<td class="lk-elements" data-column="after">{html.escape(row[4])}</td></tr>'
        for buffer, row in zip(outcome.buffers, rows, strict=True)
    )
    heads = "".join(f'<th scope="col">{each}</th>' for each in head)
    made = f'<table class="lk-table lk-values"><thead><tr>{heads}</tr></thead><tbody>{cells}</tbody></table>'
    scrolled = f'<div class="lk-scroll" tabindex="0" role="region" aria-label="buffers">{made}</div>'
    return Figure(sentence, scrolled, aligned(head, [list(row) for row in rows], left=(0, 3, 4)))


def _cells(buffer: Buffer) -> tuple[str, str, str, str, str]:
    changed = count(buffer.changed) if buffer.changed else "none"
    after = _shown(buffer.after, buffer.count) if buffer.changed else "the same"
    return buffer.name, count(buffer.count), changed, _shown(buffer.before, buffer.count), after


def _shown(texts: tuple[str, ...], total: int) -> str:
    if len(set(texts)) == 1 and len(texts) > 1:
        return f"{texts[0]}, all {len(texts)} that are shown"
    return ", ".join(texts) + (_MORE if total > len(texts) else "")


def _sentence(outcome: Outcome) -> str:
    changed = [buffer for buffer in outcome.buffers if buffer.changed]
    told = []
    for buffer in changed:
        part = "all" if buffer.changed == buffer.count else f"{count(buffer.changed)} of"
        told.append(f"{part} {plural(buffer.count, 'element')} of {buffer.name}")
    sentence = f"The kernel changed {listed(told)}." if told else "The kernel changed no buffer."
    for buffer in outcome.buffers:
        if buffer.unwritten:
            sentence += f" {plural(buffer.unwritten, 'element')} of {buffer.name} "
            sentence += f"{'was' if buffer.unwritten == 1 else 'were'} never written."
    return sentence
