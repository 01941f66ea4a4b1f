"""Checking an answer: it compiles, runs, gives right values, the simulator's checks find no fault, and its
counts stay within the gates; in this order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np

from .. import simulator
from ..compiler import CompileError
from .exercise import Exercise, Gate, number

STAGES = ("compile", "launch", "memory", "hang", "values", "checks", "counters")
"""Where a check can end. launch: it cannot be launched as the exercise does it; hang: it would not end;
checks: the values are right, but nothing makes sure of it."""
Stage = Literal["compile", "launch", "memory", "hang", "values", "checks", "counters"]

# Loop rounds of a worker: some hundred times what a slow answer needs, and over within a second.
BUDGET = 50_000_000

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


class _Refused(Exception):
    def __init__(self, stage: Stage, *reasons: str) -> None:
        super().__init__(*reasons)
        self.stage: Stage = stage
        self.reasons = reasons


def examine(exercise: Exercise, source: str, file: str) -> Result:
    """Check the CUDA source of an answer; `file` is its name in messages. Only an interrupt ends it early."""
    try:
        program = _compile(exercise, source, file)
        small_first = sorted(enumerate(exercise.values), key=lambda each: prod(each[1].values()))
        for place, (seed, sizes) in enumerate(small_first, 1):
            _, wrong = _run(exercise, program, sizes, seed)
            if wrong:
                raise _Refused("values", *wrong, *_findings(exercise, program, small_first[:place]))
        if found := _findings(exercise, program, small_first):
            raise _Refused("checks", *found)
        counts = _counted(exercise, program)
    except _Refused as refused:
        return Result(refused.stage, refused.reasons)
    starter = _compile(exercise, exercise.starter.source, exercise.starter.path.name)
    before = _counted(exercise, starter)
    gates = tuple(GateResult(gate, gate.count(counts), gate.count(before)) for gate in exercise.gates)
    missed = tuple(
        f"{each.gate.label}: {number(each.now)}, goal {each.gate}" for each in gates if not each.passed
    )
    return Result("counters" if missed else None, missed, gates)


def in_words(sizes: Sizes) -> str:
    """M = 5, K = 1, N = 7"""
    return ", ".join(f"{name} = {size}" for name, size in sizes.items())


def _compile(exercise: Exercise, source: str, file: str) -> simulator.Program:
    # The starter's tunables, so that the tiles of an answer are those that it is launched with.
    try:
        program = simulator.compile(source, defines=exercise.starter.defines(), name=file)
    except CompileError as error:
        lines = [f"line {line}: {text}" if line else text for line, text in error.errors]
        raise _Refused("compile", *(lines or [error.log])) from None
    except simulator.Error as error:
        raise _Refused("launch", str(error)) from None
    entry = exercise.starter.entry.name
    if entry not in program.kernels:
        there = ", ".join(program.kernels) or "none"
        missing = f'extern "C" __global__ void {entry} is missing; of kernels there is: {there}'
        raise _Refused("launch", missing)
    return program


def _launch(
    exercise: Exercise, program: simulator.Program, sizes: Sizes, given: dict, checks: tuple[str, ...] = ()
) -> simulator.Run:
    geometry = exercise.starter.geometry(**sizes)
    entry = exercise.starter.entry.name
    try:
        return program.launch(
            entry,
            geometry.grid,
            geometry.block,
            list(given.values()),
            geometry.shared_bytes,
            budget=BUDGET,
            checks=checks,
        )
    except simulator.IllegalAccess as error:
        raise _Refused("memory", f"with {in_words(sizes)}: {error}") from None
    except simulator.Hang as error:
        raise _Refused("hang", f"with {in_words(sizes)}: {error}") from None
    except simulator.Error as error:
        raise _Refused("launch", f"with {in_words(sizes)}: {error}") from None


def _run(
    exercise: Exercise, program: simulator.Program, sizes: Sizes, seed: int
) -> tuple[simulator.Run, list[str]]:
    """Run on new random inputs, and compare the whole of every array, those that must not change as well.

    What is wrong comes back in sentences."""
    given = exercise.reference.arguments(np.random.default_rng(seed), **sizes)
    right = {name: value.copy() for name, value in given.items() if isinstance(value, np.ndarray)}
    right |= exercise.reference.expected(given | right)
    run = _launch(exercise, program, sizes, given)
    for name, array in right.items():
        if difference := _difference(name, given[name], array, exercise.tolerance):
            told = f"with {in_words(sizes)}: {difference}"
            return run, [told, *_patterns(run, name, array, exercise.tolerance)]
    return run, []


def _counted(exercise: Exercise, program: simulator.Program) -> dict[str, int]:
    """The metrics at the size to count at, where the values must be right too."""
    run, wrong = _run(exercise, program, exercise.counters, seed=0)
    if wrong:
        raise _Refused("values", *wrong)
    return run.metrics


def _findings(
    exercise: Exercise, program: simulator.Program, tried: Sequence[tuple[int, Sizes]]
) -> list[str]:
    """What the simulator's checks find on the first of these inputs on which they find anything: of each kind
    one, a barrier that is missing for the whole block before one that is missing for a warp."""
    for seed, sizes in tried:
        given = exercise.reference.arguments(np.random.default_rng(seed), **sizes)
        try:
            found = _launch(exercise, program, sizes, given, simulator.CHECKS).findings
        except _Refused:
            continue  # what ends a launch is told by the launch without checks
        found = sorted(found, key=lambda each: "__syncthreads" not in each.fix)
        if found:
            kinds = {each.kind: each for each in reversed(found)}
            return [
                f"Found by the check of {kind}, with {in_words(sizes)}: {each}"
                for kind, each in kinds.items()
            ]
    return []


def _patterns(run: simulator.Run, name: str, right: np.ndarray, tolerance: float) -> list[str]:
    """What the wrong elements have in common."""
    try:
        found = simulator.compare(run, {name: right}, rtol=tolerance, atol=tolerance, relaunch=False)
    except simulator.ArgumentError:
        return []  # the answer calls the parameter by another name
    return [str(pattern) for difference in found.differences for pattern in difference.patterns]


def _difference(name: str, got: np.ndarray, right: np.ndarray, tolerance: float) -> str | None:
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
