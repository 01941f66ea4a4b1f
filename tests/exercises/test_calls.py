"""Where the check of an answer that calls the library ends, and what it says then. The exercise here doubles
a vector by a product with a matrix of one element."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from course_utils.exercises import checking, exercise, report

HEAD = "def double(handle, x, y, n):\n    "
STARTER = f"""import numpy as np

{HEAD}c = np.zeros_like(x)
    handle.gemm("N", "N", n, 1, 1, 2, x, n, np.ones_like(x[:1]), 1, 0, c, n)
    y[:n] = c
"""
RIGHT = f"{HEAD}handle.gemm('N', 'T', n, 1, 1, 1, x, n, y[n:], 1, 0, y, n)\n"


@pytest.fixture
def double(tmp_path: Path) -> exercise.Exercise:
    """y = 2 x; behind y lies a 2, which must stay."""
    chosen = exercise.read(
        "00_test/double",
        {
            "title": "Double",
            "question": "Double a vector.",
            "function": "double",
            "tolerance": 0,
            "values": [{"n": 3}, {"n": 5}],
            "counters": {"n": 4},
            "gates": [
                {"metric": "calls", "at_most": 1},
                {"metric": "other_buffers", "at_most": 0},
                {"metric": "multiply_adds", "at_least": 4},
            ],
            "hints": [],
            "wrong": [],
        },
    )
    reference = ModuleType("reference")
    reference.arguments = lambda rng, n: {
        "x": rng.integers(1, 9, n).astype(np.float32),
        "y": np.append(np.full(n, np.nan), 2).astype(np.float32),
        "n": n,
    }
    reference.expected = lambda given: {"y": np.append(2 * given["x"], 2)}
    path = tmp_path / "starter.py"
    chosen.__dict__.update(reference=reference, starter=exercise.PythonFile(path, STARTER))
    return chosen


CASES = [
    ("def double(", "compile", "line 1: '(' was never closed"),
    ("import no_such_module", "launch", "line 1: ModuleNotFoundError: No module named"),
    ("x = 1", "launch", "there is no function double(handle, ...)"),
    ("double = 3", "launch", "there is no function double"),
    (
        "def double(handle):\n    pass",
        "launch",
        "with n = 3: TypeError: double() takes 1 positional argument",
    ),
    (f"{HEAD}raise RuntimeError('no')", "launch", "with n = 3: line 2: RuntimeError: no"),
    (
        f"{HEAD}handle.gemm('N', 'N', n, 1, 1, 2, x, 1, y[n:], 1, 0, y, n)",
        "launch",
        "with n = 3: line 2: CUBLAS_STATUS_INVALID_VALUE: lda is 1",
    ),
    (f"{HEAD}handle.dot(n + 1, x, 1, y, 1)", "memory", "with n = 3: line 2: x has 3 elements"),
    (f"{HEAD}pass", "values", "with n = 3: 3 of 4 elements of y are wrong, first y[0]: it was never written"),
    (f"{HEAD}y[:n] = 2 * x\n    x[0] = 0", "values", "elements of x are wrong"),
    (f"{HEAD}y[:n] = 2 * x", "counters", "multiply-adds of these calls: 0, goal at least 4"),
    (f"{HEAD}y[:n] = 2 * x\n    handle.dot(1, x, 1, x, 1)", "counters", "multiply-adds of these calls: 1"),
    (f"{RIGHT}    handle.dot(1, x, 1, x, 1)", "counters", "calls of the library: 2, goal at most 1"),
]


@pytest.mark.parametrize(("source", "stage", "words"), CASES)
def test_wrong_answers_end_at_their_stage(
    double: exercise.Exercise, source: str, stage: str, words: str
) -> None:
    result = checking.examine(double, source, "double.py")
    assert result.caught == stage
    assert words in " ".join(result.reasons)


def test_a_right_answer(double: exercise.Exercise) -> None:
    result = checking.examine(double, RIGHT, "double.py")
    assert result.caught is None
    assert [(each.now, each.before) for each in result.gates] == [(1, 1), (0, 2), (4, 4)]
    lines = report.lines(double, RIGHT, "my/double.py", result)
    assert lines[0] == "my/double.py solves the exercise."
    assert lines[1] == "Values: the whole of every array is right for n = 3; 5; 4."
    assert lines[2] == "Counted, at n = 4:"
    assert lines[4].split() == ["calls", "of", "the", "library", "1", "1", "at", "most", "1", "reached"]


def test_the_starter_passes_a_buffer_of_its_own(double: exercise.Exercise) -> None:
    result = checking.examine(double, STARTER, "double.py")
    assert result.reasons == ("buffers passed that were not given: 2, goal at most 0",)


def test_an_interrupt_ends_the_check(double: exercise.Exercise) -> None:
    with pytest.raises(KeyboardInterrupt):
        checking.examine(double, f"{HEAD}raise KeyboardInterrupt", "double.py")


def test_what_is_told_of_an_answer_that_does_not_run(double: exercise.Exercise) -> None:
    told = {
        "def double(": "is no Python",
        "x = 1": "ends with an error",
        f"{HEAD}handle.dot(9, x, 1, y, 1)": "makes a call that reads or writes outside its buffers",
    }
    for source, words in told.items():
        lines = report.lines(double, source, "my/double.py", checking.examine(double, source, "double.py"))
        assert lines[0] == f"my/double.py {words}."
