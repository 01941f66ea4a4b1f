"""Traced runs of the course's kernels on small inputs, for the figures' tests."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from course_utils import kernels, simulator


def run(
    name: str, tunables: Mapping[str, int] | None = None, block: tuple[int, int] = (0, 0), **sizes: int
) -> simulator.Run:
    """A kernel with buffers of ones that are large enough, and 2.0 for each float."""
    return _run(name, tuple((tunables or {}).items()), block, tuple(sizes.items()))


def strided(stride: int, offset: int, n: int = 64) -> simulator.Run:
    """kernels/coalescing/strided_copy.cu, in blocks of 64 threads."""
    return run("coalescing/strided_copy", {"BLOCK": 64}, n=n, stride=stride, offset=offset)


@cache
def _run(
    name: str,
    tunables: tuple[tuple[str, int], ...],
    block: tuple[int, int],
    sizes: tuple[tuple[str, int], ...],
) -> simulator.Run:
    kernel, given = kernels.load(name), dict(sizes)
    geometry = kernel.geometry(dict(tunables), **{each: given[each] for each in kernel.sizes})
    program = simulator.compile(kernel.source, defines=kernel.defines(dict(tunables)), name=kernel.path.name)
    arguments: list[object] = [
        np.ones(8192, np.float32)
        if parameter.is_pointer
        else np.int32(given[parameter.name])
        if parameter.type == "int"
        else np.float32(2)
        for parameter in kernel.entry.parameters
    ]
    return program.launch(
        kernel.entry.name, geometry.grid, geometry.block, arguments, geometry.shared_bytes,
        trace={"block": block},
    )  # fmt: skip
