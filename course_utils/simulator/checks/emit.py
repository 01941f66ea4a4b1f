"""What a checked kernel does beside its accesses, barriers and synchronising instructions: the calls into
shadow memory and, where something is open, into Python."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..access import BYTES, Site
from ..access import group_of as group_of_lanes
from ..controlflow import read, written
from ..ir import Value, pattern, vector_type
from ..kinds import LANES
from ..layout import (
    CONSTANT_REGION,
    FIRST_BUFFER,
    LOCAL_REGION,
    REGION_BITS,
    REGIONS,
    SHARED_REGION,
    Warp,
    Worker,
    at,
)
from ..ptx import Instruction
from . import shadow_code
from .structures import Clock, Event, Watch

if TYPE_CHECKING:
    from ..codegen import Emitter
    from .scheme import Scheme

MOST_ROWS = 4  # an access in more pieces than this is looked at lane by lane


class CheckCode:
    """Writes the checks of one function. `scheme` says what is checked."""

    def __init__(self, emitter: Emitter, scheme: Scheme) -> None:
        self.emitter, self.scheme = emitter, scheme
        self.code = emitter.code
        self.dropped = "0"  # i32: lanes whose access goes nowhere, of the instruction being written
        shadow_code.declare()

    def prologue(self) -> None:
        code = self.code
        code.do(f"%watch.at = getelementptr i8, ptr %worker, i64 {at(Worker, 'watch')}")
        code.do("%watch = load ptr, ptr %watch.at, align 8, !invariant.load !2")
        code.do(f"%clocks.at = getelementptr i8, ptr %watch, i64 {at(Watch, 'clocks')}")
        code.do("%clocks = load ptr, ptr %clocks.at, align 8, !invariant.load !2")
        code.do(f"%own.index.at = getelementptr i8, ptr %warp, i64 {at(Warp, 'index')}")
        code.do("%own.index = load i32, ptr %own.index.at, align 4, !invariant.load !2")
        code.do("%own.index.64 = zext i32 %own.index to i64")
        code.do(f"%own.offset = mul i64 %own.index.64, {ctypes.sizeof(Clock)}")
        code.do("%clock = getelementptr i8, ptr %clocks, i64 %own.offset")

    def call(self, event: int, number: int | str) -> None:
        callback = self.code.load("ptr", "%watch", at(Watch, "callback"))
        self.code.do(f"call void {callback}(i32 {event}, i32 {number})")

    # Memory: accesses outside

    def variable(self, site: Site) -> tuple[int, int | str] | None:
        """(first byte, byte behind) of the variable that the site's address derives from, where the space
        holds others too."""
        return self.scheme.extent(site)

    def require(self, site: Site, condition: str, lanes: str) -> None:
        """Go on in any case. Where the i1 does not hold, Python finds the lanes at fault, reports them, and
        leads them to memory that takes everything."""
        code = self.code
        here, bad, good = code.name("before"), code.name("illegal"), code.name("legal")
        code.jump(here)
        code.label(here)
        code.branch(condition, good, bad, likely=True)
        code.label(bad)
        self.call(Event.ILLEGAL, site.number)
        found = code.load("i32", "%watch", at(Watch, "dropped"))
        code.jump(good)
        code.label(good)
        self.dropped = code.op(f"phi i32 [ 0, %{here} ], [ {found}, %{bad} ]")
        self._require_variable(site, lanes)

    def _require_variable(self, site: Site, lanes: str) -> None:
        extent = self.variable(site) if lanes else None
        if extent is None:
            return
        code = self.code
        start, stop = extent
        ahead = code.op(f"sub <32 x i64> {lanes}, splat (i64 {start})")
        room = code.splat(code.op(f"sub i64 {stop}, {start + site.size - 1}"), "i64")
        inside = code.mask_bits(code.op(f"icmp ult <32 x i64> {ahead}, {room}"))
        outside = code.op(f"and i32 {code.op(f'xor i32 {inside}, -1')}, {self.emitter.mask}")
        already = code.op(f"xor i32 {self.dropped}, -1")
        outside = code.op(f"and i32 {outside}, {already}")
        here, bad, good = code.name("before"), code.name("beyond"), code.name("within")
        code.jump(here)
        code.label(here)
        code.branch(code.op(f"icmp eq i32 {outside}, 0"), good, bad, likely=True)
        code.label(bad)
        code.store("<32 x i64>", lanes, "%worker", at(Worker, "addresses"))
        code.store("i32", outside, "%worker", at(Worker, "mask"))
        self.call(Event.NEIGHBOUR, site.number)
        more = code.op(f"or i32 {self.dropped}, {outside}")
        code.jump(good)
        code.label(good)
        self.dropped = code.op(f"phi i32 [ {self.dropped}, %{here} ], [ {more}, %{bad} ]")

    # Races and initialisation

    def load(self, site: Site, address: Value, patterned: bool, element: str, count: int) -> None:
        self._access("load", site, address, patterned)
        if self.scheme.initialisation:
            self._written_before(site, address, element, count)
        self.dropped = "0"

    def store(self, site: Site, address: Value, patterned: bool, values: Sequence[Value]) -> None:
        code = self.code
        element = values[0].type
        if self.scheme.races and site.space in ("shared", "global", "generic"):
            step = LANES * BYTES[element]
            for number, value in enumerate(values):
                code.store(
                    vector_type(element), code.vector(value), "%worker", at(Worker, "scratch") + number * step
                )
        self._access("store", site, address, patterned)
        if self.scheme.initialisation and site.space in ("local", "generic"):
            self._mark_local(site, address, element, len(values))
        self.dropped = "0"

    def touch(self, site: Site, lanes: str, mask: str, size: int) -> None:
        """An access of one of the larger instructions: `size` bytes of each lane in `mask`."""
        if not self.scheme.shadowed or site.space not in ("shared", "global"):
            return
        kept = self.code.op(f"and i32 {mask}, {self.code.op(f'xor i32 {self.dropped}, -1')}")
        log = self.scheme.granule_log(site.space)
        name = shadow_code.name_of(site.space, "load" if site.load else "store", "lanes")
        for more in range(max(size >> log, 1)):
            self.code.do(
                f"call void @{name}(ptr %worker, ptr %warp, <32 x i64> {lanes}, i64 {more}, i64 {log}, "
                f"i32 {kept}, i32 {self._word(site)})"
            )
        self.dropped = "0"

    def atomic(self, site: Site, address: Value) -> None:
        self._access("store", site, address, patterned=False)
        self.dropped = "0"

    def _running(self) -> str:
        """The lanes that take part (i32)."""
        if self.dropped == "0":
            return self.emitter.mask
        kept = self.code.op(f"xor i32 {self.dropped}, -1")
        return self.code.op(f"and i32 {kept}, {self.emitter.mask}")

    def _word(self, site: Site) -> int:
        return site.number << shadow_code.SITE_SHIFT | self.scheme.flags(site)

    def _access(self, action: str, site: Site, address: Value, patterned: bool) -> None:
        if not self.scheme.shadowed or site.space not in ("shared", "global", "generic"):
            return
        if self.scheme.tells(site):
            self._flag(site, address)
        if site.space == "generic":
            self._generic(action, site, address)
            return
        rows = self._rows(site, address) if patterned else None
        if rows is None:
            self._lanes(action, site.space, site, self.code.vector(address), self._running())
        else:
            for row in rows:
                self._row(action, site, *row)

    def _rows(self, site: Site, address: Value) -> list[tuple[str, int, int, bool]] | None:
        """(address, first lane, lanes, uniform) of pieces of the access that are one place or neighbours."""
        active = self.emitter.active
        if active is None or address.lanes is None:
            return None
        lanes, scaled = address.lanes[:active], address.scaled[:active]
        length = active
        while length >= 1:
            pieces = range(0, active, length)
            if active % length == 0 and len(pieces) <= MOST_ROWS:
                alike = all(len(set(scaled[first : first + length])) == 1 for first in pieces)
                if alike and group_of_lanes(lanes, site.size, length) is not None:
                    rows: dict[tuple[int, int], list[int]] = {}
                    for first in pieces:  # pieces at one place go together
                        rows.setdefault((lanes[first], scaled[first]), []).append(first)
                    if site.store and len(rows) < len(pieces):
                        return None
                    return [self._piece(address, lanes, scaled, firsts, length) for firsts in rows.values()]
            length //= 2
        return None

    def _piece(
        self, address: Value, lanes: tuple[int, ...], scaled: tuple[int, ...], firsts: list[int], length: int
    ) -> tuple[str, int, int, bool]:
        code, first = self.code, firsts[0]
        text = address.text
        if scaled[first]:
            text = code.op(f"add i64 {text}, {code.op(f'mul i64 {address.stride}, {scaled[first]}')}")
        if lanes[first]:
            text = code.op(f"add i64 {text}, {lanes[first]}")
        uniform = length == 1 or lanes[first] == lanes[first + 1]
        each = (1 << length) - 1 if uniform else 1
        return text, sum(each << start for start in firsts), length, uniform

    def _row(self, action: str, site: Site, address: str, bits: int, length: int, uniform: bool) -> None:
        """`bits`: the lanes at the first address."""
        code, scheme = self.code, self.scheme
        log = scheme.granule_log(site.space)
        each = max(site.size >> log, 1)
        total = each if uniform else each * length
        name = shadow_code.quick(site.space, action, total, each.bit_length() - 1, bits, uniform=uniform)
        after = ""
        if site.space == "global":
            region = code.op(f"lshr i64 {address}, {REGION_BITS}")
            region = code.op(f"call i64 @llvm.umin.i64(i64 {region}, i64 {REGIONS - 1})")
            starts = code.load("ptr", "%watch", at(Watch, "starts"), fixed=True)
            entry = code.op(f"getelementptr i64, ptr {starts}, i64 {region}")
            start = code.load("i64", entry, fixed=True)
            watched, after = code.name("watched"), code.name("unwatched")
            code.branch(code.op(f"icmp sge i64 {start}, 0"), watched, after)
            code.label(watched)
            offset = code.op(f"and i64 {address}, {(1 << REGION_BITS) - 1}")
            granule = code.op(f"add i64 {start}, {code.op(f'lshr i64 {offset}, {log}')}")
        else:
            granule = code.op(f"lshr i64 {address}, {log}")
        code.do(f"call void @{name}(ptr %worker, ptr %warp, i64 {granule}, i32 {self._word(site)})")
        if after:
            code.jump(after)
            code.label(after)

    def _lanes(self, action: str, space: str, site: Site, lanes: str, mask: str) -> None:
        log = self.scheme.granule_log(space)
        name = shadow_code.name_of(space, action, "lanes")
        for more in range(max(site.size >> log, 1)):
            self.code.do(
                f"call void @{name}(ptr %worker, ptr %warp, <32 x i64> {lanes}, i64 {more}, i64 {log}, "
                f"i32 {mask}, i32 {self._word(site)})"
            )

    def _in_region(self, lanes: str, region: int, *, above: bool = False) -> str:
        """The running lanes whose generic address lies in a window (i32)."""
        code = self.code
        number = code.op(f"lshr <32 x i64> {lanes}, splat (i64 {REGION_BITS})")
        verb = "uge" if above else "eq"
        found = code.mask_bits(code.op(f"icmp {verb} <32 x i64> {number}, splat (i64 {region})"))
        return code.op(f"and i32 {found}, {self._running()}")

    def _offsets(self, lanes: str) -> str:
        return self.code.op(f"and <32 x i64> {lanes}, splat (i64 {(1 << REGION_BITS) - 1})")

    def _generic(self, action: str, site: Site, address: Value) -> None:
        lanes = self.code.vector(address)
        shared = self._in_region(lanes, SHARED_REGION)
        self._if(shared, lambda: self._lanes(action, "shared", site, self._offsets(lanes), shared))
        buffers = self._in_region(lanes, FIRST_BUFFER, above=True)
        self._if(buffers, lambda: self._lanes(action, "global", site, lanes, buffers))

    def _if(self, mask: str, write: object) -> None:
        code = self.code
        some, after = code.name("some"), code.name("after")
        code.branch(code.op(f"icmp ne i32 {mask}, 0"), some, after)
        code.label(some)
        write()  # type: ignore[operator]
        code.jump(after)
        code.label(after)

    # Local and constant memory: written before read?

    def _written_before(self, site: Site, address: Value, element: str, count: int) -> None:
        local = site.space == "local" or (site.space == "generic" and self.emitter.local_bytes)
        if local and self.scheme.shows_unset(site):
            lanes, mask = self._local_lanes(site, address)
            whole = None
            for index in range(count):
                text = self._local_shadow(lanes, mask, element, index)
                nothing = self.code.op(f"icmp eq <32 x i{8 * BYTES[element]}> {text}, zeroinitializer")
                whole = nothing if whole is None else self.code.op(f"or <32 x i1> {whole}, {nothing}")
            assert whole is not None
            unset = self.code.op(f"and i32 {self.code.mask_bits(whole)}, {mask}")
            self._unset(site, self.code.vector(address), unset)
        if site.space == "const" or (site.space == "generic" and self.scheme.unset_constants):
            self._constant_set(site, address)

    def _constant_set(self, site: Site, address: Value) -> None:
        if not self.scheme.may_be_unset(site):
            return
        code = self.code
        lanes, mask = code.vector(address), self._running()
        if site.space == "generic":
            mask = self._in_region(lanes, CONSTANT_REGION)
            lanes = self._offsets(lanes)
        base = code.op("ptrtoint ptr %constants to i64")
        away = code.load("i64", "%watch", at(Watch, "constant_away"), fixed=True)
        start = code.splat(code.op(f"add i64 {base}, {away}"), "i64")
        places = code.op(f"inttoptr <32 x i64> {code.op(f'add <32 x i64> {start}, {lanes}')} to <32 x ptr>")
        found = code.op(
            "call <32 x i8> @llvm.masked.gather.v32i8.v32p0(<32 x ptr> align 1 "
            f"{places}, <32 x i1> {code.mask_vector(mask)}, <32 x i8> zeroinitializer)"
        )
        nothing = code.mask_bits(code.op(f"icmp eq <32 x i8> {found}, zeroinitializer"))
        self._unset(site, code.vector(address), code.op(f"and i32 {nothing}, {mask}"))

    def _unset(self, site: Site, lanes: str, mask: str) -> None:
        code = self.code

        def write() -> None:
            code.store("<32 x i64>", lanes, "%worker", at(Worker, "addresses"))
            code.store("i32", mask, "%watch", at(Watch, "mask"))
            self.call(Event.UNSET, site.number)

        self._if(mask, write)

    def _local_lanes(self, site: Site, address: Value) -> tuple[str, str]:
        """(offsets in local memory, running lanes there)."""
        lanes = self.code.vector(address)
        if site.space == "local":
            return lanes, self._running()
        return self._offsets(lanes), self._in_region(lanes, LOCAL_REGION)

    def _local_places(self, lanes: str, offset: int) -> str:
        code = self.code
        base = code.op("ptrtoint ptr %local to i64")
        away = code.load("i64", "%watch", at(Watch, "local_away"), fixed=True)
        start = code.splat(code.op(f"add i64 {base}, {away}"), "i64")
        own = pattern(tuple(lane * self.emitter.local_bytes + offset for lane in range(LANES)), "i64")
        places = code.op(f"add <32 x i64> {code.op(f'add <32 x i64> {start}, {own}')}, {lanes}")
        return code.op(f"inttoptr <32 x i64> {places} to <32 x ptr>")

    def _local_shadow(self, lanes: str, mask: str, element: str, index: int) -> str:
        kind = f"i{8 * BYTES[element]}"
        places = self._local_places(lanes, index * BYTES[element])
        return self.code.op(
            f"call <32 x {kind}> @llvm.masked.gather.v32{kind}.v32p0(<32 x ptr> align 1 {places}, "
            f"<32 x i1> {self.code.mask_vector(mask)}, <32 x {kind}> splat ({kind} -1))"
        )

    def _mark_local(self, site: Site, address: Value, element: str, count: int) -> None:
        if not self.emitter.local_bytes:
            return
        lanes, mask = self._local_lanes(site, address)
        kind = f"i{8 * BYTES[element]}"
        for index in range(count):
            places = self._local_places(lanes, index * BYTES[element])
            self.code.do(
                f"call void @llvm.masked.scatter.v32{kind}.v32p0(<32 x {kind}> splat ({kind} -1), "
                f"<32 x ptr> align 1 {places}, <32 x i1> {self.code.mask_vector(mask)})"
            )

    # Registers that nothing wrote, where the build keeps the source's variables

    def _defined_at(self, name: str) -> str:
        offset = ctypes.sizeof(Clock) * self.emitter.plan.warps
        place = 4 * self.scheme.tracked[name]
        row = self.code.op(f"mul i64 %own.index.64, {4 * len(self.scheme.tracked)}")
        start = self.code.op(f"add i64 {row}, {offset + place}")
        return self.code.op(f"getelementptr i8, ptr %clocks, i64 {start}")

    def before(self, instruction: Instruction) -> None:
        """What an instruction reads must have been written; a plain copy is no use of it."""
        if self.scheme.tracked and self.scheme.copied(instruction) is None:
            site = self.emitter.plan.sites.get((self.emitter.block_now, self.emitter.position_now))
            if site is None or site.space != "local" or not site.store:
                self.uses(read(instruction), instruction)

    def uses(self, names: Sequence[str], instruction: Instruction) -> None:
        """Are these registers, if they are among the tracked, written in all running lanes?"""
        code = self.code
        if instruction.location.file != 1:
            return  # a header's functions pass on members that nobody uses
        line = instruction.location.line
        for name in names:
            if name not in self.scheme.tracked:
                continue
            place = self._defined_at(name)
            defined = code.op(f"load i32, ptr {place}, align 4")
            missing = code.op(f"and i32 {code.op(f'xor i32 {defined}, -1')}, {self.emitter.mask}")

            def write(place: str = place, missing: str = missing, defined: str = defined) -> None:
                code.store("i32", missing, "%watch", at(Watch, "mask"))
                code.do(f"store i32 {code.op(f'or i32 {defined}, {missing}')}, ptr {place}, align 4")
                self.call(Event.UNDEFINED, line)

            self._if(missing, write)

    def defines(self, instruction: Instruction) -> None:
        """Note what an instruction wrote; a plain copy hands on whether its source was written."""
        code = self.code
        for name in written(instruction):
            if name not in self.scheme.tracked:
                continue
            place = self._defined_at(name)
            old = code.op(f"load i32, ptr {place}, align 4")
            mask = self.emitter.mask
            source = self.scheme.copied(instruction)
            given = mask
            if source in self.scheme.tracked:
                assert source is not None
                theirs = code.op(f"load i32, ptr {self._defined_at(source)}, align 4")
                given = code.op(f"and i32 {theirs}, {mask}")
            kept = code.op(f"and i32 {old}, {code.op(f'xor i32 {mask}, -1')}")
            code.do(f"store i32 {code.op(f'or i32 {kept}, {given}')}, ptr {place}, align 4")

    # Synchronising

    def synchronise(self, members: Value) -> None:
        """The running lanes wait for those that they name, and know all that these did."""
        if not self.scheme.races:
            return
        code, emitter = self.code, self.emitter
        if emitter.active is not None and members.uniform and not members.text.startswith("%"):
            bits = (1 << emitter.active) - 1
            if int(members.text) & bits == bits:
                time = code.load("i32", "%clock", at(Clock, "time"))
                later = code.op(f"add i32 {time}, 1")
                code.store("i32", later, "%clock", at(Clock, "time"))
                code.store("i32", later, "%clock", at(Clock, "synced"))
                return
        code.do(
            f"call void @simulator_watch_sync(ptr %worker, ptr %warp, <32 x i32> {code.vector(members)}, "
            f"i32 {emitter.mask})"
        )

    def fence(self, instruction: Instruction) -> None:
        if not self.scheme.hears:
            return
        self.code.store("i32", self.emitter.mask, "%watch", at(Watch, "mask"))
        fences = self.code.load("i32", "%watch", at(Watch, "fenced"))
        self.code.store("i32", self.code.op(f"add i32 {fences}, 1"), "%watch", at(Watch, "fenced"))
        self.call(Event.FENCE, int(instruction.has("cta")))

    def _is_flag(self, lanes: str, mask: str) -> str:
        """May any of these addresses be one where something was told? (i1)"""
        code = self.code
        found = code.op(f"icmp ugt i32 {code.load('i32', '%watch', at(Watch, 'told'))}, 4")
        for number in range(4):
            flag = code.splat(code.load("i64", "%watch", at(Watch, "flags") + 8 * number), "i64")
            same = code.mask_bits(code.op(f"icmp eq <32 x i64> {lanes}, {flag}"))
            here = code.op(f"icmp ne i32 {code.op(f'and i32 {same}, {mask}')}, 0")
            found = code.op(f"or i1 {found}, {here}")
        return found

    def _flag(self, site: Site, address: Value) -> None:
        """An access by which threads may tell each other that something is done. Python hears of it when it
        can matter: a fence came before, or others have told something that this warp has not heard."""
        code = self.code
        lanes, mask = code.vector(address), self._running()
        releases = code.load("i32", "%watch", at(Watch, "releases"))
        fenced = code.load("i32", "%watch", at(Watch, "fenced"))
        matters = "false"
        if site.load:
            matters = self._is_flag(lanes, mask)
        if site.store:
            after = code.op(f"icmp ne i32 {fenced}, 0")
            matters = code.op(f"or i1 {matters}, {after}")
        lowest = code.op(f"and i32 {code.op(f'call i32 @llvm.cttz.i32(i32 {mask}, i1 false)')}, 31")
        first = code.op(f"extractelement <32 x i64> {lanes}, i32 {lowest}")
        news = [
            code.op(f"icmp ne i32 {releases}, {code.load('i32', '%clock', at(Clock, 'seen'))}"),
            code.op(f"icmp ne i32 {fenced}, {code.load('i32', '%clock', at(Clock, 'seen_fenced'))}"),
            code.op(f"icmp ne i64 {first}, {code.load('i64', '%clock', at(Clock, 'seen_at'))}"),
        ]
        by = code.load("i32", "%clock", at(Clock, "seen_by"))
        others = code.op(f"and i32 {mask}, {code.op(f'xor i32 {by}, -1')}")
        new = code.op(f"icmp ne i32 {others}, 0")
        for each in news:
            new = code.op(f"or i1 {new}, {each}")
        matters = "true" if self.scheme.releases(site) else code.op(f"and i1 {matters}, {new}")
        call, after_ = code.name("flag"), code.name("after")
        code.branch(matters, call, after_)
        code.label(call)
        code.store("<32 x i64>", lanes, "%worker", at(Worker, "addresses"))
        code.store("i32", mask, "%watch", at(Watch, "mask"))
        self.call(Event.FLAG, site.number)
        code.jump(after_)
        code.label(after_)

    # Barriers

    def arrives(self) -> None:
        """The running lanes come to a barrier."""
        self.code.store("i32", self.emitter.mask, "%clock", at(Clock, "waiting"))

    def announces(self, number: str) -> None:
        """bar.arrive."""
        self.call(Event.ARRIVED, number)

    def members_disagree(self, status: int) -> None:
        self.call(Event.MEMBERS, status)
