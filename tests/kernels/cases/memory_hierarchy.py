"""Cases of the kernels on the memory hierarchy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .case import Case, Maker, out_of


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


MAKERS: dict[str, Maker] = {
    "memory_hierarchy/pointer_chase": _chase,
    "memory_hierarchy/shared_chase": _shared_chase,
}
