"""Flags and fences: how threads tell each other that something is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..layout import FIRST_BUFFER, REGION_BITS
from .clocks import NOTHING, joined
from .shadow import lanes_of

if TYPE_CHECKING:
    from .observer import Observer


class Telling:
    """Keeps account of what each fence covers and each flag tells."""

    def __init__(self, view: Observer) -> None:
        self.view = view

    def fence(self, block_only: int) -> None:
        clocks = self.view.clocks
        for lane in lanes_of(self.view.watch.mask & 0xFFFFFFFF):
            known = self.view.known(self.view.warp, lane)
            for scope in (1,) if block_only else (0, 1):
                clocks.fenced_by[scope][self.view.warp, lane] = known

    def flag(self, number: int) -> None:
        site, clocks, flags = self.view.monitor.sites[number], self.view.clocks, self.view.monitor.flags
        mask = self.view.watch.mask & 0xFFFFFFFF
        before = flags.count
        for lane in lanes_of(mask):
            address = self.view.worker.addresses[lane] & (1 << 64) - 1
            key: object = address
            if site.space == "shared" or address >> REGION_BITS < FIRST_BUFFER:
                key = (self.view.block, address & (1 << REGION_BITS) - 1)
            thread = (self.view.warp, lane)
            if site.store:
                if self.view.scheme.releases(site):
                    known = self.view.known(self.view.warp, lane)
                    told = [known, known]
                else:
                    told = [
                        joined(clocks.fenced[scope], clocks.fenced_by[scope].get(thread, NOTHING))
                        for scope in (0, 1)
                    ]
                if told[0] or told[1]:
                    flags.tell(key, self.view.block, *told)
            if site.load:
                heard = flags.hear(key, self.view.block)
                if heard:
                    clocks.heard_by[thread] = joined(clocks.heard_by.get(thread, NOTHING), heard)
        clock = self.view.clock(self.view.warp)
        if flags.count != before:
            for observer in self.view.monitor.observers:
                observer.watch.releases = flags.count
                observer.telling.tell_compiled()
        at = self.view.worker.addresses[lanes_of(mask)[0]] if mask else 0
        told = flags.count != before  # of which not even the lanes here have heard all
        same = (clock.seen, clock.seen_fenced, clock.seen_at) == (flags.count, self.view.watch.fenced, at)
        by = 0 if told else (mask | clock.seen_by) & 0xFFFFFFFF if same else mask
        clock.seen, clock.seen_fenced, clock.seen_at = flags.count, self.view.watch.fenced, at
        clock.seen_by = by - (1 << 32) if by >> 31 & 1 else by

    def tell_compiled(self) -> None:
        """Let compiled code know at which addresses something can be learned."""
        addresses = self.view.monitor.flags.addresses()
        plain = [each[1] if isinstance(each, tuple) else each for each in addresses]
        self.view.watch.told = len(plain)
        for number in range(4):
            value = plain[number] if number < len(plain) else -1
            self.view.watch.flags[number] = value - (1 << 64) if value >> 63 else value

    def barrier(self, _: int) -> None:
        self.view.clocks.barrier()
