"""Every arithmetic instruction on a GPU and on the simulator: the same PTX, the same operands, the same
results.

Bit for bit, NaNs alike, except for the approximate instructions, which may differ by the error that the
catalogue states.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from course_utils import devices, simulator
from tests.simulator.semantics import hardware
from tests.simulator.semantics.catalogue import CATALOGUE, Entry

pytestmark = pytest.mark.gpu

GROUPS = hardware.groups(CATALOGUE)


def on_gpu(text: str, operands: np.ndarray, results: int, folder: Path) -> np.ndarray:
    """Load PTX through the driver and run it; results as uint64 of shape (results, 2, COUNT)."""
    import cupy

    file = folder / "k.ptx"
    file.write_text(text)
    out = cupy.zeros((results, 2, hardware.COUNT), np.uint64)
    grid = hardware.COUNT // hardware.THREADS
    cupy.RawModule(path=str(file)).get_function("k")(
        (grid,), (hardware.THREADS,), (cupy.asarray(operands), out)
    )
    return cupy.asnumpy(out)


def on_simulator(text: str, operands: np.ndarray, results: int) -> np.ndarray:
    out = np.zeros((results, 2, hardware.COUNT), np.uint64)
    grid = hardware.COUNT // hardware.THREADS
    simulator.load_ptx(text).launch("k", grid, hardware.THREADS, [operands, out])
    return out


@pytest.mark.parametrize("entries", GROUPS, ids=lambda group: group[0].opcode)
def test_results_are_those_of_the_gpu(gpu: devices.Gpu, entries: list[Entry], tmp_path: Path) -> None:
    operands = hardware.inputs(entries[0].sources, entries[0].about)
    text = hardware.text(entries)
    found, expected = (
        on_simulator(text, operands, len(entries)),
        on_gpu(text, operands, len(entries), tmp_path),
    )
    wrong = [
        line
        for entry, one, other in zip(entries, found, expected, strict=True)
        for line in hardware.differences(entry, operands, one, other)
    ]
    assert not wrong, f"{gpu.name}:\n" + "\n".join(wrong)
