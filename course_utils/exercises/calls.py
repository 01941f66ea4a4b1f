"""Checking an answer that calls the library: it runs, its calls keep their rules and their buffers, the
values are right, and what it called stays within the gates; in this order."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from math import prod

import numpy as np

from .. import blas
from .exercise import Exercise
from .results import Refused, Result, Sizes, difference, in_words, judged


def examine(exercise: Exercise, source: str, file: str) -> Result:
    """Check the Python source of an answer; `file` is its name in messages. It runs in this process, with
    SciPy's BLAS on any machine."""
    try:
        function = _function(exercise, source, file)
        for seed, sizes in sorted(enumerate(exercise.values), key=lambda each: prod(each[1].values())):
            _run(exercise, function, sizes, seed, file)
        counts = _run(exercise, function, exercise.counters, 0, file)
    except Refused as refused:
        return Result(refused.stage, refused.reasons)
    starter = exercise.starter
    starters = _function(exercise, starter.source, starter.path.name)
    before = _run(exercise, starters, exercise.counters, 0, starter.path.name)
    return judged(exercise, counts, before)


def _function(exercise: Exercise, source: str, file: str) -> Callable[..., object]:
    names: dict[str, object] = {"__name__": exercise.function}
    try:
        code = compile(source, file, "exec")
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        raise Refused("compile", f"line {line}: {error.args[0]}" if line else str(error)) from None
    try:
        exec(code, names)
    except Exception as error:
        raise Refused("launch", _told(error, file)) from None
    function = names.get(exercise.function)
    if not callable(function):
        raise Refused("launch", f"there is no function {exercise.function}(handle, ...) in it")
    return function


def _run(
    exercise: Exercise, function: Callable[..., object], sizes: Sizes, seed: int, file: str
) -> Mapping[str, int]:
    """Call the answer on new random inputs, compare the whole of every buffer, and count what it called."""
    given = exercise.reference.arguments(np.random.default_rng(seed), **sizes)
    buffers = {name: value for name, value in given.items() if isinstance(value, np.ndarray)}
    right = {name: value.copy() for name, value in buffers.items()}
    right |= exercise.reference.expected(given | right)
    with blas.create("simulator") as handle:
        try:
            function(handle, *given.values())
        except blas.OutOfBounds as error:
            raise Refused("memory", f"with {in_words(sizes)}: {_told(error, file)}") from None
        except Exception as error:
            raise Refused("launch", f"with {in_words(sizes)}: {_told(error, file)}") from None
    for name, array in right.items():
        if told := difference(name, buffers[name], array, exercise.tolerance):
            raise Refused("values", f"with {in_words(sizes)}: {told}")
    passed = [each for call in handle.calls for each in call.buffers]
    others = [each for each in passed if not any(np.may_share_memory(each, own) for own in buffers.values())]
    return {
        "calls": len(handle.calls),
        "multiply_adds": sum(call.operations for call in handle.calls),
        "other_buffers": len(others),
    }


def _told(error: Exception, file: str) -> str:
    """The error in a sentence, with the line of the answer that it came from."""
    lines = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == file]
    kind = "" if isinstance(error, blas.BlasError) else f"{type(error).__name__}: "
    return f"{f'line {lines[-1]}: ' if lines else ''}{kind}{error}"
