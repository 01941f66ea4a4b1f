"""Every kernel computes what NumPy computes: on the simulator, for all legal tunables and awkward sizes."""

from __future__ import annotations

import pytest

from course_utils import devices, kernels
from tests.kernels.cases import cases, tunables

EVERY = [(name, values) for name in kernels.find() for values in tunables(name)]


@pytest.mark.parametrize(("name", "values"), EVERY)
def test_values(name: str, values: dict[str, int]) -> None:
    kernel = kernels.load(name)
    for case in cases(name, values):
        grid, block, shared = kernel.geometry(values, **case.sizes)
        devices.launch(kernel, None, grid, block, case.args, shared, defines=values, device="simulator")
        case.check()
