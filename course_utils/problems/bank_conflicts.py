"""Reads of shared memory in all kinds of order, and sums of blocks."""

from __future__ import annotations

import numpy as np

from .coalescing import MATRICES, SQUARES, transpose
from .execution_model import SMALL
from .problem import Problem, Setting, Sizes, empty, floats, powers


def strided_read(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The 32 of 1024 elements that lie `stride` apart; an element is WORDS floats, 1 by default."""
    stride, words = sizes.get("stride", 1), sizes.get("WORDS", 1)
    source = floats(random, 1024, words)
    wanted = source[stride * np.arange(32)]
    arrays = {"in": source, "out": empty(32, words)}
    scalars = {"stride": np.int32(stride)}
    return Problem(arrays, scalars, {"out": wanted.astype(np.float64)}, "in[stride * arange(32)]")


def paired_read(sizes: Sizes, random: np.random.Generator) -> Problem:
    """Each of 16 elements twice, STEP (default 1) places apart; an element is WORDS (default 2) floats."""
    step, words = sizes.get("STEP", 1), sizes.get("WORDS", 2)
    source = floats(random, 16, words)
    groups = source.reshape(16 // step, 1, step * words)
    wanted = np.tile(groups, (1, 2, 1)).reshape(32, words)
    arrays = {"in": source, "out": empty(32, words)}
    return Problem(arrays, {}, {"out": wanted.astype(np.float64)}, "tile of in")


def strided_sum(sizes: Sizes, random: np.random.Generator) -> Problem:
    """For each of n threads the sum of `rounds` times 8 of 1280 integers, as the kernel's head says."""
    n, stride, rounds = sizes["n"], sizes.get("stride", 1), sizes.get("rounds", 1)
    words = random.integers(0, 1000, 1280, np.int32)
    eight = sum(words[32 * k : 32 * k + 1024].astype(np.int64) for k in range(8))
    whole, rest = divmod(rounds, 1024)
    before = np.concatenate([[0], np.cumsum(np.tile(eight, 2))])
    first = np.arange(32) * stride % 1024
    lanes = whole * eight.sum() + before[first + rest] - before[first]
    arrays = {"in": words, "sums": np.zeros(n, np.int32)}
    scalars = {"stride": np.int32(stride), "rounds": np.int32(rounds), "n": np.int32(n)}
    return Problem(arrays, scalars, {"sums": np.resize(lanes, n).astype(np.float64)}, "sums of words")


def block_sums(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The sum of every BLOCK of n floats; 256 is the kernels' default BLOCK."""
    n, block = sizes["n"], sizes.get("BLOCK", 256)
    x = floats(random, n)
    sums = np.add.reduceat(x, np.arange(0, n, block), dtype=np.float64)
    arrays = {"x": x, "sums": empty(sums.size)}
    told = f"sums of {block}"
    return Problem(arrays, {"n": np.int32(n)}, {"sums": sums}, told, moved=4 * (n + sums.size))


_TIMED_STRIDES: tuple[Sizes, ...] = tuple(
    {"stride": stride, "rounds": 1024, "n": 1056 * 256} for stride in (1, 2, 8, 32, 33)
)
"""With 1,056 blocks of 256 threads: 8 blocks, and so 64 warps, for each SM of an H200."""


_SUMS = Setting(block_sums, powers(20, 23, 26), SMALL, by_tunables=True)
SETTINGS = {
    "bank_conflicts/strided_read": Setting(
        strided_read, counted=tuple({"stride": stride} for stride in (2, 0, 32, 33)), by_tunables=True
    ),
    "bank_conflicts/paired_read": Setting(paired_read, counted=({},), by_tunables=True),
    "bank_conflicts/strided_sum": Setting(
        strided_sum,
        _TIMED_STRIDES,
        tuple({"stride": stride, "rounds": 5, "n": 300} for stride in (3, 32, 0)),
    ),
    "bank_conflicts/transpose_swizzled": Setting(transpose, SQUARES, MATRICES),
    "bank_conflicts/reduce_scattered": _SUMS,
    "bank_conflicts/reduce_interleaved": _SUMS,
    "bank_conflicts/reduce_sequential": _SUMS,
    "bank_conflicts/reduce_shuffle": _SUMS,
}
