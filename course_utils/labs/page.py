"""What a lab shows for one state: every view drawn, and the line above them."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..figures import Figure
from ..figures.numbers import TIMES
from ..figures.sample import COUNTED
from ..figures.style import scoped
from .controls import shown
from .engine import Result, State
from .views import View

_WIDTH = 100  # of text: what fits beside a notebook's file browser


@dataclass(frozen=True)
class Page:
    """The figures of a result, in the order of the views. The result's traces are dropped: they are large."""

    result: Result
    titles: tuple[str, ...]
    figures: tuple[Figure, ...]

    @classmethod
    def of(cls, result: Result, views: Sequence[View]) -> Page:
        figures = tuple(view.draw(result) for view in views)
        sample = replace(result.sample, run=replace(result.run, trace=None))
        return cls(replace(result, sample=sample), tuple(view.title for view in views), figures)

    @property
    def status(self) -> str:
        """The state, the launch and the verdict, as HTML."""
        mark, kind = ("✓", "good") if self.result.correct else ("✗", "bad")
        verdict = f'<b aria-hidden="true">{mark}</b> {html.escape(self.result.verdict)}'
        return scoped(
            f'<div class="lk-status"><span class="lk-badge">{COUNTED}</span>'
            f"<span>{html.escape(_launched(self.result))}</span>"
            f'<span class="lk-{kind}">{verdict}</span>'
            "</div>"
        )

    @property
    def panels(self) -> list[str]:
        """One piece of HTML for each view: title, sentence, picture."""
        return [
            scoped(f'<h4>{title}</h4><p class="lk-sentence">{html.escape(figure.sentence)}</p>{figure.html}')
            for title, figure in zip(self.titles, self.figures, strict=True)
        ]

    @property
    def text(self) -> str:
        """The same as plain text: tables in full, pictures and source listings by their sentence."""
        parts = [f"{_launched(self.result)}; {COUNTED}\n{self.result.verdict}"]
        for title, figure in zip(self.titles, self.figures, strict=True):
            table = f"\n\n{figure.text}" if figure.text and not figure.listing else ""
            parts.append(f"{textwrap.fill(f'{title}: {figure.sentence}', _WIDTH)}{table}")
        return "\n\n".join(parts)


def described(state: State) -> str:
    """tiled, TILE 8, N 96."""
    return ", ".join(
        shown(value) if isinstance(value, str) else f"{name} {value}" for name, value in state.items()
    )


def _launched(result: Result) -> str:
    grid, block = (
        f" {TIMES} ".join(map(str, shape)) for shape in (result.geometry.grid, result.geometry.block)
    )
    return f"{described(result.state)}: a grid of {grid} blocks of {block} threads"
