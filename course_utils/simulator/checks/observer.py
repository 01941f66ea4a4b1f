"""One block under way, watched: what compiled code asks, and who is meant.

Compiled code calls an Observer only where its own comparisons leave something open, so that this may be slow
and exact. Each concern has a module of its own.
"""

from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING

from .. import failures
from ..access import BYTES, Site
from ..kinds import LANES
from ..semantics import ELEMENT
from .barriers import Barriers
from .bounds import SINK_BYTES, Bounds
from .clocks import NOTHING, BlockClocks, knows
from .races import Races
from .shadow import Entry, Shadow, aligned, lanes_of
from .shadow_code import SITE_SHIFT
from .structures import CALLBACK, Clock, Event, Watch
from .telling import Telling
from .unwritten import Unwritten

if TYPE_CHECKING:
    from ..context import Context
    from .monitor import Monitor

PATIENCE = 3000
"""Calls that one site may make before it is muted; the count of its findings is then a lower bound."""


class Observer:
    """Answers the calls of one context. A block at a time runs in it."""

    def __init__(self, monitor: Monitor, context: Context) -> None:
        self.monitor, self.context = monitor, context
        self.plan, self.scheme, self.request = monitor.plan, monitor.scheme, monitor.request
        self.report = monitor.report
        self.worker = context.worker
        self.log = self.scheme.granule_log("shared")
        bytes_ = max(self.request.shared_bytes, 1)
        self.shared = Shadow("shared", (bytes_ >> self.log) + 1)
        self.local = aligned(len(context.local))
        tracked = 4 * len(self.scheme.tracked) * self.plan.warps
        self.clock_memory = aligned(ctypes.sizeof(Clock) * self.plan.warps + tracked)
        self.sink = aligned(SINK_BYTES * LANES)
        me = weakref.ref(self)  # as ctypes keeps what it calls in a cycle
        self.callback = CALLBACK(lambda event, number: me()._called(event, number))  # type: ignore[union-attr]
        self.reader = failures.Reader(context, monitor.kernel, self.request)
        clocks = self.clock_memory.ctypes.data
        self.watch = Watch(
            callback=ctypes.cast(self.callback, ctypes.c_void_p).value,
            shared=self.shared.address,
            shared_planes=(ctypes.c_void_p * 8)(*self.shared.addresses),
            shared_granules=self.shared.granules,
            shared_bytes=len(self.shared.bytes),
            shared_fill=0xFF if self.scheme.initialisation else 0,
            shared_lo=1,
            global_planes=(ctypes.c_void_p * 8)(*monitor.global_.addresses),
            starts=monitor.global_.starts.ctypes.data,
            local=self.local.ctypes.data,
            local_bytes=len(self.local)
            if self.scheme.initialisation and self.plan.addresses.local_bytes
            else 0,
            local_away=self.local.ctypes.data - context.local.ctypes.data,
            constant_away=monitor.unset.ctypes.data - self.request.constants.ctypes.data,
            clocks=clocks,
            muted=monitor.muted.ctypes.data,
            tells=self.scheme.hears,
            plain=not self.scheme.races,
            barriers=self.scheme.barriers,
            defined=clocks + ctypes.sizeof(Clock) * self.plan.warps,
            defined_bytes=tracked,
            releases=monitor.flags.count,
        )
        self.worker.watch = ctypes.addressof(self.watch)
        self._block = -1
        self._clocks = BlockClocks()
        self.races, self.unwritten, self.bounds = Races(self), Unwritten(self), Bounds(self)
        self.telling, self.barriers = Telling(self), Barriers(self)
        self._suspects = {
            Event.LOAD: self.races.load,
            Event.STORE: self.races.store,
            Event.TOGETHER: self.races.together,
        }
        self._handlers = {
            Event.ILLEGAL: self.bounds.illegal,
            Event.NEIGHBOUR: self.bounds.neighbour,
            Event.UNSET: self.unwritten.unset,
            Event.UNDEFINED: self.unwritten.undefined,
            Event.BARRIER: self.barriers.barrier,
            Event.JOINED: self.barriers.joined,
            Event.ARRIVED: self.barriers.arrived,
            Event.MEMBERS: self.barriers.members,
            Event.FENCE: self.telling.fence,
            Event.FLAG: self.telling.flag,
            Event.FENCED_BARRIER: self.telling.barrier,
        }
        self.telling.tell_compiled()

    def close(self) -> None:
        """No more calls; frees what refers to itself."""
        self.worker.watch = None
        self.callback = CALLBACK()
        self._handlers.clear()
        self._suspects.clear()
        del self.races, self.unwritten, self.bounds, self.telling, self.barriers

    def _called(self, event: int, number: int) -> None:
        if self.monitor.error is not None:
            return
        try:
            space = "shared"
            if event >= Event.GLOBAL:
                event, space = event - Event.GLOBAL, "global"
            if event <= Event.TOGETHER:
                self._suspect(event, space, number >> SITE_SHIFT)
            else:
                self._handlers[event](number)
        except BaseException as error:  # nothing may pass through compiled code: raised after it has returned
            self.monitor.error = error

    # Who and when

    @property
    def block(self) -> int:
        return int(self.worker.block)

    @property
    def warp(self) -> int:
        return int(self.worker.turn)

    def clock(self, warp: int) -> Clock:
        return Clock.from_buffer(self.clock_memory, warp * ctypes.sizeof(Clock))

    @property
    def clocks(self) -> BlockClocks:
        if self._block != self.block:
            self._block, self._clocks = self.block, BlockClocks()
        return self._clocks

    @property
    def barrier_bound(self) -> int:
        """All accesses of the block before this time are ordered."""
        return (self.watch.shared_span & 0xFFFFFFFF) >> 5

    def known(self, warp: int, lane: int) -> dict[int, dict[object, int]]:
        clock = self.clock(warp)
        return self.clocks.known(self.block, warp, lane, clock.time, self.barrier_bound, clock.synced)

    def ordered(self, entry: Entry, other: int, lane: int) -> bool:
        """Is the access by lane `other` of an earlier entry known to a lane of the running warp?"""
        block = self.block if entry.block is None else entry.block
        if block == self.block:
            if entry.time < self.barrier_bound:
                return True
            if entry.warp == self.warp:
                clock = self.clock(self.warp)
                if other == lane or entry.time < max(clock.synced, clock.known[lane * LANES + other]):
                    return True
            elif entry.time < self.clocks.warps.get((self.warp, entry.warp), 0):
                return True
        clocks = self.clocks
        thread = (block, entry.warp, other)
        return knows(clocks.heard, thread, entry.time) or knows(
            clocks.heard_by.get((self.warp, lane), NOTHING), thread, entry.time
        )

    # Accesses that compiled code leaves open

    def _suspect(self, event: int, space: str, number: int) -> None:
        monitor = self.monitor
        monitor.calls[number] += 1
        if monitor.calls[number] > PATIENCE:
            monitor.muted[number] = 1
        site = monitor.sites[number]
        shadow = self.shared if space == "shared" else monitor.global_
        mask, index, lane = self.watch.mask & 0xFFFFFFFF, self.watch.index, self.watch.lane
        for bit in lanes_of(mask):
            self._suspects[event](site, space, shadow, int(index[bit]), int(lane[bit]))

    def place(self, site: Site, space: str, granule: int) -> tuple[str | None, int | None]:
        """(array, index of the element) of a granule."""
        if space == "shared":
            name, offset = self.monitor.variable_at(site, "shared", granule << self.log)
            return name, offset // self.element(site)
        buffer, offset = self.monitor.global_.place(granule)
        first = buffer.array.ctypes.data - buffer.start
        return buffer.name, (offset - first) // max(buffer.array.itemsize, 1)

    def element(self, site: Site) -> int:
        return BYTES.get(ELEMENT.get(site.instruction.type, ""), 0) or min(site.size, 4)
