"""Calls whose target is known only at run time."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal

from course_utils.simulator import Program

from .family import Family, rng

family = Family("pointers")


@family.case("a __device__ table of function pointers, indexed by data")
def by_table(program: Program) -> None:
    n = 60
    x, which = rng().random(n, dtype=np.float32), rng(2).integers(0, 3, n, dtype=np.int32)
    y = np.zeros_like(x)
    program.launch("by_table", 2, 32, [x, which, y, n])
    assert_array_equal(y, np.choose(which, [2 * x, x * x, -x]))


@family.case("virtual functions")
def virtual_calls(program: Program) -> None:
    n = 60
    x = rng().random(n, dtype=np.float32)
    y = np.zeros_like(x)
    program.launch("virtual_calls", 2, 32, [x, y, n])
    assert_array_equal(y, np.where(np.arange(n) % 3, x * x, 3 * x * x))
