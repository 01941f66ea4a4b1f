"""Cases of the kernels on coalescing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .case import LENGTHS, Case, Maker, floats, out_of

RECTANGLES = ((1, 1), (1, 40), (33, 31), (64, 32), (50, 71))


def _strided_copy(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n, stride, offset in ((1, 1, 0), (33, 0, 5), (100, 2, 1), (257, 7, 0), (1000, 32, 3)):
        x, (out, whole) = floats(rng, offset + (n - 1) * stride + 1), out_of(n)
        expected = x[offset + stride * np.arange(n)]
        yield Case([x, out, stride, offset, n], {"n": n}, out, whole, expected)


def transpose(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for rows, cols in RECTANGLES:
        x, (out, whole) = floats(rng, rows * cols), out_of(rows * cols)
        expected = x.reshape(rows, cols).T.reshape(-1)
        yield Case([x, out, rows, cols], {"rows": rows, "cols": cols}, out, whole, expected)


def _element_copy(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        floats, whole = out_of(16 * n)
        x, out = rng.integers(0, 256, floats.nbytes, np.uint8), floats.view(np.uint8)
        dtype = {1: np.uint8, 2: np.uint16}.get(values["ELEMENT"], np.float32)
        args = [x.view(dtype), out.view(dtype), x.nbytes]
        yield Case(args, {"bytes": x.nbytes}, out, whole, x)


def _array_of_structs(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        x, (out, whole) = floats(rng, 8 * n).reshape(n, 8), out_of(n)
        yield Case([x, out, n], {"n": n}, out, whole, _sums(x.T[: values["FIELDS"]]))


def _struct_of_arrays(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        x, (out, whole) = floats(rng, 8 * n).reshape(8, n), out_of(n)
        yield Case([x, out, n], {"n": n}, out, whole, _sums(x[: values["FIELDS"]]))


def _sums(fields: np.ndarray) -> np.ndarray:
    """One field after the other, as the kernels add them."""
    sums = np.zeros(fields.shape[1], np.float32)
    for field in fields:
        sums += field
    return sums


def _gather(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        x, (out, whole) = floats(rng, 500), out_of(n)
        index = rng.integers(0, x.size, n, np.int32)
        yield Case([x, index, out, n], {"n": n}, out, whole, x[index])


MAKERS: dict[str, Maker] = {
    "coalescing/array_of_structs": _array_of_structs,
    "coalescing/element_copy": _element_copy,
    "coalescing/gather": _gather,
    "coalescing/strided_copy": _strided_copy,
    "coalescing/struct_of_arrays": _struct_of_arrays,
    "coalescing/transpose_naive": transpose,
    "coalescing/transpose_shared": transpose,
}
