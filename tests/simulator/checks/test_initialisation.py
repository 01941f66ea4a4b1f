"""Initialisation: reads of memory and variables that nothing wrote."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import simulator
from tests.simulator.checks.checked import HEAD, floats, found, launch, quiet, zeros

HALO = """
extern "C" __global__ void k(const float *x, float *y)
{
    __shared__ float s[66];
    int t = threadIdx.x;
    s[t + 1] = x[t];
    EDGE
    __syncthreads();
    y[t] = s[t] + s[t + 1] + s[t + 2];
}
"""


def test_a_halo_that_nobody_fills() -> None:
    run = launch(HALO.replace("EDGE", ""), [floats(64), zeros(64)])
    assert found(run) == [("initialisation", {9})]
    assert "s[0]" in run.findings[0].message
    quiet(launch(HALO.replace("EDGE", "if (t < 2) s[65 * t] = 0.0f;"), [floats(64), zeros(64)]))


def test_a_block_does_not_see_what_the_last_one_left() -> None:
    source = HEAD + "k(float *y) { __shared__ float s[64]; if (blockIdx.x == 0) s[threadIdx.x] = 1.0f;\n"
    source += "__syncthreads(); y[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x]; }"
    run = launch(source, [zeros(128)], 64, 2)
    assert found(run) == [("initialisation", {2})]
    assert run.findings[0].threads[0][0] == (1, 0, 0)


def test_an_atomic_on_shared_memory_that_nothing_set() -> None:
    source = (
        HEAD
        + "k(int *y) { __shared__ int c;\nZERO\natomicAdd(&c, 1);\n__syncthreads(); y[threadIdx.x] = c; }"
    )
    assert found(launch(source.replace("ZERO", ""), [zeros(64, np.int32)])) == [("initialisation", {3})]
    zero = "if (threadIdx.x == 0) c = 0; __syncthreads();"
    quiet(launch(source.replace("ZERO", zero), [zeros(64, np.int32)]))


def test_fresh_global_memory() -> None:
    source = HEAD + "k(const float *x, float *y) { y[threadIdx.x] += x[threadIdx.x]; }"
    fresh = simulator.fresh(128, np.float32)
    run = launch(source, [floats(64), fresh[32:96]])
    assert found(run) == [("initialisation", {1})]
    assert run.findings[0].accesses[0].array == "y"
    fresh[:] = 0
    quiet(launch(source, [floats(64), fresh[32:96]]))
    quiet(launch(source, [floats(64), zeros(64)]))


def test_fresh_memory_that_a_launch_filled() -> None:
    fill = HEAD + "fill(float *y) { y[threadIdx.x] = 2.0f; }"
    use = HEAD + "k(float *y) { y[threadIdx.x] *= 2.0f; }"
    fresh = simulator.fresh(64, np.float32)
    quiet(launch(fill, [fresh], kernel="fill"))
    quiet(launch(use, [fresh]))


ACCUMULATOR = (
    HEAD + "k(const float *x, float *y, int n) {\nfloat sumINIT;\nfor (int i = 0; i < n; i++)\nsum += x[i];\n"
)
ACCUMULATOR += "y[threadIdx.x] = sum; }"


def test_a_variable_without_a_first_value_shows_in_the_plain_build() -> None:
    run = launch(ACCUMULATOR.replace("INIT", ""), [floats(8), zeros(64), 8])
    assert [(each.kind, each.build) for each in run.findings] == [("initialisation", "unoptimised")]
    quiet(launch(ACCUMULATOR.replace("INIT", " = 0.0f"), [floats(8), zeros(64), 8]))


def test_a_variable_that_is_set_where_it_is_used() -> None:
    source = (
        HEAD
        + "k(const int *x, int *y) { int t = threadIdx.x, v; bool some = x[t] > 3; if (some) v = 2 * x[t];\n"
    )
    source += "y[t] = 1; if (some) y[t] = v; }"
    quiet(launch(source, [np.arange(64, dtype=np.int32) % 9, zeros(64, np.int32)]))


def test_an_element_of_a_local_array() -> None:
    source = HEAD + "k(const int *x, int *y) { int c[8]; for (int i = FIRST; i < 8; i++) c[i] = i;\n"
    source += "y[threadIdx.x] = c[x[threadIdx.x] & 7]; }"
    args = lambda: [np.arange(64, dtype=np.int32), zeros(64, np.int32)]  # noqa: E731
    assert ("initialisation", {2}) in found(launch(source.replace("FIRST", "1"), args()))
    quiet(launch(source.replace("FIRST", "0"), args()))


CONSTANT = "__constant__ float w[4]INIT;\n" + HEAD + "k(float *y) {\nfloat s = 0.0f;\n"
CONSTANT += "for (int i = 0; i < 4; i++) s += w[(threadIdx.x + i) & 3];\ny[threadIdx.x] = s; }"


def test_a_constant_that_was_never_set() -> None:
    program = simulator.compile(CONSTANT.replace("INIT", ""), name="k.cu")
    run = program.launch("k", 1, 64, [zeros(64)], checks=simulator.CHECKS)
    assert [each.kind for each in run.findings] == ["initialisation"]
    assert "w was never given a value" in run.findings[0].message
    program.set_symbol("w", np.ones(4, np.float32))
    quiet(program.launch("k", 1, 64, [zeros(64)], checks=simulator.CHECKS))


@pytest.mark.parametrize("initialiser", [" = {0}", " = {1, 2}", " = {}"])
def test_a_constant_with_an_initialiser(initialiser: str) -> None:
    quiet(launch(CONSTANT.replace("INIT", initialiser), [zeros(64)]))


def test_structures_with_padding() -> None:
    source = (
        "struct P { float x; char c; double d; };\n" + HEAD + "k(const P *a, P *b) { __shared__ P s[64];\n"
    )
    source += (
        "int t = threadIdx.x; P p = a[t]; s[t] = p; __syncthreads(); P q = s[63 - "
        "t]; q.x += 1.0f; b[t] = q; }"
    )
    a, b = (np.zeros(64 * 16, np.uint8).view("V16") for _ in range(2))
    quiet(launch(source, [a, b]))
