"""What a lab shows for one state: every view drawn, and the line above them."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..figures import Figure
from ..figures.numbers import TIMES
from ..figures.sample import COUNTED
from ..figures.style import scoped
from .controls import Value, shown
from .engine import Result, State
from .options import Option
from .views import Steerable, View

_WIDTH = 100  # of text: what fits beside a notebook's file browser


@dataclass(frozen=True)
class Panel:
    """One view drawn: its figure, the options that the run offers for it, and what is picked of each."""

    title: str
    figure: Figure
    options: tuple[Option, ...] = ()
    picked: Mapping[str, Value] | None = None

    @classmethod
    def of(cls, view: View, result: Result, wanted: Mapping[str, Value]) -> Panel:
        """Draw a view; of its options what is wanted, as far as the run has it."""
        if not isinstance(view, Steerable):
            return cls(view.title, view.draw(result))
        options = tuple(view.options(result, wanted))
        picked = {option.name: option.settled(wanted.get(option.name)) for option in options}
        return cls(view.title, view.draw(result, **picked), options, picked)

    @property
    def head(self) -> str:
        return f"<h4>{html.escape(self.title)}</h4>"

    @property
    def body(self) -> str:
        """Sentence and picture."""
        return f'<p class="lk-sentence">{html.escape(self.figure.sentence)}</p>{self.figure.html}'

    @property
    def text(self) -> str:
        """Tables in full; pictures and listings by their sentence."""
        table = f"\n\n{self.figure.text}" if self.figure.text and not self.figure.listing else ""
        return f"{textwrap.fill(f'{self.title}: {self.figure.sentence}', _WIDTH)}{table}"


@dataclass(frozen=True)
class Page:
    """A result without its trace, and the panels of the views in their order."""

    result: Result
    panels: tuple[Panel, ...]

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
    def text(self) -> str:
        """The same as plain text."""
        head = f"{_launched(self.result)}; {COUNTED}\n{self.result.verdict}"
        return "\n\n".join([head, *(panel.text for panel in self.panels)])


def bare(result: Result) -> Result:
    """A result without its trace, which may be large."""
    return replace(result, sample=replace(result.sample, run=replace(result.run, trace=None)))


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
