"""Chases that follow a ring through memory."""

from __future__ import annotations

import numpy as np

from .problem import Problem, Setting, Sizes

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


_CHASE = Setting(
    pointer_chase,
    counted=({"bytes": 8192, "warm": 10, "hops": 100}, {"bytes": 128, "warm": 0, "hops": 7}),
    shaping=frozenset({"bytes"}),
)
SETTINGS = {"memory_hierarchy/pointer_chase": _CHASE, "memory_hierarchy/shared_chase": _CHASE}
