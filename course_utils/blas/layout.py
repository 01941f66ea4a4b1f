"""Matrices in flat buffers, and which element of a buffer a call takes for which of a matrix.

The latter is asked of the library itself: a product with the identity gives back the matrix as it was read,
and a buffer whose elements hold their own numbers says so which ones these were.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from .handle import Handle

Order = Literal["rows", "columns"]


def store(matrix: np.ndarray, order: Order, ld: int | None = None, fill: float = 0) -> np.ndarray:
    """The matrix as a flat buffer, one row (or column) after another, `ld` elements from one to the next.

    ld: the leading dimension; by default as long as a row (or column) is. What lies between holds `fill`.
    Raises ValueError for one that is too small.
    """
    lines = matrix if _by_rows(order) else matrix.T
    count, length = lines.shape
    ld = length if ld is None else ld
    if ld < length:
        raise ValueError(f"a leading dimension of {ld} has no room for {order} of {length} elements")
    buffer = np.full((count, ld), fill, matrix.dtype)
    buffer[:, :length] = lines
    return buffer.reshape(-1)


def fetch(buffer: np.ndarray, rows: int, columns: int, order: Order, ld: int | None = None) -> np.ndarray:
    """The rows x columns matrix that lies in a buffer so. Raises ValueError where the buffer is too short."""
    count, length = (rows, columns) if _by_rows(order) else (columns, rows)
    ld = length if ld is None else ld
    if ld < length or buffer.size < (count - 1) * ld + length:
        raise ValueError(
            f"a buffer of {buffer.size} elements holds no {rows} x {columns} matrix with "
            f"the leading dimension {ld}"
        )
    lines = np.lib.stride_tricks.as_strided(
        buffer, (count, length), (ld * buffer.itemsize, buffer.itemsize), writeable=False
    )
    return (lines if _by_rows(order) else lines.T).copy()


def read_at(handle: Handle, trans: str, rows: int, columns: int, ld: int, size: int) -> np.ndarray:
    """Which elements of a buffer of `size` a call reads as op(A), a matrix of rows x columns: their numbers,
    in its shape. Raises BlasError where the call is refused."""
    numbers = np.arange(size, dtype=np.float64)
    found = np.zeros(rows * columns)
    handle.gemm(
        trans,
        "N",
        rows,
        columns,
        columns,
        1,
        numbers,
        ld,
        np.eye(columns).reshape(-1),
        columns,
        0,
        found,
        rows,
    )
    return fetch(found, rows, columns, "columns").astype(np.int64)


def written_at(handle: Handle, rows: int, columns: int, ld: int, size: int) -> np.ndarray:
    """Where in a buffer of `size` a call writes the elements of C, a matrix of rows x columns: their places,
    in its shape. Raises BlasError where the call is refused."""
    numbered = np.arange(rows * columns, dtype=np.float64)
    buffer = np.full(size, -1.0)
    handle.gemm(
        "N", "N", rows, columns, rows, 1, np.eye(rows).reshape(-1), rows, numbered, rows, 0, buffer, ld
    )
    places = np.zeros(rows * columns, np.int64)
    written = np.flatnonzero(buffer >= 0)
    places[buffer[written].astype(np.int64)] = written
    return fetch(places, rows, columns, "columns")


def _by_rows(order: Order) -> bool:
    if order not in ("rows", "columns"):
        raise ValueError(f'a matrix lies by "rows" or by "columns", not {order!r}')
    return order == "rows"
