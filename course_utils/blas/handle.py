"""A handle, and the calls that need one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np

from .. import devices
from . import rules
from .host import Host
from .rules import INVALID_VALUE, NOT_INITIALIZED, NOT_SUPPORTED, BlasError

if TYPE_CHECKING:
    from .gpu import CuBlas

    Backend = Host | CuBlas

_GEMM = {"S": "cublasSgemm", "D": "cublasDgemm", "H": "cublasHgemm"}
COMPUTE = {
    "64F": ("float64", "float64"),
    "32F": ("float32 float16", "float32 float16"),
    "32F_FAST_TF32": ("float32", "float32"),
    "32F_FAST_16F": ("float32", "float32"),
    "32F_FAST_16BF": ("float32", "float32"),
    "16F": ("float16", "float16"),
}
"""The end of a CUBLAS_COMPUTE_ name -> the types that A and B, and that C may have with it, of those that
cublasGemmEx takes (its table of supported types) and the course uses."""


@dataclass(frozen=True)
class Call:
    """A call that was made: the C function, the call as text, its multiply-adds, and its buffers."""

    function: str
    text: str
    operations: int
    buffers: tuple[np.ndarray, ...]

    def __str__(self) -> str:
        return self.text


def create(device: str | None = None) -> Handle:
    """A new handle, as cublasCreate makes one.

    device: "gpu", "simulator" (for these calls the processor), or None for `devices.current()`. Raises NoGpu
    where there is none.
    """
    chosen = devices.current() if device is None else device
    if chosen == devices.SIMULATOR:
        return Handle(Host())
    if chosen != "gpu":
        raise ValueError(f'there is no device {device!r}: use "simulator", "gpu", or None')
    from .gpu import CuBlas

    devices.gpu()
    return Handle(CuBlas())


class Handle:
    """What every call needs. `blas.create()` makes one; one made otherwise is not created yet.

    `calls`: those made so far, in order. `where`: who computes them. `with blas.create() as handle:` destroys
    it at the end.
    """

    def __init__(self, backend: Backend | None = None) -> None:
        self._backend = backend
        self._why = "this handle was never created: handle = blas.create()"
        self.calls: list[Call] = []

    def destroy(self) -> None:
        """cublasDestroy: give back what the handle holds. No call is possible after it."""
        self._open().close()
        self._backend, self._why = None, "this handle was destroyed: blas.create() makes a new one"

    @property
    def where(self) -> str:
        return self._open().where

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._backend is not None:
            self.destroy()

    def __repr__(self) -> str:
        return f"<cuBLAS handle: {self._backend.where if self._backend else self._why}>"

    def dot(self, n: int, x: np.ndarray, incx: int, y: np.ndarray, incy: int) -> float:
        """The sum of x[i incx] y[i incy] for n elements: cublasSdot or cublasDdot."""
        backend = self._open()
        letter = rules.letter("dot", {"S": "cublasSdot", "D": "cublasDdot"}, x=x, y=y)
        rules.sizes(n=n)
        for name, value in (("incx", incx), ("incy", incy)):
            rules.increment(name, value)
        rules.vector_within("x", x, n, incx)
        rules.vector_within("y", y, n, incy)
        self._note(f"cublas{letter}dot", f"{n}, x, {incx}, y, {incy}, &result", n, x, y)
        return backend.dot(n, x, incx, y, incy)

    def gemv(
        self, trans: str, m: int, n: int, alpha: float, A: np.ndarray, lda: int, x: np.ndarray, incx: int,
        beta: float, y: np.ndarray, incy: int,
    ) -> None:  # fmt: skip
        """y = alpha op(A) x + beta y, A being m x n as it is stored: cublasSgemv or cublasDgemv."""
        backend = self._open()
        letter = rules.letter("gemv", {"S": "cublasSgemv", "D": "cublasDgemv"}, A=A, x=x, y=y)
        rules.operation("trans", trans)
        rules.sizes(m=m, n=n)
        rules.leading("lda", lda, m, "m")
        for name, value in (("incx", incx), ("incy", incy)):
            rules.increment(name, value)
        long, short = (n, m) if trans == "N" else (m, n)
        rules.within("A", A, m, n, lda)
        rules.vector_within("x", x, long, incx)
        rules.vector_within("y", y, short, incy)
        told = f"CUBLAS_OP_{trans}, {m}, {n}, &alpha, A, {lda}, x, {incx}, &beta, y, {incy}"
        self._note(f"cublas{letter}gemv", told, m * n, A, x, y)
        backend.gemv(trans, m, n, alpha, A, lda, x, incx, beta, y, incy)

    def gemm(
        self, transa: str, transb: str, m: int, n: int, k: int, alpha: float, A: np.ndarray, lda: int,
        B: np.ndarray, ldb: int, beta: float, C: np.ndarray, ldc: int,
    ) -> None:  # fmt: skip
        """C = alpha op(A) op(B) + beta C, column-major; op(A) is m x k, op(B) k x n, C m x n.

        cublasSgemm, cublasDgemm or cublasHgemm, by the type of the buffers. With beta = 0, C is not read.
        """
        backend = self._open()
        letter = rules.letter("gemm", _GEMM, A=A, B=B, C=C)
        self._check(transa, transb, m, n, k, [(A, 0)], lda, [(B, 0)], ldb, [(C, 0)], ldc)
        told = f"{_head(transa, transb, m, n, k)}, A, {lda}, B, {ldb}, &beta, C, {ldc}"
        self._note(_GEMM[letter], told, m * n * k, A, B, C)
        compute = {"S": "32F", "D": "64F", "H": "16F"}[letter]
        backend.gemm(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, compute)

    def gemm_ex(
        self, transa: str, transb: str, m: int, n: int, k: int, alpha: float, A: np.ndarray, lda: int,
        B: np.ndarray, ldb: int, beta: float, C: np.ndarray, ldc: int, compute: str = "32F",
    ) -> None:  # fmt: skip
        """gemm with a choice of how it is computed, cublasGemmEx: `compute` is one of COMPUTE.

        C may have another type than A and B. "32F_FAST_TF32" lets tensor cores round float32 inputs to TF32.
        """
        backend = self._open()
        if compute not in COMPUTE:
            raise BlasError(f"compute is {compute!r}, and must be one of {', '.join(COMPUTE)}", INVALID_VALUE)
        rules.letter("gemm_ex", _GEMM, A=A, B=B)
        rules.letter("gemm_ex", _GEMM, C=C)
        inputs, outputs = COMPUTE[compute]
        fits = str(A.dtype) in inputs.split() and str(C.dtype) in outputs.split()
        if not fits or (A.dtype == np.float32 and C.dtype != np.float32):
            raise BlasError(
                f"CUBLAS_COMPUTE_{compute} does not go from {A.dtype} to {C.dtype}; it takes {inputs}",
                NOT_SUPPORTED,
            )
        self._check(transa, transb, m, n, k, [(A, 0)], lda, [(B, 0)], ldb, [(C, 0)], ldc)
        kinds = [f"CUDA_R_{each.itemsize * 8}F" for each in (A, B, C)]
        told = (
            f"{_head(transa, transb, m, n, k)}, A, {kinds[0]}, {lda}, B, {kinds[1]}, {ldb}, &beta, "
            f"C, {kinds[2]}, {ldc}, CUBLAS_COMPUTE_{compute}, CUBLAS_GEMM_DEFAULT"
        )
        self._note("cublasGemmEx", told, m * n * k, A, B, C)
        backend.gemm(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, compute)

    def gemm_batched(
        self, transa: str, transb: str, m: int, n: int, k: int, alpha: float, A: Sequence[np.ndarray],
        lda: int, B: Sequence[np.ndarray], ldb: int, beta: float, C: Sequence[np.ndarray], ldc: int,
    ) -> None:  # fmt: skip
        """gemm for each triple of buffers in three lists of equal length: cublasSgemmBatched or
        cublasDgemmBatched."""
        backend = self._open()
        if not len(A) == len(B) == len(C):
            raise BlasError(
                f"the lists have {len(A)}, {len(B)} and {len(C)} buffers, and must have equally many"
            )
        named = {
            f"{name}[{i}]": each
            for name, some in zip("ABC", (A, B, C), strict=True)
            for i, each in enumerate(some)
        }
        if not named:
            return
        known = {"S": "cublasSgemmBatched", "D": "cublasDgemmBatched"}
        letter = rules.letter("gemm_batched", known, **named)
        parts = [[(each, 0) for each in some] for some in (A, B, C)]
        self._check(transa, transb, m, n, k, parts[0], lda, parts[1], ldb, parts[2], ldc)
        arrays = f"Aarray, {lda}, Barray, {ldb}, &beta, Carray, {ldc}, {len(A)}"
        told = f"{_head(transa, transb, m, n, k)}, {arrays}"
        self._note(known[letter], told, len(A) * m * n * k, *A, *B, *C)
        backend.gemm_batched(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc)

    def gemm_strided_batched(
        self, transa: str, transb: str, m: int, n: int, k: int, alpha: float, A: np.ndarray, lda: int,
        stridea: int, B: np.ndarray, ldb: int, strideb: int, beta: float, C: np.ndarray, ldc: int,
        stridec: int, count: int,
    ) -> None:  # fmt: skip
        """`count` gemms whose matrices lie a stride apart in three buffers: cublasSgemmStridedBatched or
        cublasDgemmStridedBatched. With a stride of 0, all of them read the same A (or B)."""
        backend = self._open()
        known = {"S": "cublasSgemmStridedBatched", "D": "cublasDgemmStridedBatched"}
        letter = rules.letter("gemm_strided_batched", known, A=A, B=B, C=C)
        rules.sizes(count=count, stridea=stridea, strideb=strideb, stridec=stridec)
        if count > 1 and stridec < (n - 1) * ldc + m:
            raise BlasError(
                f"stridec is {stridec}, and a result takes {(n - 1) * ldc + m} elements: they would overlap",
                INVALID_VALUE,
            )
        parts = [
            [(buffer, number * stride) for number in range(count)]
            for buffer, stride in ((A, stridea), (B, strideb), (C, stridec))
        ]
        self._check(transa, transb, m, n, k, parts[0], lda, parts[1], ldb, parts[2], ldc)
        told = (
            f"{_head(transa, transb, m, n, k)}, A, {lda}, {stridea}, B, {ldb}, {strideb}, &beta, "
            f"C, {ldc}, {stridec}, {count}"
        )
        self._note(known[letter], told, count * m * n * k, A, B, C)
        backend.gemm_strided_batched(
            transa, transb, m, n, k, alpha, A, lda, stridea, B, ldb, strideb, beta, C, ldc, stridec, count
        )

    def _open(self) -> Backend:
        if self._backend is None:
            raise BlasError(self._why, NOT_INITIALIZED)
        return self._backend

    def _check(
        self, transa: str, transb: str, m: int, n: int, k: int, A: Sequence[tuple[np.ndarray, int]], lda: int,
        B: Sequence[tuple[np.ndarray, int]], ldb: int, C: Sequence[tuple[np.ndarray, int]], ldc: int,
    ) -> None:  # fmt: skip
        """The rules of gemm; of each operand the buffers, with the element that a matrix begins at."""
        rules.operation("transa", transa)
        rules.operation("transb", transb)
        rules.sizes(m=m, n=n, k=k)
        a = (m, k, "m") if transa == "N" else (k, m, "k")
        b = (k, n, "k") if transb == "N" else (n, k, "n")
        operands = (("A", A, "lda", lda, a), ("B", B, "ldb", ldb, b), ("C", C, "ldc", ldc, (m, n, "m")))
        for _, _, called, ld, (rows, _, size) in operands:
            rules.leading(called, ld, rows, size)
        for name, buffers, _, ld, (rows, columns, _) in operands:
            for buffer, start in buffers:
                rules.within(name, buffer, rows, columns, ld, start)

    def _note(self, function: str, told: str, operations: int, *buffers: np.ndarray) -> None:
        self.calls.append(Call(function, f"{function}(handle, {told})", int(operations), buffers))


def _head(transa: str, transb: str, m: int, n: int, k: int) -> str:
    """What all gemms begin with, behind the handle."""
    return f"CUBLAS_OP_{transa}, CUBLAS_OP_{transb}, {m}, {n}, {k}, &alpha"
