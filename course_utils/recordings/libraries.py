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
from ..blas import lt
from ..problems import Problem, Sizes

if TYPE_CHECKING:
    import cupy


_ONE, _ZERO = np.array(1, np.float32), np.array(0, np.float32)
"""alpha and beta. A library takes their addresses, so they live as long as its calls."""


class LibraryMissing(Exception):
    """A library that the course does not bring along is not installed; the text says how to get it."""


@dataclass(frozen=True)
class Prepared:
    """`variants`: name -> what enqueues the work on the current stream. `fetch` copies the result into the
    problem's arrays."""

    variants: Mapping[str, Callable[[], object]]
    fetch: Callable[[], None]


@dataclass(frozen=True)
class Library:
    """A library's function on the problem that `make` makes, at `sizes`, beside the kernels of `topic`.

    `error`: more than a right result is off by; by default more than any sum of products of float16 values,
    with sums in float32.
    """

    topic: str
    make: problems.Maker
    sizes: tuple[Sizes, ...]
    prepare: Callable[[Problem], Prepared]
    error: float = 1e-2


def _matmul(dtype: str) -> Callable[[Problem], Prepared]:
    def prepare(problem: Problem) -> Prepared:
        import cupy

        a, b = (cupy.asarray(problem.arrays[name]).astype(dtype) for name in "AB")
        c = cupy.full(problem.arrays["C"].shape, np.nan, dtype)
        return Prepared({dtype: lambda: cupy.matmul(a, b, out=c)}, lambda: _fetch(c, problem.arrays["C"]))

    return prepare


def _gemm_ex(compute: str, dtype: str = "float32") -> Callable[[Problem], Prepared]:
    """cublasGemmEx with a compute type. What lies by rows is the transpose by columns, so C' = B' A'."""

    def prepare(problem: Problem) -> Prepared:
        import cupy
        from cupy.cuda import runtime
        from cupy_backends.cuda.libs import cublas

        a, b = (cupy.asarray(problem.arrays[name]).astype(dtype) for name in "AB")
        c = cupy.full(problem.arrays["C"].shape, np.nan, dtype)
        handle, edge = cupy.cuda.device.get_cublas_handle(), c.shape[0]
        kind = runtime.CUDA_R_16F if dtype == "float16" else runtime.CUDA_R_32F
        sums = np.float16 if compute.startswith("16F") else np.float32
        one, zero = np.array(1, sums), np.array(0, sums)
        number = getattr(cublas, f"CUBLAS_COMPUTE_{compute}")

        def work() -> None:
            cublas.gemmEx(
                handle, cublas.CUBLAS_OP_N, cublas.CUBLAS_OP_N, edge, edge, edge, one.ctypes.data, b.data.ptr,
                kind, edge, a.data.ptr, kind, edge, zero.ctypes.data, c.data.ptr, kind, edge, number,
                cublas.CUBLAS_GEMM_DEFAULT,
            )  # fmt: skip

        return Prepared({compute: work}, lambda: _fetch(c, problem.arrays["C"]))

    return prepare


def _batch(how: str) -> Callable[[Problem], Prepared]:
    """Many small products: a call for each, a list of pointers, or one stride."""

    def prepare(problem: Problem) -> Prepared:
        import cupy
        from cupy_backends.cuda.libs import cublas

        a, b = (cupy.asarray(problem.arrays[name]) for name in "AB")
        c = cupy.full(problem.arrays["C"].shape, np.nan, np.float32)
        count, edge, _ = c.shape
        handle, stride = cupy.cuda.device.get_cublas_handle(), edge * edge
        one, zero = _ONE.ctypes.data, _ZERO.ctypes.data
        flags = (handle, cublas.CUBLAS_OP_N, cublas.CUBLAS_OP_N, edge, edge, edge, one)
        starts = {
            name: [each.data.ptr + 4 * stride * i for i in range(count)]
            for name, each in (("a", a), ("b", b), ("c", c))
        }
        pointers = {name: cupy.asarray(each, np.uint64) for name, each in starts.items()}
        triples = list(zip(starts["b"], starts["a"], starts["c"], strict=True))

        def one_by_one() -> None:
            for left, right, result in triples:
                cublas.sgemm(*flags, left, edge, right, edge, zero, result, edge)

        def batched() -> None:
            left, right, result = (pointers[name].data.ptr for name in "bac")
            cublas.sgemmBatched(*flags, left, edge, right, edge, zero, result, edge, count)

        def strided() -> None:
            left, right, result = (each.data.ptr for each in (b, a, c))
            cublas.sgemmStridedBatched(
                *flags, left, edge, stride, right, edge, stride, zero, result, edge, stride, count
            )

        work = {"one by one": one_by_one, "batched": batched, "strided": strided}[how]
        return Prepared({how: work}, lambda: _fetch(c, problem.arrays["C"]))

    return prepare


def _layer(
    fused: bool = True, tuned: bool = False, workspace: str = lt.WORKSPACE
) -> Callable[[Problem], Prepared]:
    """max(A B + bias, 0) by cublasLt: in its epilogue, or in one pass over the result behind it.

    tuned: by the fastest of the algorithms that the heuristic proposes, and not by the first.
    """

    def prepare(problem: Problem) -> Prepared:
        import cupy

        # The arrays hold the columns of the matrices, so their transposes are the matrices, by columns.
        a, b = (cupy.asarray(problem.arrays[name]).T for name in "AB")
        bias = cupy.asarray(problem.arrays["bias"]).reshape(-1, 1)
        planned = lt.Planner(workspace).plan(a, b, *(("ReLU and bias", bias) if fused else ()))
        if tuned:
            planned.tune()
        behind = cupy.ElementwiseKernel("float32 bias", "float32 c", "c = max(c + bias, 0.0f)", "bias_relu")
        results = [planned.run()]

        def work() -> None:
            results[0] = planned.run()
            if not fused:
                behind(bias.T, results[0].T)  # by rows, or CuPy's kernel would go against the order in memory

        return Prepared(
            {"epilogue" if fused else "pass": work}, lambda: _fetch(results[0].T, problem.arrays["C"])
        )

    return prepare


def _fp8(problem: Problem) -> Prepared:
    """A B by cublasLt with FP8 inputs, which are rounded and scaled before. Needs PyTorch."""
    import cupy

    planned = lt.Planner().plan_fp8(*(cupy.asarray(problem.arrays[name]) for name in "AB"))
    results = [planned.run()]

    def work() -> None:
        results[0] = planned.run(cupy.cuda.get_current_stream().ptr)

    def fetch() -> None:
        problem.arrays["C"][...] = results[0].cpu().numpy()

    return Prepared({"FP8": work}, fetch)


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


def _torch_attention(problem: Problem) -> Prepared:
    """PyTorch's FlashAttention kernel, as scaled_dot_product_attention runs it."""
    import cupy

    try:
        import torch
    except ImportError as error:
        raise LibraryMissing(f"needs PyTorch ({error}): python -m pip install torch") from None

    q, k, v = (
        torch.from_dlpack(cupy.asarray(problem.arrays[name]).astype("float16"))[None, None] for name in "QKV"
    )  # a batch of one, with one head
    results = [torch.full_like(q, float("nan"))]
    attention = torch.ops.aten._scaled_dot_product_flash_attention  # what PyTorch's own function then calls

    def work() -> None:
        torch.cuda.set_stream(torch.cuda.ExternalStream(cupy.cuda.get_current_stream().ptr))
        results[0] = attention(q, k, v)[0]

    def fetch() -> None:
        problem.arrays["O"][...] = results[0][0, 0].cpu().numpy()

    return Prepared({"FlashAttention": work}, fetch)


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
    described = (SpMatDescriptor.create(matrix), *(DnVecDescriptor.create(arrays[name]) for name in "xy"))
    a, x, y = (each.desc for each in described)

    def call(algorithm: int) -> Callable[[], object]:
        settings: tuple[Any, ...] = (handle, 0, _ONE.ctypes.data, a, x, _ZERO.ctypes.data, y, kind, algorithm)
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
_BATCHES: tuple[Sizes, ...] = ({"count": 1024, "edge": 32}, {"count": 256, "edge": 128})
_LAYERS: tuple[Sizes, ...] = ({"m": 4096, "n": 4096, "k": 256}, {"m": 4096, "n": 4096, "k": 4096})
_LONG_SUMS: tuple[Sizes, ...] = ({"m": 256, "n": 256, "k": 16384}, {"m": 512, "n": 512, "k": 16384})
"""Few results and long sums: what splitting k is for."""

LIBRARIES: dict[str, Library] = {
    "cuBLAS, float32": Library("tiling", problems.tiling.matmul, _EDGES, _matmul("float32")),
    "cuBLAS, float16": Library("tiling", problems.tiling.matmul, _EDGES, _matmul("float16")),
    "device copy": Library("coalescing", problems.beside.copy, _n(*range(10, 27, 2)), _copy),
    "cuBLAS, float64": Library("cublas", problems.tiling.matmul, _EDGES[2:], _matmul("float64")),
    "cuBLAS, TF32": Library("cublas", problems.tiling.matmul, _EDGES[2:], _gemm_ex("32F_FAST_TF32")),
    "cuBLAS, float16 with sums in float16": Library(
        "cublas", problems.tiling.matmul, _EDGES[2:], _gemm_ex("16F", "float16"), error=0.1
    ),
    "cublasLt, FP8": Library("cublas", problems.tiling.matmul, _EDGES[2:], _fp8, error=0.1),
    "cuBLAS gemm, a call for each": Library("cublas", problems.cublas.batch, _BATCHES, _batch("one by one")),
    "cuBLAS gemmBatched": Library("cublas", problems.cublas.batch, _BATCHES, _batch("batched")),
    "cuBLAS gemmStridedBatched": Library("cublas", problems.cublas.batch, _BATCHES, _batch("strided")),
    "cublasLt, bias and ReLU in the epilogue": Library(
        "cublas", problems.cublas.gemm_bias_relu, _LAYERS, _layer()
    ),
    "cublasLt, bias and ReLU in the epilogue, tuned": Library(
        "cublas", problems.cublas.gemm_bias_relu, _LAYERS, _layer(tuned=True)
    ),
    "cublasLt, bias and ReLU in a pass of their own": Library(
        "cublas", problems.cublas.gemm_bias_relu, _LAYERS, _layer(fused=False)
    ),
    f"cublasLt, a workspace of {lt.WORKSPACE}": Library(
        "cublas", problems.cublas.gemm_bias_relu, _LONG_SUMS, _layer(tuned=True)
    ),
    "cublasLt, no workspace": Library(
        "cublas", problems.cublas.gemm_bias_relu, _LONG_SUMS, _layer(tuned=True, workspace=lt.NO_WORKSPACE)
    ),
    "cuBLAS geam": Library("coalescing", problems.coalescing.transpose, _SQUARES, _transpose),
    "unfused: cuBLAS and CuPy, float32": Library(
        "flash_attention", problems.flash_attention.attention, _SEQUENCES, _unfused("float32")
    ),
    "unfused: cuBLAS and CuPy, float16": Library(
        "flash_attention", problems.flash_attention.attention, _SEQUENCES, _unfused("float16")
    ),
    "PyTorch, fused attention, float16": Library(
        "flash_attention", problems.flash_attention.attention, _SEQUENCES, _torch_attention
    ),
    "CuPy add": Library("execution_model", problems.execution_model.vector_add, _n(*range(10, 27, 2)), _add),
    "CuPy sum": Library("execution_model", problems.beside.total, _n(14, 20, 26), _sum),
    "cuSPARSE": Library("spmv", problems.spmv.product("spmv/csr_scalar"), problems.spmv.TIMED, _spmv),
}
"""What stands beside the kernels. cuSPARSE: the fastest of its algorithms for a product with a vector."""
