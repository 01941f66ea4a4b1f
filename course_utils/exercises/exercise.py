"""An exercise: the folder <lesson>/<name>/ with starter, solution, known wrong answers, reference and gates.

exercise.toml states its title, question and tolerance; the sizes to compare values at and to count at; gates
(on a metric by its exact name, or on one of RATIOS), hints, and how each file of wrong/ is caught.
reference.py makes arguments and expected outputs with NumPy.

An answer is a kernel, starter.cu, whose head comment states the launch as that of any kernel of the course
does. Or, where exercise.toml names a `function`, it is a Python function that calls the library, starter.py:
it gets a handle of course_utils.blas, and then the arguments. Its gates are on CALLS.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import metrics
from ..kernels import Kernel, Listing

FOLDER = Path(__file__).resolve().parent


RATIOS: dict[str, tuple[str, Callable[[Mapping[str, int]], float | None]]] = {
    "sectors_per_load_request": (
        "sectors a load request",
        partial(metrics.ratios.sectors_per_request, op="ld"),
    ),
    "sectors_per_store_request": (
        "sectors a store request",
        partial(metrics.ratios.sectors_per_request, op="st"),
    ),
    "load_wavefronts_per_ideal": (
        "shared load wavefronts for each one needed",
        partial(metrics.ratios.wavefronts_per_ideal, op="ld"),
    ),
    "store_wavefronts_per_ideal": (
        "shared store wavefronts for each one needed",
        partial(metrics.ratios.wavefronts_per_ideal, op="st"),
    ),
}
"""What a gate may bind besides metrics: name -> (label, the number of a run's metrics)."""

CALLS = {
    "calls": "calls of the library",
    "multiply_adds": "multiply-adds of these calls",
    "other_buffers": "buffers passed that were not given",
}
"""What a gate binds where the answer calls a library: name -> label."""


class ExerciseError(ValueError):
    """There is no such exercise, or its folder is incomplete."""


@dataclass(frozen=True)
class Gate:
    """A bound on a metric, or on one of RATIOS or CALLS: at most, or at least, `goal`."""

    metric: str
    goal: float
    at_least: bool

    @property
    def label(self) -> str:
        if self.metric in CALLS:
            return CALLS[self.metric]
        ratio = RATIOS.get(self.metric)
        return ratio[0] if ratio else metrics.METRICS[self.metric].label

    def count(self, counted: Mapping[str, int]) -> float | None:
        """The number of a run that is bound; None for a ratio where nothing was counted to divide by, and for
        local sectors where registers are spilled."""
        ratio = RATIOS.get(self.metric)
        return ratio[1](counted) if ratio else counted.get(self.metric)

    def passed(self, count: float | None) -> bool:
        if count is None:
            return False
        return count >= self.goal if self.at_least else count <= self.goal

    def __str__(self) -> str:
        return f"at {'least' if self.at_least else 'most'} {number(self.goal)}"


def number(count: float | None) -> str:
    """12,345 or 4.25, a dash for None."""
    return "-" if count is None else f"{count:,.2f}".rstrip("0").rstrip(".")


@dataclass(frozen=True)
class Hint:
    """A question that leads on, and its answer."""

    ask: str
    tell: str


@dataclass(frozen=True)
class WrongAnswer:
    """A file of wrong/, and the stage of the check that must catch it (see checking.STAGES)."""

    path: Path
    caught: str


@dataclass(frozen=True)
class PythonFile:
    """An answer that calls a library: a file with one function, of the course."""

    path: Path
    source: str

    def show(self) -> Listing:
        return Listing(self.path.name, self.source, 1, len(self.source.splitlines()))


@dataclass(frozen=True)
class Exercise:
    """One exercise, `name` being "<lesson>/<name>"; sizes are parameters by name. `function`: the one that an
    answer in Python has, "" where the answer is a kernel."""

    name: str
    title: str
    question: str
    tolerance: float
    values: tuple[dict[str, int], ...]
    counters: dict[str, int]
    gates: tuple[Gate, ...]
    hints: tuple[Hint, ...]
    wrong: tuple[WrongAnswer, ...]
    function: str = ""

    @property
    def folder(self) -> Path:
        return FOLDER / self.name

    @property
    def suffix(self) -> str:
        """Of the answer's file."""
        return ".py" if self.function else ".cu"

    @cached_property
    def starter(self) -> Kernel | PythonFile:
        return self._answer("starter")

    @cached_property
    def solution(self) -> Kernel | PythonFile:
        return self._answer("solution")

    @cached_property
    def reference(self) -> ModuleType:
        """reference.py, with arguments(rng, **sizes) and expected(given)."""
        path = self.folder / "reference.py"
        module = ModuleType(f"{self.folder.name}_reference")
        exec(compile(path.read_text(encoding="utf-8"), path, "exec"), module.__dict__)
        return module

    def _answer(self, name: str) -> Kernel | PythonFile:
        path = self.folder / f"{name}{self.suffix}"
        source = path.read_text(encoding="utf-8")
        return PythonFile(path, source) if self.function else Kernel(self.name, path, source)


def names() -> tuple[str, ...]:
    """All exercises, in alphabetical order."""
    return tuple(
        sorted(path.parent.relative_to(FOLDER).as_posix() for path in FOLDER.glob("*/*/exercise.toml"))
    )


def load(name: str) -> Exercise:
    """The exercise "<lesson>/<name>". Raises ExerciseError for an unknown name, with the nearest ones."""
    known = names()
    if name not in known:
        nearest = get_close_matches(name, known, n=3, cutoff=0.4) or known
        raise ExerciseError(f"There is no exercise {name!r}; there is: {', '.join(nearest)}.")
    return read(name, tomllib.loads((FOLDER / name / "exercise.toml").read_text(encoding="utf-8")))


def read(name: str, stated: Mapping[str, Any]) -> Exercise:
    """An exercise from the content of its exercise.toml."""
    folder = FOLDER / name / "wrong"
    return Exercise(
        name=name,
        title=stated["title"],
        question=_one_paragraph(stated["question"]),
        tolerance=stated["tolerance"],
        values=tuple(stated["values"]),
        counters=stated["counters"],
        gates=tuple(_gate(name, gate) for gate in stated["gates"]),
        hints=tuple(_hint(hint) for hint in stated["hints"]),
        wrong=tuple(WrongAnswer(folder / each["file"], each["caught"]) for each in stated["wrong"]),
        function=stated.get("function", ""),
    )


def _gate(name: str, gate: Mapping[str, Any]) -> Gate:
    goals = [key for key in ("at_most", "at_least") if key in gate]
    if len(goals) != 1 or gate["metric"] not in {**metrics.METRICS, **RATIOS, **CALLS}:
        raise ExerciseError(f"{name}: a gate needs a known metric, and at_most or at_least; this is {gate}.")
    return Gate(gate["metric"], gate[goals[0]], goals[0] == "at_least")


def _hint(hint: Mapping[str, str]) -> Hint:
    return Hint(_one_paragraph(hint["ask"]), _one_paragraph(hint["tell"]))


def _one_paragraph(text: str) -> str:
    return " ".join(text.split())
