"""The BLAS that SciPy brings, by its own functions: Fortran's, so every argument is an address.

SciPy's usual wrappers take the leading dimension from an array's shape; these take it as an argument, as
cuBLAS does. https://docs.scipy.org/doc/scipy/reference/linalg.cython_blas.html
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache

import numpy as np

from . import rules
from .formats import FORMATS

_REALS = {np.dtype(np.float32): ctypes.c_float, np.dtype(np.float64): ctypes.c_double}
Argument = str | int | float | np.ndarray


class Host:
    """Computes on this machine's processor. Half precision, which no BLAS has, is computed in float32."""

    where = "SciPy's BLAS, on this machine's processor"

    def close(self) -> None: ...

    def dot(self, n: int, x: np.ndarray, incx: int, y: np.ndarray, incy: int) -> float:
        return _call("dot", x.dtype, [n, x, incx, y, incy], result=True)

    def gemv(
        self, trans: str, m: int, n: int, alpha: float, A: np.ndarray, lda: int, x: np.ndarray, incx: int,
        beta: float, y: np.ndarray, incy: int,
    ) -> None:  # fmt: skip
        _call("gemv", A.dtype, [trans, m, n, float(alpha), A, lda, x, incx, float(beta), y, incy])

    def gemm(
        self, transa: str, transb: str, m: int, n: int, k: int, alpha: float, A: np.ndarray, lda: int,
        B: np.ndarray, ldb: int, beta: float, C: np.ndarray, ldc: int, compute: str,
    ) -> None:  # fmt: skip
        """compute: the end of a CUBLAS_COMPUTE_ name; what rounds the inputs there rounds them here."""
        if A.dtype == np.float64:
            return _call(
                "gemm", A.dtype, [transa, transb, m, n, k, float(alpha), A, lda, B, ldb, float(beta), C, ldc]
            )
        rounded = FORMATS[_ROUNDED.get(compute, "float32")].rounded
        a, b = (rounded(each.astype(np.float32)) for each in (A, B))
        c = C if C.dtype == np.float32 else C.astype(np.float32)
        _call("gemm", c.dtype, [transa, transb, m, n, k, float(alpha), a, lda, b, ldb, float(beta), c, ldc])
        if c is not C:
            C[...] = c
        return None

    def gemm_batched(
        self, transa: str, transb: str, m: int, n: int, k: int, alpha: float, A: Sequence[np.ndarray],
        lda: int, B: Sequence[np.ndarray], ldb: int, beta: float, C: Sequence[np.ndarray], ldc: int,
    ) -> None:  # fmt: skip
        for a, b, c in zip(A, B, C, strict=True):
            self.gemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, "")

    def gemm_strided_batched(
        self, transa: str, transb: str, m: int, n: int, k: int, alpha: float, A: np.ndarray, lda: int,
        stridea: int, B: np.ndarray, ldb: int, strideb: int, beta: float, C: np.ndarray, ldc: int,
        stridec: int, count: int,
    ) -> None:  # fmt: skip
        parts = [
            [buffer[number * stride :] for number in range(count)]
            for buffer, stride in ((A, stridea), (B, strideb), (C, stridec))
        ]
        self.gemm_batched(transa, transb, m, n, k, alpha, parts[0], lda, parts[1], ldb, beta, parts[2], ldc)


_ROUNDED = {"32F_FAST_TF32": "TF32", "32F_FAST_16F": "float16", "32F_FAST_16BF": "bfloat16"}


def _call(name: str, kind: np.dtype, arguments: Sequence[Argument], result: bool = False) -> float:
    """Call a function of the type `kind`: numbers go by address, as Fortran wants them."""
    real = _REALS[kind]
    held: list[object] = []
    addresses = []
    for argument in arguments:
        match argument:
            case np.ndarray():
                addresses.append(ctypes.c_void_p(argument.ctypes.data))
                continue
            case str():
                value: object = ctypes.c_char(argument.encode())
            case int() | np.integer():
                value = ctypes.c_int(int(argument))
            case _:
                value = real(argument)
        held.append(value)
        addresses.append(ctypes.byref(value))  # type: ignore[arg-type]
    function = _function(f"{rules.LETTERS[kind].lower()}{name}", len(addresses), real if result else None)
    return function(*addresses)


@cache
def _function(name: str, count: int, result: type | None) -> ctypes._CFuncPtr:
    """SciPy's function of this name; it tells the address in a capsule that is named after the signature."""
    from scipy.linalg import cython_blas

    capsule = cython_blas.__pyx_capi__[name]
    named, address = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    named.restype, named.argtypes = ctypes.c_char_p, [ctypes.py_object]
    address.restype, address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    made = ctypes.CFUNCTYPE(result, *[ctypes.c_void_p] * count)
    return made(address(capsule, named(capsule)))
