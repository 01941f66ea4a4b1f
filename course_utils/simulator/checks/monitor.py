"""What Python does when a checked kernel calls it: decide, and put findings into words.

One Monitor a launch, one Observer a block under way. Compiled code calls an Observer only where its own
comparisons leave something open, so that this may be slow and exact.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .. import failures
from ..access import BYTES, Site
from ..errors import Hang, Index
from ..findings import Access, Finding
from ..kinds import LANES
from ..layout import (
    DONE,
    FIRST_BUFFER,
    LOCAL_REGION,
    MASKED,
    REGION_BITS,
    SHARED_REGION,
    CONSTANT_REGION,
    WAITING,
    Status,
    Warp,
)
from ..ptx import Instruction
from ..semantics import ELEMENT
from ..trace import plain_name
from . import sentences
from .clocks import NOTHING, BlockClocks, Flags, joined, knows
from .sentences import Report
from .shadow import Entry, GlobalShadow, Shadow, aligned, lanes_of
from .shadow_code import ATOMIC, SITE_SHIFT, VOLATILE
from .structures import CALLBACK, Clock, Event, Watch

if TYPE_CHECKING:
    from ..context import Context
    from ..kernel import Kernel
    from ..launch import Request

PATIENCE = 3000
"""Calls that one site may make before it is muted; the count of its findings is then a lower bound."""

WRITER = np.dtype([("block", np.int32), ("thread", np.int32), ("line", np.int32)])


class Monitor:
    """Finds out about one launch. names: offset of a parameter -> what the source calls it. unset: a byte for
    each of constant memory, 0 where nothing set it."""

    def __init__(
        self,
        kernel: Kernel,
        request: Request,
        source: str | None,
        names: Mapping[str, str],
        unset: np.ndarray,
        build: str,
    ) -> None:
        assert kernel.plan.scheme is not None
        self.kernel, self.plan, self.request = kernel, kernel.plan, request
        self.scheme = kernel.plan.scheme
        self.lines = source.splitlines() if source else []
        self.names, self.unset = names, unset
        self.report = Report(build)
        self.flags = Flags()
        self.observers: list[Observer] = []
        self.clocks: dict[int, BlockClocks] = {}
        self.muted = np.zeros(len(self.plan.sites) + 1, np.uint8)
        self.calls = np.zeros(len(self.plan.sites) + 1, np.int64)
        self.error: BaseException | None = None
        self.parameters_at = 0  # host address of the kernel's parameters
        log = self.scheme.granule_log("global")
        self.global_ = GlobalShadow(
            request.memory, self._written_regions(), log, initialisation=self.scheme.initialisation
        )
        count = len(self.plan.sites)
        self.sites: list[Site] = [self.scheme.sites[number] for number in range(count)]

    def _written_regions(self) -> set[int]:
        """Regions that the kernel may write: those its stores' addresses derive from, else all."""
        every = {each.region for each in self.request.memory.buffers}
        found: set[int] = set()
        for site in self.scheme.sites.values():
            if not site.store or site.space not in ("global", "generic"):
                continue
            bases = self.scheme.bases.get(site.number)
            if not bases:
                return every
            for base in bases:
                address = self.base_address(base)
                if address is None:
                    return every
                found.add(address >> REGION_BITS)
        return found & every

    def base_address(self, base: str) -> int | None:
        """What a parameter or a global variable points to."""
        name, _, offset = base.partition("+")
        space, place = self.plan.addresses.places.get(name, ("", 0))
        if space == "param":
            start = place + int(offset or 0)
            return int.from_bytes(self.request.parameters[start : start + 8], "little")
        return place if space == "global" else 0 if space in ("shared", "local") else None

    def open(self, context: Context) -> None:
        """Watch what runs in a context."""
        self.observers.append(Observer(self, context))

    def takes(self, failure: Exception, context: Context) -> bool:
        """Make a finding of what ended a launch, where it is one: a hang."""
        if not (self.scheme.barriers and isinstance(failure, Hang)):
            return False
        observer = next(each for each in self.observers if each.context is context)
        stuck = any(context.warp(index).state == WAITING for index in range(self.plan.warps))
        observer.hang(str(failure), stuck)
        return True

    def close(self) -> None:
        """The launch is over; what is left of it may be asked for."""
        for observer in self.observers:
            observer.close()
        self.observers.clear()

    @property
    def findings(self) -> list[Finding]:
        return self.report.findings

    # Places in words

    def line(self, instruction: Instruction) -> int | None:
        return instruction.location.own_line

    def text(self, line: int | None) -> str:
        return self.lines[line - 1].strip() if line and line <= len(self.lines) else ""

    def block_index(self, number: int) -> Index:
        x, y, _ = self.request.grid
        return number % x, number // x % y, number // (x * y)

    def thread_index(self, warp: int, lane: int) -> Index:
        return tuple(self.plan.thread_index(axis, warp)[lane] for axis in range(3))  # type: ignore[return-value]

    def access(
        self, site: Site, block: int, warp: int, lane: int, array: str | None, index: int | None
    ) -> Access:
        line = self.line(site.instruction)
        atomic = site.instruction.name in ("atom", "red")
        action = "updates" if atomic else "reads" if site.load else "writes"
        thread = self.thread_index(warp, lane)
        return Access(line, self.text(line), self.block_index(block), thread, array, index, action)

    def variable_at(self, site: Site, space: str, address: int) -> tuple[str | None, int]:
        """(name, offset in it) of the variable of shared, local or constant memory that an access means."""
        places, sizes = self.plan.addresses.places, self.plan.addresses.sizes
        bases = [each for each in self.scheme.bases.get(site.number) or () if each in places]
        own = [each for each in bases if places[each][0] == space]
        if len(own) == 1:
            return plain_name(own[0]), address - places[own[0]][1]
        name, start = None, -1
        for symbol, (where, offset) in places.items():
            if where == space and start < offset <= address and (sizes.get(symbol, 1) or space == "shared"):
                name, start = symbol, offset
        return (plain_name(name), address - start) if name else (None, address)

    def writers(self) -> dict[str, np.ndarray]:
        """Buffer -> for each element the block and thread (both as numbers) that stored there last, and the
        line; line 0: nobody."""
        found = {}
        log = self.global_.log
        for buffer in self.request.memory.buffers:
            array = buffer.array
            rows = np.zeros(array.size, WRITER)
            if self.global_.starts[buffer.region] >= 0 and array.size:
                tags = self.global_.of(buffer, "stored")
                by = self.global_.of(buffer, "stored_by")
                start = array.ctypes.data - buffer.start
                place = (start + np.arange(array.size) * array.itemsize) >> log
                tag, who = tags[place].astype(np.uint64), by[place]
                known = (tag != 0) & (tag != np.uint64(self.global_.never))
                lines = np.array([self.line(site.instruction) or 0 for site in self.sites] or [0], np.int32)
                rows["line"] = np.where(known, lines[np.minimum(who >> SITE_SHIFT, len(lines) - 1)], 0)
                rows["block"] = np.where(known, (tag >> np.uint64(32)).astype(np.int64) - 1, 0)
                warp = ((tag - np.uint64(1)) & np.uint64(31)).astype(np.int64)
                rows["thread"] = np.where(known, warp * LANES + (who & 31), 0)
            found[buffer.name] = rows.reshape(array.shape)
        return found


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
        self.sink = aligned(4096)
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
        self._tell_flags()
        self.worker.watch = ctypes.addressof(self.watch)
        self._block = -1
        self._clocks = BlockClocks()
        self._handlers = {
            Event.LOAD: self._load,
            Event.STORE: self._store,
            Event.TOGETHER: self._together,
            Event.ILLEGAL: self._illegal,
            Event.NEIGHBOUR: self._neighbour,
            Event.UNSET: self._unset,
            Event.BARRIER: self._barrier,
            Event.JOINED: self._joined,
            Event.ARRIVED: self._arrived,
            Event.FENCE: self._fence,
            Event.FLAG: self._flag,
            Event.MEMBERS: self._members,
            Event.UNDEFINED: self._undefined,
            Event.FENCED_BARRIER: self._fenced_barrier,
        }

    def close(self) -> None:
        """No more calls; frees what refers to itself."""
        self.worker.watch = None
        self.callback = CALLBACK()
        self._handlers.clear()

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

    def _known(self, warp: int, lane: int) -> dict[int, dict[object, int]]:
        clock = self.clock(warp)
        return self.clocks.known(self.block, warp, lane, clock.time, self.barrier_bound, clock.synced)

    def _ordered(self, entry: Entry, other: int, lane: int) -> bool:
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

    # Races and initialisation

    def _suspect(self, event: int, space: str, number: int) -> None:
        monitor = self.monitor
        monitor.calls[number] += 1
        if monitor.calls[number] > PATIENCE:
            monitor.muted[number] = 1
        site = monitor.sites[number]
        shadow = self.shared if space == "shared" else monitor.global_
        mask, index, lane = self.watch.mask & 0xFFFFFFFF, self.watch.index, self.watch.lane
        for bit in lanes_of(mask):
            self._handlers[event](site, space, shadow, int(index[bit]), int(lane[bit]))  # type: ignore[call-arg]

    def _place(self, site: Site, space: str, granule: int) -> tuple[str | None, int | None]:
        """(array, index of the element) of a granule."""
        if space == "shared":
            name, offset = self.monitor.variable_at(site, "shared", granule << self.log)
            return name, offset // self._element(site)
        buffer, offset = self.monitor.global_.place(granule)
        first = buffer.array.ctypes.data - buffer.start
        return buffer.name, (offset - first) // max(buffer.array.itemsize, 1)

    def _element(self, site: Site) -> int:
        return BYTES.get(ELEMENT.get(site.instruction.type, ""), 0) or min(site.size, 4)

    def _load(self, site: Site, space: str, shadow: Shadow, granule: int, lane: int) -> None:
        if shadow.never_written(granule):
            if self.scheme.initialisation:
                self._never_written(site, space, granule, lane)
            return
        entry = shadow.store(granule)
        if entry is not None and self.scheme.races:
            self._conflict(site, space, granule, lane, entry)

    def _store(self, site: Site, space: str, shadow: Shadow, granule: int, lane: int) -> None:
        if not self.scheme.races:
            return
        entry = shadow.store(granule)
        if entry is not None:
            self._conflict(site, space, granule, lane, entry)
        for entry in shadow.loads(granule):
            self._conflict(site, space, granule, lane, entry)

    def _conflict(self, site: Site, space: str, granule: int, lane: int, entry: Entry) -> None:
        flags = self.scheme.flags(site)
        other_site = self.monitor.sites[entry.site >> SITE_SHIFT]
        if flags & ATOMIC and entry.site & ATOMIC:
            return
        others = [other for other in lanes_of(entry.lanes) if not self._ordered(entry, other, lane)]
        if not others:
            return
        block = self.block if entry.block is None else entry.block
        same_warp = block == self.block and entry.warp == self.warp
        volatile = bool(flags & VOLATILE and entry.site & VOLATILE)
        if volatile and not same_warp:
            return  # a flag
        array, index = self._place(site, space, granule)
        both_write = site.store and other_site.store
        line, other_line = (self.monitor.line(each.instruction) for each in (site, other_site))
        if (
            both_write
            and not (flags | entry.site) & ATOMIC
            and self._writes_the_same(site, space, granule, lane)
        ):
            self.report.note(
                f"several threads write the same value to {array or 'one place'} (line {line or '?'}): harmless, "
                "as long as it stays the same value"
            )
            return
        if space == "global" and self.scheme.forgiving(site, other_site):
            self.report.note(
                f"{array or 'one place'} is read and written by several threads without order (lines "
                f"{other_line or '?'} and {line or '?'}): a thread may see an older value, which is harmless "
                "where any of them will do"
            )
            return
        now = self.monitor.access(site, self.block, self.warp, lane, array, index)
        before = self.monitor.access(other_site, block, entry.warp, others[0], array, index)

        def make() -> tuple[str, Sequence[Access], str]:
            flag = self._flag_between(site, other_site, array) if block != self.block else None
            sentence, fix = sentences.race(
                now, before, shared=space == "shared", same_warp=same_warp, volatile=volatile, flag=flag
            )
            return sentence, (now, before), fix

        rank = 0 if same_warp else 2 if block != self.block else 1
        self.report.add("races", (array, frozenset((line, other_line))), make, rank)

    def _flag_between(self, now: Site, before: Site, array: str | None) -> Access | None:
        """An atomic or volatile access of other global memory that comes after the earlier access and before
        the later one in the code."""
        store = now if not now.load else before
        load = now if now.load else before
        if store.load or not load.load:
            return None
        order = {site.number: place for place, site in self.plan.sites.items()}
        for site in self.monitor.sites:
            line = self.monitor.line(site.instruction)
            if site.space not in ("global", "generic") or not self.scheme.flags(site) or not line:
                continue
            if not site.store or self.scheme.bases.get(site.number) == self.scheme.bases.get(store.number):
                continue
            if order[store.number] < order[site.number]:
                return Access(line, self.monitor.text(line), (0, 0, 0), (0, 0, 0), None, None, "updates")
        return None

    def _memory_of(self, space: str, granule: int) -> tuple[int, int]:
        """(host address, bytes) of a granule."""
        if space == "shared":
            return self.context.shared.ctypes.data + (granule << self.log), 1 << self.log
        buffer, offset = self.monitor.global_.place(granule)
        return buffer.start + offset, 1 << self.monitor.global_.log

    def _value(self, site: Site, space: str, granule: int, lane: int) -> bytes:
        """The bytes of a granule that a lane is about to store."""
        element = self._element(site)
        scratch = bytes(self.worker.scratch)
        parts = [
            scratch[number * LANES * element + lane * element :][:element]
            for number in range(max(site.size // element, 1))
        ]
        address, width = self._memory_of(space, granule)
        if space == "shared":
            within = (granule << self.log) % site.size
        else:
            buffer, offset = self.monitor.global_.place(granule)
            within = offset % site.size
        return b"".join(parts)[within : within + width]

    def _writes_the_same(self, site: Site, space: str, granule: int, lane: int) -> bool:
        address, width = self._memory_of(space, granule)
        return ctypes.string_at(address, width) == self._value(site, space, granule, lane)

    def _together(self, site: Site, space: str, shadow: Shadow, granule: int, lane: int) -> None:
        if not self.scheme.races:
            return
        by = int(shadow.planes["stored_by"][granule]) & 31
        others = [by]
        if by == lane:  # all lanes of the fast code write one place
            others = [
                each for each in lanes_of(self.context.warp(self.warp).lanes & 0xFFFFFFFF) if each != lane
            ]
        array, index = self._place(site, space, granule)
        line = self.monitor.line(site.instruction)
        own = self._value(site, space, granule, lane)
        for other in others:
            if self._value(site, space, granule, other) == own:
                continue
            one = self.monitor.access(site, self.block, self.warp, lane, array, index)
            two = self.monitor.access(site, self.block, self.warp, other, array, index)

            def make(one: Access = one, two: Access = two) -> tuple[str, Sequence[Access], str]:
                sentence, fix = sentences.together(one, two)
                return sentence, (one, two), fix

            self.report.add("races", (array, frozenset((line,))), make)
            return
        self.report.note(
            f"several threads write the same value to {array or 'one place'} (line {line or '?'}): harmless, as "
            "long as it stays the same value"
        )

    def _never_written(self, site: Site, space: str, granule: int, lane: int) -> None:
        array, index = self._place(site, space, granule)
        access = self.monitor.access(site, self.block, self.warp, lane, array, index)

        def make() -> tuple[str, Sequence[Access], str]:
            where = (
                "Shared memory holds anything when a block begins"
                if space == "shared"
                else ("Memory fresh from cudaMalloc holds anything")
            )
            sentence = (
                f"Never written: {sentences.who(access)} reads {access.place} {sentences.where(access)}, but "
                f"nothing has written it before. {where}."
            )
            fix = f"Give every element of {array or 'the memory'} a value before it is read"
            return (
                sentence,
                (access,),
                fix + (", and put __syncthreads() in between." if space == "shared" else "."),
            )

        self.report.add("initialisation", (array, access.line), make)

    def _unset(self, number: int) -> None:
        site = self.monitor.sites[number]
        for lane in lanes_of(self.watch.mask & 0xFFFFFFFF):
            address = self.worker.addresses[lane] & (1 << 64) - 1
            region = {LOCAL_REGION: "local", CONSTANT_REGION: "const"}.get(address >> REGION_BITS, site.space)
            address &= (1 << REGION_BITS) - 1
            space = site.space if site.space != "generic" else region
            if space == "const" and address >= len(self.monitor.unset):
                continue
            name, offset = self.monitor.variable_at(site, space, address)
            access = self.monitor.access(
                site, self.block, self.warp, lane, name, offset // self._element(site)
            )

            def make(access: Access = access, space: str = space) -> tuple[str, Sequence[Access], str]:
                named = access.place if access.array else "a variable of its own"
                if access.array and access.array.startswith("__local_depot"):
                    named = "an array or variable of its own"
                if space == "const":
                    sentence = (
                        f"Never set: {sentences.who(access)} reads {named} {sentences.where(access)}, but the "
                        f"__constant__ variable {access.array} was never given a value."
                    )
                    return (
                        sentence,
                        (access,),
                        (
                            f"Set it before the launch: set_symbol({access.array!r}, values) here, "
                            "cudaMemcpyToSymbol in a CUDA program."
                        ),
                    )
                sentence = (
                    f"Never written: {sentences.who(access)} reads {named} {sentences.where(access)}, but "
                    "nothing has written it before. Local variables hold anything when a thread begins."
                )
                return sentence, (access,), "Give it a value before it is read."

            self.report.add("initialisation", (name, access.line), make)

    def _undefined(self, line: int) -> None:
        lane = lanes_of(self.watch.mask & 0xFFFFFFFF)[0]
        text = self.monitor.text(line)
        access = Access(
            line or None,
            text,
            self.monitor.block_index(self.block),
            self.monitor.thread_index(self.warp, lane),
            None,
            None,
            "reads",
        )

        def make() -> tuple[str, Sequence[Access], str]:
            sentence = (
                f"Never written: {sentences.who(access)} uses a variable of its own {sentences.where(access)} "
                "that nothing has given a value. Such a variable holds anything."
            )
            return sentence, (access,), "Give the variable a value where it is declared, such as `= 0`."

        self.report.add("initialisation", ("a variable", line), make)

    # Memory

    def _hosts(self, site: Site, lane: int, address: int) -> int:
        """The host address of a legal access."""
        space, offset = site.space, address
        if space in ("global", "generic"):
            region = address >> REGION_BITS
            if region >= FIRST_BUFFER:
                buffer, inside = self.request.memory.find(address)
                assert buffer is not None
                return buffer.start + inside
            space = {SHARED_REGION: "shared", LOCAL_REGION: "local", CONSTANT_REGION: "const"}[region]
            offset = address & (1 << REGION_BITS) - 1
        if space == "shared":
            return self.context.shared.ctypes.data + offset
        if space == "local":
            warp = self.context.warp(self.warp)
            return int(warp.local) + lane * self.plan.addresses.local_bytes + offset
        if space == "const":
            return self.request.constants.ctypes.data + offset
        return int(self.monitor.parameters_at) + offset

    def _illegal(self, number: int) -> None:
        site = self.monitor.sites[number]
        self.sink[:64] = 0
        dropped = 0
        for lane, address in self.reader.addresses(site):
            fault = self.reader.fault(site, address)
            if fault is None:
                self.worker.hosts[lane] = self._hosts(site, lane, address)
                continue
            dropped |= 1 << lane
            self.worker.hosts[lane] = self.sink.ctypes.data
            self._illegal_access(site, lane, address, *fault)
        self.watch.dropped = dropped - (1 << 32) if dropped >> 31 else dropped

    def _illegal_access(
        self, site: Site, lane: int, address: int, sentence: str, array: str | None, index: int | None
    ) -> None:
        space = site.space
        nearest = (address + (1 << REGION_BITS - 1)) >> REGION_BITS
        if space in ("global", "generic") and nearest in (SHARED_REGION, LOCAL_REGION, CONSTANT_REGION):
            space = {SHARED_REGION: "shared", LOCAL_REGION: "local", CONSTANT_REGION: "const"}[nearest]
            address -= nearest << REGION_BITS
        elif space == "generic":
            space = "global"
        null = space == "global" and address < 1 << 20
        misaligned = "misaligned" in sentence
        size = f"{site.size} bytes" if site.size > 1 else "1 byte"
        if space != "global":
            signed = address - (1 << 64) if address >> 63 else address
            array, offset = self.monitor.variable_at(site, space, signed)
            index = offset // self._element(site)
        elif null:
            array, index = self._null_name(site), None
        access = self.monitor.access(site, self.block, self.warp, lane, array, index)
        verb = {"reads": "reads", "writes": "writes", "updates": "updates"}[access.action]

        def make() -> tuple[str, Sequence[Access], str]:
            me, here = sentences.who(access), sentences.where(access)
            if null:
                named = array or "a pointer"
                return (
                    (
                        f"Null pointer: {me} {verb} through {named} {here}, but {named} is null (or an index from "
                        f"null: address {address:#x})."
                    ),
                    (access,),
                    f"Pass an array for {named}, or test the pointer before it is used.",
                )
            if misaligned:
                return (
                    (
                        f"Misaligned: {me} {verb} {size} at once at {access.place} {here}, and that is at no "
                        f"multiple of {size}."
                    ),
                    (access,),
                    (
                        f"An access of {size} (a vector such as float4, for one) needs an address that is a multiple "
                        "of as many bytes: let it begin at such an index, or use single elements."
                    ),
                )
            length = self._length(site, space, array)
            return (
                (f"Out of bounds: {me} {verb} {access.place} {here}, but {length}."),
                (access,),
                (
                    "Let the access happen only where the index is inside (an `if` around it), or make the array "
                    "as large as the threads need."
                ),
            )

        what = "null" if null else "misaligned" if misaligned else "bounds"
        self.report.add("memory", (what, array, access.line), make)

    def _null_name(self, site: Site) -> str | None:
        for base in sorted(self.scheme.bases.get(site.number) or ()):
            address = self.monitor.base_address(base)
            if address is not None and address == 0 and base in self.monitor.names:
                return self.monitor.names[base]
        return None

    def _length(self, site: Site, space: str, array: str | None) -> str:
        if array is None:
            return f"there is no {space} memory of the kernel's at that address"
        if space == "global":
            for buffer in self.request.memory.buffers:
                if buffer.name == array:
                    size = buffer.array.size
                    return f"{array} has {size} element{'s' * (size != 1)}"
        for symbol, size in self.plan.addresses.sizes.items():
            if plain_name(symbol) == array:
                start = self.plan.addresses.places[symbol][1]
                total = size or self.request.shared_bytes - start
                what = "" if size else " in this launch (shared_bytes)"
                return f"{array} has {total} bytes, {total // self._element(site)} elements{what}"
        return f"{array} ends before"

    def _neighbour(self, number: int) -> None:
        site = self.monitor.sites[number]
        self.sink[:64] = 0
        for lane in lanes_of(self.worker.mask & 0xFFFFFFFF):
            address = self.worker.addresses[lane]
            name, offset = self.monitor.variable_at(site, site.space, address)
            access = self.monitor.access(
                site, self.block, self.warp, lane, name, offset // self._element(site)
            )
            self.worker.hosts[lane] = self.sink.ctypes.data

            def make(access: Access = access, address: int = address) -> tuple[str, Sequence[Access], str]:
                other = self._owner(site.space, address, access.array)
                inside = f" That is inside {other}, which lies beside it." if other else ""
                verb = access.action
                return (
                    (
                        f"Out of bounds: {sentences.who(access)} {verb} {access.place} {sentences.where(access)}, but "
                        f"{self._length(site, site.space, access.array)}.{inside}"
                    ),
                    (access,),
                    (
                        "Let the access happen only where the index is inside (an `if` around it), or make the array "
                        "as large as the threads need."
                    ),
                )

            self.report.add("memory", ("bounds", name, access.line), make)

    def _owner(self, space: str, address: int, but: str | None) -> str | None:
        for symbol, size in self.plan.addresses.sizes.items():
            where, start = self.plan.addresses.places[symbol]
            if where == space and start <= address < start + size and plain_name(symbol) != but:
                return plain_name(symbol)
        return None

    # Flags and fences

    def _fence(self, block_only: int) -> None:
        clocks = self.clocks
        for lane in lanes_of(self.watch.mask & 0xFFFFFFFF):
            known = self._known(self.warp, lane)
            for scope in (1,) if block_only else (0, 1):
                clocks.fenced_by[scope][self.warp, lane] = known

    def _flag(self, number: int) -> None:
        site, clocks, flags = self.monitor.sites[number], self.clocks, self.monitor.flags
        mask = self.watch.mask & 0xFFFFFFFF
        before = flags.count
        for lane in lanes_of(mask):
            address = self.worker.addresses[lane] & (1 << 64) - 1
            key: object = address
            if site.space == "shared" or address >> REGION_BITS < FIRST_BUFFER:
                key = (self.block, address & (1 << REGION_BITS) - 1)
            thread = (self.warp, lane)
            if site.store:
                if self.scheme.releases(site):
                    known = self._known(self.warp, lane)
                    told = [known, known]
                else:
                    told = [
                        joined(clocks.fenced[scope], clocks.fenced_by[scope].get(thread, NOTHING))
                        for scope in (0, 1)
                    ]
                if told[0] or told[1]:
                    flags.tell(key, self.block, *told)
            if site.load:
                heard = flags.hear(key, self.block)
                if heard:
                    clocks.heard_by[thread] = joined(clocks.heard_by.get(thread, NOTHING), heard)
        clock = self.clock(self.warp)
        if flags.count != before:
            for observer in self.monitor.observers:
                observer.watch.releases = flags.count
                observer._tell_flags()
        first = lanes_of(mask)[0] if mask else 0
        clock.seen, clock.seen_fenced = flags.count, self.watch.fenced
        clock.seen_at = self.worker.addresses[first]

    def _tell_flags(self) -> None:
        """Let compiled code know at which addresses something can be learned."""
        addresses = self.monitor.flags.addresses()
        plain = [each[1] if isinstance(each, tuple) else each for each in addresses]
        self.watch.told = len(plain)
        for number in range(4):
            value = plain[number] if number < len(plain) else -1
            self.watch.flags[number] = value - (1 << 64) if value >> 63 else value

    def _fenced_barrier(self, _: int) -> None:
        self.clocks.barrier()

    # Barriers

    def _joined(self, number: int) -> None:
        waiting = [
            index
            for index in range(self.plan.warps)
            if self.context.warp(index).state == WAITING and self.context.warp(index).barrier_id == number
        ]
        alive = [index for index in range(self.plan.warps) if self.context.warp(index).state != DONE]
        counts = {self.context.warp(index).barrier_count for index in waiting}
        if self.scheme.barriers:
            self._check_count(number, waiting, max(counts, default=0))
        arrived = self.clocks.arrived.pop(number, {})
        times = {index: self.clock(index).time for index in waiting}
        if set(waiting) == set(alive) and not arrived:
            if self.scheme.barriers and counts == {0}:
                self._barrier(0)
            self.clocks.barrier()
            now = max(self.clock(index).time for index in range(self.plan.warps)) + 1
            for index in range(self.plan.warps):
                clock = self.clock(index)
                clock.time = clock.synced = now
            if self.scheme.races:
                self.watch.shared_span = self.watch.global_span = now << 5
            return
        all_times = {warp: bound - 1 for warp, bound in arrived.items()} | times
        self.clocks.join(all_times, set(arrived) - set(waiting))
        now = max(times.values()) + 1
        for index in waiting:
            clock = self.clock(index)
            clock.time += 1
            clock.synced = clock.time

    def _arrived(self, number: int) -> None:
        clock = self.clock(self.warp)
        self.clocks.arrived.setdefault(number, {})[self.warp] = clock.time + 1
        clock.time += 1

    def _waits(self) -> list[tuple[int, int, int | None]]:
        """(warp, lanes, line) of everyone at a barrier."""
        found = []
        layout = self.plan.layout
        for index in range(self.plan.warps):
            warp: Warp = self.context.warp(index)
            if warp.state != WAITING:
                continue
            if warp.mode != MASKED:
                found.append((index, warp.lanes & 0xFFFFFFFF, self._barrier_line(warp.barrier_block)))
                continue
            start = index * layout.size
            parked = self.context.warps[start + layout.parked : start + layout.parked_any].view(np.uint32)
            seen: set[int] = set()
            blocks = [self.plan.flow.blocks[warp.barrier_block], *self.plan.flow.blocks]
            for block in blocks:
                if block.end == "wait" and block.targets[0] not in seen and parked[block.targets[0]]:
                    seen.add(block.targets[0])
                    found.append((index, int(parked[block.targets[0]]), self._barrier_line(block.index)))
        return found

    def _barrier_line(self, block: int) -> int | None:
        barrier = self.plan.flow.blocks[block].barrier
        return None if barrier is None else self.monitor.line(barrier)

    def _waiter(self, warp: int, lanes: int, line: int | None) -> Access:
        lane = lanes_of(lanes)[0]
        return Access(
            line,
            self.monitor.text(line),
            self.monitor.block_index(self.block),
            self.monitor.thread_index(warp, lane),
            None,
            None,
            "waits",
        )

    def _barrier(self, _: int) -> None:
        """A barrier of the whole block that not all threads reach, or that is really several."""
        waits = self._waits()
        by_line: dict[int | None, list[tuple[int, int]]] = {}
        for warp, lanes, line in waits:
            by_line.setdefault(line, []).append((warp, lanes))
        here = {warp: 0 for warp in range(self.plan.warps)}
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
                    (
                        "Move __syncthreads() out of the `if` or the loop, to where all threads of the block pass."
                    ),
                )

            self.report.add("barriers", ("different", lines), make)
        gone = [
            (warp, (self.context.warp(warp).lanes & 0xFFFFFFFF) & ~lanes)
            for warp, lanes in here.items()
            if (self.context.warp(warp).lanes & 0xFFFFFFFF) & ~lanes
        ]
        if gone:
            self._not_reached(first, gone)

    def _not_reached(self, first: Access, gone: list[tuple[int, int]]) -> None:
        warp, lanes = gone[0]
        left = Access(
            None,
            "",
            first.block,
            self.monitor.thread_index(warp, lanes_of(lanes)[0]),
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
                    f"{count} of the block's {self.plan.threads} threads, thread "
                    f"{sentences.index_text(left.thread)} for one, have left the kernel without coming there."
                ),
                (first, left),
                (
                    "Let all threads of the block come to every __syncthreads(): no `return` before it, no `if` "
                    "around it and no loop with fewer rounds for some threads; guard the accesses instead."
                ),
            )

        self.report.add("barriers", ("left", first.line), make)

    def _check_count(self, number: int, waiting: list[int], count: int) -> None:
        """A barrier with a number of threads."""
        if not count:
            return
        present = LANES * len(waiting) + self.worker.arrived[number]
        if present <= count and count % LANES == 0:
            return
        waits = [each for each in self._waits() if each[0] in waiting]
        access = self._waiter(*waits[0])

        def make() -> tuple[str, Sequence[Access], str]:
            return (
                (
                    f"Wrong count: barrier {number} {sentences.where(access)} is for {count} threads, but {present} "
                    f"threads of block {sentences.index_text(access.block)} come to it at once."
                ),
                (access,),
                ("Give the number of threads that really come to it: a multiple of 32, whole warps."),
            )

        self.report.add("barriers", ("count", access.line), make)

    def _members(self, status: int) -> None:
        """A .sync instruction whose mask and lanes do not agree."""
        bits, mask, block, position = (each & 0xFFFFFFFF for each in self.worker.addresses[:4])
        instruction = self.plan.flow.blocks[block].instructions[position]
        line = self.monitor.line(instruction)
        running = lanes_of(self.worker.mask & 0xFFFFFFFF)
        self._disagree(status, bits, mask, line, running[0] if running else 0, instruction)

    def _disagree(
        self, status: int, bits: int, mask: int, line: int | None, lane: int, instruction: Instruction
    ) -> None:
        here = Access(
            line,
            self.monitor.text(line),
            self.monitor.block_index(self.block),
            self.monitor.thread_index(self.warp, lane),
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
                reason = f"its mask {mask:#010x} names {named}, which {'have' if len(lanes) > 1 else 'has'} left the kernel"
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
                reason = f"{named} of the warp {'call' if len(lanes) > 1 else 'calls'} it without being in its mask {mask:#010x}"
                fix = "Name every lane that calls it in the mask: 0xffffffff where the whole warp does."
            return (
                (
                    f"Wrong lanes: {sentences.who(here)} calls {what} {sentences.where(here)}, and {reason}. "
                    "The result is then undefined."
                ),
                (here,),
                fix,
            )

        self.report.add("barriers", ("members", status, line), make)

    def _somewhere(self) -> int:
        """The lanes of the running warp, in masked code, that wait for a turn or at a barrier."""
        layout, start = self.plan.layout, self.warp * self.plan.layout.size
        waiting = self.context.warps[start + layout.waiting : start + layout.parked_any].view(np.uint32)
        return int(np.bitwise_or.reduce(waiting))

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
                    "Look at what the loop waits for: who sets it, and can that thread get there? A flag in memory "
                    "must be read anew each round (volatile or atomic)."
                ),
            )

        self.report.add("barriers", ("hang", frozenset(each.line for each in accesses)), make)

    def _spinning(self) -> list[Access]:
        found = []
        layout = self.plan.layout
        for index in range(self.plan.warps):
            warp = self.context.warp(index)
            if warp.state == DONE:
                continue
            start = index * layout.size
            places: list[tuple[int, int]] = []
            if warp.mode == MASKED:
                waiting = self.context.warps[start + layout.waiting : start + layout.parked].view(np.uint32)
                for block in self.plan.flow.blocks:
                    if waiting[block.index]:
                        places.append((block.index, int(waiting[block.index])))
            elif warp.entry:
                places.append(((warp.entry - 1) // 2, warp.lanes & 0xFFFFFFFF))
            for block, lanes in places:
                code = self.plan.flow.blocks[block]
                lines = [self.monitor.line(each) for each in code.effective or code.issued]
                line = next((each for each in lines if each), None)
                if line is not None and all(each.line != line for each in found):
                    access = self._waiter(index, lanes, line)
                    found.append(access)
        return found


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
