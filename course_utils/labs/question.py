"""A question about what a lab will count, asked before its numbers are shown."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import ipywidgets as widgets

from ..figures import MEASURES, Table
from ..figures.numbers import decimal
from ..figures.sample import COUNTED
from ..figures.style import scoped
from .engine import Result
from .page import described
from .predict import Judged, Predict


@dataclass(frozen=True)
class Question:
    """What a learner is asked before a lab shows its numbers: Lab(..., predict=Question(...)).

    choices: numbers, of which the one nearest to what is counted is right. measure: what is counted, a key of
    figures.MEASURES. fewer: not the number itself, but how many times fewer it is than the baseline's. why: a
    sentence or two shown with the answer.
    """

    text: str
    choices: Sequence[float]
    measure: str
    fewer: bool = False
    why: str = ""

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            raise ValueError(f"there is no measure {self.measure!r}; there are {', '.join(MEASURES)}")
        if any(choice <= 0 for choice in self.choices if self.fewer):
            raise ValueError("how many times fewer it is can only be a number above 0")

    @property
    def labels(self) -> tuple[str, ...]:
        """The choices as they are shown."""
        return tuple(f"{choice:,}{' times' if self.fewer else ''}" for choice in self.choices)

    def counted(self, result: Result) -> float | None:
        """The number that was asked for; None where the run has none."""
        kind = MEASURES[self.measure]
        value = kind.value(result.sample)
        if not self.fewer:
            return value
        base = kind.value(result.baseline) if result.baseline is not None else None
        return base / value if base is not None and value else None

    def answer(self, choice: str, result: Result) -> Prediction:
        """Compare a choice with what was counted. Raises ValueError where the run has no such number."""
        value, kind = self.counted(result), MEASURES[self.measure]
        if value is None:
            raise ValueError(f"this run has no number of {kind.label}")
        right = self.labels[min(range(len(self.choices)), key=lambda each: abs(self.choices[each] - value))]
        counted = f"{decimal(value)} times fewer" if self.fewer else kind.written(value)
        beside = f" than {result.baseline.name}" if self.fewer and result.baseline is not None else ""
        where = described(result.state)
        told = f"{result.sample.name} has {counted} {kind.label}{beside} ({where}; {COUNTED})."
        if choice == right:
            judged = Judged(True, f"As you expected, {choice}: {told}", self.why)
        else:
            judged = Judged(False, f"You expected {choice}; {right} was right: {told}", self.why)
        return Prediction(self.text, choice, counted, where, judged)


@dataclass(frozen=True)
class Prediction:
    """An answer: what was `expected`, what was `counted` then and `where`; `judged` says it in a sentence."""

    question: str
    expected: str
    counted: str
    where: str
    judged: Judged


_kept: dict[tuple[str, ...], Prediction] = {}
"""The answers of this session, by question and kernels: a lab made anew asks no second time."""


def predictions() -> Table:
    """What was expected in the labs of this notebook so far, and what was counted then."""
    rows = tuple((each.question, each.expected, each.counted, each.where) for each in _kept.values())
    return Table(f"Expected, and then {COUNTED}", ("question", "expected", "counted", "in"), rows)


class Asked(Predict):
    """A lab's question. `result`: the run that is asked about; `then` is called once there is an answer.

    names: of the lab's kernels, which tell the same question in two labs apart.
    """

    def __init__(
        self, question: Question, names: Sequence[str], result: Callable[[], Result], then: Callable[[], None]
    ) -> None:
        super().__init__(question.text, question.labels, question.labels[0])
        self._question, self._result, self._then = question, result, then
        self._about = widgets.HTML()
        head, asked, *others = self.widget.children
        self.widget.children = (head, asked, self._about, *others)
        self._key = (question.text, *names)
        if kept := _kept.get(self._key):
            super()._settle(kept.expected, kept.judged)

    def label(self, choice: float | str) -> str:
        """A choice as it is shown; one that there is none of comes back as text."""
        known = dict(zip(self._question.choices, self.choices, strict=True))
        return choice if isinstance(choice, str) else known.get(choice, str(choice))

    def tell(self, state: str) -> None:
        """Say which state of the lab the question is about, while it is open."""
        if self.chosen is None:
            self._about.value = scoped(f'<p class="lk-unit">{html.escape(state)}</p>')

    def _judge(self, choice: str) -> Judged:
        self._made = self._question.answer(choice, self._result())
        return self._made.judged

    def _settle(self, choice: str, judged: Judged) -> None:
        super()._settle(choice, judged)
        _kept[self._key] = self._made
        self._then()
