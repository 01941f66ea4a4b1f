"""Chases through memory, counts in several places, tables, held readings, and products in batches."""

from __future__ import annotations

import numpy as np

from .problem import Problem, Setting, Sizes, empty, floats

LINE_BYTES = 128
"""Of a cache line: a chase visits one word of each."""


def pointer_chase(sizes: Sizes, random: np.random.Generator) -> Problem:
    """A ring through all lines of `bytes` of memory in random order: next[i] is where to go from word i.

    `warm` hops first and then `hops` that are timed: by default once around, and at most 2^19 and 2^18 hops.
    What the clock says is no result to compare, so `expected` holds only where the chase ends.
    """
    step = LINE_BYTES // 4
    lines = max(sizes["bytes"] // LINE_BYTES, 1)
    order = random.permutation(lines).astype(np.uint32) * step
    ring = np.zeros(lines * step, np.uint32)
    ring[order] = np.roll(order, -1)
    warm = sizes.get("warm", min(lines, 1 << 19))
    hops = sizes.get("hops", min(max(lines, 1 << 12), 1 << 18))
    start = int(np.flatnonzero(order == 0)[0])
    last = order[(start + warm + hops) % lines]
    arrays = {"next": ring, "last": np.zeros(1, np.uint32), "cycles": np.zeros(1, np.int64)}
    scalars = {"words": np.int32(ring.size), "warm": np.int32(warm), "hops": np.int32(hops)}
    return Problem(arrays, scalars, {"last": np.array([last], np.float64)}, "walk along the ring")


BINS, READINGS = 8, 16
"""Of the kernels that count: bins, and readings of a thread."""


def bins(sizes: Sizes, random: np.random.Generator) -> Problem:
    """How many of its 16 readings, each a bin from 0 to 7, each of n threads has in each bin.

    `alike` (by default 0): 1 for the same readings in all 32 lanes of a warp.
    """
    n = sizes["n"]
    if sizes.get("alike", 0):
        warps = random.integers(0, BINS, (READINGS, -(-n // 32)), np.int32)
        reading = np.ascontiguousarray(np.repeat(warps, 32, axis=1)[:, :n])
    else:
        reading = random.integers(0, BINS, (READINGS, n), np.int32)
    expected = {"bins": np.stack([(reading == bin).sum(axis=0) for bin in range(BINS)]).astype(np.float64)}
    arrays = {"reading": reading, "bins": np.full((BINS, n), np.iinfo(np.int32).max, np.int32)}
    moved = 4 * (READINGS + BINS) * n
    return Problem(arrays, {"n": np.int32(n)}, expected, "count of each bin", moved=moved)


TABLE = 32
"""Squares in the table of table_device and table_constant."""


def table(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The sum of `rounds` squares of a table of 32, from a place on, for n threads.

    `different` (by default 1): how many different places the lanes of a warp begin at, a divisor of 32.
    """
    n, rounds = sizes["n"], sizes["rounds"]
    place = (np.arange(n) % sizes.get("different", 1)).astype(np.int32)
    squares = np.square(np.arange(TABLE, dtype=np.float64))
    sums = np.array([squares[(at + np.arange(rounds)) % TABLE].sum() for at in range(TABLE)])
    arrays = {"place": place, "sums": empty(n)}
    scalars = {"rounds": np.int32(rounds), "n": np.int32(n)}
    return Problem(arrays, scalars, {"sums": sums[place]}, "sums of squares")


def reread(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The sum of `rounds` elements of four whole numbers, round a buffer of `elements`, for n threads."""
    n, rounds, elements = sizes["n"], sizes["rounds"], sizes["elements"]
    source = random.integers(0, 8, (elements, 4)).astype(np.float32)
    totals = source.sum(axis=1, dtype=np.float64)
    at = np.arange(n, dtype=np.uint32)
    sums = np.zeros(n)
    for _ in range(rounds):
        sums += totals[at & np.uint32(elements - 1)]
        at += np.uint32(n)
    arrays = {"in": source, "sums": empty(n)}
    scalars = {"elements": np.int32(elements), "rounds": np.int32(rounds), "n": np.int32(n)}
    return Problem(arrays, scalars, {"sums": sums}, "sums around the buffer")


def lifetimes(sizes: Sizes, random: np.random.Generator) -> Problem:
    """Each of n threads counts itself once, and each block its threads, 64 at most."""
    n, of_block = sizes["n"], 64
    blocks = -(-n // of_block)
    unwritten = np.iinfo(np.int32).max
    names = {"by_thread": n, "by_block": blocks}
    arrays = {name: np.full(size, unwritten, np.int32) for name, size in names.items()}
    in_block = np.minimum(n - of_block * np.arange(blocks), of_block).astype(np.float64)
    expected = {"by_thread": np.ones(n), "by_block": in_block}
    return Problem(arrays, {"n": np.int32(n)}, expected, "count of threads")


def variance(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The variance of n series of VALUES readings; 32 is the kernel's default."""
    n, values = sizes["n"], sizes.get("VALUES", 32)
    readings = floats(random, -(-n // 256), values, 256)
    deviations = readings.astype(np.float64).transpose(0, 2, 1).reshape(-1, values)[:n]
    expected = {"out": deviations.var(axis=1)}
    arrays = {"in": readings, "out": empty(n)}
    return Problem(arrays, {"n": np.int32(n)}, expected, "var", moved=4 * (values + 1) * n)


def batch_product(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The product of a matrix of rows x cols with BATCH vectors; 4 is the kernel's default."""
    rows, cols, batch = sizes["rows"], sizes["cols"], sizes.get("BATCH", 4)
    columns, vectors = floats(random, cols, rows), floats(random, batch, cols)
    expected = {"Y": vectors.astype(np.float64) @ columns.astype(np.float64)}
    arrays = {"A": columns, "X": vectors, "Y": empty(batch, rows)}
    scalars = {"rows": np.int32(rows), "cols": np.int32(cols)}
    moved = 4 * (rows * cols + batch * (rows + cols))
    return Problem(arrays, scalars, expected, "X @ A", batch * rows * cols, moved)


_CHASE = Setting(
    pointer_chase,
    counted=({"bytes": 8192, "warm": 10, "hops": 100}, {"bytes": 128, "warm": 0, "hops": 7}),
    shaping=frozenset({"bytes"}),
)
_BINS = Setting(
    bins,
    tuple({"n": 1 << 22, "alike": alike} for alike in (1, 0)),
    ({"n": 1000, "alike": 0}, {"n": 1024, "alike": 1}),
    shaping=frozenset({"alike"}),
)
_EVERYWHERE = 270336
"""Threads that fill an H200: 2,048, as many as it has places for, on each of 132 SMs."""
_TABLE = Setting(
    table,
    tuple({"n": _EVERYWHERE, "rounds": 1024, "different": each} for each in (2, 4, 8, 16, 32, 1)),
    tuple({"n": n, "rounds": 5, "different": each} for n, each in ((1000, 1), (1024, 32), (777, 4))),
    shaping=frozenset({"different"}),
)
# From 64 KB to 512 MB.
_REREAD = Setting(
    reread,
    tuple({"elements": 1 << each, "rounds": 1024, "n": _EVERYWHERE} for each in (*range(13, 26, 2), 12)),
    ({"elements": 64, "rounds": 5, "n": 1000}, {"elements": 256, "rounds": 4, "n": 512}),
)
SETTINGS = {
    "memory_hierarchy/reread": _REREAD,
    "memory_hierarchy/pointer_chase": _CHASE,
    "memory_hierarchy/shared_chase": _CHASE,
    "memory_hierarchy/bins_local": _BINS,
    "memory_hierarchy/bins_registers": _BINS,
    "memory_hierarchy/bins_shared": _BINS,
    "memory_hierarchy/table_device": _TABLE,
    "memory_hierarchy/table_constant": _TABLE,
    "memory_hierarchy/lifetimes": Setting(lifetimes, counted=({"n": 200}, {"n": 256}, {"n": 1})),
    "memory_hierarchy/variance": Setting(
        variance, ({"n": 1 << 19},), ({"n": 512}, {"n": 300}), by_tunables=True
    ),
    "memory_hierarchy/batch_product": Setting(
        batch_product,
        ({"rows": 1 << 17, "cols": 1024},),
        ({"rows": 300, "cols": 70}, {"rows": 512, "cols": 256}),
        by_tunables=True,
    ),
}
