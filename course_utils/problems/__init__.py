"""What the course's kernels are run on: inputs, the right result, and at which sizes to time and to count.

    problem = problems.of(kernel).make({"N": 256}, np.random.default_rng(0))
    devices.launch(kernel, None, *geometry, problem.arguments(kernel.entry))
    problem.verdict()

A module for each topic of kernels makes its problems and has its SETTINGS; problem.py says what these are,
and beside.py has what libraries alone are timed at.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from ..kernels import Geometry, Kernel, KernelError
from . import (
    bank_conflicts,
    beside,
    coalescing,
    cublas,
    execution_model,
    flash_attention,
    memory_hierarchy,
    spmv,
    tiling,
)
from .problem import TOLERANCE, Maker, Problem, Setting, Sizes

__all__ = [
    "SETTINGS",
    "TOLERANCE",
    "Maker",
    "Problem",
    "Setting",
    "Sizes",
    "beside",
    "coalescing",
    "combinations",
    "cublas",
    "execution_model",
    "flash_attention",
    "geometry",
    "of",
    "shaping",
    "spmv",
    "tiling",
]

SETTINGS: dict[str, Setting] = {
    **tiling.SETTINGS,
    **execution_model.SETTINGS,
    **coalescing.SETTINGS,
    **memory_hierarchy.SETTINGS,
    **bank_conflicts.SETTINGS,
    **spmv.SETTINGS,
    **cublas.SETTINGS,
    **flash_attention.SETTINGS,
}
"""Kernel or topic -> what it is run on."""


def of(kernel: Kernel) -> Setting:
    """The setting of a kernel, or else of its topic. Raises KernelError where there is none."""
    for name in (kernel.name, kernel.topic):
        if name in SETTINGS:
            return SETTINGS[name]
    raise KernelError(
        f"No inputs are known for {kernel.name}: add them to its topic in course_utils/problems."
    )


def shaping(kernel: Kernel) -> frozenset[str]:
    """Sizes that shape the inputs of a kernel and are none of its parameters."""
    setting = SETTINGS.get(kernel.name) or SETTINGS.get(kernel.topic)
    return setting.shaping if setting else frozenset()


def combinations(kernel: Kernel) -> list[dict[str, int]]:
    """Every combination of a kernel's tunables but those that make it faulty on purpose."""
    values = itertools.product(*(tunable.values for tunable in kernel.tunables.values()))
    every = (dict(zip(kernel.tunables, combination, strict=True)) for combination in values)
    return list(filter(of(kernel).sound, every))


def geometry(kernel: Kernel, tunables: Mapping[str, int], sizes: Sizes) -> Geometry:
    """The kernel's launch for these sizes, of which its head comment may need only some.

    Raises KernelError for a size that is missing, or that neither the kernel nor its problem knows.
    """
    known = {parameter.name for parameter in kernel.entry.parameters} | shaping(kernel)
    needed = {name: size for name, size in sizes.items() if name in kernel.sizes or name not in known}
    return kernel.geometry(tunables, **needed)
