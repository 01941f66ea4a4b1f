"""Cases of the kernels of the execution model."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .case import LENGTHS, Case, Maker, floats, out_of


def _vector_add(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        a, b, (out, whole) = floats(rng, n), floats(rng, n), out_of(n)
        yield Case([a, b, out, n], {"n": n}, out, whole, a + b)


def _scale(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        x, (out, whole) = floats(rng, n), out_of(n)
        yield Case([x, out, np.float32(1.7), n], {"n": n}, out, whole, np.float32(1.7) * x)
    out, whole = out_of(500)
    out[:] = floats(rng, 500)
    yield Case([out, out, np.float32(1.7), 500], {"n": 500}, out, whole, np.float32(1.7) * out)


def _warp_sum(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        warps = -(-n // 32)
        x, (out, whole) = floats(rng, n), out_of(warps)
        lanes = np.zeros((warps, 32), np.float32)
        lanes.reshape(-1)[:n] = x
        for offset in (16, 8, 4, 2, 1):  # the order in which the lanes add
            lanes = lanes[:, :offset] + lanes[:, offset : 2 * offset]
        yield Case([x, out, n], {"n": n}, out, whole, lanes[:, 0])


def _reverse(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        x, (out, whole) = floats(rng, n), out_of(n)
        size = values["BLOCK"]
        expected = np.concatenate([x[start : start + size][::-1] for start in range(0, n, size)])
        yield Case([x, out, n], {"n": n}, out, whole, expected)


MAKERS: dict[str, Maker] = {
    "execution_model/reverse": _reverse,
    "execution_model/scale": _scale,
    "execution_model/vector_add": _vector_add,
    "execution_model/warp_sum": _warp_sum,
}
