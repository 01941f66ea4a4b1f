"""The libraries that kernels of the course are held against, through CuPy, on the same problems.

CuPy is imported where a library is used, since it needs a GPU then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import problems
from ..problems import Problem, Sizes

if TYPE_CHECKING:
    import cupy


@dataclass(frozen=True)
class Prepared:
    """`variants`: name -> what enqueues the work on the current stream. `fetch` copies the result into the
    problem's arrays."""

    variants: Mapping[str, Callable[[], object]]
    fetch: Callable[[], None]


@dataclass(frozen=True)
class Library:
    """A library's function on the problem that `make` makes, at `sizes`, beside the kernels of `topic`."""

    topic: str
    make: problems.Maker
    sizes: tuple[Sizes, ...]
    prepare: Callable[[Problem], Prepared]


def _matmul(dtype: str) -> Callable[[Problem], Prepared]:
    def prepare(problem: Problem) -> Prepared:
        import cupy

        a, b = (cupy.asarray(problem.arrays[name]).astype(dtype) for name in "AB")
        c = cupy.full(problem.arrays["C"].shape, np.nan, dtype)
        return Prepared({dtype: lambda: cupy.matmul(a, b, out=c)}, lambda: _fetch(c, problem.arrays["C"]))

    return prepare


def _copy(problem: Problem) -> Prepared:
    import cupy

    x, out = cupy.asarray(problem.arrays["x"]), cupy.full(problem.arrays["out"].shape, np.nan, np.float32)
    stream = cupy.cuda.get_current_stream

    def work() -> None:
        out.data.copy_from_device_async(x.data, x.nbytes, stream())

    return Prepared({"copy": work}, lambda: _fetch(out, problem.arrays["out"]))


def _add(problem: Problem) -> Prepared:
    import cupy

    a, b = (cupy.asarray(problem.arrays[name]) for name in "ab")
    out = cupy.full(a.shape, np.nan, np.float32)
    return Prepared({"add": lambda: cupy.add(a, b, out=out)}, lambda: _fetch(out, problem.arrays["out"]))


def _sum(problem: Problem) -> Prepared:
    import cupy

    x, total = cupy.asarray(problem.arrays["x"]), cupy.full((), np.nan, np.float32)
    return Prepared({"sum": lambda: x.sum(out=total)}, lambda: _fetch(total, problem.arrays["total"]))


def _transpose(problem: Problem) -> Prepared:
    import cupy
    from cupy.cublas import geam

    x = cupy.asarray(problem.arrays["in"])
    out = cupy.full(problem.arrays["out"].shape, np.nan, np.float32)
    unused = cupy.zeros_like(out)  # geam adds two matrices, of which one is multiplied with 0
    work = {"geam": lambda: geam("T", "N", 1.0, x, 0.0, unused, out)}
    return Prepared(work, lambda: _fetch(out, problem.arrays["out"]))


def _unfused(dtype: str) -> Callable[[Problem], Prepared]:
    """Attention by two products of cuBLAS with CuPy's kernels between them, through an N x N matrix."""

    def prepare(problem: Problem) -> Prepared:
        import cupy

        q, k, v = (cupy.asarray(problem.arrays[name]).astype(dtype) for name in "QKV")
        weights = cupy.empty((len(q), len(k)), dtype)
        out = cupy.full(q.shape, np.nan, dtype)
        work = {dtype: lambda: attend(cupy, q, k, v, weights, out)}
        return Prepared(work, lambda: _fetch(out, problem.arrays["O"]))

    return prepare


def attend(
    library: ModuleType,
    q: cupy.ndarray,
    k: cupy.ndarray,
    v: cupy.ndarray,
    weights: cupy.ndarray,
    out: cupy.ndarray,
) -> None:
    """out = softmax(q k^T / sqrt(head)) v, with N x N weights on the way; `library`: cupy, or numpy."""
    library.matmul(q * q.dtype.type(q.shape[1] ** -0.5), k.T, out=weights)
    weights -= weights.max(axis=1, keepdims=True)
    library.exp(weights, out=weights)
    library.matmul(weights, v, out=out)
    out /= weights.sum(axis=1, keepdims=True, dtype=np.float32)


_SPMV_ALGORITHMS = {"default": 0, "CSR_ALG1": 2, "CSR_ALG2": 3}
"""cusparseSpMVAlg_t."""


def _spmv(problem: Problem) -> Prepared:
    """By the low-level calls: CuPy's own product makes descriptors anew at each call, and fixes the
    algorithm."""
    import cupy
    import cupyx.scipy.sparse
    from cupy._core._dtype import to_cuda_dtype
    from cupy_backends.cuda.libs import cusparse
    from cupyx.cusparse import DnVecDescriptor, SpMatDescriptor

    arrays = {name: cupy.asarray(problem.arrays[name]) for name in ("values", "columns", "starts", "x", "y")}
    rows = problem.arrays["y"].size
    matrix = cupyx.scipy.sparse.csr_matrix(
        (arrays["values"], arrays["columns"], arrays["starts"]), shape=(rows, problem.arrays["x"].size)
    )
    handle, kind = cupy.cuda.device.get_cusparse_handle(), to_cuda_dtype(np.dtype(np.float32))
    one, zero = np.array(1, np.float32), np.array(0, np.float32)
    described = (SpMatDescriptor.create(matrix), *(DnVecDescriptor.create(arrays[name]) for name in "xy"))
    a, x, y = (each.desc for each in described)

    def call(algorithm: int) -> Callable[[], object]:
        settings: tuple[Any, ...] = (handle, 0, one.ctypes.data, a, x, zero.ctypes.data, y, kind, algorithm)
        workspace = cupy.empty(max(cusparse.spMV_bufferSize(*settings), 1), np.int8)
        return lambda: (cusparse.spMV(*settings, workspace.data.ptr), described)

    variants = {name: call(number) for name, number in _SPMV_ALGORITHMS.items()}
    return Prepared(variants, lambda: _fetch(arrays["y"], problem.arrays["y"]))


def _fetch(result: cupy.ndarray, place: np.ndarray) -> None:
    place[...] = result.get().reshape(place.shape)


def _n(*exponents: int) -> tuple[Sizes, ...]:
    return tuple({"n": 1 << exponent} for exponent in exponents)


_EDGES: tuple[Sizes, ...] = tuple({"N": edge} for edge in (256, 512, 1024, 2048, 4096))
_SQUARES: tuple[Sizes, ...] = tuple({"rows": edge, "cols": edge} for edge in (512, 1024, 2048, 4096, 8192))
_SEQUENCES: tuple[Sizes, ...] = tuple({"N": n} for n in (1024, 2048, 4096, 8192))

LIBRARIES: dict[str, Library] = {
    "cuBLAS, float32": Library("tiling", problems.tiling.matmul, _EDGES, _matmul("float32")),
    "cuBLAS, float16": Library("tiling", problems.tiling.matmul, _EDGES, _matmul("float16")),
    "device copy": Library("coalescing", problems.beside.copy, _n(*range(10, 27, 2)), _copy),
    "cuBLAS geam": Library("coalescing", problems.coalescing.transpose, _SQUARES, _transpose),
    "unfused: cuBLAS and CuPy, float32": Library(
        "flash_attention", problems.flash_attention.attention, _SEQUENCES, _unfused("float32")
    ),
    "unfused: cuBLAS and CuPy, float16": Library(
        "flash_attention", problems.flash_attention.attention, _SEQUENCES, _unfused("float16")
    ),
    "CuPy add": Library("execution_model", problems.execution_model.vector_add, _n(*range(10, 27, 2)), _add),
    "CuPy sum": Library("execution_model", problems.beside.total, _n(14, 20, 26), _sum),
    "cuSPARSE": Library("spmv", problems.spmv.product("spmv/csr_scalar"), problems.spmv.TIMED, _spmv),
}
"""What stands beside the kernels. cuSPARSE: the fastest of its algorithms for a product with a vector."""
