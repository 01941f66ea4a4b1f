"""For every kernel of the course: arguments of many sizes, and what NumPy says must come out."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from course_utils import kernels

GUARD = 40
POISON = np.float32(-12345.0)
MATMULS = ("tiling/naive", "tiling/swapped", "tiling/tiled")

# Below, at, and above a warp, a block and a tile; no multiples; more than the smallest grids have threads.
LENGTHS = (1, 31, 32, 33, 257, 1000, 3001)
SQUARES = (1, 7, 32, 33, 50)
RECTANGLES = ((1, 1), (1, 40), (33, 31), (64, 32), (50, 71))


@dataclass(frozen=True)
class Case:
    """One launch. `out` lies in args, and in `whole` with GUARD elements of POISON on either side.

    expected: what out must hold; tolerance: how far each element may be from it, None for not at all.
    """

    args: list[object]
    sizes: dict[str, int]
    out: np.ndarray
    whole: np.ndarray
    expected: np.ndarray
    tolerance: np.ndarray | None = None

    def check(self) -> None:
        """Every element of out is right, and nothing beside it was written."""
        if self.tolerance is None:
            np.testing.assert_array_equal(self.out, self.expected)
        else:
            assert np.all(np.abs(self.out.astype(np.float64) - self.expected) <= self.tolerance)
        guards = np.concatenate([self.whole[:GUARD], self.whole[-GUARD:]])
        assert np.all(guards == POISON)


def tunables(name: str) -> list[dict[str, int]]:
    """Every combination of a kernel's legal values."""
    known = kernels.load(name).tunables
    values = itertools.product(*(tunable.values for tunable in known.values()))
    return [dict(zip(known, combination, strict=True)) for combination in values]


def cases(name: str, values: dict[str, int]) -> Iterator[Case]:
    """Launches of one kernel with given tunables: every size, with random numbers that are always the
    same."""
    yield from _MAKERS[name](values, np.random.default_rng(2026))


def _out(count: int) -> tuple[np.ndarray, np.ndarray]:
    whole = np.full(count + 2 * GUARD, POISON, np.float32)
    return whole[GUARD:-GUARD], whole


def _floats(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.standard_normal(count, dtype=np.float32)


def _vector_add(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        a, b, (out, whole) = _floats(rng, n), _floats(rng, n), _out(n)
        yield Case([a, b, out, n], {"n": n}, out, whole, a + b)


def _scale(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        x, (out, whole) = _floats(rng, n), _out(n)
        yield Case([x, out, np.float32(1.7), n], {"n": n}, out, whole, np.float32(1.7) * x)
    out, whole = _out(500)
    out[:] = _floats(rng, 500)
    yield Case([out, out, np.float32(1.7), 500], {"n": 500}, out, whole, np.float32(1.7) * out)


def _warp_sum(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        warps = -(-n // 32)
        x, (out, whole) = _floats(rng, n), _out(warps)
        lanes = np.zeros((warps, 32), np.float32)
        lanes.reshape(-1)[:n] = x
        for offset in (16, 8, 4, 2, 1):  # the order in which the lanes add
            lanes = lanes[:, :offset] + lanes[:, offset : 2 * offset]
        yield Case([x, out, n], {"n": n}, out, whole, lanes[:, 0])


def _reverse(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        x, (out, whole) = _floats(rng, n), _out(n)
        size = values["BLOCK"]
        expected = np.concatenate([x[start : start + size][::-1] for start in range(0, n, size)])
        yield Case([x, out, n], {"n": n}, out, whole, expected)


def _strided_copy(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n, stride, offset in ((1, 1, 0), (33, 0, 5), (100, 2, 1), (257, 7, 0), (1000, 32, 3)):
        x, (out, whole) = _floats(rng, offset + (n - 1) * stride + 1), _out(n)
        expected = x[offset + stride * np.arange(n)]
        yield Case([x, out, stride, offset, n], {"n": n}, out, whole, expected)


def _transpose(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for rows, cols in RECTANGLES:
        x, (out, whole) = _floats(rng, rows * cols), _out(rows * cols)
        expected = x.reshape(rows, cols).T.reshape(-1)
        yield Case([x, out, rows, cols], {"rows": rows, "cols": cols}, out, whole, expected)


def _element_copy(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        floats, whole = _out(16 * n)
        x, out = rng.integers(0, 256, floats.nbytes, np.uint8), floats.view(np.uint8)
        dtype = {1: np.uint8, 2: np.uint16}.get(values["ELEMENT"], np.float32)
        args = [x.view(dtype), out.view(dtype), x.nbytes]
        yield Case(args, {"bytes": x.nbytes}, out, whole, x)


def _array_of_structs(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        x, (out, whole) = _floats(rng, 8 * n).reshape(n, 8), _out(n)
        yield Case([x, out, n], {"n": n}, out, whole, _sums(x.T[: values["FIELDS"]]))


def _struct_of_arrays(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        x, (out, whole) = _floats(rng, 8 * n).reshape(8, n), _out(n)
        yield Case([x, out, n], {"n": n}, out, whole, _sums(x[: values["FIELDS"]]))


def _sums(fields: np.ndarray) -> np.ndarray:
    """One field after the other, as the kernels add them."""
    sums = np.zeros(fields.shape[1], np.float32)
    for field in fields:
        sums += field
    return sums


def _gather(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        x, (out, whole) = _floats(rng, 500), _out(n)
        index = rng.integers(0, x.size, n, np.int32)
        yield Case([x, index, out, n], {"n": n}, out, whole, x[index])


def _chase(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for ring, out, whole, cycles, warm, hops, last in _chases(rng):
        yield Case([ring, out, cycles, warm, hops], {}, out, whole, last)


def _shared_chase(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for ring, out, whole, cycles, warm, hops, last in _chases(rng):
        yield Case([ring, ring.size, out, cycles, warm, hops], {}, out, whole, last)


def _chases(rng: np.random.Generator) -> Iterator[tuple]:
    """(a ring through all its words, where the end of the chase goes, that with its guards, the clock's
    count, hops before and behind the start of the clock, the right end)."""
    for words, warm, hops in ((1, 0, 3), (32, 5, 0), (100, 100, 7), (2048, 300, 5000)):
        order = rng.permutation(words).astype(np.uint32)
        ring = np.empty(words, np.uint32)
        ring[order] = np.roll(order, -1)
        out, whole = _out(1)
        place = (int(np.flatnonzero(order == 0)[0]) + warm + hops) % words
        last = order[place : place + 1]
        yield ring, out.view(np.uint32), whole, np.zeros(1, np.int64), warm, hops, last


def _strided_read(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    words = values["WORDS"]
    for stride in (0, 1, 2, 7, 32, 33):
        x, (out, whole) = _floats(rng, 1024 * words), _out(32 * words)
        expected = x.reshape(1024, words)[stride * np.arange(32)].reshape(-1)
        yield Case([x, out, stride], {}, out, whole, expected)


def _paired_read(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    words, step = values["WORDS"], values["STEP"]
    x, (out, whole) = _floats(rng, 16 * words), _out(32 * words)
    pairs: dict[int, int] = {}
    for lane in range(32):  # a lane whose partner below has an element takes that, else the next one
        pairs[lane] = pairs[lane - step] if lane & step else len(set(pairs.values()))
    expected = x.reshape(16, words)[list(pairs.values())].reshape(-1)
    yield Case([x, out], {}, out, whole, expected)


def _strided_sum(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n, stride, rounds in ((1, 0, 3), (300, 7, 1), (257, 32, 1030), (256, 33, 0)):
        x, (out, whole) = rng.integers(0, 1000, 1280, np.int32), _out(n)
        places = (np.arange(n) % 32 * stride)[:, None] + np.arange(rounds)
        expected = sum(x[places % 1024 + 32 * k].sum(axis=1) for k in range(8))
        sums = out.view(np.int32)
        yield Case([x, sums, stride, rounds, n], {"n": n}, sums, whole, expected)


def _reduce(halves: bool) -> Callable[[dict[str, int], np.random.Generator], Iterator[Case]]:
    """Sums of a block in the order of its steps: the first half takes in the second, else neighbours are
    added."""

    def make(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
        block = values["BLOCK"]
        for n in LENGTHS:
            blocks = -(-n // block)
            x, (out, whole) = _floats(rng, n), _out(blocks)
            sums = np.zeros((blocks, block), np.float32)
            sums.reshape(-1)[:n] = x
            while (width := sums.shape[1]) > 1:
                half = width // 2
                sums = sums[:, :half] + sums[:, half:] if halves else sums[:, ::2] + sums[:, 1::2]
            yield Case([x, out, n], {"n": n}, out, whole, sums[:, 0])

    return make


def _matmul(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in SQUARES:
        a, b = (_floats(rng, n * n).reshape(n, n) for _ in range(2))
        out, whole = _out(n * n)
        wide, other = a.astype(np.float64), b.astype(np.float64)
        # Higham, Accuracy and Stability of Numerical Algorithms, 3.1: a sum of n products, in whatever
        # order, is off by at most n u / (1 - n u) times the sum of their magnitudes. Here u is 2^-24, and
        # n u is below 1e-5.
        bound = 1.001 * n * 2.0**-24 * (np.abs(wide) @ np.abs(other))
        yield Case([a, b, out, n], {"N": n}, out, whole, (wide @ other).reshape(-1), bound.reshape(-1))


_MAKERS: dict[str, Callable[[dict[str, int], np.random.Generator], Iterator[Case]]] = {
    "coalescing/array_of_structs": _array_of_structs,
    "coalescing/element_copy": _element_copy,
    "coalescing/gather": _gather,
    "coalescing/strided_copy": _strided_copy,
    "coalescing/struct_of_arrays": _struct_of_arrays,
    "coalescing/transpose_naive": _transpose,
    "coalescing/transpose_shared": _transpose,
    "execution_model/reverse": _reverse,
    "execution_model/scale": _scale,
    "execution_model/vector_add": _vector_add,
    "execution_model/warp_sum": _warp_sum,
    "memory_hierarchy/pointer_chase": _chase,
    "memory_hierarchy/shared_chase": _shared_chase,
    "bank_conflicts/strided_read": _strided_read,
    "bank_conflicts/paired_read": _paired_read,
    "bank_conflicts/strided_sum": _strided_sum,
    "bank_conflicts/transpose_swizzled": _transpose,
    "bank_conflicts/reduce_scattered": _reduce(halves=False),
    "bank_conflicts/reduce_interleaved": _reduce(halves=False),
    "bank_conflicts/reduce_sequential": _reduce(halves=True),
    "bank_conflicts/reduce_shuffle": _reduce(halves=True),
    **dict.fromkeys(MATMULS, _matmul),
}
