"""Every kernel gives on the GPU what it gives on the simulator, bit for bit, and what NumPy says.

Where a kernel has instructions whose last bits are the chip's own, both are within the bounds of its case."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import devices, kernels, simulator
from course_utils.recordings.agreement import approximate
from tests.kernels.cases import cases, tunables

pytestmark = pytest.mark.gpu

EVERY = [(name, values) for name in kernels.find() for values in tunables(name)]


@pytest.mark.parametrize(("name", "values"), EVERY)
def test_values(gpu: devices.Gpu, name: str, values: dict[str, int]) -> None:
    kernel = kernels.load(name)
    program = simulator.compile(kernel.source, defines=values, name=kernel.path.name)
    exact = not approximate(program.ptx)
    for here, there in zip(cases(name, values), cases(name, values), strict=True):
        grid, block, shared = kernel.geometry(values, **here.sizes)
        for case, device in ((here, "simulator"), (there, "gpu")):
            devices.launch(
                kernel, None, grid, block, case.args, shared, defines=values, device=device, repeats=0
            )
            case.check()
        if not exact:
            continue
        # All they do is +, * and fma in a fixed order, so not even the matrix products may differ.
        np.testing.assert_array_equal(there.whole.view(np.uint32), here.whole.view(np.uint32))
