"""Barriers, and instructions of a warp whose mask does not fit: who is missing, elsewhere, or hangs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..findings import Access
from ..kinds import LANES
from ..layout import DONE, MASKED, WAITING, YIELDS_BEFORE_TURNS, Status, Warp
from ..ptx import Instruction
from . import sentences
from .shadow import lanes_of

if TYPE_CHECKING:
    from .observer import Observer


class Barriers:
    """Looks at barriers where compiled code found something unusual."""

    def __init__(self, view: Observer) -> None:
        self.view = view

    def joined(self, number: int) -> None:
        waiting = [
            index
            for index in range(self.view.plan.warps)
            if self.view.context.warp(index).state == WAITING
            and self.view.context.warp(index).barrier_id == number
        ]
        alive = [
            index for index in range(self.view.plan.warps) if self.view.context.warp(index).state != DONE
        ]
        counts = {self.view.context.warp(index).barrier_count for index in waiting}
        if self.view.scheme.barriers:
            self._check_count(number, waiting, max(counts, default=0))
        arrived = self.view.clocks.arrived.pop(number, {})
        times = {index: self.view.clock(index).time for index in waiting}
        if set(waiting) == set(alive) and not arrived:
            if self.view.scheme.barriers and counts == {0}:
                self.barrier(0)
            self.view.clocks.barrier()
            now = max(self.view.clock(index).time for index in range(self.view.plan.warps)) + 1
            for index in range(self.view.plan.warps):
                clock = self.view.clock(index)
                clock.time = clock.synced = now
            if self.view.scheme.races:
                self.view.watch.shared_span = self.view.watch.global_span = now << 5
            return
        all_times = {warp: bound - 1 for warp, bound in arrived.items()} | times
        self.view.clocks.join(all_times, set(arrived) - set(waiting))
        now = max(times.values()) + 1
        for index in waiting:
            clock = self.view.clock(index)
            clock.time += 1
            clock.synced = clock.time

    def arrived(self, number: int) -> None:
        clock = self.view.clock(self.view.warp)
        self.view.clocks.arrived.setdefault(number, {})[self.view.warp] = clock.time + 1
        clock.time += 1

    def _waits(self) -> list[tuple[int, int, int | None]]:
        """(warp, lanes, line) of everyone at a barrier."""
        found = []
        layout = self.view.plan.layout
        for index in range(self.view.plan.warps):
            warp: Warp = self.view.context.warp(index)
            if warp.state != WAITING:
                continue
            if warp.mode != MASKED:
                found.append((index, warp.lanes & 0xFFFFFFFF, self._barrier_line(warp.barrier_block)))
                continue
            start = index * layout.size
            parked = self.view.context.warps[start + layout.parked : start + layout.parked_any].view(
                np.uint32
            )
            seen: set[int] = set()
            blocks = [self.view.plan.flow.blocks[warp.barrier_block], *self.view.plan.flow.blocks]
            for block in blocks:
                if block.end == "wait" and block.targets[0] not in seen and parked[block.targets[0]]:
                    seen.add(block.targets[0])
                    found.append((index, int(parked[block.targets[0]]), self._barrier_line(block.index)))
        return found

    def _barrier_line(self, block: int) -> int | None:
        barrier = self.view.plan.flow.blocks[block].barrier
        return None if barrier is None else self.view.monitor.line(barrier)

    def _waiter(self, warp: int, lanes: int, line: int | None) -> Access:
        lane = lanes_of(lanes)[0]
        return Access(
            line,
            self.view.monitor.text(line),
            self.view.monitor.block_index(self.view.block),
            self.view.monitor.thread_index(warp, lane),
            None,
            None,
            "waits",
        )

    def barrier(self, _: int) -> None:
        """A barrier of the whole block that not all threads reach, or that is really several."""
        waits = self._waits()
        by_line: dict[int | None, list[tuple[int, int]]] = {}
        for warp, lanes, line in waits:
            by_line.setdefault(line, []).append((warp, lanes))
        here = dict.fromkeys(range(self.view.plan.warps), 0)
        for warp, lanes, _line in waits:
            here[warp] |= lanes
        first = self._waiter(*waits[0])
        if len(by_line) > 1:
            others = [self._waiter(*pieces[0], line) for line, pieces in by_line.items()]
            lines = frozenset(by_line)

            def make() -> tuple[str, Sequence[Access], str]:
                listed = " and ".join(
                    f"thread {sentences.index_text(each.thread)} {sentences.where(each)}" for each in others
                )
                return (
                    (
                        f"Different barriers at once: in block {sentences.index_text(first.block)} "
                        f"{listed} wait at the same time. Each thread of a block must come to the same "
                        "__syncthreads(); a GPU may take these for one, or hang."
                    ),
                    others,
                    _OUT_OF_BRANCHES,
                )

            self.view.report.add("barriers", ("different", lines), make)
        gone = [
            (warp, (self.view.context.warp(warp).lanes & 0xFFFFFFFF) & ~lanes)
            for warp, lanes in here.items()
            if (self.view.context.warp(warp).lanes & 0xFFFFFFFF) & ~lanes
        ]
        if gone:
            self._not_reached(first, gone)
        elif len(by_line) == 1:
            self._in_pieces(here)

    def _in_pieces(self, here: dict[int, int]) -> None:
        """All have come to it, but the lanes of a warp one after the other: a branch or a loop has parted
        them, and .aligned, which __syncthreads() implies, is for whole warps (PTX ISA 9.7.13.1)."""
        for index, lanes in here.items():
            warp: Warp = self.view.context.warp(index)
            last = self.view.clock(index).waiting & 0xFFFFFFFF
            barrier = self.view.plan.flow.blocks[warp.barrier_block].barrier
            # Once lanes that are ahead get turns of their own, they may be apart through no fault of theirs.
            turns = warp.yields > YIELDS_BEFORE_TURNS
            aligned = barrier is not None and (barrier.name == "bar" or barrier.has("aligned"))
            if lanes & ~last and aligned and not turns:
                break
        else:
            return
        line = self._barrier_line(warp.barrier_block)
        before, behind = (self._waiter(index, each, line) for each in (lanes & ~last, last))

        def make() -> tuple[str, Sequence[Access], str]:
            return (
                (
                    f"Barrier reached in pieces: thread {sentences.index_text(before.thread)} of block "
                    f"{sentences.index_text(before.block)} waits {sentences.where(before)}, and thread "
                    f"{sentences.index_text(behind.thread)} of the same warp comes there later: a branch has "
                    "parted them. A warp has to come to __syncthreads() as a whole; a GPU may hang, or take "
                    "it for reached too soon."
                ),
                (before, behind),
                _OUT_OF_BRANCHES,
            )

        self.view.report.add("barriers", ("pieces", line), make)

    def _not_reached(self, first: Access, gone: list[tuple[int, int]]) -> None:
        warp, lanes = gone[0]
        left = Access(
            None,
            "",
            first.block,
            self.view.monitor.thread_index(warp, lanes_of(lanes)[0]),
            None,
            None,
            "leaves",
        )
        count = sum(mask.bit_count() for _, mask in gone)

        def make() -> tuple[str, Sequence[Access], str]:
            return (
                (
                    f"Barrier not reached by all: thread {sentences.index_text(first.thread)} of block "
                    f"{sentences.index_text(first.block)} waits {sentences.where(first)}, but "
                    f"{count} of the block's {self.view.plan.threads} threads, thread "
                    f"{sentences.index_text(left.thread)} for one, have left the kernel without coming there."
                ),
                (first, left),
                (
                    "Let all threads of the block come to every __syncthreads(): no `return` before "
                    "it, no `if` "
                    "around it and no loop with fewer rounds for some threads; guard the accesses instead."
                ),
            )

        self.view.report.add("barriers", ("left", first.line), make)

    def _check_count(self, number: int, waiting: list[int], count: int) -> None:
        """A barrier with a number of threads."""
        if not count:
            return
        present = LANES * len(waiting) + self.view.worker.arrived[number]
        if present <= count and count % LANES == 0:
            return
        waits = [each for each in self._waits() if each[0] in waiting]
        access = self._waiter(*waits[0])

        def make() -> tuple[str, Sequence[Access], str]:
            return (
                (
                    f"Wrong count: barrier {number} {sentences.where(access)} is for {count} threads, "
                    f"but {present} "
                    f"threads of block {sentences.index_text(access.block)} come to it at once."
                ),
                (access,),
                ("Give the number of threads that really come to it: a multiple of 32, whole warps."),
            )

        self.view.report.add("barriers", ("count", access.line), make)

    def members(self, status: int) -> None:
        """A .sync instruction whose mask and lanes do not agree."""
        bits, mask, block, position = (each & 0xFFFFFFFF for each in self.view.worker.addresses[:4])
        instruction = self.view.plan.flow.blocks[block].instructions[position]
        line = self.view.monitor.line(instruction)
        running = lanes_of(self.view.worker.mask & 0xFFFFFFFF)
        self._disagree(status, bits, mask, line, running[0] if running else 0, instruction)

    def _disagree(
        self, status: int, bits: int, mask: int, line: int | None, lane: int, instruction: Instruction
    ) -> None:
        here = Access(
            line,
            self.view.monitor.text(line),
            self.view.monitor.block_index(self.view.block),
            self.view.monitor.thread_index(self.view.warp, lane),
            None,
            None,
            "calls",
        )
        lanes = lanes_of(bits)
        gone = not bits & self._somewhere()
        named = f"lane{'s' * (len(lanes) > 1)} {_ranges(lanes)}"
        what = _CALLED.get(instruction.name, "the instruction")

        def make() -> tuple[str, Sequence[Access], str]:
            if status == Status.APART and gone:
                reason = (
                    f"its mask {mask:#010x} names {named}, which "
                    f"{'have' if len(lanes) > 1 else 'has'} left the kernel"
                )
                fix = "Let no lane return before it, or take the mask from __ballot_sync() before the branch."
            elif status == Status.APART:
                reason = (
                    f"its mask {mask:#010x} names {named}, which "
                    f"{'are' if len(lanes) > 1 else 'is'} not there: a branch has led them elsewhere"
                )
                fix = (
                    "Call it where all lanes of the mask pass, outside of the `if`, or name only those in it."
                )
            else:
                reason = (
                    f"{named} of the warp {'call' if len(lanes) > 1 else 'calls'} it "
                    f"without being in its mask {mask:#010x}"
                )
                fix = "Name every lane that calls it in the mask: 0xffffffff where the whole warp does."
            return (
                (
                    f"Wrong lanes: {sentences.who(here)} calls {what} {sentences.where(here)}, and {reason}. "
                    "The result is then undefined."
                ),
                (here,),
                fix,
            )

        self.view.report.add("barriers", ("members", status, line), make)

    def _somewhere(self) -> int:
        """The lanes of the running warp, in masked code, that wait for a turn or at a barrier; those on their
        way out of the kernel left out."""
        layout, start = self.view.plan.layout, self.view.warp * self.view.plan.layout.size
        memory = self.view.context.warps
        waiting = memory[start + layout.waiting : start + layout.parked].view(np.uint32)
        parked = memory[start + layout.parked : start + layout.parked_any].view(np.uint32)
        staying = [waiting[block] for block in self.view.scheme.staying]
        return int(np.bitwise_or.reduce([*staying, *parked], initial=0))

    # A hang

    def hang(self, sentence: str, stuck: bool) -> None:
        """The kernel would not end."""
        waits = self._waits() if stuck else []
        accesses = []
        seen = set()
        for warp, lanes, line in waits:
            if line not in seen:
                seen.add(line)
                accesses.append(self._waiter(warp, lanes, line))
        if not stuck:
            accesses = self._spinning()

        def make() -> tuple[str, Sequence[Access], str]:
            if stuck:
                return (
                    f"Hang: {sentence}",
                    accesses,
                    ("Let exactly the threads that the barrier counts come to it, every round."),
                )
            at = ", ".join(f"{sentences.who(each)} {sentences.where(each)}" for each in accesses[:3])
            return (
                f"Hang: {sentence}" + (f" Still running: {at}." if at else ""),
                accesses,
                (
                    "Look at what the loop waits for: who sets it, and can that thread get there? A "
                    "flag in memory "
                    "must be read anew each round (volatile or atomic)."
                ),
            )

        self.view.report.add("barriers", ("hang", frozenset(each.line for each in accesses)), make)

    def _spinning(self) -> list[Access]:
        found = []
        layout = self.view.plan.layout
        for index in range(self.view.plan.warps):
            warp = self.view.context.warp(index)
            if warp.state == DONE:
                continue
            start = index * layout.size
            places: list[tuple[int, int]] = []
            if warp.mode == MASKED:
                waiting = self.view.context.warps[start + layout.waiting : start + layout.parked].view(
                    np.uint32
                )
                for block in self.view.plan.flow.blocks:
                    if waiting[block.index]:
                        places.append((block.index, int(waiting[block.index])))
            elif warp.entry:
                places.append(((warp.entry - 1) // 2, warp.lanes & 0xFFFFFFFF))
            for block, lanes in places:
                code = self.view.plan.flow.blocks[block]
                lines = [self.view.monitor.line(each) for each in code.effective or code.issued]
                line = next((each for each in lines if each), None)
                if line is not None and all(each.line != line for each in found):
                    access = self._waiter(index, lanes, line)
                    found.append(access)
        return found


_OUT_OF_BRANCHES = "Move __syncthreads() out of the `if` or the loop, to where all threads of the block pass."

_CALLED = {
    "shfl": "a shuffle",
    "vote": "a vote",
    "match": "a match",
    "redux": "a reduction of the warp",
    "bar": "__syncwarp()",
    "barrier": "__syncwarp()",
    "elect": "an election",
}


def _ranges(lanes: list[int]) -> str:
    """3, 5 to 7."""
    parts: list[list[int]] = []
    for lane in lanes:
        if parts and parts[-1][-1] == lane - 1:
            parts[-1].append(lane)
        else:
            parts.append([lane])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]} to {part[-1]}" for part in parts)
