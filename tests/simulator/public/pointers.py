"""Pointers to functions, to parameters and to pointers; virtual functions; recursion."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

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


@family.case("the address of a __grid_constant__ parameter, handed to a function")
def by_address(program: Program) -> None:
    x = rng().uniform(-1, 1, 70).astype(np.float32)
    y = np.zeros_like(x)
    coefficients = [1, -2, 0.5, 3, 0.25, 99]
    curve = np.array((coefficients, 4), [("coefficient", np.float32, 6), ("degree", np.int32)])[()]
    program.launch("by_address", 3, 32, [x, y, x.size, curve])
    assert_allclose(y, np.polynomial.Polynomial(coefficients[:5])(x.astype(float)), rtol=1e-4, atol=1e-5)


@family.case("arrays of pointers, given as lists of arrays; a null pointer among them")
def batched_scale(program: Program) -> None:
    n = 50
    rows = list(rng().random((3, n), dtype=np.float32))
    out = [np.zeros(n, np.float32) for _ in range(3)]
    factors = np.array([2, 3, 4], np.float32)
    program.launch("batched_scale", 3, 32, [[rows[0], None, rows[2]], out, factors, n])
    assert_array_equal(out, [2 * rows[0], 0 * rows[1], 4 * rows[2]])


@family.case("recursion, lanes at different depths")
def sort_segments(program: Program) -> None:
    data = rng().integers(-99, 99, (40, 33), dtype=np.int32)
    expected = np.sort(data, axis=1)
    program.launch("sort_segments", 2, 32, [data, 33, 40])
    assert_array_equal(data, expected)
