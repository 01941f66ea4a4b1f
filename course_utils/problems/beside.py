"""What libraries do beside the kernels: copy, add up, multiply a sparse matrix."""

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


def spmv(sizes: Sizes, random: np.random.Generator) -> Problem:
    """y = A x for a sparse square matrix in rows (CSR) with about `per_row` values in each of `rows` rows.

    `skewed`: the lengths of the rows follow a power law instead of all being alike. Columns are random.
    """
    rows, per_row = sizes["rows"], sizes["per_row"]
    if sizes.get("skewed"):
        lengths = np.minimum(random.pareto(1.2, rows) * per_row * 0.2, rows - 1).astype(np.int64)
    else:
        lengths = np.full(rows, per_row)
    starts = np.zeros(rows + 1, np.int32)
    np.cumsum(lengths, out=starts[1:])
    count = int(starts[-1])
    columns = random.integers(0, rows, count, np.int32)
    values, x = floats(random, count), floats(random, rows)
    products = np.concatenate([[0], np.cumsum(values.astype(np.float64) * x[columns])])
    arrays = {"values": values, "columns": columns, "starts": starts, "x": x, "y": empty(rows)}
    expected = {"y": products[starts[1:]] - products[starts[:-1]]}
    moved = 8 * count + 4 * starts.size + 8 * rows
    return Problem(arrays, {"rows": np.int32(rows)}, expected, "A @ x", count, moved)
