"""Random kernels in CUDA C++ compute what NumPy says, on one thread of the host or two, traced or not."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import simulator
from tests.simulator import generate

LAUNCHES = [
    ((32, 1, 1), (3, 1, 1)), ((250, 1, 1), (2, 1, 1)), ((7, 1, 1), (5, 1, 1)), ((16, 16, 1), (2, 2, 1)),
    ((8, 3, 1), (1, 2, 3)), ((4, 8, 2), (2, 1, 1)), ((5, 5, 3), (2, 2, 1)), ((1, 45, 1), (3, 1, 1)),
    ((64, 2, 1), (2, 2, 1)), ((1, 1, 40), (2, 1, 1)), ((96, 1, 1), (2, 1, 2)), ((1024, 1, 1), (2, 1, 1)),
]  # fmt: skip
WAYS: list[dict[str, object]] = [
    {"workers": 1},
    {"workers": 2},
    {"workers": 1, "trace": {"block": (0, 0, 0)}},
]


@pytest.mark.parametrize("seed", range(len(LAUNCHES)))
def test_a_generated_kernel(seed: int) -> None:
    block, grid = LAUNCHES[seed]
    case = generate.case(seed + 744, block, grid)
    program = simulator.compile(case.source, options=("--fmad=false",), name="generated.cu")
    runs = []
    for way in WAYS:
        arguments, outputs = case.arguments()
        runs.append(program.launch("generated", grid, block, arguments, **way))  # type: ignore[arg-type]
        for name, found in outputs.items():
            expected = case.expected[name]
            wrong = np.nonzero(~generate.alike(found, expected))[0]
            assert not len(wrong), (
                f"{way}: {name}[{wrong[0]}] is {found[wrong[0]]!r}, expected {expected[wrong[0]]!r} "
                f"({len(wrong)} wrong)\n{case.source}"
            )
    assert runs[0].metrics == runs[1].metrics, "two threads of the host count differently from one"
    assert runs[0].metrics == runs[2].metrics, "the masked code counts differently from the fast code"
    assert runs[0].by_line == runs[1].by_line == runs[2].by_line
