"""The second run of a checked launch, and what a run says of its findings."""

from __future__ import annotations

import threading

import numpy as np

from course_utils import simulator
from course_utils.simulator.checks import second
from tests.simulator.checks.checked import HEAD, floats, launch, quiet, zeros


def test_the_callers_memory_is_changed_once() -> None:
    source = (
        "__device__ int calls;\n"
        + HEAD
        + "k(float *x) { x[threadIdx.x] += 1.0f; if (threadIdx.x == 0) calls++; }"
    )
    program = simulator.compile(source, name="k.cu")
    x = zeros(64)
    for _ in range(2):
        quiet(program.launch("k", 1, 64, [x], checks=simulator.CHECKS))
    assert x.tolist() == [2] * 64
    assert program.get_symbol("calls").view(np.int32)[0] == 2


def test_views_of_one_array_are_views_of_one_copy() -> None:
    whole = np.arange(100, dtype=np.float32)
    a, b, c = second.copied([whole[10:50], (whole[40:60], None), 3])
    assert isinstance(a, np.ndarray)
    a[35] = -1
    assert b[0][5] == -1
    assert whole[45] == 45
    assert c == 3


def test_fresh_memory_stays_fresh_in_the_copy() -> None:
    from course_utils.simulator.memory import is_fresh

    fresh = simulator.fresh((4, 4), np.float32)
    (copy,) = second.copied([fresh[1:]])
    assert is_fresh(copy)
    assert copy.shape == (3, 4)


def test_a_long_launch_says_that_one_build_ran() -> None:
    source = HEAD + "k(float *x, int n) { for (int i = 0; i < n; i++) x[threadIdx.x] += i; }"
    run = launch(source, [zeros(64), 200_000])
    assert any("build without optimisation" in note for note in run.notes)


def test_templates_run_in_both_builds() -> None:
    source = "template <class T> __global__ void add(const T *x, T *y, int n) {\nT sum;\n"
    source += "for (int i = 0; i < n; i++)\nsum += x[i];\ny[threadIdx.x] = sum; }"
    run = launch(source, [floats(8), zeros(64), 8], kernel="add<float>")
    assert [each.build for each in run.findings] == ["unoptimised"]


def test_counters_are_those_of_a_launch_without_checks() -> None:
    source = (
        HEAD + "k(const float *x, float *y) { __shared__ float s[64]; int t = threadIdx.x; s[t] = x[t];\n"
    )
    source += "__syncthreads(); if (t % 3) y[t] = s[63 - t]; else y[t] = s[(t * 5) % 64]; }"
    program = simulator.compile(source, name="k.cu")
    plain = program.launch("k", 2, 64, [floats(64), zeros(64)])
    checked = program.launch("k", 2, 64, [floats(64), zeros(64)], checks=simulator.CHECKS)
    assert plain.metrics == checked.metrics
    assert plain.by_line == checked.by_line
    assert not plain.findings
    assert not plain.writers


def test_a_finding_prints_as_its_message_and_count() -> None:
    run = launch(HEAD + "k(float *x) { x[threadIdx.x + 60] = 1.0f; }", [zeros(64)])
    (finding,) = run.findings
    assert str(finding) == f"{finding.message} (60 times)"


def test_ptx_without_source() -> None:
    from course_utils import compiler

    made = compiler.compile(HEAD + "k(float *x) { x[threadIdx.x + 60] = 1.0f; }", name="k.cu", defines=None,
                            arch="sm_90", options=(), expressions=())  # fmt: skip
    run = simulator.load_ptx(made.ptx).launch("k", 1, 64, [zeros(64)], checks=simulator.CHECKS)
    assert [each.kind for each in run.findings] == ["memory"]


def test_a_headers_code_is_told_by_the_line_that_calls_it() -> None:
    source = "#include <cooperative_groups.h>\n" + HEAD + "k(float *x) {\n"
    source += "auto pair = cooperative_groups::tiled_partition<2>(cooperative_groups::this_thread_block());\n"
    source += "if (threadIdx.x % 2) return;\nx[threadIdx.x] = pair.shfl_xor(x[threadIdx.x], 1);\n}"
    for optimise in (True, False):
        program = simulator.compile(source, name="k.cu", optimise=optimise)
        run = program.launch("k", 1, 32, [zeros(32)], checks=("barriers",))
        assert {line for each in run.findings for line in each.lines} == {5}


def test_a_traced_launch_can_be_checked() -> None:
    source = (
        HEAD + "k(float *x) { __shared__ float s[64]; int t = threadIdx.x; s[t] = x[t];\nx[t] = s[63 - t]; }"
    )
    run = launch(source, [floats(64)], trace={"block": 0})
    assert {line for each in run.findings for line in each.lines} == {1, 2}
    assert run.trace is not None
    assert {step.buffer for step in run.trace.steps if step.space == "shared"} == {"s"}


def test_many_threads_may_check_one_program() -> None:
    source = (
        "__device__ int total;\n" + HEAD + "k(int *x) { if (threadIdx.x == 0) { total = 5; x[0] = total; } }"
    )
    program = simulator.compile(source, name="k.cu")
    runs: list[simulator.Run] = []

    def work() -> None:
        runs.append(program.launch("k", 1, 32, [zeros(4, np.int32)], checks=simulator.CHECKS))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(runs) == 4
    for run in runs:
        quiet(run)
