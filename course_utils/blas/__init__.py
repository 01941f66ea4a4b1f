"""cuBLAS's calls with cuBLAS's arguments: by cuBLAS on a GPU, and without one by the BLAS that SciPy brings.

    handle = blas.create()
    A, B, C = blas.store(a, "columns"), blas.store(b, "columns"), np.zeros(m * n, np.float32)
    handle.gemm("N", "N", m, n, k, 1, A, m, B, k, 0, C, m)        # cublasSgemm, since the buffers hold floats
    blas.fetch(C, m, n, "columns")
    handle.destroy()

Buffers are flat NumPy arrays, updated in place; a slice of one is a pointer into it. Both libraries have the
same column-major interface, and the rules for its arguments are checked here, so that a wrong call fails
alike with either.

In the order data flows: rules (what a call's arguments must keep), formats (numbers of fewer bits, and what
they make of a product), host and gpu (who computes a call), handle (the calls), layout (matrices in flat
buffers, and which element a call takes for which), lt (cublasLt, on a GPU only).
"""

from __future__ import annotations

from .formats import FORMATS, Format, product
from .handle import Call, Handle, create
from .layout import fetch, read_at, store, written_at
from .rules import BlasError, OutOfBounds

__all__ = [
    "FORMATS",
    "BlasError",
    "Call",
    "Format",
    "Handle",
    "OutOfBounds",
    "create",
    "fetch",
    "product",
    "read_at",
    "store",
    "written_at",
]
