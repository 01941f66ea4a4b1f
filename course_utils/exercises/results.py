"""What a check finds: where it ended, why, and the gates; and the sentences that all checks share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .exercise import Exercise, Gate, number

STAGES = ("compile", "launch", "memory", "hang", "values", "checks", "counters")
"""Where a check can end. launch: it cannot be launched as the exercise does it; hang: it would not end;
checks: the values are right, but nothing makes sure of it."""
Stage = Literal["compile", "launch", "memory", "hang", "values", "checks", "counters"]


Sizes = dict[str, int]


@dataclass(frozen=True)
class GateResult:
    """One gate: the count of the answer, and that of the starter."""

    gate: Gate
    now: float | None
    before: float | None

    @property
    def passed(self) -> bool:
        return self.gate.passed(self.now)


@dataclass(frozen=True)
class Result:
    """Where the check ended (None: solved), why in sentences, and the gates where it came to them."""

    caught: Stage | None
    reasons: tuple[str, ...] = ()
    gates: tuple[GateResult, ...] = ()


class Refused(Exception):
    """An answer that a check ends at."""

    def __init__(self, stage: Stage, *reasons: str) -> None:
        super().__init__(*reasons)
        self.stage: Stage = stage
        self.reasons = reasons


def judged(exercise: Exercise, counts: Mapping[str, int], before: Mapping[str, int]) -> Result:
    """The result of an answer with right values, by its counts and those of the starter."""
    gates = tuple(GateResult(gate, gate.count(counts), gate.count(before)) for gate in exercise.gates)
    missed = tuple(
        f"{each.gate.label}: {number(each.now)}, goal {each.gate}" for each in gates if not each.passed
    )
    return Result("counters" if missed else None, missed, gates)


def in_words(sizes: Sizes) -> str:
    """M = 5, K = 1, N = 7"""
    return ", ".join(f"{name} = {size}" for name, size in sizes.items())


def difference(name: str, got: np.ndarray, right: np.ndarray, tolerance: float) -> str | None:
    """How an array differs from the right one, in a sentence; None where it does not."""
    wrong = ~np.isclose(got, right, rtol=tolerance, atol=tolerance)
    if not wrong.any():
        return None
    first = tuple(int(place) for place in np.argwhere(wrong)[0])
    index = "".join(f"[{place}]" for place in first)
    count = f"{np.count_nonzero(wrong):,} of {wrong.size:,} elements of {name} are wrong"
    if np.isnan(got[first]):
        return (
            f"{count}, first {name}{index}: it was never written, or is NaN, and should be {right[first]:g}."
        )
    return f"{count}, first {name}{index}: it is {got[first]:g}, and should be {right[first]:g}."
