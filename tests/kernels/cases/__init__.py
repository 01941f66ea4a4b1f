"""For every kernel of the course: arguments of many sizes, and what NumPy says must come out.

A module for each topic has its MAKERS.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from course_utils import kernels, problems

from . import (
    bank_conflicts,
    coalescing,
    cublas,
    execution_model,
    flash_attention,
    memory_hierarchy,
    spmv,
    tiling,
)
from .case import Case, Maker

MAKERS: dict[str, Maker] = {
    **bank_conflicts.MAKERS,
    **coalescing.MAKERS,
    **cublas.MAKERS,
    **execution_model.MAKERS,
    **flash_attention.MAKERS,
    **memory_hierarchy.MAKERS,
    **spmv.MAKERS,
    **tiling.MAKERS,
}


def tunables(name: str) -> list[dict[str, int]]:
    """Every combination of a kernel's legal values with which its results are right."""
    return problems.combinations(kernels.load(name))


def cases(name: str, values: dict[str, int]) -> Iterator[Case]:
    """Launches of one kernel with given tunables: every size, with random numbers that are always the
    same."""
    yield from MAKERS[name](values, np.random.default_rng(2026))
