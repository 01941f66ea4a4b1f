"""The result of a check in words."""

from __future__ import annotations

import textwrap

from ..simulator import CHECKS
from .exercise import Exercise, number
from .results import Result, in_words

_WIDTH = 100

_ENDED = {
    "compile": "does not compile",
    "launch": "cannot be launched as this exercise does it",
    "memory": "reads or writes outside its memory",
    "hang": "does not end",
    "values": "gives wrong values",
    "checks": "gives right values here, but nothing makes sure of it",
    "counters": "gives right values, and misses a goal",
}

_CALLS_ENDED = {
    "compile": "is no Python",
    "launch": "ends with an error",
    "memory": "makes a call that reads or writes outside its buffers",
}
"""What differs where the answer calls a library."""


def lines(exercise: Exercise, source: str, file: str, result: Result) -> list[str]:
    """What to print for a check of `source`, the learner's `file`."""
    unchanged = " (the starter, unchanged)" if source == exercise.starter.source else ""
    ended = _ENDED | _CALLS_ENDED if exercise.function else _ENDED
    verdict = ended[result.caught] if result.caught else "solves the exercise"
    report = [f"{file}{unchanged} {verdict}."]
    if not result.gates:
        return [*report, *(_filled(reason) for reason in result.reasons)]
    tried = (*exercise.values, exercise.counters)
    sizes = "; ".join(", ".join(map(str, each.values())) for each in tried)
    report += [f"Values: the whole of every array is right for {', '.join(exercise.counters)} = {sizes}."]
    if exercise.function:
        return [*report, f"Counted, at {in_words(exercise.counters)}:", *_table(result)]
    report.append(f"The checks ({', '.join(CHECKS)}) found nothing.")
    return [*report, f"Counted in the simulator, at {in_words(exercise.counters)}:", *_table(result)]


def _filled(reason: str) -> str:
    return textwrap.fill(reason, _WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def _table(result: Result) -> list[str]:
    rows = [("", "now", "before", "goal", "")]
    for each in result.gates:
        reached = "reached" if each.passed else "not yet"
        rows.append((each.gate.label, number(each.now), number(each.before), str(each.gate), reached))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [_line(row, widths) for row in rows]


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    numbers = (1, 2)  # these columns to the right, words to the left
    aligned = [str.rjust if column in numbers else str.ljust for column in range(len(row))]
    cells = [align(cell, width) for align, cell, width in zip(aligned, row, widths, strict=True)]
    return "  ".join(["", *cells]).rstrip()
