from __future__ import annotations

import numpy as np
import pytest

from course_utils import devices, kernels, problems, simulator
from course_utils.problems import TOLERANCE
from course_utils.problems.tiling import matmul

EVERY = [(name, sizes) for name in kernels.find() for sizes in problems.of(kernels.load(name)).counted]
FAULTY = [
    (name, {tunable: value})
    for name in kernels.find()
    for tunable, value in problems.of(kernels.load(name)).faulty.items()
]
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
    assert problem.error() < 0.1 * problem.tolerance


def test_combinations_leave_out_what_is_faulty(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = kernels.load("tiling/tiled")
    assert problems.combinations(kernel) == [{"TILE": tile} for tile in (4, 8, 16, 32)]
    setting = problems.Setting(matmul, faulty={"TILE": 8, "ELSE": 4})
    monkeypatch.setitem(problems.SETTINGS, "tiling/tiled", setting)
    assert problems.combinations(kernel) == [{"TILE": tile} for tile in (4, 16, 32)]


@pytest.mark.parametrize(("name", "faulty"), FAULTY)
def test_what_is_called_faulty_is(name: str, faulty: dict[str, int]) -> None:
    """Alone among sound values it gives wrong results, or an alarm."""
    kernel = kernels.load(name)
    tunables = kernel.values(faulty)
    assert problems.of(kernel).sound(kernel.values())
    sizes = problems.of(kernel).counted[0]
    problem = problems.of(kernel).make({**sizes, **tunables}, np.random.default_rng(5))
    grid, block, shared = problems.geometry(kernel, tunables, sizes)
    program = simulator.compile(kernel.source, defines=kernel.defines(tunables))
    arguments = problem.arguments(kernel.entry)
    run = program.launch(kernel.entry.name, grid, block, arguments, shared, checks=simulator.CHECKS)
    assert run.findings or not problem.verdict()[0]


@pytest.mark.parametrize(
    ("sizes", "sectors"),
    [({"run": 64, "group": 64}, 4), ({"run": 1, "group": 32}, 4), ({"run": 8}, 4), ({"run": 4}, 8)],
)
def test_gather_names_every_place_once_in_the_order_asked_for(sizes: dict[str, int], sectors: int) -> None:
    index = problems.coalescing.gather({"n": 1 << 16, **sizes}, np.random.default_rng(0)).arrays["index"]
    assert (np.sort(index) == np.arange(1 << 16)).all()
    touched = [len(np.unique(warp // 8)) for warp in index.reshape(-1, 32)]
    assert max(touched) == sectors
    assert np.mean(touched) > 0.99 * sectors
    group = sizes.get("group", 1 << 16)
    assert (np.sort(index.reshape(-1, group)) == np.arange(1 << 16).reshape(-1, group)).all()
    run = index.reshape(-1, sizes["run"])
    assert (run == run[:, :1] + np.arange(sizes["run"])).all()


def test_gather_refuses_runs_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="n = 100 is no multiple of a group of 32"):
        problems.coalescing.gather({"n": 100, "group": 32}, np.random.default_rng(0))


def test_the_two_layouts_of_stations_have_the_same_meaning() -> None:
    structs = problems.coalescing.array_of_structs({"n": 5, "FIELDS": 3}, np.random.default_rng(0))
    arrays = problems.coalescing.struct_of_arrays({"n": 5, "FIELDS": 3}, np.random.default_rng(0))
    stations, readings = structs.arrays["stations"], arrays.arrays["readings"]
    assert (stations.shape, readings.shape) == ((5, 8), (8, 5))
    assert structs.expected["sums"] == pytest.approx(stations[:, :3].sum(axis=1))
    assert arrays.expected["sums"] == pytest.approx(readings[:3].sum(axis=0))


def test_a_kernel_without_inputs() -> None:
    other = kernels.Kernel(
        "new/thing", kernels.load("tiling/naive").path, kernels.load("tiling/naive").source
    )
    with pytest.raises(
        kernels.KernelError, match="No inputs are known for new/thing: add them to its topic in"
    ):
        problems.of(other)
