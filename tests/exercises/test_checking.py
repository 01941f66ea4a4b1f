"""Where the check of an answer ends, and what it says then. The exercise here triples a vector."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from course_utils import metrics
from course_utils.exercises import checking, exercise, report
from course_utils.kernels import Kernel

STARTER = """\
// Triples a vector.
//
// block: 32
// grid: ceil(N / 32)
// shared: 0

extern "C" __global__ void triple(const float* x, float* y, int N) {
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i < N) y[i] = x[i] + x[i] + x[i];
}
"""
HEADER = 'extern "C" __global__ void triple(const float* x, float* y, int N)'
INDEX = "int i = blockIdx.x * 32 + threadIdx.x;"
RIGHT = f"{HEADER} {{ {INDEX} if (i < N) y[i] = 3.0f * x[i]; }}"


@pytest.fixture
def triple(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> exercise.Exercise:
    """At N = 64 the loads touch 8 sectors; the goal is exactly that many."""
    chosen = exercise.read(
        "00_test/triple",
        {
            "title": "Triple",
            "question": "Triple a vector.",
            "tolerance": 0,
            "values": [{"N": 33}, {"N": 64}],
            "counters": {"N": 64},
            "gates": [
                {"metric": metrics.names.GLOBAL_LOAD_SECTORS, "at_most": 8},
                {"metric": metrics.names.GLOBAL_LOAD_SECTORS, "at_least": 8},
            ],
            "hints": [],
            "wrong": [],
        },
    )
    reference = ModuleType("reference")
    reference.arguments = lambda rng, N: {
        "x": rng.integers(1, 9, N).astype(np.float32),
        "y": np.full(N, np.nan, np.float32),
        "N": np.int32(N),
    }
    reference.expected = lambda given: {"y": 3 * given["x"]}
    starter = Kernel("00_test/triple", tmp_path / "starter.cu", STARTER)
    chosen.__dict__.update(reference=reference, starter=starter)
    return chosen


def body(statement: str) -> str:
    return f"{HEADER} {{ {INDEX} {statement} }}"


# Lanes run in step in the simulator, so that the values are right; nothing makes sure of it.
LUCKY = body(
    "__shared__ float s[32]; int o = i ^ 1; s[threadIdx.x ^ 1] = o < N ? x[o] : 0;"
    "if (i < N) y[i] = 3.0f * s[threadIdx.x];"
)
CASES = [
    ("int x", "compile", "line 1"),
    (f"{HEADER} {{\n  int i = 0\n  y[i] = x[i];\n}}", "compile", "line 3"),
    ('extern "C" __global__ void other() {}', "launch", "there is: other"),
    ('extern "C" __global__ void triple() {}', "launch", "0 arguments"),
    (body('asm("trap;");'), "launch", "ended itself"),
    (body("y[i] = 3.0f * x[i];"), "memory", "x[33]"),
    (body("for (volatile int k = 0; k >= 0; k = 0);"), "hang", "did not end"),
    (body("if (i < N - 1) y[i] = 3.0f * x[i];"), "values", "1 of 33 elements of y are wrong, first y[32]"),
    (body("if (i < N - 1) y[i] = 3.0f * x[i];"), "values", "it was never written"),
    (body("if (i < N) y[i] = 2.0f * x[i];"), "values", "33 of 33 elements of y are wrong"),
    (body("if (i < N) y[i] = i & 1 ? 3.0f * x[i] : 0.0f;"), "values", "All wrong elements hold 0."),
    (
        body("__shared__ float s[32]; if (i < N) y[i] = s[threadIdx.x];"),
        "values",
        "Found by the check of initialisation, with N = 33: Never written",
    ),
    (body("if (i < N) y[i] = 3 * x[i], ((float*)x)[i] = 0;"), "values", "elements of x are wrong"),
    (LUCKY, "checks", "Found by the check of races, with N = 33: Race on s["),
    (
        body("if (i < N) y[i] = 3 * x[i] + 0 * ((volatile float*)x)[i];"),
        "counters",
        "global load sectors: 16,",
    ),
]


@pytest.mark.parametrize(("source", "stage", "words"), CASES)
def test_wrong_answers_end_at_their_stage(
    triple: exercise.Exercise, source: str, stage: str, words: str
) -> None:
    result = checking.examine(triple, source, "triple.cu")
    assert result.caught == stage
    assert words in " ".join(result.reasons)


def test_right_answer(triple: exercise.Exercise) -> None:
    result = checking.examine(triple, RIGHT, "triple.cu")
    assert result == checking.Result(
        None, (), tuple(checking.GateResult(gate, 8, 8) for gate in triple.gates)
    )


def test_values_differ_from_run_to_run_of_one_check(triple: exercise.Exercise) -> None:
    """An answer that holds the results for one set of inputs does not pass with the next."""
    seen = [triple.reference.arguments(np.random.default_rng(seed), N=33)["x"] for seed in range(2)]
    assert not np.array_equal(*seen)


def test_report_shows_now_starter_and_goal(triple: exercise.Exercise) -> None:
    lines = report.lines(triple, RIGHT, "my/triple.cu", checking.examine(triple, RIGHT, "triple.cu"))
    assert lines[0] == "my/triple.cu solves the exercise."
    assert lines[1] == "Values: the whole of every array is right for N = 33; 64; 64."
    assert lines[2] == "The checks (memory, races, initialisation, barriers) found nothing."
    assert [line.split() for line in lines[4:]] == [
        ["now", "before", "goal"],
        ["global", "load", "sectors", "8", "8", "at", "most", "8", "reached"],
        ["global", "load", "sectors", "8", "8", "at", "least", "8", "reached"],
    ]


def test_report_says_that_the_starter_is_unchanged_and_what_fails(triple: exercise.Exercise) -> None:
    failed = checking.Result("values", ("with N = 33: 1 of 33 elements of y are wrong",))
    assert report.lines(triple, STARTER, "my/triple.cu", failed) == [
        "my/triple.cu (the starter, unchanged) gives wrong values.",
        "  with N = 33: 1 of 33 elements of y are wrong",
    ]


def test_a_gate_on_a_ratio_tells_its_number_and_its_goal(triple: exercise.Exercise) -> None:
    gates = tuple(
        exercise._gate("x", {"metric": name, "at_most": goal})
        for name, goal in (("sectors_per_load_request", 4), ("sectors_per_store_request", 2.5))
    )
    result = checking.examine(replace_gates(triple, gates), RIGHT, "triple.cu")
    assert [(each.now, each.before, each.passed) for each in result.gates] == [(4, 4, True), (4, 4, False)]
    assert result.reasons == ("sectors a store request: 4, goal at most 2.5",)


def test_a_ratio_of_nothing_does_not_pass() -> None:
    gate = exercise._gate("x", {"metric": "load_wavefronts_per_ideal", "at_most": 1})
    counted = {metrics.names.SHARED_LOAD_WAVEFRONTS: 0, metrics.names.SHARED_LOAD_CONFLICTS: 0}
    assert gate.count(counted) is None
    assert not gate.passed(gate.count(counted))
    assert exercise.number(None) == "-"


def replace_gates(chosen: exercise.Exercise, gates: tuple[exercise.Gate, ...]) -> exercise.Exercise:
    changed = replace(chosen, gates=gates)
    changed.__dict__.update(reference=chosen.reference, starter=chosen.starter)
    return changed


def test_gate_without_a_goal_is_refused() -> None:
    with pytest.raises(exercise.ExerciseError, match="at_most or at_least"):
        exercise._gate("x", {"metric": metrics.names.GLOBAL_LOAD_SECTORS})
    with pytest.raises(exercise.ExerciseError, match="known metric"):
        exercise._gate("x", {"metric": "l1tex__no_such.sum", "at_most": 1})


def test_a_gate_on_local_sectors_is_not_passed_where_they_have_no_number() -> None:
    gate = exercise.Gate(metrics.names.LOCAL_LOAD_SECTORS, 0, at_least=False)
    assert gate.passed(gate.count({metrics.names.LOCAL_LOAD_SECTORS: 0}))
    assert gate.count({}) is None
    assert not gate.passed(gate.count({}))
