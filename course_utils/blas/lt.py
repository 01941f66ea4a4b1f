"""cublasLt on a GPU, through NVIDIA's nvmath-python: describe a product, ask for algorithms, run one.

    planner = lt.Planner()
    with planner.plan(a, b, "ReLU and bias", bias) as planned:     # of CuPy; bias of shape (rows, 1)
        planned.algorithms                                         # as the heuristic has ordered them
        result = planned.run()

The steps of the C interface, and who does them here: a handle and descriptors of the matrices and of the
product (the constructor of Matmul), the heuristic (its method plan), the product (execute), giving back
(free).
https://docs.nvidia.com/cuda/nvmath-python/latest/host-apis/linalg/
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Self

from .formats import FORMATS

if TYPE_CHECKING:
    import cupy
    from nvmath.linalg.advanced import Matmul

EPILOGUES = {
    "": None,
    "ReLU": "RELU",
    "bias": "BIAS",
    "ReLU and bias": "RELU_BIAS",
    "GELU and bias": "GELU_BIAS",
}
"""What is done to a result before it is written -> nvmath's name of it, that of CUBLASLT_EPILOGUE_."""
WORKSPACE = "32 MiB"
"""How much memory of its own an algorithm may want: with more, some that split k come into question."""
NO_WORKSPACE = "0 B"


class LtError(Exception):
    """cublasLt cannot be used here, or not so."""


@dataclass(frozen=True)
class Algorithm:
    """One that the heuristic proposes: cublasLt's numbers for it. `split_k`: parts of k computed apart, and
    added up through the workspace."""

    number: int
    tile: tuple[int | str, ...]
    stages: tuple[int | str, ...]
    split_k: int


class Planner:
    """Plans products, and keeps what the heuristic found: a second product of the same shapes, types and
    epilogue asks it no more. `asked`: how often it was asked.
    """

    def __init__(self, workspace: str = WORKSPACE) -> None:
        self._advanced = library()
        self._workspace = workspace
        self._found: dict[tuple[object, ...], object] = {}
        self.asked = 0

    def plan(
        self, a: cupy.ndarray, b: cupy.ndarray, epilogue: str = "", bias: cupy.ndarray | None = None
    ) -> Planned:
        """The product of two matrices on the GPU, ready to run. Raises LtError for an epilogue that is not
        known, or whose bias is missing."""
        if epilogue not in EPILOGUES:
            raise LtError(f"there is no epilogue {epilogue!r}; there is {', '.join(filter(None, EPILOGUES))}")
        if ("bias" in epilogue) != (bias is not None):
            raise LtError(f"the epilogue {epilogue!r} and a bias of {bias!r} do not go together")
        key = (a.shape, a.strides, b.shape, b.strides, str(a.dtype), epilogue)
        product = self._advanced.Matmul(a, b, options={"memory_limit": self._workspace})
        settings: dict[str, object] = {}
        if name := EPILOGUES[epilogue]:
            settings["epilog"] = getattr(self._advanced.MatmulEpilog, name)
        if bias is not None:
            settings["epilog_inputs"] = {"bias": bias}
        if key in self._found:
            settings["algorithms"] = self._found[key]
        try:
            product.plan(**settings)
        except BaseException:
            product.free()
            raise
        if key not in self._found:
            self.asked += 1
            self._found[key] = product.algorithms
        return Planned(product, lambda algorithms: self._found.update({key: algorithms}))

    def plan_fp8(self, a: cupy.ndarray, b: cupy.ndarray) -> Planned:
        """The product of two float32 matrices, rounded to FP8 (E4M3); the result is a float16 tensor of
        PyTorch.

        Each matrix is scaled, so that its largest number is the format's. All sizes must be multiples of 16,
        and the GPU's compute capability 8.9 or more. Raises LtError without PyTorch, which has such matrices.
        """
        try:
            import torch
        except ImportError as error:
            raise LtError(f"FP8 needs PyTorch ({error}): python -m pip install torch") from None
        from nvmath import CudaDataType

        most = FORMATS["FP8 (E4M3)"].largest
        scales = {name: float(abs(each).max()) / most for name, each in (("a", a), ("b", b))}
        # A lies by rows and B by columns, as cublasLt wants it of FP8.
        left, right = (
            torch.from_dlpack((each / scale).astype("float32").copy(order="C")).to(torch.float8_e4m3fn)
            for each, scale in ((a, scales["a"]), (b.T, scales["b"]))
        )
        options = {"memory_limit": self._workspace, "result_type": CudaDataType.CUDA_R_16F}
        product = self._advanced.Matmul(left, right.T, quantization_scales=scales, options=options)
        try:
            product.plan()
        except BaseException:
            product.free()
            raise
        self.asked += 1
        return Planned(product, lambda algorithms: None)


class Planned:
    """A product with its descriptors and algorithms; `with` gives back at the end what it holds.

    keep: is given the algorithms in a new order.
    """

    def __init__(self, product: Matmul, keep: Callable[[object], None]) -> None:
        self._product, self._keep = product, keep

    @property
    def algorithms(self) -> tuple[Algorithm, ...]:
        return tuple(
            Algorithm(each.algorithm_id, _tuple(each.tile), _tuple(each.stages), each.split_k)
            for each in self._product.algorithms
        )

    def tune(self, repeats: int = 5) -> None:
        """Time the algorithms, and order them by that, also for later plans of the same product."""
        self._product.autotune(iterations=repeats)
        self._keep(self._product.algorithms)

    def run(self, stream: int | None = None) -> cupy.ndarray:
        """The result, on the GPU; the call may return before it is there. stream: CUDA's handle of the one to
        queue it in, by default the current one of the matrices' package."""
        return self._product.execute() if stream is None else self._product.execute(stream=stream)

    def free(self) -> None:
        self._product.free()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.free()


def _tuple(value: tuple[int | str, ...] | str) -> tuple[int | str, ...]:
    """Also what nvmath has no pair of numbers for, such as "UNDEFINED"."""
    return value if isinstance(value, tuple) else (value,)


def library() -> ModuleType:
    """nvmath's module for it. Raises LtError where it is not installed."""
    try:
        from nvmath.linalg import advanced
    except ImportError as error:
        raise LtError(f"nvmath-python is missing ({error}): python -m pip install nvmath-python") from None
    return advanced
