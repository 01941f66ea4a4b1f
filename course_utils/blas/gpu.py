"""cuBLAS itself, through CuPy: buffers are copied to the GPU, and what a call changes is copied back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

_OPERATIONS = {"N": 0, "T": 1, "C": 2}  # cublasOperation_t
_KINDS = {np.dtype(np.float32): 0, np.dtype(np.float64): 1, np.dtype(np.float16): 2}  # cudaDataType_t
_COMPUTE = {"16F": 64, "32F": 68, "64F": 70, "32F_FAST_16F": 74, "32F_FAST_16BF": 75, "32F_FAST_TF32": 77}
"""cublasComputeType_t."""
_SCALES = {"16F": np.float16, "64F": np.float64}
"""The type of alpha and beta, where it is not float."""
_DEFAULT = -1  # CUBLAS_GEMM_DEFAULT
_TYPED = {np.dtype(np.float32): "s", np.dtype(np.float64): "d"}


class CuBlas:
    """A handle of cuBLAS on CuPy's current device. Raises what CuPy raises."""

    def __init__(self) -> None:
        import cupy
        from cupy_backends.cuda.libs import cublas

        self._cupy, self._library = cupy, cublas
        self._handle = cublas.create()
        name = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"].decode()
        self.where = f"cuBLAS {cublas.getVersion(self._handle)}, on the GPU ({name})"

    def close(self) -> None:
        self._library.destroy(self._handle)

    def dot(self, n: int, x: np.ndarray, incx: int, y: np.ndarray, incy: int) -> float:
        there = [self._cupy.asarray(each) for each in (x, y)]
        result = np.zeros(1, x.dtype)
        function = getattr(self._library, f"{_TYPED[x.dtype]}dot")
        function(self._handle, n, there[0].data.ptr, incx, there[1].data.ptr, incy, result.ctypes.data)
        return float(result[0])

    def gemv(
        self, trans: str, m: int, n: int, alpha: float, A: np.ndarray, lda: int, x: np.ndarray, incx: int,
        beta: float, y: np.ndarray, incy: int,
    ) -> None:  # fmt: skip
        a, b, c = (self._cupy.asarray(each) for each in (A, x, y))
        scales = _scales(alpha, beta, A.dtype)
        function = getattr(self._library, f"{_TYPED[A.dtype]}gemv")
        function(
            self._handle, _OPERATIONS[trans], m, n, scales[0].ctypes.data, a.data.ptr, lda, b.data.ptr, incx,
            scales[1].ctypes.data, c.data.ptr, incy,
        )  # fmt: skip
        y[...] = c.get()

    def gemm(
        self, transa: str, transb: str, m: int, n: int, k: int, alpha: float, A: np.ndarray, lda: int,
        B: np.ndarray, ldb: int, beta: float, C: np.ndarray, ldc: int, compute: str,
    ) -> None:  # fmt: skip
        """By cublasGemmEx, of which cublasSgemm and its like are special cases: CuPy has no cublasHgemm."""
        a, b, c = (self._cupy.asarray(each) for each in (A, B, C))
        scales = _scales(alpha, beta, _SCALES.get(compute, np.float32))
        self._library.gemmEx(
            self._handle, _OPERATIONS[transa], _OPERATIONS[transb], m, n, k, scales[0].ctypes.data,
            a.data.ptr, _KINDS[A.dtype], lda, b.data.ptr, _KINDS[B.dtype], ldb, scales[1].ctypes.data,
            c.data.ptr, _KINDS[C.dtype], ldc, _COMPUTE[compute], _DEFAULT,
        )  # fmt: skip
        C[...] = c.get()

    def gemm_batched(
        self, transa: str, transb: str, m: int, n: int, k: int, alpha: float, A: Sequence[np.ndarray],
        lda: int, B: Sequence[np.ndarray], ldb: int, beta: float, C: Sequence[np.ndarray], ldc: int,
    ) -> None:  # fmt: skip
        there = [[self._cupy.asarray(each) for each in some] for some in (A, B, C)]
        # The pointers themselves lie in the GPU's memory.
        lists = [self._cupy.asarray([each.data.ptr for each in some], np.uint64) for some in there]
        scales = _scales(alpha, beta, A[0].dtype)
        function = getattr(self._library, f"{_TYPED[A[0].dtype]}gemmBatched")
        function(
            self._handle, _OPERATIONS[transa], _OPERATIONS[transb], m, n, k, scales[0].ctypes.data,
            lists[0].data.ptr, lda, lists[1].data.ptr, ldb, scales[1].ctypes.data, lists[2].data.ptr, ldc,
            len(A),
        )  # fmt: skip
        written = (n - 1) * ldc + m if m and n else 0  # what follows in a buffer may be another's result
        for here, result in zip(C, there[2], strict=True):
            here[:written] = result.get()[:written]

    def gemm_strided_batched(
        self, transa: str, transb: str, m: int, n: int, k: int, alpha: float, A: np.ndarray, lda: int,
        stridea: int, B: np.ndarray, ldb: int, strideb: int, beta: float, C: np.ndarray, ldc: int,
        stridec: int, count: int,
    ) -> None:  # fmt: skip
        a, b, c = (self._cupy.asarray(each) for each in (A, B, C))
        scales = _scales(alpha, beta, A.dtype)
        function = getattr(self._library, f"{_TYPED[A.dtype]}gemmStridedBatched")
        function(
            self._handle, _OPERATIONS[transa], _OPERATIONS[transb], m, n, k, scales[0].ctypes.data,
            a.data.ptr, lda, stridea, b.data.ptr, ldb, strideb, scales[1].ctypes.data, c.data.ptr, ldc,
            stridec, count,
        )  # fmt: skip
        C[...] = c.get()


def _scales(alpha: float, beta: float, dtype: npt.DTypeLike) -> list[np.ndarray]:
    """alpha and beta in memory: as in C, a call takes their addresses."""
    return [np.array(each, dtype) for each in (alpha, beta)]
