"""cuBLAS and cublasLt themselves: the same calls give what SciPy's BLAS gives."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from course_utils import blas, devices
from course_utils.blas import lt

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(("transa", "transb"), list(itertools.product("NT", repeat=2)))
def test_gemm(gpu: devices.Gpu, kind: type, transa: str, transb: str) -> None:
    random = np.random.default_rng(0)
    m, n, k = 5, 7, 3
    a, b, c = (random.integers(-4, 5, 100).astype(kind) for _ in range(3))
    expected = c.copy()
    for device, result in (("gpu", c), ("simulator", expected)):
        with blas.create(device) as handle:
            handle.gemm(transa, transb, m, n, k, 2, a, 8, b, 9, 1, result, 6)
    assert np.array_equal(c, expected)


def test_vectors_and_batches(gpu: devices.Gpu) -> None:
    x = np.arange(1, 41, dtype=np.float32)
    found = []
    for device in ("gpu", "simulator"):
        y, z, w = (np.zeros(40, np.float32) for _ in range(3))
        with blas.create(device) as handle:
            dot = handle.dot(5, x, 2, x, -1)
            handle.gemv("T", 3, 4, 1, x, 5, x, 2, 0, y, 1)
            handle.gemm_batched("N", "T", 2, 3, 4, 1, [x, x[8:]], 2, [x] * 2, 3, 0, [z, z[6:]], 2)
            handle.gemm_strided_batched("N", "T", 2, 3, 4, 1, x, 2, 8, x, 3, 0, 0, w, 2, 6, 2)
        found.append([dot, *y, *z, *w])
    assert found[0] == found[1]


@pytest.mark.parametrize("compute", ["32F", "32F_FAST_TF32", "32F_FAST_16F", "32F_FAST_16BF"])
def test_gemm_ex_of_numbers_that_every_format_has(gpu: devices.Gpu, compute: str) -> None:
    a, b = (np.random.default_rng(1).integers(-8, 9, 256).astype(np.float32) for _ in range(2))
    c = np.zeros(256, np.float32)
    with blas.create("gpu") as handle:
        handle.gemm_ex("N", "N", 16, 16, 16, 1, a, 16, b, 16, 0, c, 16, compute)
    assert np.array_equal(c.reshape(16, 16), b.reshape(16, 16) @ a.reshape(16, 16))


@pytest.mark.parametrize("epilogue", ["", "ReLU", "bias", "ReLU and bias"])
def test_lt(gpu: devices.Gpu, epilogue: str) -> None:
    cupy = pytest.importorskip("cupy")
    pytest.importorskip("nvmath")
    random = np.random.default_rng(2)
    a, b, bias = (random.integers(-8, 9, shape).astype(np.float32) for shape in ((32, 64), (48, 32), (64, 1)))
    there = [cupy.asarray(each) for each in (a, b, bias)]
    planner, right = lt.Planner(), a.T @ b.T
    right = right + bias if "bias" in epilogue else right
    right = np.maximum(right, 0) if "ReLU" in epilogue else right
    for _ in range(2):
        with planner.plan(
            there[0].T, there[1].T, epilogue, there[2] if "bias" in epilogue else None
        ) as planned:
            assert planned.algorithms
            planned.tune()
            assert np.array_equal(planned.run().get(), right)
    assert planner.asked == 1
