"""Runs of the tiling kernels, small and traced, for the figures' tests."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from course_utils import kernels, simulator
from course_utils.figures import Sample


@cache
def tiling(name: str, tile: int, size: int, block: tuple[int, int] = (0, 0)) -> Sample:
    kernel = kernels.load(f"tiling/{name}")
    geometry = kernel.geometry({"TILE": tile}, N=size)
    program = simulator.compile(kernel.source, defines=kernel.defines({"TILE": tile}), name=kernel.path.name)
    a, b, c = (np.ones((size, size), np.float32) for _ in range(3))
    run = program.launch(
        kernel.entry.name, geometry.grid, geometry.block, [a, b, c, np.int32(size)], trace={"block": block}
    )
    return Sample(name, run, operations=size**3)


@pytest.fixture
def sample() -> Callable[..., Sample]:
    """sample("tiled", 8, 24, block=(1, 2)): a run of kernels/tiling/tiled.cu with TILE 8 and N 24."""
    return tiling
