"""Memory: what is outside is told, loads give 0, stores go nowhere, and the run goes on."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import simulator
from tests.simulator.checks.checked import HEAD, floats, found, launch, quiet, zeros


def test_past_the_end() -> None:
    source = HEAD + "k(const float *x, float *y, int n) {\nint t = threadIdx.x;\ny[t] = x[t + 1];\n}"
    x, y = floats(64), np.full(64, 7, np.float32)
    run = launch(source, [x, y, 64])
    (finding,) = run.findings
    (access,) = finding.accesses
    assert (finding.kind, finding.lines, finding.count) == ("memory", (3,), 1)
    assert (access.array, access.index, access.thread, access.action) == ("x", 64, (63, 0, 0), "reads")
    assert "x has 64 elements" in finding.message
    assert y[:63].tolist() == x[1:].tolist()
    assert y[63] == 0, "a load outside gives 0"


def test_stores_outside_are_dropped() -> None:
    source = HEAD + "k(float *x, float *y) { int t = threadIdx.x; x[t - 2] = 5.0f; y[t] = 3.0f; }"
    whole = np.full(96, 1, np.float32)
    run = launch(source, [whole[:64], zeros(64)])
    assert found(run) == [("memory", {1})]
    assert run.findings[0].count == 2
    assert "x[-2]" in run.findings[0].message
    assert whole.tolist() == [5] * 62 + [1] * 34


def test_atomics_outside_are_dropped() -> None:
    source = HEAD + "k(int *bins, int *old) { old[threadIdx.x] = atomicAdd(&bins[threadIdx.x], 1); }"
    bins, old = np.full(60, 9, np.int32), zeros(64, np.int32)
    run = launch(source, [bins, old])
    assert found(run) == [("memory", {1})]
    assert bins.tolist() == [10] * 60
    assert old.tolist() == [9] * 60 + [0] * 4


def test_a_null_pointer_is_named() -> None:
    source = HEAD + "k(float *y, const float *bias) { y[threadIdx.x] = bias[threadIdx.x]; }"
    run = launch(source, [zeros(64), None])
    assert found(run) == [("memory", {1})]
    assert "bias is null" in run.findings[0].message
    assert "Pass an array for bias" in run.findings[0].fix


def test_misaligned() -> None:
    source = HEAD + "k(const float *x, float *y) {\nfloat4 v = ((const float4 *)(x + 1))[threadIdx.x];\n"
    source += "y[threadIdx.x] = v.x + v.y + v.z + v.w; }"
    run = launch(source, [floats(300), zeros(64)])
    assert found(run) == [("memory", {2})]
    assert run.findings[0].message.startswith("Misaligned")
    quiet(launch(source.replace("x + 1", "x"), [floats(300), zeros(64)]))


NEXT = """
extern "C" __global__ void k(const float *x, float *y)
{
    __shared__ float a[64];
    __shared__ float b[64];
    int t = threadIdx.x;
    a[t] = x[t];
    b[t] = 2.0f * x[t];
    __syncthreads();
    y[t] = a[t + SHIFT] + b[t];
}
"""


def test_into_the_next_shared_array() -> None:
    run = launch(NEXT.replace("SHIFT", "1"), [floats(64), zeros(64)])
    assert found(run) == [("memory", {10})]
    assert "a[64]" in run.findings[0].message
    assert "inside b" in run.findings[0].message
    quiet(launch(NEXT.replace("SHIFT", "0"), [floats(64), zeros(64)]))


DYNAMIC = HEAD + "k(const float *x, float *y) { extern __shared__ float s[]; int *c = (int *)(s + 64);\n"
DYNAMIC += "int t = threadIdx.x; s[t] = x[t];\nc[t] = t;\n__syncthreads(); y[c[63 - t]] = s[63 - t]; }"


def test_the_end_of_dynamic_shared_memory() -> None:
    quiet(launch(DYNAMIC, [floats(64), zeros(64)], shared_bytes=512))
    run = launch(DYNAMIC, [floats(64), zeros(64)], shared_bytes=256, checks=("memory",))
    assert ("memory", {3}) in found(run)
    assert "256 bytes" in run.findings[0].message


def test_past_a_local_array() -> None:
    source = HEAD + "k(const int *x, int *y, int n) { int c[8]; for (int i = 0; i < 8; i++) c[i] = 0;\n"
    source += (
        "for (int i = 0; i < n; i++) c[x[i]]++;\nint s = 0; for (int i = 0; i < 8; i++) s += c[i] * i;\n"
    )
    source += "y[threadIdx.x] = s; }"
    assert found(launch(source, [np.arange(200, 203, dtype=np.int32), zeros(64, np.int32), 3])) == [
        ("memory", {2})
    ]
    quiet(launch(source, [np.arange(8, dtype=np.int32), zeros(64, np.int32), 8]))


def test_into_the_next_local_array() -> None:
    source = HEAD + "k(const int *x, int *y, int n) { int c[8], d[8];\n"
    source += "for (int i = 0; i < 8; i++) { c[i] = 0; d[i] = 5; }\n"
    source += "for (int i = 0; i < n; i++) c[x[i]]++;\nint s = 0;\n"
    source += "for (int i = 0; i < 8; i++) s += c[i] * i + d[x[i] & 7];\ny[threadIdx.x] = s; }"
    run = launch(source, [np.arange(9, dtype=np.int32), zeros(64, np.int32), 9])
    assert found(run) == [("memory", {3})]
    assert "c[8]" in run.findings[0].message
    assert "inside d" in run.findings[0].message
    quiet(launch(source, [np.arange(8, dtype=np.int32), zeros(64, np.int32), 8]))


def test_whole_warps_and_parts_of_warps() -> None:
    source = (
        HEAD
        + "k(float *x, int n) { for (int i = 0; i < n; i++) if (threadIdx.x % 3 == 0) x[i * 64 + "
        + "threadIdx.x] = i; }"
    )
    x = zeros(128)
    run = launch(source, [x, 4])
    assert found(run) == [("memory", {1})]
    assert x.reshape(2, 64)[1, ::3].tolist() == [1] * 22


def test_without_the_check_an_illegal_access_ends_the_launch() -> None:
    source = HEAD + "k(float *x) { x[threadIdx.x + 1] = 0.0f; }"
    with pytest.raises(simulator.IllegalAccess):
        launch(source, [zeros(64)], checks=("initialisation",))
