from __future__ import annotations

import numpy as np
import pytest

from course_utils import kernels, simulator
from course_utils.labs.problems import PROBLEMS, TOLERANCE, matmul, problem_of

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


@pytest.mark.parametrize(
    "name", [each for each in kernels.find() if each in PROBLEMS or each.split("/")[0] in PROBLEMS]
)
def test_kernels_solve_their_problems(name: str) -> None:
    kernel = kernels.load(name)
    sizes = {"N": 20, "n": 100, "stride": 3, "offset": 0, "rows": 33, "cols": 40}
    given = {each.name: sizes[each.name] for each in kernel.entry.parameters if each.name in sizes}
    problem = problem_of(kernel)({**kernel.values(), **given}, np.random.default_rng(1))
    assert not problem.verdict()[0]
    geometry = kernel.geometry(**{each: given[each] for each in kernel.sizes})
    program = simulator.compile(kernel.source, defines=kernel.defines())
    program.launch(kernel.entry.name, geometry.grid, geometry.block, problem.arguments(kernel.entry))
    assert problem.verdict()[0], problem.verdict()[1]
