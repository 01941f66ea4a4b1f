"""Cases of the matrix products."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .case import Case, Maker, floats, out_of

SQUARES = (1, 7, 32, 33, 50)


def _matmul(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in SQUARES:
        a, b = (floats(rng, n * n).reshape(n, n) for _ in range(2))
        out, whole = out_of(n * n)
        wide, other = a.astype(np.float64), b.astype(np.float64)
        # Higham, Accuracy and Stability of Numerical Algorithms, 3.1: a sum of n products, in whatever
        # order, is off by at most n u / (1 - n u) times the sum of their magnitudes. Here u is 2^-24, and
        # n u is below 1e-5.
        bound = 1.001 * n * 2.0**-24 * (np.abs(wide) @ np.abs(other))
        yield Case([a, b, out, n], {"N": n}, out, whole, (wide @ other).reshape(-1), bound.reshape(-1))


MAKERS: dict[str, Maker] = {
    "tiling/naive": _matmul,
    "tiling/swapped": _matmul,
    "tiling/tiled": _matmul,
}
