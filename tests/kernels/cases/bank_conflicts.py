"""Cases of the kernels on bank conflicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from .case import LENGTHS, Case, Maker, floats, out_of
from .coalescing import transpose


def _strided_read(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    words = values["WORDS"]
    for stride in (0, 1, 2, 7, 32, 33):
        x, (out, whole) = floats(rng, 1024 * words), out_of(32 * words)
        expected = x.reshape(1024, words)[stride * np.arange(32)].reshape(-1)
        yield Case([x, out, stride], {}, out, whole, expected)


def _paired_read(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    words, step = values["WORDS"], values["STEP"]
    x, (out, whole) = floats(rng, 16 * words), out_of(32 * words)
    pairs: dict[int, int] = {}
    for lane in range(32):  # a lane whose partner below has an element takes that, else the next one
        pairs[lane] = pairs[lane - step] if lane & step else len(set(pairs.values()))
    expected = x.reshape(16, words)[list(pairs.values())].reshape(-1)
    yield Case([x, out], {}, out, whole, expected)


def _strided_sum(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n, stride, rounds in ((1, 0, 3), (300, 7, 1), (257, 32, 1030), (256, 33, 0)):
        x, (out, whole) = rng.integers(0, 1000, 1280, np.int32), out_of(n)
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
            x, (out, whole) = floats(rng, n), out_of(blocks)
            sums = np.zeros((blocks, block), np.float32)
            sums.reshape(-1)[:n] = x
            while (width := sums.shape[1]) > 1:
                half = width // 2
                sums = sums[:, :half] + sums[:, half:] if halves else sums[:, ::2] + sums[:, 1::2]
            yield Case([x, out, n], {"n": n}, out, whole, sums[:, 0])

    return make


MAKERS: dict[str, Maker] = {
    "bank_conflicts/strided_read": _strided_read,
    "bank_conflicts/paired_read": _paired_read,
    "bank_conflicts/strided_sum": _strided_sum,
    "bank_conflicts/transpose_swizzled": transpose,
    "bank_conflicts/reduce_scattered": _reduce(halves=False),
    "bank_conflicts/reduce_interleaved": _reduce(halves=False),
    "bank_conflicts/reduce_sequential": _reduce(halves=True),
    "bank_conflicts/reduce_shuffle": _reduce(halves=True),
}
