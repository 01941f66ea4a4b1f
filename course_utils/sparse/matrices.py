"""A sparse matrix in compressed rows (CSR), and makers of such matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse

STEPS = 16
"""Made values are multiples of 1 / STEPS from -1 to 1, and so are vectors: sums of their products are exact
in float32, in any order, as long as they stay below 2^16."""


@dataclass(frozen=True)
class Csr:
    """Row by row: the values (float32), the column of each (int32), and where each row starts (int32, one
    more than there are rows; the last says how many values there are). `width`: how many columns."""

    values: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    width: int

    @property
    def rows(self) -> int:
        return self.starts.size - 1

    @property
    def count(self) -> int:
        """How many values are stored."""
        return int(self.starts[-1])

    @property
    def lengths(self) -> np.ndarray:
        """How many values each row has, int64."""
        return np.diff(self.starts.astype(np.int64))

    @property
    def row_of(self) -> np.ndarray:
        """The row of each value, int64."""
        return np.repeat(np.arange(self.rows), self.lengths)

    def scipy(self, dtype: type[np.floating] = np.float32) -> scipy.sparse.csr_array:
        """The same matrix for SciPy."""
        arrays = (self.values.astype(dtype, copy=False), self.columns, self.starts)
        return scipy.sparse.csr_array(arrays, shape=(self.rows, self.width))

    def times(self, x: np.ndarray) -> np.ndarray:
        """The product with a vector in float64."""
        products = self.values.astype(np.float64) * x[self.columns]
        return np.bincount(self.row_of, weights=products, minlength=self.rows)


def regular(rows: int, per_row: int, rng: np.random.Generator) -> Csr:
    """Square; `per_row` values in each row, in columns drawn at random (one may be drawn twice)."""
    return _scattered(np.full(rows, per_row), rng)


def random(rows: int, per_row: int, rng: np.random.Generator) -> Csr:
    """Square; each place has the same chance to hold a value, so that rows have `per_row` on average."""
    return _scattered(rng.binomial(rows, min(per_row / rows, 1.0), rows), rng)


def skewed(rows: int, per_row: int, rng: np.random.Generator) -> Csr:
    """Square; the lengths of the rows follow a power law with a mean of about `per_row`: many short rows, a
    few very long ones. Columns as in `regular`."""
    return _scattered(np.minimum(rng.pareto(1.2, rows) * per_row * 0.2, rows - 1).astype(np.int64), rng)


def banded(rows: int, per_row: int, rng: np.random.Generator) -> Csr:
    """Square; each row has the `per_row` columns around the diagonal, those next to an edge the nearest."""
    width = min(per_row, rows)
    first = np.clip(np.arange(rows) - width // 2, 0, rows - width)
    columns = (first[:, None] + np.arange(width)).astype(np.int32).reshape(-1)
    return Csr(sixteenths(rng, columns.size), columns, np.arange(rows + 1, dtype=np.int32) * width, rows)


def grid(edge: int) -> Csr:
    """The five-point stencil on edge x edge points: 4 for each point, -1 for each of its neighbours."""
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(edge, edge))
    one = scipy.sparse.eye_array(edge)
    return from_scipy(scipy.sparse.kron(line, one) + scipy.sparse.kron(one, line))


def from_scipy(matrix: scipy.sparse.sparray | scipy.sparse.spmatrix) -> Csr:
    """Any sparse matrix of SciPy, with the columns of each row in order and float32 values, infinite where
    float32 has no such number."""
    rows = scipy.sparse.csr_array(matrix, copy=True)
    rows.sum_duplicates()
    with np.errstate(over="ignore"):
        values = rows.data.astype(np.float32)
    return Csr(values, rows.indices.astype(np.int32), rows.indptr.astype(np.int32), rows.shape[1])


def sixteenths(rng: np.random.Generator, count: int) -> np.ndarray:
    """Random float32 from -1 to 1, multiples of 1/16."""
    values = rng.random(count, np.float32)
    values *= 2 * STEPS
    values -= STEPS
    np.rint(values, out=values)
    values /= STEPS
    return values


def _scattered(lengths: np.ndarray, rng: np.random.Generator) -> Csr:
    starts = np.zeros(lengths.size + 1, np.int32)
    np.cumsum(lengths, out=starts[1:])
    count = int(starts[-1])
    columns = rng.integers(0, lengths.size, count, np.int32)
    return Csr(sixteenths(rng, count), columns, starts, lengths.size)
