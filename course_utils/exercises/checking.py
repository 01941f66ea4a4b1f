"""Checking an answer: it compiles, runs, gives right values, the simulator's checks find no fault, and its
counts stay within the gates; in this order."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from .. import simulator
from ..compiler import CompileError
from . import calls
from .exercise import Exercise
from .results import STAGES, GateResult, Refused, Result, Sizes, difference, in_words, judged

__all__ = ["STAGES", "GateResult", "Result", "examine", "in_words"]

# Loop rounds of a worker: some hundred times what a slow answer needs, and over within a second.
BUDGET = 50_000_000


def examine(exercise: Exercise, source: str, file: str) -> Result:
    """Check the source of an answer; `file` is its name in messages. Only an interrupt ends it early."""
    if exercise.function:
        return calls.examine(exercise, source, file)
    try:
        program = _compile(exercise, source, file)
        small_first = sorted(enumerate(exercise.values), key=lambda each: prod(each[1].values()))
        for place, (seed, sizes) in enumerate(small_first, 1):
            _, wrong = _run(exercise, program, sizes, seed)
            if wrong:
                raise Refused("values", *wrong, *_findings(exercise, program, small_first[:place]))
        if found := _findings(exercise, program, small_first):
            raise Refused("checks", *found)
        counts = _counted(exercise, program)
    except Refused as refused:
        return Result(refused.stage, refused.reasons)
    starter = _compile(exercise, exercise.starter.source, exercise.starter.path.name)
    before = _counted(exercise, starter)
    return judged(exercise, counts, before)


def _compile(exercise: Exercise, source: str, file: str) -> simulator.Program:
    # The starter's tunables, so that the tiles of an answer are those that it is launched with.
    try:
        program = simulator.compile(source, defines=exercise.starter.defines(), name=file)
    except CompileError as error:
        lines = [f"line {line}: {text}" if line else text for line, text in error.errors]
        raise Refused("compile", *(lines or [error.log])) from None
    except simulator.Error as error:
        raise Refused("launch", str(error)) from None
    entry = exercise.starter.entry.name
    if entry not in program.kernels:
        there = ", ".join(program.kernels) or "none"
        missing = f'extern "C" __global__ void {entry} is missing; of kernels there is: {there}'
        raise Refused("launch", missing)
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
        raise Refused("memory", f"with {in_words(sizes)}: {error}") from None
    except simulator.Hang as error:
        raise Refused("hang", f"with {in_words(sizes)}: {error}") from None
    except simulator.Error as error:
        raise Refused("launch", f"with {in_words(sizes)}: {error}") from None


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
        if told := difference(name, given[name], array, exercise.tolerance):
            return run, [f"with {in_words(sizes)}: {told}", *_patterns(run, name, array, exercise.tolerance)]
    return run, []


def _counted(exercise: Exercise, program: simulator.Program) -> dict[str, int]:
    """The metrics at the size to count at, where the values must be right too."""
    run, wrong = _run(exercise, program, exercise.counters, seed=0)
    if wrong:
        raise Refused("values", *wrong)
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
        except Refused:
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
