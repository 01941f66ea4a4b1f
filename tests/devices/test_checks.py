"""Checked launches through devices.launch: both builds, and constants that nobody sets."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import devices, simulator

SOURCE = """
__constant__ float w[4];
extern "C" __global__ void weigh(const float *x, float *y)
{
    int t = threadIdx.x;
    y[t] = w[t & 3] * x[t];
}
template <class T> __global__ void total(const T *x, T *y, int n)
{
    T sum;
    for (int i = 0; i < n; i++) sum += x[i];
    y[threadIdx.x] = sum;
}
"""


def launch(entry: str, *args: object, **options: object) -> devices.Run:
    return devices.launch(
        SOURCE, entry, 1, 32, list(args), device="simulator", checks=simulator.CHECKS, **options  # type: ignore[arg-type]
    )  # fmt: skip


def test_a_constant_counts_as_set_only_where_it_was_passed() -> None:
    x, y = np.ones(32, np.float32), np.zeros(32, np.float32)
    for _ in range(2):
        (finding,) = launch("weigh", x, y).findings
        assert (finding.kind, finding.lines) == ("initialisation", (6,))
        assert not launch("weigh", x, y, symbols={"w": np.arange(4, dtype=np.float32)}).findings
    assert y[:4].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("kind", ["float", "int"])
def test_the_build_without_optimisation_runs_too(kind: str) -> None:
    dtype = {"float": np.float32, "int": np.int32}[kind]
    (finding,) = launch(f"total<{kind}>", np.ones(8, dtype), np.zeros(32, dtype), 8).findings
    assert (finding.kind, finding.build) == ("initialisation", "unoptimised")


def test_who_wrote_last() -> None:
    y = np.zeros(32, np.float32)
    run = launch("weigh", np.ones(32, np.float32), y, symbols={"w": np.ones(4, np.float32)})
    assert run.writers["y"]["thread"].tolist() == list(range(32))
    assert set(run.writers["y"]["line"]) == {6}
