"""Vectors: element by element, by warp, and by segment."""

from __future__ import annotations

import numpy as np

from .problem import Problem, Setting, Sizes, empty, floats, powers


def vector_add(sizes: Sizes, random: np.random.Generator) -> Problem:
    """out = a + b for n floats."""
    n = sizes["n"]
    a, b = floats(random, n), floats(random, n)
    expected = {"out": np.add(a, b, dtype=np.float64)}
    return Problem({"a": a, "b": b, "out": empty(n)}, {"n": np.int32(n)}, expected, "a + b", moved=12 * n)


def scale(sizes: Sizes, random: np.random.Generator) -> Problem:
    """out = factor x for n floats."""
    n, factor = sizes["n"], np.float32(1.7)
    x = floats(random, n)
    expected = {"out": np.multiply(x, factor, dtype=np.float64)}
    scalars = {"factor": factor, "n": np.int32(n)}
    return Problem({"x": x, "out": empty(n)}, scalars, expected, "factor * x", moved=8 * n)


def warp_sum(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The sum of every 32 of n floats."""
    n = sizes["n"]
    x = floats(random, n)
    whole = np.zeros(-(-n // 32) * 32, np.float32)
    whole[:n] = x
    sums = whole.reshape(-1, 32).sum(axis=1, dtype=np.float64)
    arrays = {"x": x, "sums": empty(sums.size)}
    told = "sums of 32"
    return Problem(arrays, {"n": np.int32(n)}, {"sums": sums}, told, moved=4 * (n + sums.size))


def reverse(sizes: Sizes, random: np.random.Generator) -> Problem:
    """Every segment of 128 of n floats back to front; 128 is the kernel's default BLOCK."""
    n, segment = sizes["n"], sizes.get("BLOCK", 128)
    x = floats(random, n)
    whole = n // segment * segment
    out = np.empty(n)
    out[:whole] = x[:whole].reshape(-1, segment)[:, ::-1].reshape(-1)
    out[whole:] = x[whole:][::-1]
    arrays = {"in": x, "out": empty(n)}
    return Problem(arrays, {"n": np.int32(n)}, {"out": out}, "reversed segments", moved=8 * n)


SMALL: tuple[Sizes, ...] = ({"n": 5000}, {"n": 4096}, {"n": 777})
SETTINGS = {
    "execution_model/vector_add": Setting(vector_add, powers(*range(10, 27, 2)), SMALL),
    "execution_model/scale": Setting(
        scale, powers(*range(10, 27, 2)), SMALL, best={"BLOCK": 256, "BLOCKS": 1024}
    ),
    "execution_model/warp_sum": Setting(warp_sum, powers(14, 20, 26), SMALL),
    "execution_model/reverse": Setting(reverse, powers(14, 20, 26), SMALL, by_tunables=True),
}
