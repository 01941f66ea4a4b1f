from __future__ import annotations

import numpy as np
import pytest

from course_utils import devices, kernels, problems
from course_utils.problems import TOLERANCE, matmul

EVERY = [(name, sizes) for name in kernels.find() for sizes in problems.of(kernels.load(name)).counted]
ENTRY = kernels.load("tiling/naive").entry


def test_matmul_is_the_same_for_a_seed() -> None:
    first, second = (matmul({"N": 8}, np.random.default_rng(3)) for _ in range(2))
    assert (first.arrays["A"] == second.arrays["A"]).all()
    assert not (first.arrays["A"] == first.arrays["B"]).all()
    assert first.operations == 512


def test_arguments_are_in_the_kernels_order() -> None:
    problem = matmul({"N": 8}, np.random.default_rng(0))
    a, b, c, n = problem.arguments(ENTRY)
    assert (a is problem.arrays["A"], b is problem.arrays["B"], c is problem.arrays["C"]) == (True,) * 3
    assert n == 8
    assert n.dtype == np.int32
    with pytest.raises(ValueError, match=r"has the parameter \w+, for which this problem has no value"):
        problem.arguments(kernels.load("execution_model/vector_add").entry)


def test_verdict() -> None:
    problem = matmul({"N": 8}, np.random.default_rng(0))
    right = problem.expected["C"]
    assert problem.verdict()[1].startswith("wrong: 64 of 64 elements of C differ")
    problem.arrays["C"][:] = right
    assert problem.verdict() == (True, "C equals NumPy's A @ B within 1e-5")
    problem.arrays["C"][2, 3] += 3 * TOLERANCE * np.abs(right).max()
    correct, told = problem.verdict()
    assert not correct
    assert told.startswith("wrong: 1 of 64 elements of C differ from NumPy's A @ B; C[2, 3] is ")


@pytest.mark.parametrize(("name", "sizes"), EVERY)
def test_every_kernel_computes_what_its_problem_says(name: str, sizes: dict[str, int]) -> None:
    kernel = kernels.load(name)
    tunables = kernel.values()
    problem = problems.of(kernel).make({**sizes, **tunables}, np.random.default_rng(5))
    problem.reset()
    assert not problem.verdict()[0]
    grid, block, shared = problems.geometry(kernel, tunables, sizes)
    arguments = problem.arguments(kernel.entry)
    devices.launch(kernel, None, grid, block, arguments, shared, device="simulator")
    correct, told = problem.verdict()
    assert correct, told
    assert problem.error() < 1e-6


def test_a_kernel_without_inputs() -> None:
    other = kernels.Kernel(
        "new/thing", kernels.load("tiling/naive").path, kernels.load("tiling/naive").source
    )
    with pytest.raises(kernels.KernelError, match="No inputs are known for new/thing: add them to SETTINGS"):
        problems.of(other)
