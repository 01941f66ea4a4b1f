"""What libraries do beside the kernels: copy and add up."""

from __future__ import annotations

import numpy as np

from .problem import Problem, Sizes, empty, floats


def copy(sizes: Sizes, random: np.random.Generator) -> Problem:
    """out = x for n floats."""
    x = floats(random, sizes["n"])
    return Problem({"x": x, "out": empty(x.size)}, {}, {"out": x.astype(np.float64)}, "x", moved=8 * x.size)


def total(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The sum of n floats from 0 to 1."""
    x = random.random(sizes["n"], np.float32)
    expected = {"total": np.array([x.sum(dtype=np.float64)])}
    return Problem({"x": x, "total": empty(1)}, {}, expected, "x.sum()", moved=4 * x.size)
