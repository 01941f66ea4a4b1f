"""Pieces that several pictures share: the number to watch, the key below a picture."""

from __future__ import annotations

import html

from .sample import COUNTED


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
