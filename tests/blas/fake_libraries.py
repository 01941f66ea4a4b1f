"""CuPy's cuBLAS and nvmath's cublasLt for machines without a GPU: memory is the host's, NumPy multiplies."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace

import numpy as np

_KINDS = {0: np.float32, 1: np.float64, 2: np.float16}
_SCALES = {64: np.float16, 70: np.float64}


class FakeArray:
    """What cupy.asarray gives: a copy, with the address of its elements."""

    def __init__(self, content: object, kind: object = None) -> None:
        self.content = np.array(content, kind)
        self.data = SimpleNamespace(ptr=self.content.ctypes.data)

    def get(self) -> np.ndarray:
        return self.content


class FakeCublas:
    """The calls that course_utils.blas.gpu makes. `handles`: those that are open; `asked`: computeTypes."""

    def __init__(self) -> None:
        self.handles: list[int] = []
        self.asked: list[int] = []

    def create(self) -> int:
        self.handles.append(len(self.handles) + 7)
        return self.handles[-1]

    def destroy(self, handle: int) -> None:
        self.handles.remove(handle)

    def getVersion(self, handle: int) -> int:
        return 120900

    def sdot(self, handle: int, n: int, x: int, incx: int, y: int, incy: int, result: int) -> None:
        assert handle in self.handles
        _at(result, 1, np.float32)[0] = _vector(x, n, incx, np.float32) @ _vector(y, n, incy, np.float32)

    def dgemv(
        self, handle: int, trans: int, m: int, n: int, alpha: int, a: int, lda: int, x: int, incx: int,
        beta: int, y: int, incy: int,
    ) -> None:  # fmt: skip
        assert handle in self.handles
        matrix = _matrix(a, m, n, lda, np.float64)
        op = matrix.T if trans else matrix
        found = _vector(y, op.shape[0], incy, np.float64)
        scales = [float(_at(each, 1, np.float64)[0]) for each in (alpha, beta)]
        found[:] = scales[0] * op @ _vector(x, op.shape[1], incx, np.float64) + scales[1] * found

    def gemmEx(
        self, handle: int, transa: int, transb: int, m: int, n: int, k: int, alpha: int, a: int, atype: int,
        lda: int, b: int, btype: int, ldb: int, beta: int, c: int, ctype: int, ldc: int, compute: int,
        algo: int,
    ) -> None:  # fmt: skip
        assert handle in self.handles
        assert algo == -1
        self.asked.append(compute)
        scales = [float(_at(each, 1, _SCALES.get(compute, np.float32))[0]) for each in (alpha, beta)]
        _multiply(
            (transa, transb),
            (m, n, k),
            (a, b, c),
            (lda, ldb, ldc),
            scales,
            [_KINDS[t] for t in (atype, btype, ctype)],
        )

    def sgemmBatched(
        self, handle: int, transa: int, transb: int, m: int, n: int, k: int, alpha: int, a: int, lda: int,
        b: int, ldb: int, beta: int, c: int, ldc: int, count: int,
    ) -> None:  # fmt: skip
        assert handle in self.handles
        lists = (_at(each, count, np.uint64) for each in (a, b, c))
        scales = [float(_at(each, 1, np.float32)[0]) for each in (alpha, beta)]
        for three in zip(*lists, strict=True):
            places = tuple(int(each) for each in three)
            _multiply((transa, transb), (m, n, k), places, (lda, ldb, ldc), scales, [np.float32] * 3)

    def dgemmStridedBatched(
        self, handle: int, transa: int, transb: int, m: int, n: int, k: int, alpha: int, a: int, lda: int,
        stridea: int, b: int, ldb: int, strideb: int, beta: int, c: int, ldc: int, stridec: int, count: int,
    ) -> None:  # fmt: skip
        assert handle in self.handles
        scales = [float(_at(each, 1, np.float64)[0]) for each in (alpha, beta)]
        for i in range(count):
            places = tuple(p + 8 * i * s for p, s in ((a, stridea), (b, strideb), (c, stridec)))
            _multiply((transa, transb), (m, n, k), places, (lda, ldb, ldc), scales, [np.float64] * 3)


def _multiply(
    flags: tuple[int, int],
    sizes: tuple[int, int, int],
    places: tuple[int, ...],
    lds: tuple[int, ...],
    scales: list[float],
    kinds: list[type],
) -> None:
    m, n, k = sizes
    shapes = [(k, m) if flags[0] else (m, k), (n, k) if flags[1] else (k, n), (m, n)]
    a, b, c = (_matrix(p, *s, ld, kind) for p, s, ld, kind in zip(places, shapes, lds, kinds, strict=True))
    left, right = (each.T if flag else each for each, flag in zip((a, b), flags, strict=True))
    c[:] = scales[0] * (left.astype(np.float64) @ right) + (scales[1] * c if scales[1] else 0)


def _at(address: int, count: int, kind: type) -> np.ndarray:
    size = count * np.dtype(kind).itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(address), kind)


def _matrix(address: int, rows: int, columns: int, ld: int, kind: type) -> np.ndarray:
    buffer = _at(address, (columns - 1) * ld + rows, kind)
    size = np.dtype(kind).itemsize
    return np.lib.stride_tricks.as_strided(buffer, (rows, columns), (size, ld * size))


def _vector(address: int, n: int, step: int, kind: type) -> np.ndarray:
    return _at(address, (n - 1) * step + 1, kind)[::step]


class FakeMatmul:
    """nvmath's Matmul. `made`: all there were, with what was asked of each."""

    made: list[FakeMatmul]

    def __init__(
        self,
        a: np.ndarray,
        b: np.ndarray,
        *,
        options: dict[str, object],
        quantization_scales: dict[str, float] | None = None,
    ) -> None:
        self.operands, self.options = (a, b), options
        self.scales = quantization_scales
        self.streams: list[int | None] = []
        self.settings: dict[str, object] = {}
        self.freed = False
        self.made.append(self)

    def plan(self, **settings: object) -> None:
        self.settings = settings
        if settings.get("epilog") == "GELU_BIAS":
            raise RuntimeError("not for this layout")
        self.algorithms = settings.get("algorithms") or [
            SimpleNamespace(algorithm_id=66, tile=(128, 256), stages=(64, 3), split_k=parts)
            for parts in (1, 4)
        ]

    def autotune(self, *, iterations: int) -> None:
        assert iterations > 0
        self.algorithms = self.algorithms[::-1]

    def execute(self, stream: int | None = None) -> np.ndarray:
        assert not self.freed
        self.streams.append(stream)
        if self.scales:
            return self.operands[0] @ self.operands[1] * self.scales["a"] * self.scales["b"]
        found = self.operands[0] @ self.operands[1]
        bias = self.settings.get("epilog_inputs", {}).get("bias", 0)  # type: ignore[attr-defined]
        return np.maximum(found + bias, 0) if "RELU" in str(self.settings.get("epilog")) else found + bias

    def free(self) -> None:
        self.freed = True


def fake_advanced() -> SimpleNamespace:
    names = ("RELU", "BIAS", "RELU_BIAS", "GELU_BIAS")
    matmul = type("Matmul", (FakeMatmul,), {"made": []})
    return SimpleNamespace(Matmul=matmul, MatmulEpilog=SimpleNamespace(**{name: name for name in names}))
