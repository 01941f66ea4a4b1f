"""Exercises: a learner edits a copy of a starter, asks for hints, and has the answer checked and counted.

    exercises.open("02_tiling/rectangular")     # the question, and the file to edit, under my/
    exercises.check("02_tiling/rectangular")    # compiles, runs, compares, counts; prints what it finds
    exercises.hint("02_tiling/rectangular")     # a question; called again, its answer
    exercises.solution("02_tiling/rectangular")

manifest has the lessons in order, and which exercises belong to each; progress what was solved.
"""

from __future__ import annotations

from ..kernels import Listing
from . import copies, progress, report
from .checking import Result, examine
from .exercise import Exercise, ExerciseError, load, names

__all__ = ["Exercise", "ExerciseError", "Result", "check", "hint", "load", "names", "open", "solution"]

_hints_shown: dict[str, int] = {}


def open(name: str) -> Listing:
    """Print the question, make the learner's copy of the starter where there is none, and show it."""
    exercise = load(name)
    print(f"{exercise.title}. {exercise.question}")
    for news in copies.provide(exercise):
        print(news)
    print(f"Your file: {copies.shown(copies.path(exercise))}")
    return copies.listing(exercise)


def check(name: str) -> None:
    """Check the learner's file and print what was found. An answer that is wrong or broken raises nothing."""
    exercise = load(name)
    path = copies.path(exercise)
    try:
        source = copies.read(exercise)
    except (OSError, UnicodeDecodeError) as error:
        print(f"{copies.shown(path)} cannot be read: {error}")
        return
    result = examine(exercise, source, path.name)
    print("\n".join(report.lines(exercise, source, copies.shown(path), result)))
    try:
        progress.note(name, result.caught is None)
    except OSError as error:
        print(f"Your progress could not be saved ({error}).")


def hint(name: str) -> None:
    """Print the next hint: first its question, at the next call its answer, then on to the next one."""
    hints = load(name).hints
    shown = _hints_shown.get(name, 0)
    number, answer = divmod(shown, 2)
    if number >= len(hints):
        print(f'That was the last hint. To see a solution: exercises.solution("{name}")')
        return
    _hints_shown[name] = shown + 1
    if answer:
        print(f"Hint {number + 1} of {len(hints)}, the answer: {hints[number].tell}")
    else:
        print(f"Hint {number + 1} of {len(hints)}: {hints[number].ask}")
        print("Think of an answer, then run this cell again.")


def solution(name: str) -> Listing:
    """One way to solve the exercise."""
    return load(name).solution.show()
