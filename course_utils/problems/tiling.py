"""Matrix products."""

from __future__ import annotations

import numpy as np

from .problem import Problem, Setting, Sizes, empty


def matmul(sizes: Sizes, random: np.random.Generator) -> Problem:
    """C = A B for N x N matrices, values from -1 to 1."""
    edge = sizes["N"]
    a, b = (random.uniform(-1, 1, (edge, edge)).astype(np.float32) for _ in range(2))
    return Problem(
        arrays={"A": a, "B": b, "C": empty(edge, edge)},
        scalars={"N": np.int32(edge)},
        expected={"C": a.astype(np.float64) @ b.astype(np.float64)},
        told="A @ B",
        operations=edge**3,
        moved=12 * edge**2,
    )


_TIMED: tuple[Sizes, ...] = tuple({"N": edge} for edge in (256, 512, 1024, 2048, 4096))
_COUNTED: tuple[Sizes, ...] = ({"N": 100}, {"N": 64}, {"N": 96}, {"N": 33})

SETTINGS = {
    "tiling": Setting(matmul, _TIMED, _COUNTED, every_size=True),
    "tiling/barriers": Setting(matmul, counted=_COUNTED[:2], faulty={"FIRST": 0, "SECOND": 0}),
    "tiling/rectangular": Setting(matmul, _TIMED[-1:], _COUNTED),
    # Rows of whole float4s only.
    "tiling/vectorised": Setting(matmul, _TIMED, _COUNTED[:3], every_size=True),
}
