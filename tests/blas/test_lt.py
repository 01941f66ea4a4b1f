"""cublasLt through a fake of nvmath: what is planned, what is kept, what is given back."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from course_utils.blas import FORMATS, lt, product
from tests.blas.fake_libraries import fake_advanced

A, B, BIAS = np.array([[1.0, -2], [3, 4]]), np.array([[1.0, 1], [1, -1]]), np.array([[-5.0], [1]])


@pytest.fixture
def advanced(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    fake = fake_advanced()
    linalg = ModuleType("nvmath.linalg")
    linalg.advanced = fake  # type: ignore[attr-defined]
    nvmath = ModuleType("nvmath")
    nvmath.CudaDataType = SimpleNamespace(CUDA_R_16F="half")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "nvmath", nvmath)
    monkeypatch.setitem(sys.modules, "nvmath.linalg", linalg)
    return fake


def test_an_epilogue_gets_its_name_and_its_bias(advanced: SimpleNamespace) -> None:
    with lt.Planner("1 MiB").plan(A, B, "ReLU and bias", BIAS) as planned:
        found = planned.run()
    assert found.tolist() == np.maximum(A @ B + BIAS, 0).tolist()
    (made,) = advanced.Matmul.made
    assert made.options == {"memory_limit": "1 MiB"}
    assert made.settings["epilog"] == "RELU_BIAS"
    assert made.freed


def test_a_product_alone(advanced: SimpleNamespace) -> None:
    with lt.Planner().plan(A, B) as planned:
        assert planned.run().tolist() == (A @ B).tolist()
        assert planned.algorithms[1] == lt.Algorithm(66, (128, 256), (64, 3), 4)
    assert advanced.Matmul.made[0].settings == {}


def test_what_the_heuristic_found_is_kept_for_the_same_shapes(advanced: SimpleNamespace) -> None:
    planner = lt.Planner()
    for a, epilogue, bias in (
        (A, "", None),
        (2 * A, "", None),
        (A, "bias", BIAS),
        (A.T, "", None),
        (A.astype(np.float32), "", None),
        (A, "bias", 2 * BIAS),
    ):
        planner.plan(a, B, epilogue, bias).free()
    assert ["algorithms" in each.settings for each in advanced.Matmul.made] == [
        False,
        True,
        False,
        False,
        False,
        True,
    ]
    assert planner.asked == 4
    assert advanced.Matmul.made[1].algorithms is advanced.Matmul.made[0].algorithms


def test_an_order_that_was_timed_is_kept(advanced: SimpleNamespace) -> None:
    planner = lt.Planner()
    with planner.plan(A, B) as planned:
        before = planned.algorithms
        planned.tune()
        assert planned.algorithms == before[::-1] != before
    assert planner.plan(2 * A, B).algorithms == before[::-1]
    assert planner.asked == 1


def test_a_plan_that_fails_is_given_back(advanced: SimpleNamespace) -> None:
    planner = lt.Planner()
    with pytest.raises(RuntimeError, match="layout"):
        planner.plan(A, B, "GELU and bias", BIAS)
    assert advanced.Matmul.made[0].freed
    assert planner.asked == 0


class FakeTensor(np.ndarray):
    def to(self, kind: str) -> np.ndarray:
        assert kind == "float8"
        return FORMATS["FP8 (E4M3)"].rounded(np.asarray(self))


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = SimpleNamespace(from_dlpack=lambda each: each.view(FakeTensor), float8_e4m3fn="float8")
    monkeypatch.setitem(sys.modules, "torch", fake)


def test_fp8_scales_each_matrix_to_the_range_of_the_format(advanced: SimpleNamespace, torch: None) -> None:
    random = np.random.default_rng(0)
    a, b = (random.uniform(-3, 3, shape).astype(np.float32) for shape in ((16, 32), (32, 48)))
    with lt.Planner().plan_fp8(a, 1000 * b) as planned:
        found = planned.run(7)
    (made,) = advanced.Matmul.made
    assert [np.abs(each).max() for each in made.operands] == [448, 448]
    assert made.scales["b"] == pytest.approx(1000 * np.abs(b).max() / 448)
    assert (made.operands[0].flags.c_contiguous, made.operands[1].flags.f_contiguous) == (True, True)
    assert made.options["result_type"] == "half"
    assert made.streams == [7]
    assert made.freed
    assert np.allclose(found, product(a, 1000 * b, "FP8 (E4M3)"), rtol=1e-4, atol=1)


def test_fp8_without_pytorch(advanced: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(lt.LtError, match="FP8 needs PyTorch"):
        lt.Planner().plan_fp8(A, B)


def test_what_is_no_epilogue(advanced: SimpleNamespace) -> None:
    planner = lt.Planner()
    with pytest.raises(lt.LtError, match="no epilogue 'tanh'; there is ReLU, bias"):
        planner.plan(A, B, "tanh")
    with pytest.raises(lt.LtError, match="do not go together"):
        planner.plan(A, B, "bias")
    with pytest.raises(lt.LtError, match="do not go together"):
        planner.plan(A, B, "ReLU", BIAS)


def test_without_nvmath(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nvmath", None)
    with pytest.raises(lt.LtError, match="nvmath-python is missing"):
        lt.Planner()
