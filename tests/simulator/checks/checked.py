"""Small kernels, launched with all four checks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from course_utils import simulator

HEAD = 'extern "C" __global__ void '


def launch(
    source: str,
    args: Sequence[object],
    block: object = 64,
    grid: object = 1,
    kernel: str = "k",
    **options: object,
) -> simulator.Run:
    """Compile `source`, whose kernel is called k, and launch it with all checks."""
    program = simulator.compile(source, name="k.cu")
    options = {"checks": simulator.CHECKS} | options
    return program.launch(kernel, grid, block, args, **options)  # type: ignore[arg-type]


def found(run: simulator.Run) -> list[tuple[str, set[int]]]:
    """(kind, lines) of every finding."""
    return [(each.kind, set(each.lines)) for each in run.findings]


def quiet(run: simulator.Run) -> None:
    """No finding, and both builds ran."""
    assert not run.findings, "\n".join(map(str, run.findings))
    assert not [note for note in run.notes if "did not run" in note]


def floats(count: int) -> np.ndarray:
    return np.random.default_rng(1).random(count, np.float32)


def zeros(count: int, dtype: type = np.float32) -> np.ndarray:
    return np.zeros(count, dtype)
