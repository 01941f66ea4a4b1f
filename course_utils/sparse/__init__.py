"""Sparse matrices: the formats that kernels read, matrices to try them on, and Matrix Market files.

    matrix = sparse.skewed(2048, 8, np.random.default_rng(0))
    matrix.lengths                       # values in each row
    sparse.ell(matrix).values            # the same matrix, padded
    sparse.read("my/matrix.mtx")         # a file

In the order data flows: matrices (a matrix in rows, and makers of some), formats (the same matrix laid out in
other ways), market (files).
"""

from __future__ import annotations

from .formats import NOTHING, Ell, Jds, Sell, TooMuchPadding, ell, jds, merge_shares, sell
from .market import EXAMPLES, MatrixError, read, write
from .matrices import Csr, banded, grid, random, regular, skewed

__all__ = [
    "EXAMPLES",
    "NOTHING",
    "Csr",
    "Ell",
    "Jds",
    "MatrixError",
    "Sell",
    "TooMuchPadding",
    "banded",
    "ell",
    "grid",
    "jds",
    "merge_shares",
    "random",
    "read",
    "regular",
    "sell",
    "skewed",
    "write",
]
