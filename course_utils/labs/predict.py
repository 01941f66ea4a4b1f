"""A question before the answer: nothing is told until the learner has chosen."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import NamedTuple

import ipywidgets as widgets

from ..figures import STYLE
from ..figures.style import scoped
from .projector import Switch

Answer = str | Callable[[], str]


class Judged(NamedTuple):
    """Whether a choice was right, a sentence that says so, and the reason."""

    correct: bool
    told: str
    why: str


class Predict:
    """A question with choices, of which the learner takes one; then the answer is shown beside it.

    answer: the right choice, or a function that finds it, called when the learner has chosen. why: a sentence
    or two shown with the answer, or a function that gives them. The first choice stays: it is what the
    learner expected.
    """

    def __init__(self, question: str, choices: Sequence[str], answer: Answer, why: Answer = "") -> None:
        if len(set(choices)) != len(choices) or len(choices) < 2:
            raise ValueError("a question needs two choices or more, all different")
        if isinstance(answer, str) and answer not in choices:
            raise ValueError(f"the answer {answer!r} is none of the choices: {', '.join(choices)}")
        self.question, self.choices = question, tuple(choices)
        self._answer, self._why = answer, why
        self.chosen: str | None = None
        """What the learner expected; None until then."""
        self.correct: bool | None = None
        self._build()

    def choose(self, choice: str) -> None:
        """Take a choice and show the answer, as the button does. Raises ValueError for what is no choice."""
        if choice not in self.choices:
            raise ValueError(f"{choice!r} is none of the choices: {', '.join(self.choices)}")
        self._buttons.value = choice
        self._reveal()

    def __repr__(self) -> str:
        return "\n".join([self.question, *(f"  ( ) {choice}" for choice in self.choices)])

    def _repr_mimebundle_(self, **options: object) -> dict[str, object]:
        bundle = self.widget._repr_mimebundle_(**options) or {}
        return {**bundle, "text/plain": repr(self)}

    def _build(self) -> None:
        look = widgets.HTML(f"<style>{STYLE}{_STYLE}</style>", layout={"display": "none"})
        asked = widgets.HTML(scoped(f"<p><b>{html.escape(self.question)}</b></p>"))
        self._buttons = widgets.RadioButtons(options=self.choices, value=None, layout={"width": "auto"})
        self._check = widgets.Button(
            description="That is what I expect",
            disabled=True,
            layout={"width": "auto", "align_self": "flex-start"},
        )
        self._told = widgets.HTML()
        self._buttons.observe(self._picked, names="value")
        self._check.on_click(lambda _: self._reveal())
        self.widget = widgets.VBox([look, asked, self._buttons, self._check, self._told]).add_class(
            "lk-predict"
        )
        self._switch = Switch(self.widget)

    def _picked(self, _change: object) -> None:
        self._check.disabled = self._buttons.value is None or self.chosen is not None

    def _reveal(self) -> None:
        choice = self._buttons.value
        if self.chosen is not None or choice is None:
            return
        try:
            judged = self._judge(choice)
        except (RuntimeError, ValueError) as error:
            self._told.value = scoped(f'<p role="status">{html.escape(str(error))}</p>')
        else:
            self._settle(choice, judged)

    def _judge(self, choice: str) -> Judged:
        right = self._answer() if callable(self._answer) else self._answer
        why = self._why() if callable(self._why) else self._why
        if choice == right:
            return Judged(True, f"As you expected: {right}.", why)
        return Judged(False, f"You expected {choice}; it is {right}.", why)

    def _settle(self, choice: str, judged: Judged) -> None:
        self.chosen, self.correct = choice, judged.correct
        self._buttons.value = choice
        self._buttons.disabled = self._check.disabled = True
        told = f"<p><b>{html.escape(judged.told)}</b></p><p>{html.escape(judged.why)}</p>"
        self._told.value = scoped(f'<div role="status">{told}</div>')


_STYLE = """
.lk-predict { border: 1px solid var(--jp-border-color2, #e0e0e0);
  border-left: 4px solid var(--jp-brand-color1, #1976d2); border-radius: 6px; padding: 10px 14px; overflow:
  hidden; }
.lk-projector { zoom: 1.5; }
.lk-predict .widget-radio-box label { margin: 2px 0; height: auto; line-height: 1.5; white-space: normal; }
"""
