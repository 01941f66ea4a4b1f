"""Kernels that are wrong on purpose: each does what its lesson says of it, and none counts as a kernel."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import devices, kernels, problems, simulator

# n = 512 has whole segments of 128, n = 500 a last one of 116.
FOUND = [
    ("execution_model/faulty/reverse_guarded", 512, []),
    ("execution_model/faulty/reverse_guarded", 500, ["barriers"]),
    # Every thread comes to the barrier once, each by itself.
    ("execution_model/faulty/reverse_in_turn", 500, ["barriers"]),
]


def test_they_load_and_are_no_kernels_of_the_course() -> None:
    names = kernels.faulty()
    assert {name for name, _, _ in FOUND} <= set(names)
    assert not set(names) & set(kernels.find())
    assert "faulty" not in kernels.topics()
    for name in names:
        kernel = kernels.load(name)
        assert kernel.topic == name.split("/")[0]
        assert kernel.summary
        assert problems.of(kernel)
        assert max(map(len, kernel.source.splitlines())) <= 110


@pytest.mark.parametrize(("name", "n", "kinds"), FOUND)
def test_what_the_checks_find(name: str, n: int, kinds: list[str]) -> None:
    kernel = kernels.load(name)
    problem = problems.of(kernel).make({"n": n}, np.random.default_rng(0))
    grid, block, shared = kernel.geometry(n=n)
    arguments = problem.arguments(kernel.entry)
    run = devices.launch(
        kernel, None, grid, block, arguments, shared, device="simulator", checks=simulator.CHECKS
    )
    assert [finding.kind for finding in run.findings] == kinds
