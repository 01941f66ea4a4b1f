"""Cases of the kernels on the memory hierarchy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .case import LENGTHS, Case, Maker, floats, out_of


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
        out, whole = out_of(1)
        place = (int(np.flatnonzero(order == 0)[0]) + warm + hops) % words
        last = order[place : place + 1]
        yield ring, out.view(np.uint32), whole, np.zeros(1, np.int64), warm, hops, last


def _bins(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        reading = rng.integers(0, 8, (16, n), np.int32)
        out, whole = out_of(8 * n)
        counts = np.stack([(reading == bin).sum(axis=0) for bin in range(8)])
        yield Case([reading, out.view(np.int32), n], {"n": n}, out.view(np.int32), whole, counts.reshape(-1))


def _table(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n, rounds in ((1, 0), (33, 1), (257, 40), (1000, 3)):
        place, (out, whole) = rng.integers(0, 32, n, np.int32), out_of(n)
        expected = sum((np.square((place + round) % 32) for round in range(rounds)), np.zeros(n))
        yield Case([place, out, rounds, n], {"n": n}, out, whole, expected)


def _reread(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n, rounds, elements in ((1, 0, 32), (33, 3, 64), (257, 40, 32), (1000, 3, 4096)):
        x, (out, whole) = rng.integers(0, 8, (elements, 4)).astype(np.float32), out_of(n)
        places = (np.arange(n)[:, None] + n * np.arange(rounds)) % elements
        expected = x.sum(axis=1)[places].sum(axis=1)
        yield Case([x, out, elements, rounds, n], {"n": n}, out, whole, expected)


def _lifetimes(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        blocks = -(-n // 64)
        out, whole = out_of(blocks)
        expected = np.bincount(np.arange(n) // 64)
        yield Case(
            [np.zeros(n, np.int32), out.view(np.int32), n], {"n": n}, out.view(np.int32), whole, expected
        )


def _variance(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in (1, 255, 256, 300):
        groups, count = -(-n // 256), values["VALUES"]
        x, (out, whole) = floats(rng, groups * count * 256), out_of(n)
        series = x.astype(np.float64).reshape(groups, count, 256).transpose(0, 2, 1).reshape(-1, count)[:n]
        expected = series.var(axis=1)
        yield Case([x, out, n], {"n": n}, out, whole, expected, 1e-5 * np.ones(n))


def _batch_product(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for rows, cols in ((1, 1), (256, 32), (257, 33), (40, 100)):
        batch = values["BATCH"]
        matrix, vectors = floats(rng, cols * rows), floats(rng, batch * cols)
        out, whole = out_of(batch * rows)
        expected = vectors.astype(np.float64).reshape(batch, cols) @ matrix.reshape(cols, rows)
        args = [matrix, vectors, out, rows, cols]
        tolerance = np.full(out.size, 1e-6 * cols)
        yield Case(args, {"rows": rows, "cols": cols}, out, whole, expected.reshape(-1), tolerance)


MAKERS: dict[str, Maker] = {
    "memory_hierarchy/batch_product": _batch_product,
    "memory_hierarchy/bins_local": _bins,
    "memory_hierarchy/bins_registers": _bins,
    "memory_hierarchy/bins_shared": _bins,
    "memory_hierarchy/lifetimes": _lifetimes,
    "memory_hierarchy/pointer_chase": _chase,
    "memory_hierarchy/reread": _reread,
    "memory_hierarchy/shared_chase": _shared_chase,
    "memory_hierarchy/table_constant": _table,
    "memory_hierarchy/table_device": _table,
    "memory_hierarchy/variance": _variance,
}
