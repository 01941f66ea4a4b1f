"""The compiled half of shadow memory: is this access ordered with those before it, and note it.

For each granule (the bytes of the smallest access of the kernel, at most 4) there are eight numbers, each
in a plane of its own:

    stored                tag of the last store; 0: none in this launch, all ones: never written
    stored_by             its site, flags and lane
    read1, lanes1, site1  tag of a load since, the lanes that took part, its site and flags
    read2, lanes2, site2  the same of a load by another warp

A tag is 1 + warp + 32 * the warp's time, and for global memory also 2**32 * (1 + block). Accesses before
the last barrier have tags from `lo`, fewer than `span` of them: one comparison says that they are ordered.
What remains is compared with the warp's own clock, and only what is then still open goes to Python (see
`races`).

The functions work on 16 granules side by side ("row"), or on one granule of each lane ("lanes").
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from ..helpers import provide
from ..ir import Code, pattern
from ..kinds import LANES
from ..layout import REGION_BITS, REGIONS, Warp, Worker, at
from .structures import Clock, Event, Watch

ATOMIC, VOLATILE, READS = (
    128,
    64,
    32,
)  # flags of a site's number, which stands above them; READS: so does an atomic
SITE_SHIFT = 8
PLANES = ("stored", "read1", "read2", "stored_by", "lanes1", "site1", "lanes2", "site2")
TAGS = 3  # so many of the planes hold tags


def tag_bytes(space: str) -> int:
    return 4 if space == "shared" else 8


def granule_bytes(space: str) -> int:
    """Bytes of shadow memory for a granule."""
    return TAGS * tag_bytes(space) + 4 * (len(PLANES) - TAGS)


def name_of(space: str, action: str, shape: str) -> str:
    return f"simulator_watch_{action}_{shape}_{space}"


def quick(space: str, action: str, granules: int, log: int, lanes: int, *, uniform: bool) -> str:
    """The name of a function that looks first whether all is as usual, made for one shape of access: so many
    granules, 2**log of them a lane, from the lanes (a mask) at the first one on; or all for these lanes."""
    shape = f"{granules}_{log}_{lanes:x}{'_u' * uniform}"
    name = f"simulator_watch_{action}_quick_{space}_{shape}"
    width = 1 if granules < 8 else 16 if granules % 32 else 32
    provide(
        name,
        "void (ptr, ptr, i64, i32)",
        lambda: _Function(space, action, "row", width).quick_text(
            name, granules, log, lanes, uniform=uniform
        ),
    )
    return name


def declare() -> None:
    """Make the functions known to kernels."""
    for space in ("shared", "global"):
        for action in ("load", "store"):
            for shape in ("row", "lanes"):
                name = name_of(space, action, shape)
                provide(
                    name, _SIGNATURES[shape], lambda s=space, a=action, h=shape: _Function(s, a, h).text()
                )
    provide("simulator_watch_sync", "void (ptr, ptr, <32 x i32>, i32)", lambda: SYNC_TEXT)


_SIGNATURES = {
    # worker, warp, first granule, granules, log2 of those a lane has, lanes of the first granule (those of
    # the others follow), is it the same place for all of these lanes?, site
    "row": "void (ptr, ptr, i64, i32, i32, i32, i1, i32)",
    # worker, warp, granule (shared) or address (global) of each lane, granules to add, log2 granule,
    # lanes, site
    "lanes": "void (ptr, ptr, <32 x i64>, i64, i64, i32, i32)",
}


class _Function:
    """Writes one of the functions."""

    def __init__(self, space: str, action: str, shape: str, width: int = 16) -> None:
        self.space, self.action, self.shape = space, action, shape
        self.code = Code()
        self.tag = "i32" if space == "shared" else "i64"
        self.width = width if shape == "row" else LANES

    def text(self) -> str:
        name = name_of(self.space, self.action, self.shape)
        if self.shape == "row":
            head = "i64 %first, i32 %total, i32 %log, i32 %lanes0, i1 %uniform, i32 %site"
        else:
            head = "<32 x i64> %places, i64 %more, i64 %log, i32 %mask, i32 %site"
        self._start()
        body = "\n".join(self.code.lines)
        return f"define void @{name}(ptr %worker, ptr %warp, {head}) {{\n{body}\n}}\n"

    def quick_text(self, name: str, granules: int, log: int, lanes: int, *, uniform: bool) -> str:
        """The function that looks first whether all is as usual: a load of what was stored before the last
        barrier, by lanes that have been noted already or where noting more would tell nothing new; a store
        where nobody was since the last barrier. If not, it calls the one that looks closer."""
        code = self.code
        self._head()
        for first in range(0, granules, self.width):
            numbers = range(first, first + self.width)
            bits = [lanes if uniform else lanes << (number >> log) for number in numbers]
            self.place = code.op(f"add i64 %first, {first}")
            self.bit = pattern(tuple(each & 0xFFFFFFFF for each in bits), "i32")
            self.lane = pattern(tuple((each & -each).bit_length() - 1 & 31 for each in bits), "i32")
            truth = ", ".join(f"i1 {'true' if number < granules else 'false'}" for number in numbers)
            self.inside = f"<{truth}>"
            (self._quick_load if self.action == "load" else self._quick_store)()
        code.do("ret void")
        code.label("unusual")
        signed = lanes - (1 << 32) if lanes >> 31 else lanes
        whole = name_of(self.space, self.action, "row")
        code.do(
            f"call void @{whole}(ptr %worker, ptr %warp, i64 %first, i32 {granules}, i32 {log}, "
            f"i32 {signed}, i1 {'true' if uniform else 'false'}, i32 %site)"
        )
        code.do("ret void")
        body = "\n".join(code.lines)
        closer = _Function(self.space, self.action, "row").text().replace("define", "define internal", 1)
        return f"define void @{name}(ptr %worker, ptr %warp, i64 %first, i32 %site) {{\n{body}\n}}\n{closer}"

    def _quick_load(self) -> None:
        code, kind = self.code, self._vector("i32")
        fine = self._settled(self._load("stored"))
        reads = {number: self._load(f"read{number}") for number in (1, 2)}
        settled = {number: self._settled(read) for number, read in reads.items()}
        others = {
            number: self._not(self._or(settled[number], self._same_warp(read)[0]))
            for number, read in reads.items()
        }
        look, done = code.name("look"), code.name("done")
        crowded = self._and(fine, others[1], others[2])  # two other warps are noted already
        code.branch(self._some(self._and(self.inside, self._not(crowded))), look, done)
        code.label(look)
        lanes = {number: self._load(f"lanes{number}") for number in (1, 2)}
        has = {}
        for number in (1, 2):
            mine = code.op(f"icmp eq {self._vector(self.tag)} {reads[number]}, {self.mine}")
            both = self._both("and", lanes[number], self.bit, "i32")
            has[number] = self._and(mine, code.op(f"icmp eq {kind} {both}, {self.bit}"))
        noted = self._or(has[1], self._and(others[1], self._or(has[2], others[2])))
        self._unless(self._and(fine, self._or(noted, settled[1])))
        new = self._and(self.inside, settled[1])
        first = code.name("first.read")
        code.branch(self._some(new), first, done)
        code.label(first)
        self._store("read1", self.mine, new, reads[1])
        self._store("lanes1", self.bit, new, lanes[1])
        self._store("site1", self.site, new)
        code.jump(done)
        code.label(done)

    def _quick_store(self) -> None:
        stored = self._load("stored")
        never = self.code.op(f"icmp eq {self._vector(self.tag)} {stored}, splat ({self.tag} -1)")
        fine = self._or(self._settled(stored), never)
        for number in (1, 2):
            fine = self._and(fine, self._settled(self._load(f"read{number}")))
        self._unless(fine)
        self._store("stored", self.mine, self.inside, stored)
        self._store("stored_by", self._both("or", self.site, self.lane, "i32"), self.inside)

    def _unless(self, fine: str) -> None:
        code = self.code
        unusual = self._some(self._and(self.inside, self._not(fine)))
        usual = code.name("usual")
        code.branch(unusual, "unusual", usual, likely=False)
        code.label(usual)

    # Small things

    def _vector(self, element: str) -> str:
        return f"<{self.width} x {element}>"

    def _splat(self, text: str, element: str) -> str:
        if not text.startswith("%"):
            return f"splat ({element} {text})"
        code, kind = self.code, self._vector(element)
        one = code.op(f"insertelement {kind} poison, {element} {text}, i64 0")
        return code.op(f"shufflevector {kind} {one}, {kind} poison, <{self.width} x i32> zeroinitializer")

    def _both(self, verb: str, a: str, b: str, element: str = "i1") -> str:
        return self.code.op(f"{verb} {self._vector(element)} {a}, {b}")

    def _and(self, *items: str) -> str:
        found = items[0]
        for item in items[1:]:
            found = self._both("and", found, item)
        return found

    def _or(self, *items: str) -> str:
        found = items[0]
        for item in items[1:]:
            found = self._both("or", found, item)
        return found

    def _not(self, item: str) -> str:
        return self._both("xor", item, "splat (i1 true)")

    def _bits(self, item: str) -> str:
        text = self.code.op(f"bitcast {self._vector('i1')} {item} to i{self.width}")
        return text if self.width == 32 else self.code.op(f"zext i{self.width} {text} to i32")

    def _some(self, item: str) -> str:
        text = self.code.op(f"bitcast {self._vector('i1')} {item} to i{self.width}")
        return self.code.op(f"icmp ne i{self.width} {text}, 0")

    def _field(self, kind: str, name: str) -> str:
        return self.code.load(kind, "%watch", at(Watch, name))

    # The function

    def _start(self) -> None:
        self._head()
        if self.shape == "row":
            self._chunks(self._act)
        else:
            self._lanes()

    def _head(self) -> None:
        code, tag = self.code, self.tag
        code.label("start")
        code.do(f"%watch.at = getelementptr i8, ptr %worker, i64 {at(Worker, 'watch')}")
        code.do("%watch = load ptr, ptr %watch.at")
        lo = self._field(tag, f"{self.space}_lo")
        span = self._field("i32", f"{self.space}_span")
        if tag == "i64":
            span = code.op(f"zext i32 {span} to i64")
        index = code.load("i32", "%warp", at(Warp, "index"))
        clocks = self._field("ptr", "clocks")
        offset = code.op(f"mul i64 {code.op(f'zext i32 {index} to i64')}, {ctypes.sizeof(Clock)}")
        self.clock = code.op(f"getelementptr i8, ptr {clocks}, i64 {offset}")
        time = code.load("i32", self.clock, at(Clock, "time"))
        past = code.op(f"shl i32 {time}, 5")
        if tag == "i64":
            index, past = (code.op(f"zext i32 {text} to i64") for text in (index, past))
        warp_base = code.op(f"add {tag} {lo}, {index}")
        self.mine_text = code.op(f"add {tag} {warp_base}, {past}")
        self.lo, self.span = self._splat(lo, tag), self._splat(span, tag)
        self.warp_base, self.mine = self._splat(warp_base, tag), self._splat(self.mine_text, tag)
        self.site = self._splat("%site", "i32")

    def _chunks(self, act: Callable[[], None]) -> None:
        """16 granules after the other."""
        code = self.code
        lanes0, log = self._splat("%lanes0", "i32"), self._splat("%log", "i32")
        total, uniform = self._splat("%total", "i32"), self._splat("%uniform", "i1")
        iota = "<" + ", ".join(f"i32 {i}" for i in range(self.width)) + ">"
        code.jump("chunk")
        code.label("chunk")
        code.do("%done = phi i32 [ 0, %start ], [ %done.next, %next ]")
        number = self._both("add", self._splat("%done", "i32"), iota, "i32")
        self.inside = code.op(f"icmp ult {self._vector('i32')} {number}, {total}")
        kind = self._vector("i32")
        ahead = self._both("and", self._both("lshr", number, log, "i32"), "splat (i32 31)", "i32")
        ahead = code.op(f"select {self._vector('i1')} {uniform}, {kind} zeroinitializer, {kind} {ahead}")
        self.bit = self._both("shl", lanes0, ahead, "i32")
        self.lane = code.op(f"call {kind} @llvm.cttz.v{self.width}i32({kind} {self.bit}, i1 false)")
        self.place = code.op(f"add i64 %first, {code.op('zext i32 %done to i64')}")
        wide = code.op(f"zext {self._vector('i32')} {number} to {self._vector('i64')}")
        self.index = self._both("add", self._splat("%first", "i64"), wide, "i64")
        act()
        code.jump("next")
        code.label("next")
        code.do(f"%done.next = add i32 %done, {self.width}")
        code.branch(code.op("icmp ult i32 %done.next, %total"), "chunk", "end")
        code.label("end")
        code.do("ret void")

    def _lanes(self) -> None:
        code = self.code
        inside = code.op("bitcast i32 %mask to <32 x i1>")
        more = self._splat("%more", "i64")
        if self.space == "global":
            region = self._both("lshr", "%places", f"splat (i64 {REGION_BITS})", "i64")
            region = code.op(
                f"call <32 x i64> @llvm.umin.v32i64(<32 x i64> {region}, <32 x i64> splat (i64 "
                f"{REGIONS - 1}))"
            )
            starts = self._field("ptr", "starts")
            pointers = code.op(f"getelementptr i64, ptr {starts}, <32 x i64> {region}")
            first = code.op(
                f"call <32 x i64> @llvm.masked.gather.v32i64.v32p0(<32 x ptr> align 8 {pointers}, "
                f"<32 x i1> {inside}, <32 x i64> splat (i64 -1))"
            )
            watched = code.op(f"icmp sge <32 x i64> {first}, zeroinitializer")
            inside = self._and(inside, watched)
            some = self._some(inside)
            code.branch(some, "watched", "end")
            code.label("watched")
            offset = self._both("and", "%places", f"splat (i64 {(1 << REGION_BITS) - 1})", "i64")
            granule = self._both("lshr", offset, self._splat("%log", "i64"), "i64")
            index = self._both("add", first, granule, "i64")
        else:
            index = self._both("lshr", "%places", self._splat("%log", "i64"), "i64")
        self.inside = inside
        self.index = self._both("add", index, more, "i64")
        iota = "<" + ", ".join(f"i32 {i}" for i in range(LANES)) + ">"
        self.lane = iota
        self.bit = (
            "<" + ", ".join(f"i32 {(1 << i) - (1 << 32 if i == 31 else 0)}" for i in range(LANES)) + ">"
        )
        self._act()
        if self.space == "global":
            code.jump("end")
            code.label("end")
        code.do("ret void")

    # Planes

    def _plane(self, name: str) -> tuple[str, str, int]:
        """(pointer to its first entry, element type, bytes)."""
        number = PLANES.index(name)
        size = tag_bytes(self.space)
        element, width = (self.tag, size) if number < TAGS else ("i32", 4)
        start = self.code.load("ptr", "%watch", at(Watch, f"{self.space}_planes") + 8 * number)
        return start, element, width

    def _load(self, name: str) -> str:
        start, element, width = self._plane(name)
        kind = self._vector(element)
        if self.shape == "row":
            at_ = self.code.op(f"getelementptr {element}, ptr {start}, i64 {self.place}")
            return self.code.op(f"load {kind}, ptr {at_}, align 4")
        pointers = self.code.op(f"getelementptr {element}, ptr {start}, <32 x i64> {self.index}")
        return self.code.op(
            f"call {kind} @llvm.masked.gather.v32{element}.v32p0(<32 x ptr> align {width} {pointers}, "
            f"<32 x i1> {self.inside}, {kind} zeroinitializer)"
        )

    def _store(self, name: str, new: str, where: str, old: str | None = None) -> None:
        start, element, width = self._plane(name)
        kind = self._vector(element)
        if self.shape == "row":
            at_ = self.code.op(f"getelementptr {element}, ptr {start}, i64 {self.place}")
            if old is None:
                old = self.code.op(f"load {kind}, ptr {at_}, align 4")
            mixed = self.code.op(f"select {self._vector('i1')} {where}, {kind} {new}, {kind} {old}")
            self.code.do(f"store {kind} {mixed}, ptr {at_}, align 4")
            return
        pointers = self.code.op(f"getelementptr {element}, ptr {start}, <32 x i64> {self.index}")
        self.code.do(
            f"call void @llvm.masked.scatter.v32{element}.v32p0({kind} {new}, <32 x ptr> align {width} "
            f"{pointers}, <32 x i1> {where})"
        )

    # Comparisons

    def _settled(self, tags: str) -> str:
        """Of accesses that are none, or before the last barrier. In shared memory a single comparison tells
        both, as the tags of the block begin with 1."""
        tag = self.tag
        if self.space == "shared":
            return self.code.op(f"icmp ule {self._vector(tag)} {tags}, {self.span}")
        ahead = self._both("sub", tags, self.lo, tag)
        before = self.code.op(f"icmp ult {self._vector(tag)} {ahead}, {self.span}")
        none = self.code.op(f"icmp eq {self._vector(tag)} {tags}, zeroinitializer")
        return self._or(before, none)

    def _same_warp(self, tags: str) -> tuple[str, str]:
        """(are they of the running warp, their time)."""
        code, tag = self.code, self.tag
        since = self._both("sub", tags, self.warp_base, tag)
        other = 31 if tag == "i32" else -(1 << 32) | 31
        rest = self._both("and", since, f"splat ({tag} {other})", tag)
        same = code.op(f"icmp eq {self._vector(tag)} {rest}, zeroinitializer")
        time = self._both("lshr", since, f"splat ({tag} 5)", tag)
        if tag == "i64":
            time = code.op(f"trunc {self._vector('i64')} {time} to {self._vector('i32')}")
        return same, time

    def _before(self, same: str, time: str, lanes: str) -> str:
        """Of the running warp, and known to the lane: by a __syncwarp of all, or of a group with it."""
        code, kind = self.code, self._vector("i32")
        synced = self._splat(code.load("i32", self.clock, at(Clock, "synced")), "i32")
        row = self._both("shl", self.lane, "splat (i32 5)", "i32")
        where = self._both("or", row, lanes, "i32")
        known = code.pointer(self.clock, at(Clock, "known"))
        pointers = code.op(f"getelementptr i32, ptr {known}, {kind} {where}")
        told = code.op(
            f"call {kind} @llvm.masked.gather.v{self.width}i32.v{self.width}p0(<{self.width} x ptr> align 4 "
            f"{pointers}, {self._vector('i1')} {same}, {kind} zeroinitializer)"
        )
        most = code.op(f"call {kind} @llvm.umax.v{self.width}i32({kind} {synced}, {kind} {told})")
        return self._and(same, code.op(f"icmp ult {kind} {time}, {most}"))

    def _both_atomic(self, sites: str) -> str:
        flags = self._both("and", self._both("and", sites, self.site, "i32"), f"splat (i32 {ATOMIC})", "i32")
        return self.code.op(f"icmp ne {self._vector('i32')} {flags}, zeroinitializer")

    def _store_in_order(self, tags: str) -> str:
        """Is the last store, where it is not settled, known to the lane, or of an atomic as this one is?"""
        code, kind = self.code, self._vector("i32")
        by = self._load("stored_by")
        lane = self._both("and", by, "splat (i32 31)", "i32")
        same, time = self._same_warp(tags)
        bit = self._both("shl", "splat (i32 1)", lane, "i32")
        own = self._and(same, code.op(f"icmp eq {kind} {bit}, {self.bit}"))
        return self._or(own, self._before(same, time, lane), self._both_atomic(by))

    def _load_in_order(self, tags: str, number: int) -> str:
        code, kind = self.code, self._vector("i32")
        lanes, sites = self._load(f"lanes{number}"), self._load(f"site{number}")
        same, time = self._same_warp(tags)
        own = self._and(same, code.op(f"icmp eq {kind} {lanes}, {self.bit}"))
        lowest = code.op(f"call {kind} @llvm.cttz.v{self.width}i32({kind} {lanes}, i1 false)")
        lowest = self._both("and", lowest, "splat (i32 31)", "i32")
        alone = code.op(f"icmp eq {kind} {self._both('shl', 'splat (i32 1)', lowest, 'i32')}, {lanes}")
        synced = self._splat(code.load("i32", self.clock, at(Clock, "synced")), "i32")
        all_know = self._and(same, code.op(f"icmp ult {kind} {time}, {synced}"))
        told = self._and(alone, self._before(same, time, lowest))
        return self._or(own, all_know, told, self._both_atomic(sites))

    # What to do

    def _act(self) -> None:
        if self.action == "load":
            self._act_load()
        else:
            self._act_store()

    def _call(self, event: int, which: str, hint: str) -> None:
        """Hand granules to Python, unless the site is muted."""
        code = self.code
        call, checked, after = f"{hint}.some", f"{hint}.call", f"{hint}.after"
        code.branch(self._some(which), call, after, likely=False)
        code.label(call)
        muted = self._field("ptr", "muted")
        number = code.op(f"lshr i32 %site, {SITE_SHIFT}")
        place = code.op(f"getelementptr i8, ptr {muted}, i32 {number}")
        quiet = code.op(f"icmp ne i8 {code.op(f'load i8, ptr {place}')}, 0")
        code.branch(quiet, after, checked)
        code.label(checked)
        code.store(self._vector("i64"), self.index, "%watch", at(Watch, "index"))
        code.store(self._vector("i32"), self.lane, "%watch", at(Watch, "lane"))
        code.store("i32", self._bits(which), "%watch", at(Watch, "mask"))
        callback = self._field("ptr", "callback")
        event += Event.GLOBAL * (self.space == "global")
        code.do(f"call void {callback}(i32 {event}, i32 %site)")
        code.jump(after)
        code.label(after)

    def _act_load(self) -> None:
        code, tag, kind = self.code, self.tag, self._vector("i32")
        stored = self._load("stored")
        bad = self._and(self.inside, self._not(self._settled(stored)))
        reads, lanes, take, add = {}, {}, {}, {}
        allowed = self.inside
        for number in (1, 2):
            read = reads[number] = self._load(f"read{number}")
            lanes[number] = self._load(f"lanes{number}")
            mine = code.op(f"icmp eq {self._vector(tag)} {read}, {self.mine}")
            named = self._both("and", lanes[number], self.bit, "i32")
            has = code.op(f"icmp eq {kind} {named}, {self.bit}")
            free = self._or(self._settled(read), self._same_warp(read)[0])
            take[number] = self._and(allowed, self._not(mine), free)
            add[number] = self._and(allowed, mine, self._not(has))
            allowed = self._and(allowed, self._not(mine), self._not(free))
        any_change = self._or(bad, take[1], add[1], take[2], add[2])
        code.branch(self._some(any_change), "update", "same", likely=False)
        code.label("update")
        code.branch(self._some(bad), "doubt", "sure", likely=False)
        code.label("doubt")
        open_ = self._and(bad, self._not(self._store_in_order(stored)))
        self._call(Event.LOAD, open_, "open")
        code.jump("sure")
        code.label("sure")
        for number in (1, 2):
            joined = self._both("or", lanes[number], self.bit, "i32")
            changed = self._or(take[number], add[number])
            new = code.op(f"select {self._vector('i1')} {take[number]}, {kind} {self.bit}, {kind} {joined}")
            self._store(f"read{number}", self.mine, take[number], reads[number])
            self._store(f"lanes{number}", new, changed, lanes[number])
            self._store(f"site{number}", self.site, changed)
        code.jump("same")
        code.label("same")

    def _act_store(self) -> None:
        code, tag = self.code, self.tag
        stored = self._load("stored")
        unwritten = code.op(f"icmp eq {self._vector(tag)} {stored}, splat ({tag} -1)")
        calm = self._or(self._settled(stored), unwritten)
        tags = {number: self._load(f"read{number}") for number in (1, 2)}
        quiet = {number: self._settled(tags[number]) for number in (1, 2)}
        fine = self._and(calm, quiet[1], quiet[2])
        bad = self._and(self.inside, self._not(fine))
        code.branch(self._some(bad), "doubt", "sure", likely=False)
        code.label("doubt")
        order = self._or(calm, self._store_in_order(stored))
        for number in (1, 2):
            order = self._and(order, self._or(quiet[number], self._load_in_order(tags[number], number)))
        self._call(Event.STORE, self._and(bad, self._not(order)), "open")
        code.jump("sure")
        code.label("sure")
        reads = self._splat(code.op(f"icmp ne i32 {code.op(f'and i32 %site, {READS}')}, 0"), "i1")
        self._call(Event.LOAD, self._and(self.inside, unwritten, reads), "fresh")
        by = self._both("or", self.site, self.lane, "i32")
        self._store("stored", self.mine, self.inside, stored)
        self._store("stored_by", by, self.inside)
        atomic = code.op(f"icmp ne i32 {code.op(f'and i32 %site, {ATOMIC}')}, 0")
        code.branch(atomic, "alone", "together")
        code.label("together")
        if self.shape == "row":
            several = code.op("call i32 @llvm.ctpop.i32(i32 %lanes0)")
            many = self._splat(code.op(f"icmp ugt i32 {several}, 1"), "i1")
            double = self._and(self.inside, many)
        else:
            kept = self._load("stored_by")
            other = code.op(f"icmp ne {self._vector('i32')} {kept}, {by}")
            double = self._and(self.inside, other)
        self._call(Event.TOGETHER, double, "double")
        code.jump("alone")
        code.label("alone")


_K = at(Clock, "known")
SYNC_TEXT = f"""
; Lanes of a warp synchronise: each lane in %running with those that its mask names.
define void @simulator_watch_sync(ptr %worker, ptr %warp, <32 x i32> %masks, i32 %running) {{
start:
  %list = alloca <32 x i32>, align 64
  store <32 x i32> %masks, ptr %list, align 64
  %watch.at = getelementptr i8, ptr %worker, i64 {at(Worker, "watch")}
  %watch = load ptr, ptr %watch.at
  %clocks.at = getelementptr i8, ptr %watch, i64 {at(Watch, "clocks")}
  %clocks = load ptr, ptr %clocks.at
  %index.at = getelementptr i8, ptr %warp, i64 {at(Warp, "index")}
  %index = load i32, ptr %index.at
  %index.64 = zext i32 %index to i64
  %offset = mul i64 %index.64, {ctypes.sizeof(Clock)}
  %clock = getelementptr i8, ptr %clocks, i64 %offset
  %time.at = getelementptr i8, ptr %clock, i64 {at(Clock, "time")}
  %synced.at = getelementptr i8, ptr %clock, i64 {at(Clock, "synced")}
  %known = getelementptr i8, ptr %clock, i64 {_K}
  %time = load i32, ptr %time.at
  %time.next = add i32 %time, 1
  store i32 %time.next, ptr %time.at
  %lanes.at = getelementptr i8, ptr %warp, i64 {at(Warp, "lanes")}
  %lanes = load i32, ptr %lanes.at
  %low = call i32 @llvm.cttz.i32(i32 %running, i1 false)
  %low.31 = and i32 %low, 31
  %low.at = getelementptr i32, ptr %list, i32 %low.31
  %low.mask = load i32, ptr %low.at
  %named = and i32 %low.mask, %lanes
  %all.named = icmp eq i32 %named, %lanes
  %all.run = icmp eq i32 %running, %lanes
  %whole = and i1 %all.named, %all.run
  br i1 %whole, label %everybody, label %some

everybody:
  store i32 %time.next, ptr %synced.at
  ret void

some:
  %knows.at = getelementptr i8, ptr %watch, i64 {at(Watch, "knows")}
  store i32 1, ptr %knows.at
  br label %group

group: ; the lowest lane that is left, and those it names
  %left = phi i32 [ %running, %some ], [ %left.next, %group.done ]
  %none = icmp eq i32 %left, 0
  br i1 %none, label %end, label %take

take:
  %first = call i32 @llvm.cttz.i32(i32 %left, i1 true)
  %first.bit = shl i32 1, %first
  %mask.at = getelementptr i32, ptr %list, i32 %first
  %mask = load i32, ptr %mask.at
  %both = and i32 %mask, %running
  %members = or i32 %both, %first.bit
  %inverse = xor i32 %members, -1
  %left.next = and i32 %left, %inverse
  br label %join

join: ; all that any of them knows
  %joining = phi i32 [ %members, %take ], [ %joining.next, %join ]
  %sum = phi <32 x i32> [ zeroinitializer, %take ], [ %sum.next, %join ]
  %j = call i32 @llvm.cttz.i32(i32 %joining, i1 true)
  %j.less = sub i32 %joining, 1
  %joining.next = and i32 %joining, %j.less
  %j.first = shl i32 %j, 5
  %row.at = getelementptr i32, ptr %known, i32 %j.first
  %row = load <32 x i32>, ptr %row.at, align 4
  %sum.next = call <32 x i32> @llvm.umax.v32i32(<32 x i32> %sum, <32 x i32> %row)
  %join.more = icmp ne i32 %joining.next, 0
  br i1 %join.more, label %join, label %own

own: ; and what they did themselves
  %now.one = insertelement <32 x i32> poison, i32 %time.next, i64 0
  %now = shufflevector <32 x i32> %now.one, <32 x i32> poison, <32 x i32> zeroinitializer
  %members.lanes = bitcast i32 %members to <32 x i1>
  %all = select <32 x i1> %members.lanes, <32 x i32> %now, <32 x i32> %sum.next
  br label %tell

tell:
  %telling = phi i32 [ %members, %own ], [ %telling.next, %tell ]
  %t = call i32 @llvm.cttz.i32(i32 %telling, i1 true)
  %t.less = sub i32 %telling, 1
  %telling.next = and i32 %telling, %t.less
  %t.first = shl i32 %t, 5
  %t.at = getelementptr i32, ptr %known, i32 %t.first
  store <32 x i32> %all, ptr %t.at, align 4
  %tell.more = icmp ne i32 %telling.next, 0
  br i1 %tell.more, label %tell, label %group.done

group.done:
  br label %group

end:
  ret void
}}
"""
