"""Every kernel gives on the GPU what it gives on the simulator, bit for bit, and what NumPy says."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import devices, kernels
from tests.kernels.cases import cases, tunables

pytestmark = pytest.mark.gpu

EVERY = [(name, values) for name in kernels.find() for values in tunables(name)]


@pytest.mark.parametrize(("name", "values"), EVERY)
def test_values(gpu: devices.Gpu, name: str, values: dict[str, int]) -> None:
    kernel = kernels.load(name)
    for here, there in zip(cases(name, values), cases(name, values), strict=True):
        grid, block, shared = kernel.geometry(values, **here.sizes)
        for case, device in ((here, "simulator"), (there, "gpu")):
            devices.launch(
                kernel, None, grid, block, case.args, shared, defines=values, device=device, repeats=0
            )
        there.check()
        # All they do is +, * and fma in a fixed order, so not even the matrix products may differ.
        np.testing.assert_array_equal(there.whole.view(np.uint32), here.whole.view(np.uint32))
