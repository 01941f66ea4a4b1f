"""A sparse matrix times a vector, in the format that each kernel reads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .. import sparse
from ..sparse.matrices import sixteenths
from .problem import Maker, Problem, Setting, Sizes, empty

PER_ROW = 8
"""Values of a row on average, where nothing else is said."""
WINDOW = 4096
"""Rows that are sorted together for SELL, where nothing else is said."""
SHAPING = frozenset({"per_row", "skewed", "varied", "banded", "window"})

Layout = Callable[[sparse.Csr, Sizes], tuple[dict[str, np.ndarray], dict[str, np.generic]]]
"""A matrix and the sizes -> (the arrays that hold it, numbers that go with them)."""


def matrix(sizes: Sizes, random: np.random.Generator) -> sparse.Csr:
    """A square matrix of `rows` rows with about `per_row` values in each: where `skewed`, with lengths that
    follow a power law; where `varied`, with a value at each place by the same chance; where `banded`, around
    the diagonal; else all rows alike, in columns at random. One of the three at most; ValueError for more."""
    kinds = [name for name in ("skewed", "varied", "banded") if sizes.get(name)]
    if len(kinds) > 1:
        raise ValueError(f"a matrix is of one kind, not {' and '.join(kinds)} at once")
    makers = {"skewed": sparse.skewed, "varied": sparse.random, "banded": sparse.banded}
    make = makers[kinds[0]] if kinds else sparse.regular
    return make(sizes["rows"], sizes.get("per_row", PER_ROW), random)


def product(kernel: str) -> Maker:
    """y = A x for a made matrix, in the layout that a kernel reads."""

    def make(sizes: Sizes, random: np.random.Generator) -> Problem:
        return on(matrix(sizes, random), kernel, sizes, random)

    return make


def on(made: sparse.Csr, kernel: str, sizes: Sizes, random: np.random.Generator) -> Problem:
    """y = A x for any matrix and a random x, in the layout that a kernel reads. `moved`: for the matrix in
    rows, whatever the layout."""
    x = sixteenths(random, made.width)
    arrays, scalars = LAYOUTS[kernel](made, sizes)
    adds = kernel in ADDS
    moved = 8 * made.count + 4 * made.starts.size + 4 * made.width + 4 * made.rows
    return Problem(
        {**arrays, "x": x, "y": np.zeros(made.rows, np.float32) if adds else empty(made.rows)},
        {**scalars, "rows": np.int32(made.rows)},
        {"y": made.times(x)},
        "A @ x",
        made.count,
        moved,
        adds,
    )


def _csr(made: sparse.Csr, sizes: Sizes) -> tuple[dict[str, np.ndarray], dict[str, np.generic]]:
    return {"values": made.values, "columns": made.columns, "starts": made.starts}, {}


def _ell(made: sparse.Csr, sizes: Sizes) -> tuple[dict[str, np.ndarray], dict[str, np.generic]]:
    laid = sparse.ell(made)
    return {"values": laid.values, "columns": laid.columns}, {"width": np.int32(laid.width)}


def _jds(made: sparse.Csr, sizes: Sizes) -> tuple[dict[str, np.ndarray], dict[str, np.generic]]:
    laid = sparse.jds(made)
    arrays = {
        "values": laid.values,
        "columns": laid.columns,
        "diagonals": laid.diagonals,
        "order": laid.order,
    }
    return arrays, {"width": np.int32(laid.diagonals.size - 1)}


def _sell(made: sparse.Csr, sizes: Sizes) -> tuple[dict[str, np.ndarray], dict[str, np.generic]]:
    """32 is the kernel's default SLICE."""
    laid = sparse.sell(made, sizes.get("SLICE", 32), sizes.get("window", WINDOW))
    arrays = {"values": laid.values, "columns": laid.columns, "starts": laid.starts, "order": laid.order}
    return arrays, {}


LAYOUTS: dict[str, Layout] = {
    "spmv/csr_add": _csr,
    "spmv/csr_scalar": _csr,
    "spmv/csr_vector": _csr,
    "spmv/csr_merge": _csr,
    "spmv/ell": _ell,
    "spmv/jds": _jds,
    "spmv/sell": _sell,
}
"""Kernel -> the layout that it reads."""

ADDS = frozenset({"spmv/csr_add", "spmv/csr_merge"})
"""Kernels that add to y, which must hold zeros."""

TIMED: tuple[Sizes, ...] = (
    {"rows": 1 << 20, "per_row": 24, "skewed": 1},
    {"rows": 1 << 20, "per_row": 24, "skewed": 0, "banded": 1},
    {"rows": 1 << 20, "per_row": 24, "skewed": 0},
)
"""cuSPARSE is timed at these as well."""

_EVEN = TIMED[1:]
"""Padded to its longest row, a skewed matrix of a million rows would take terabytes."""

_COUNTED: tuple[Sizes, ...] = (
    {"rows": 1000, "per_row": 9, "skewed": 0},
    {"rows": 512, "per_row": 8, "skewed": 1},
    {"rows": 777, "per_row": 24, "skewed": 0, "banded": 1},
    {"rows": 300, "per_row": 5, "varied": 1},
)


def _setting(kernel: str, timed: tuple[Sizes, ...] = TIMED, **more: bool) -> Setting:
    return Setting(product(kernel), timed, _COUNTED, shaping=SHAPING, **more)  # type: ignore[arg-type]


SETTINGS = {
    "spmv/csr_add": _setting("spmv/csr_add", ()),
    "spmv/csr_scalar": _setting("spmv/csr_scalar"),
    "spmv/csr_vector": _setting("spmv/csr_vector", every_size=True),
    "spmv/csr_merge": _setting("spmv/csr_merge"),
    "spmv/ell": _setting("spmv/ell", _EVEN),
    "spmv/jds": _setting("spmv/jds"),
    "spmv/sell": _setting("spmv/sell", by_tunables=True),
}
