"""Races: two accesses of one place by different threads, one of them a store, without order."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..access import Site
from ..findings import Access
from ..kinds import LANES
from . import sentences
from .shadow import Entry, Shadow, lanes_of
from .shadow_code import ATOMIC, SITE_SHIFT, VOLATILE

if TYPE_CHECKING:
    from .observer import Observer


class Races:
    """Answers where compiled code leaves open whether accesses are ordered."""

    def __init__(self, view: Observer) -> None:
        self.view = view

    def load(self, site: Site, space: str, shadow: Shadow, granule: int, lane: int) -> None:
        if shadow.never_written(granule):
            if self.view.scheme.initialisation:
                self.view.unwritten.never_written(site, space, granule, lane)
            return
        entry = shadow.store(granule)
        if entry is not None and self.view.scheme.races:
            self._conflict(site, space, granule, lane, entry)

    def store(self, site: Site, space: str, shadow: Shadow, granule: int, lane: int) -> None:
        if not self.view.scheme.races:
            return
        entry = shadow.store(granule)
        if entry is not None:
            self._conflict(site, space, granule, lane, entry)
        for entry in shadow.loads(granule):
            self._conflict(site, space, granule, lane, entry)

    def _conflict(self, site: Site, space: str, granule: int, lane: int, entry: Entry) -> None:
        flags = self.view.scheme.flags(site)
        other_site = self.view.monitor.sites[entry.site >> SITE_SHIFT]
        if flags & ATOMIC and entry.site & ATOMIC:
            return
        others = [other for other in lanes_of(entry.lanes) if not self.view.ordered(entry, other, lane)]
        if not others:
            return
        block = self.view.block if entry.block is None else entry.block
        same_warp = block == self.view.block and entry.warp == self.view.warp
        volatile = bool(flags & VOLATILE and entry.site & VOLATILE)
        if volatile and not same_warp and (space == "shared" or flags & entry.site & ATOMIC):
            return  # a flag
        array, index = self.view.place(site, space, granule)
        both_write = site.store and other_site.store
        line, other_line = (self.view.monitor.line(each.instruction) for each in (site, other_site))
        if (
            both_write
            and not (flags | entry.site) & ATOMIC
            and self._writes_the_same(site, space, granule, lane)
        ):
            self.view.report.note(
                f"several threads write the same value to {array or 'one place'} (line "
                f"{line or '?'}): harmless, "
                "as long as it stays the same value"
            )
            return
        if space == "global" and self.view.scheme.forgiving(site, other_site):
            self.view.report.note(
                f"{array or 'one place'} is read and written by several threads without order (lines "
                f"{other_line or '?'} and {line or '?'}): a thread may see an older value, which is harmless "
                "where any of them will do"
            )
            return
        now = self.view.monitor.access(site, self.view.block, self.view.warp, lane, array, index)
        before = self.view.monitor.access(other_site, block, entry.warp, others[0], array, index)

        def make() -> tuple[str, Sequence[Access], str]:
            flag = self._flag_between(site, other_site, array) if block != self.view.block else None
            first, second = (site, other_site) if line and line < (other_line or 0) else (other_site, site)
            sentence, fix = sentences.race(
                now,
                before,
                shared=space == "shared",
                same_warp=same_warp,
                volatile=volatile,
                flag=flag,
                in_next_round=not self._leads(first, second) and self._leads(second, first),
            )
            return sentence, (now, before), fix

        rank = 0 if same_warp else 2 if block != self.view.block else 1
        self.view.report.add("races", (array, frozenset((line, other_line))), make, rank)

    def _leads(self, first: Site, second: Site) -> bool:
        """Can a thread come from one access to the other with no barrier on the way?"""
        plan = self.view.plan
        order = {site.number: place for place, site in plan.sites.items()}
        block, place = order[first.number]
        goal, goal_place = order[second.number]
        if block == goal and place < goal_place:
            return True
        seen: set[int] = set()
        left = [block]
        while left:
            here = plan.flow.blocks[left.pop()]
            if here.end == "wait":
                continue
            if goal in here.targets:
                return True
            left += [each for each in here.targets if each not in seen]
            seen |= set(here.targets)
        return False

    def _flag_between(self, now: Site, before: Site, array: str | None) -> Access | None:
        """An atomic or volatile access of other global memory that comes after the earlier access and before
        the later one in the code."""
        store = now if not now.load else before
        load = now if now.load else before
        if store.load or not load.load:
            return None
        order = {site.number: place for place, site in self.view.plan.sites.items()}
        for site in self.view.monitor.sites:
            line = self.view.monitor.line(site.instruction)
            if site.space not in ("global", "generic") or not self.view.scheme.flags(site) or not line:
                continue
            if not site.store or self.view.scheme.bases.get(site.number) == self.view.scheme.bases.get(
                store.number
            ):
                continue
            if order[store.number] < order[site.number]:
                return Access(line, self.view.monitor.text(line), (0, 0, 0), (0, 0, 0), None, None, "updates")
        return None

    def _memory_of(self, space: str, granule: int) -> tuple[int, int]:
        """(host address, bytes) of a granule."""
        if space == "shared":
            return self.view.context.shared.ctypes.data + (granule << self.view.log), 1 << self.view.log
        buffer, offset = self.view.monitor.global_.place(granule)
        return buffer.start + offset, 1 << self.view.monitor.global_.log

    def _value(self, site: Site, space: str, granule: int, lane: int) -> bytes:
        """The bytes of a granule that a lane is about to store."""
        element = self.view.element(site)
        scratch = bytes(self.view.worker.scratch)
        parts = [
            scratch[number * LANES * element + lane * element :][:element]
            for number in range(max(site.size // element, 1))
        ]
        _, width = self._memory_of(space, granule)
        if space == "shared":
            within = (granule << self.view.log) % site.size
        else:
            _, offset = self.view.monitor.global_.place(granule)
            within = offset % site.size
        return b"".join(parts)[within : within + width]

    def _writes_the_same(self, site: Site, space: str, granule: int, lane: int) -> bool:
        address, width = self._memory_of(space, granule)
        return ctypes.string_at(address, width) == self._value(site, space, granule, lane)

    def together(self, site: Site, space: str, shadow: Shadow, granule: int, lane: int) -> None:
        if not self.view.scheme.races:
            return
        by = int(shadow.planes["stored_by"][granule]) & 31
        others = [by]
        if by == lane:  # all lanes of the fast code write one place
            others = [
                each
                for each in lanes_of(self.view.context.warp(self.view.warp).lanes & 0xFFFFFFFF)
                if each != lane
            ]
        array, index = self.view.place(site, space, granule)
        line = self.view.monitor.line(site.instruction)
        own = self._value(site, space, granule, lane)
        for other in others:
            if self._value(site, space, granule, other) == own:
                continue
            one = self.view.monitor.access(site, self.view.block, self.view.warp, lane, array, index)
            two = self.view.monitor.access(site, self.view.block, self.view.warp, other, array, index)

            def make(one: Access = one, two: Access = two) -> tuple[str, Sequence[Access], str]:
                sentence, fix = sentences.together(one, two)
                return sentence, (one, two), fix

            self.view.report.add("races", (array, frozenset((line,))), make)
            return
        self.view.report.note(
            f"several threads write the same value to {array or 'one place'} (line {line or '?'}): "
            f"harmless, as "
            "long as it stays the same value"
        )
