"""For every kernel of the course: arguments of many sizes, and what NumPy says must come out.

A module for each topic has its MAKERS.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from course_utils import kernels

from . import bank_conflicts, coalescing, cublas, execution_model, memory_hierarchy, tiling
from .case import Case, Maker

MAKERS: dict[str, Maker] = {
    **bank_conflicts.MAKERS,
    **coalescing.MAKERS,
    **cublas.MAKERS,
    **execution_model.MAKERS,
    **memory_hierarchy.MAKERS,
    **tiling.MAKERS,
}


def tunables(name: str) -> list[dict[str, int]]:
    """Every combination of a kernel's legal values."""
    known = kernels.load(name).tunables
    values = itertools.product(*(tunable.values for tunable in known.values()))
    return [dict(zip(known, combination, strict=True)) for combination in values]


def cases(name: str, values: dict[str, int]) -> Iterator[Case]:
    """Launches of one kernel with given tunables: every size, with random numbers that are always the
    same."""
    yield from MAKERS[name](values, np.random.default_rng(2026))
