"""Cases of the matrix products."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .case import Case, Maker, floats, out_of

SQUARES = (1, 7, 32, 33, 50, 70)
ALIGNED = (4, 32, 36, 52, 68)


def _matmul(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    yield from _products(SQUARES, rng)


def _aligned(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    """Rows of whole float4s."""
    yield from _products(ALIGNED, rng)


def _products(sizes: Sequence[int], rng: np.random.Generator) -> Iterator[Case]:
    for n in sizes:
        a, b = (floats(rng, n * n).reshape(n, n) for _ in range(2))
        out, whole = out_of(n * n)
        wide, other = a.astype(np.float64), b.astype(np.float64)
        # Higham, Accuracy and Stability of Numerical Algorithms, 3.1: a sum of n products, in whatever
        # order, is off by at most n u / (1 - n u) times the sum of their magnitudes. Here u is 2^-24, and
        # n u is below 1e-5.
        bound = 1.001 * n * 2.0**-24 * (np.abs(wide) @ np.abs(other))
        yield Case([a, b, out, n], {"N": n}, out, whole, (wide @ other).reshape(-1), bound.reshape(-1))


MAKERS: dict[str, Maker] = {
    "tiling/barriers": _matmul,
    "tiling/naive": _matmul,
    "tiling/rectangular": _matmul,
    "tiling/register_blocked": _matmul,
    "tiling/swapped": _matmul,
    "tiling/tiled": _matmul,
    "tiling/vectorised": _aligned,
}
