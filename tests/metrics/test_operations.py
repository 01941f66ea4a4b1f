from __future__ import annotations

import numpy as np
import pytest

from course_utils import simulator
from course_utils.metrics.operations import fp32_operations


def test_opcodes() -> None:
    assert fp32_operations({"fma.rn.f32": 10, "add.f32": 3, "mul.rn.ftz.f32": 2, "sub.f32": 1}) == 26
    integers = ("add.s32", "mad.lo.s32")
    others = ("fma.rn.f64", "div.rn.f32", "ex2.approx.f32", "ld.global.f32", "add.f16")
    assert fp32_operations(dict.fromkeys(integers + others, 5)) == 0


@pytest.mark.parametrize("n", [1, 33, 100])
def test_a_polynomial(n: int) -> None:
    program = simulator.compile(
        """
extern "C" __global__ void polynomial(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = (x[i] * x[i] + 2.0f) * x[i] - 1.0f;
}
"""
    )
    run = program.launch("polynomial", 4, 32, [np.ones(128, np.float32), np.int32(n)])
    assert fp32_operations(run.by_opcode) == 4 * n
