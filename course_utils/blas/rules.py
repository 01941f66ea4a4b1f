"""What the arguments of a call must keep, as cuBLAS's documentation states it for each function.

https://docs.nvidia.com/cuda/cublas/, "cublas<t>dot", "cublas<t>gemv", "cublas<t>gemm" and what follows these.
cuBLAS does not know how long a buffer is; that a call stays within its buffers is checked here besides.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

INVALID_VALUE = "CUBLAS_STATUS_INVALID_VALUE"
NOT_INITIALIZED = "CUBLAS_STATUS_NOT_INITIALIZED"
NOT_SUPPORTED = "CUBLAS_STATUS_NOT_SUPPORTED"

LETTERS = {np.dtype(np.float32): "S", np.dtype(np.float64): "D", np.dtype(np.float16): "H"}
"""The letter in a function's name, by the type of its buffers."""
OPERATIONS = ("N", "T", "C")
"""As stored, transposed, and conjugated as well, which for real numbers is the same."""

_LARGEST_INT = 2**31 - 1


class BlasError(Exception):
    """A call that is refused. `status`: what cuBLAS would return, "" where it could not notice."""

    def __init__(self, told: str, status: str = "") -> None:
        super().__init__(f"{status}: {told}" if status else told)
        self.status = status


class OutOfBounds(BlasError):
    """A call would read or write beyond the end of a buffer."""


def letter(called: str, known: Mapping[str, str], **buffers: object) -> str:
    """The letter of a function for these buffers, checked to be flat arrays of one type that it is known for.

    known: letter -> the function's name.
    """
    for name, buffer in buffers.items():
        if not isinstance(buffer, np.ndarray):
            raise BlasError(f"{name} must be a NumPy array, and is {type(buffer).__name__}")
        if buffer.ndim != 1 or not buffer.flags.c_contiguous:
            raise BlasError(
                f"{name} must be a flat buffer, one dimension without gaps; this array has the shape "
                f"{buffer.shape}: blas.store lays a matrix into one"
            )
    kinds = {buffer.dtype for buffer in buffers.values()}  # type: ignore[attr-defined]
    if len(kinds) > 1:
        each = ", ".join(f"{name} {buffer.dtype}" for name, buffer in buffers.items())  # type: ignore[attr-defined]
        raise BlasError(f"the buffers of {called} must have one type, and here are {each}")
    (kind,) = kinds
    found = LETTERS.get(kind)
    if found is None:
        raise BlasError(f"{called} is for float16, float32 or float64, and these buffers hold {kind}")
    if found not in known:
        raise BlasError(f"there is no {called} for {kind}; there is {', '.join(known.values())}")
    return found


def operation(name: str, value: object) -> None:
    if value not in OPERATIONS:
        raise BlasError(
            f'{name} is {value!r}, and must be "N" (as stored), "T" or "C" (transposed)', INVALID_VALUE
        )


def sizes(**values: object) -> None:
    """Counts of rows, columns or elements."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise BlasError(f"{name} must be a whole number, and is {value!r}")
        if not 0 <= value <= _LARGEST_INT:
            raise BlasError(f"{name} is {value}, and must be at least 0 and an int", INVALID_VALUE)


def increment(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise BlasError(f"{name} must be a whole number, and is {value!r}")
    if value == 0:
        raise BlasError(f"{name} is 0, and must not be", INVALID_VALUE)


def leading(name: str, ld: int, rows: int, called: str) -> None:
    """`rows`: those of the matrix as it is stored, which are `called` m, n or k in this call."""
    sizes(**{name: ld})
    if ld < max(1, rows):
        raise BlasError(
            f"{name} is {ld}, and must be at least max(1, {called}) = {max(1, rows)}, the rows of the matrix "
            "as it is stored",
            INVALID_VALUE,
        )


def within(name: str, buffer: np.ndarray, rows: int, columns: int, ld: int, start: int = 0) -> None:
    """Whether a column-major matrix that begins at element `start` ends before its buffer does."""
    needed = start + (columns - 1) * ld + rows if rows and columns else 0
    if needed > buffer.size:
        raise OutOfBounds(
            f"{name} has {buffer.size} elements, and this call goes on to element {needed - 1}. cuBLAS does "
            "not know where a buffer ends, and would take what lies behind it"
        )


def vector_within(name: str, buffer: np.ndarray, count: int, step: int) -> None:
    """Whether `count` elements, |step| apart, lie in their buffer."""
    within(name, buffer, min(count, 1), count, abs(step))
