"""Which accesses are ordered: what each thread knows of the others.

Within a block a barrier orders all that came before it with all that follows; compiled code tells that alone.
Here is the rest: barriers of some warps, and flags: what a thread did before a fence is known to whoever
reads a flag (or counter) that the thread, or one that waited for it at a barrier, sets after the fence.

A *bound* says: all accesses before this time of the warp are known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

Thread = tuple[int, int, int]  # block, warp, lane
Known = dict[int, dict[object, int]]
"""Block -> bounds: under None of all its warps, under w of warp w, under (w, lane) of one thread."""

NOTHING: Known = {}


def joined(a: Known, b: Known) -> Known:
    """What is known to who knows both; the arguments are not changed."""
    if not b or a is b:
        return a
    if not a:
        return b
    found = dict(a)
    for block, bounds in b.items():
        mine = found.get(block)
        if mine is None:
            found[block] = bounds
        elif mine is not bounds:
            merged = dict(mine)
            for who, bound in bounds.items():
                if bound > merged.get(who, -1):
                    merged[who] = bound
            found[block] = merged
    return found


def knows(known: Known, thread: Thread, time: int) -> bool:
    block, warp, lane = thread
    bounds = known.get(block)
    if not bounds:
        return False
    return time < max(bounds.get(None, 0), bounds.get(warp, 0), bounds.get((warp, lane), 0))


@dataclass
class BlockClocks:
    """What the threads of one running block know beyond the last barrier of the whole block.

    warps: (warp, other) -> bound, from barriers of some warps. heard: by all, and by one thread, from flags.
    fences: thread -> what it knew at its last fence, for the block alone and for the whole grid.
    """

    warps: dict[tuple[int, int], int] = field(default_factory=dict)
    heard: Known = field(default_factory=dict)
    heard_by: dict[tuple[int, int], Known] = field(default_factory=dict)
    fenced: list[Known] = field(default_factory=lambda: [NOTHING, NOTHING])
    fenced_by: list[dict[tuple[int, int], Known]] = field(default_factory=lambda: [{}, {}])
    arrived: dict[int, dict[int, int]] = field(default_factory=dict)  # barrier -> warp -> bound

    def known(self, block: int, warp: int, lane: int, time: int, barrier: int, synced: int) -> Known:
        """All that a thread knows now. barrier: bound of the last one of the whole block."""
        own: dict[object, int] = {None: barrier, warp: synced, (warp, lane): time + 1}
        own |= {other: bound for (who, other), bound in self.warps.items() if who == warp}
        found = joined(self.heard, self.heard_by.get((warp, lane), NOTHING))
        return joined(found, {block: own})

    def join(self, times: dict[int, int], leaving: Iterable[int] = ()) -> None:
        """Warps have waited for one another: each knows what any of them knew. times: warp -> its time.
        leaving: warps among them that only announced themselves and learn nothing."""
        silent = set(leaving)
        together = {warp: time + 1 for warp, time in times.items()}
        for (warp, other), bound in self.warps.items():
            if warp in times:
                together[other] = max(together.get(other, 0), bound)
        for warp in set(times) - silent:
            for other, bound in together.items():
                self.warps[warp, other] = max(self.warps.get((warp, other), 0), bound)
        heard = NOTHING
        for (warp, _), known in self.heard_by.items():
            if warp in times:
                heard = joined(heard, known)
        if heard:
            for warp in set(times) - silent:
                for lane in range(32):
                    self.heard_by[warp, lane] = joined(self.heard_by.get((warp, lane), NOTHING), heard)

    def barrier(self) -> None:
        """The whole block has waited: what one heard all have heard, and one's fence serves all."""
        for known in self.heard_by.values():
            self.heard = joined(self.heard, known)
        self.heard_by.clear()
        for scope in (0, 1):
            for known in self.fenced_by[scope].values():
                self.fenced[scope] = joined(self.fenced[scope], known)
            self.fenced_by[scope].clear()


class Flags:
    """What can be learned at each address: what those who stored there had made known by a fence."""

    def __init__(self) -> None:
        self.told: list[dict[int, dict[int, Known]]] = [
            {},
            {},
        ]  # grid-wide and block-wide: address -> block ->
        self.count = 0  # how often anything new was told

    def tell(self, address: int, block: int, grid_wide: Known, block_wide: Known) -> None:
        for scope, known in enumerate((grid_wide, block_wide)):
            if not known:
                continue
            place = self.told[scope].setdefault(address, {})
            key = block if scope else 0
            old = place.get(key, NOTHING)
            new = joined(old, known)
            if new != old:
                place[key] = new
                self.count += 1

    def hear(self, address: int, block: int) -> Known:
        found = self.told[0].get(address, {}).get(0, NOTHING)
        return joined(found, self.told[1].get(address, {}).get(block, NOTHING))

    def addresses(self) -> set[int]:
        return set(self.told[0]) | set(self.told[1])
