"""Loads and stores: bounds and alignment checks, the host's memory, and what the access costs.

Every access is checked against its buffer. Where the 32 addresses follow a pattern known at compile time, the check, the
load and the count are scalar work; otherwise each lane is checked, and the counting functions of the runtime look at the
actual addresses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from . import sectors as rules
from .ir import Code, Value, constant, pattern, vector_type
from .kinds import LANES, ZERO
from .layout import REGION_BITS, REGIONS, Status, Worker, at
from .ptx import Instruction


@dataclass(frozen=True, slots=True)
class Site:
    """One memory instruction of a kernel. `number` is its place in the counters."""

    number: int
    block: int
    instruction: Instruction
    space: str  # global, shared, local, const, param, generic
    load: bool
    store: bool
    size: int  # bytes a lane

    @property
    def atomic(self) -> bool:
        return self.load and self.store


BYTES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "half": 2, "float": 4, "double": 8, "i128": 16}


class MemoryCode:
    """Writes accesses for one kind of code (see `codegen`), which supplies the active lanes."""

    code: Code
    active: int | None  # the first n lanes, always; None: only `mask` knows
    mask: str  # i32, bit i: lane i takes part
    mask_vector: str  # the same as <32 x i1>
    local_bytes: int  # local memory of a thread
    constant_bytes: int
    counter_base: int  # index of the first site counter
    costs: dict[int, tuple[int, int]]  # site -> the two numbers an execution adds, where always the same

    def load(self, site: Site, address: Value, element: str, count: int) -> list[Value]:
        host, shape = self._host(site, address)
        self._count(site, address)
        if shape is not None:
            found = self._load_pattern(host, shape, element, count)
            if found is not None:
                return found
            host = self._spread(host, shape)
        kind = vector_type(element)
        values = []
        for index in range(count):
            pointers = self._pointers(host, index * BYTES[element])
            text = self.code.op(
                f"call {kind} @llvm.masked.gather.v{LANES}{_suffix(element)}.v{LANES}p0(<32 x ptr> "
                f"align {BYTES[element]} {pointers}, <32 x i1> {self.mask_vector}, {kind} zeroinitializer)"
            )
            values.append(Value(text, element, None))
        return values

    def store(self, site: Site, address: Value, values: Sequence[Value]) -> None:
        element = values[0].type
        host, shape = self._host(site, address)
        self._count(site, address)
        if shape is not None:
            if self._store_pattern(host, shape, values):
                return
            host = self._spread(host, shape)
        kind = vector_type(element)
        for index, value in enumerate(values):
            pointers = self._pointers(host, index * BYTES[element])
            self.code.do(
                f"call void @llvm.masked.scatter.v{LANES}{_suffix(element)}.v{LANES}p0({kind} {self.code.vector(value)}, "
                f"<32 x ptr> align {BYTES[element]} {pointers}, <32 x i1> {self.mask_vector})"
            )

    def hosts(self, site: Site, address: Value) -> str:
        """Checked host addresses of every lane, <32 x i64>, for atomics."""
        host, shape = self._host(site, address)
        return host if shape is None else self._spread(host, shape)

    # Addresses ------------------------------------------------------------------------------------------------------

    def _host(self, site: Site, address: Value) -> tuple[str, tuple[int, ...] | None]:
        """Check an access. Either (host address of the lowest lane, bytes from there for each active lane) or
        (<32 x i64> host addresses, None)."""
        if site.space == "local":
            return self._local(site, address)
        if address.lanes is not None and site.space != "generic" and self.active is not None:
            shape = self._shape(address)
            if all(offset % site.size == 0 for offset in shape) or site.size == 1:
                return self._host_of_pattern(site, address, shape), shape
        if site.space == "global":
            return self._host_of_global(site, address), None
        if site.space == "generic":
            return self._resolved(site, self.code.vector(address)), None
        return self._host_in_window(site, address), None

    def _shape(self, address: Value) -> tuple[int, ...]:
        lanes = address.lanes[: self.active]  # type: ignore[index]
        low = min(lanes)
        return tuple(lane - low for lane in lanes)

    def _low(self, address: Value) -> str:
        low = min(address.lanes[: self.active])  # type: ignore[index]
        return self.code.op(f"add i64 {address.text}, {low}") if low else address.text

    def _host_of_pattern(self, site: Site, address: Value, shape: tuple[int, ...]) -> str:
        code = self.code
        low = self._low(address)
        span = max(shape) + site.size
        if site.space == "global":
            limit, delta, offset = self._region(low)
        else:
            base, limit = self._window(site)
            delta = code.op(f"ptrtoint ptr {base} to i64")
            offset = low
        end = code.op(f"add i64 {offset}, {span}")
        inside = code.op(f"icmp ule i64 {end}, {limit}")
        if site.space != "global":  # there the offset is below 2**36; here it may be anything
            inside = code.op(f"and i1 {inside}, {code.op(f'icmp ult i64 {offset}, {limit}')}")
        if site.size > 1:
            rest = code.op(f"and i64 {offset}, {site.size - 1}")
            inside = code.op(f"and i1 {inside}, {code.op(f'icmp eq i64 {rest}, 0')}")
        self._require(site, inside, address)
        return code.op(f"add i64 {low}, {delta}")

    def _region(self, address: str) -> tuple[str, str, str]:
        """(bytes in the buffer, host address - virtual address, offset in the buffer) for one global address."""
        code = self.code
        region = code.op(f"lshr i64 {address}, {REGION_BITS}")
        region = code.op(f"call i64 @llvm.umin.i64(i64 {region}, i64 {REGIONS - 1})")
        entry = code.op(f"getelementptr {{ i64, i64 }}, ptr %regions, i64 {region}")
        limit = code.load("i64", entry, fixed=True)
        delta = code.load("i64", entry, 8, fixed=True)
        offset = code.op(f"and i64 {address}, {(1 << REGION_BITS) - 1}")
        return limit, delta, offset

    def _window(self, site: Site) -> tuple[str, str]:
        """(host pointer, bytes) of the space."""
        return {
            "shared": ("%shared", "%shared_bytes"),
            "const": ("%constants", str(self.constant_bytes)),
            "param": ("%parameters", "%parameter_bytes"),
        }[site.space]

    def _host_of_global(self, site: Site, address: Value) -> str:
        """The usual case: all lanes in the buffer of the first. Else each lane is looked up by the runtime."""
        code = self.code
        lanes = code.vector(address)
        first = "0"
        if self.active is None:
            index = code.op(f"call i32 @llvm.cttz.i32(i32 {self.mask}, i1 true)")
            first = index
        lane = code.op(f"extractelement <32 x i64> {lanes}, i32 {first}")
        limit, delta, offset = self._region(lane)
        base = code.op(f"sub i64 {lane}, {offset}")
        offsets = code.op(f"sub <32 x i64> {lanes}, {code.splat(base, 'i64')}")
        inside = self._all_inside(site, offsets, limit)
        near, far, join = (code.name(hint) for hint in ("one_buffer", "several", "checked"))
        code.branch(inside, near, far, likely=True)
        code.label(near)
        hosts = code.op(f"add <32 x i64> {lanes}, {code.splat(delta, 'i64')}")
        code.jump(join)
        code.label(far)
        looked_up = self._resolved(site, lanes)
        came_from = self._last_label()
        code.jump(join)
        code.label(join)
        return code.op(f"phi <32 x i64> [ {hosts}, %{near} ], [ {looked_up}, %{came_from} ]")

    def _last_label(self) -> str:
        for line in reversed(self.code.lines):
            if line.endswith(":"):
                return line[:-1]
        raise AssertionError("code outside a block")

    def _all_inside(self, site: Site, offsets: str, limit: str) -> str:
        """i1: every active lane's offset is within `limit` bytes and aligned."""
        code = self.code
        if site.size > 1:
            limit = code.op(f"call i64 @llvm.usub.sat.i64(i64 {limit}, i64 {site.size - 1})")
        inside = code.op(f"icmp ult <32 x i64> {offsets}, {code.splat(limit, 'i64')}")
        if site.size > 1:
            rest = code.op(f"and <32 x i64> {offsets}, splat (i64 {site.size - 1})")
            aligned = code.op(f"icmp eq <32 x i64> {rest}, zeroinitializer")
            inside = code.op(f"and <32 x i1> {inside}, {aligned}")
        found = code.mask_bits(inside)
        if self.active != LANES:
            found = code.op(f"and i32 {found}, {self.mask}")
        return code.op(f"icmp eq i32 {found}, {self.mask}")

    def _host_in_window(self, site: Site, address: Value) -> str:
        code = self.code
        base, limit = self._window(site)
        offsets = code.vector(address)
        self._require(site, self._all_inside(site, offsets, limit), address)
        start = code.op(f"ptrtoint ptr {base} to i64")
        return code.op(f"add <32 x i64> {offsets}, {code.splat(start, 'i64')}")

    def _local(self, site: Site, address: Value) -> tuple[str, None]:
        """Local memory lies lane after lane, so equal offsets are different places."""
        code = self.code
        offsets = code.vector(address)
        self._require(site, self._all_inside(site, offsets, str(self.local_bytes)), address)
        start = code.op("ptrtoint ptr %local to i64")
        own = code.op(
            f"add <32 x i64> {code.splat(start, 'i64')}, "
            f"{pattern(tuple(lane * self.local_bytes for lane in range(LANES)), 'i64')}"
        )
        return code.op(f"add <32 x i64> {offsets}, {own}"), None

    def _resolved(self, site: Site, lanes: str) -> str:
        """Each lane looked up for itself, generic addresses included."""
        code = self.code
        code.store("<32 x i64>", lanes, "%worker", at(Worker, "addresses"))
        found = code.op(
            f"call i1 @simulator_resolve(ptr %worker, ptr %warp, ptr %launch, i32 {self.mask}, i64 {site.size}, "
            f"i64 {self.local_bytes})"
        )
        good, bad = code.name("resolved"), code.name("illegal")
        code.branch(found, good, bad, likely=True)
        code.label(bad)
        self._fail(site)
        code.label(good)
        return code.load("<32 x i64>", "%worker", at(Worker, "hosts"))

    def _require(self, site: Site, condition: str, address: Value) -> None:
        code = self.code
        good, bad = code.name("legal"), code.name("illegal")
        code.branch(condition, good, bad, likely=True)
        code.label(bad)
        code.store("<32 x i64>", code.vector(address), "%worker", at(Worker, "addresses"))
        self._fail(site)
        code.label(good)

    def _fail(self, site: Site) -> None:
        self.code.store("i32", str(site.number), "%worker", at(Worker, "site"))
        self.code.store("i32", self.mask, "%worker", at(Worker, "mask"))
        self.code.do(f"ret i32 {Status.ERROR}")

    def _spread(self, host: str, shape: tuple[int, ...]) -> str:
        """Host addresses of a pattern as a vector; lanes that do not exist point where lane 0 does."""
        padded = shape + (shape[0],) * (LANES - len(shape))
        return self.code.op(f"add <32 x i64> {self.code.splat(host, 'i64')}, {pattern(padded, 'i64')}")

    def _pointers(self, hosts: str, offset: int) -> str:
        if offset:
            hosts = self.code.op(f"add <32 x i64> {hosts}, splat (i64 {offset})")
        return self.code.op(f"inttoptr <32 x i64> {hosts} to <32 x ptr>")

    # Patterns -------------------------------------------------------------------------------------------------------

    def _load_pattern(
        self, host: str, shape: tuple[int, ...], element: str, count: int
    ) -> list[Value] | None:
        code, step = self.code, BYTES[element]
        pointer = code.op(f"inttoptr i64 {host} to ptr")
        if not any(shape):
            return [Value(code.load(element, pointer, index * step), element) for index in range(count)]
        lanes = len(shape)
        if shape == tuple(range(0, lanes * step * count, step * count)):
            whole = code.load(vector_type(element, lanes * count), pointer)
            return [
                self._picked(whole, element, lanes * count, [lane * count + index for lane in range(lanes)])
                for index in range(count)
            ]
        if count > 1:
            return None
        group = _group(shape, step)
        if group is None:
            return None
        pieces = []
        for first in range(0, lanes, group):
            at_group = code.pointer(pointer, shape[first])
            if shape[first] == shape[first + group - 1]:
                one = code.load(element, at_group)
                start = code.op(f"insertelement {vector_type(element, group)} poison, {element} {one}, i64 0")
                pieces.append(
                    code.op(
                        f"shufflevector {vector_type(element, group)} {start}, {vector_type(element, group)} poison, "
                        f"<{group} x i32> zeroinitializer"
                    )
                )
            else:
                pieces.append(code.load(vector_type(element, group), at_group))
        return [Value(self._joined(pieces, element, group), element, None)]

    def _picked(self, whole: str, element: str, width: int, picks: list[int]) -> Value:
        """Lanes picked from a longer (or shorter) vector; lanes that do not exist are zero."""
        picks = picks + [width] * (LANES - len(picks))
        if width == LANES and picks == list(range(LANES)):
            return Value(whole, element, None)
        kind = vector_type(element, width)
        indices = ", ".join(f"i32 {pick}" for pick in picks)
        return Value(
            self.code.op(f"shufflevector {kind} {whole}, {kind} zeroinitializer, <32 x i32> <{indices}>"),
            element,
            None,
        )

    def _joined(self, pieces: list[str], element: str, group: int) -> str:
        """Vectors put side by side, up to 32 lanes."""
        size = group
        pieces = pieces + ["zeroinitializer"] * (LANES // group - len(pieces))
        while len(pieces) > 1:
            kind = vector_type(element, size)
            indices = ", ".join(f"i32 {index}" for index in range(2 * size))
            pieces = [
                self.code.op(f"shufflevector {kind} {one}, {kind} {other}, <{2 * size} x i32> <{indices}>")
                for one, other in zip(pieces[::2], pieces[1::2], strict=True)
            ]
            size *= 2
        return pieces[0]

    def _store_pattern(self, host: str, shape: tuple[int, ...], values: Sequence[Value]) -> bool:
        code, element, count = self.code, values[0].type, len(values)
        step, lanes = BYTES[element], len(shape)
        pointer = code.op(f"inttoptr i64 {host} to ptr")
        if not any(shape):  # all lanes write one place: the last one wins, as with a scatter
            for index, value in enumerate(values):
                text = value.text
                if not value.uniform:
                    text = code.op(
                        f"extractelement {vector_type(element)} {code.vector(value)}, i64 {lanes - 1}"
                    )
                code.store(element, text, pointer, index * step)
            return True
        if shape != tuple(range(0, lanes * step * count, step * count)):
            return False
        whole = [code.vector(value) for value in values]
        if count == 1:
            narrow = whole[0]
            if lanes < LANES:
                indices = ", ".join(f"i32 {lane}" for lane in range(lanes))
                kind = vector_type(element)
                narrow = code.op(f"shufflevector {kind} {narrow}, {kind} poison, <{lanes} x i32> <{indices}>")
            code.store(vector_type(element, lanes), narrow, pointer)
            return True
        width = LANES
        while len(whole) > 1:  # two or four vectors side by side, then lane by lane
            kind = vector_type(element, width)
            indices = ", ".join(f"i32 {index}" for index in range(2 * width))
            whole = [
                code.op(f"shufflevector {kind} {one}, {kind} {other}, <{2 * width} x i32> <{indices}>")
                for one, other in zip(whole[::2], whole[1::2], strict=True)
            ]
            width *= 2
        kind = vector_type(element, width)
        indices = ", ".join(f"i32 {index * LANES + lane}" for lane in range(lanes) for index in range(count))
        mixed = code.op(
            f"shufflevector {kind} {whole[0]}, {kind} poison, <{lanes * count} x i32> <{indices}>"
        )
        code.store(vector_type(element, lanes * count), mixed, pointer)
        return True

    # Counting -------------------------------------------------------------------------------------------------------

    def _count(self, site: Site, address: Value) -> None:
        if site.space == "global":
            self._count_global(site, address)
        elif site.space == "shared":
            self._count_shared(site, address)
        elif site.space == "local":
            self._count_local(site, address)

    def _count_global(self, site: Site, address: Value) -> None:
        code = self.code
        if address.lanes is not None and self.active is not None:
            shape = self._shape(address)
            table = [
                rules.sectors([start + offset for offset in shape], site.size)
                for start in range(0, rules.SECTOR, site.size)
            ]
            if len(set(table)) == 1:
                self.costs[site.number] = (table[0], 0)
                return
            name = self.table(tuple(table))
            within = code.op(f"and i64 {self._low(address)}, {rules.SECTOR - 1}")
            index = code.op(f"lshr i64 {within}, {int(math.log2(site.size))}")
            entry = code.op(f"getelementptr i8, ptr {name}, i64 {index}")
            found = code.op(f"zext i8 {code.load('i8', entry, fixed=True)} to i64")
            self._add(site, 0, found)
            return
        found = code.op(f"call i32 @simulator_sectors(<32 x i64> {code.vector(address)}, i32 {self.mask})")
        self._add(site, 0, code.op(f"zext i32 {found} to i64"))

    def _count_shared(self, site: Site, address: Value) -> None:
        code = self.code
        if address.lanes is not None and self.active is not None and site.size >= 4:
            shape = list(self._shape(address)) + [None] * (LANES - self.active)
            self.costs[site.number] = rules.wavefronts(shape, site.size, load=site.load)
            return
        offsets = code.op(f"trunc <32 x i64> {code.vector(address)} to <32 x i32>")
        both = code.op(
            f"call i32 @simulator_wavefronts(<32 x i32> {offsets}, i32 {self.mask}, "
            f"i32 {int(math.log2(site.size))}, i1 {'true' if site.load else 'false'})"
        )
        self._add(site, 0, code.op(f"zext i32 {code.op(f'and i32 {both}, 65535')} to i64"))
        self._add(site, 1, code.op(f"zext i32 {code.op(f'lshr i32 {both}, 16')} to i64"))

    def _count_local(self, site: Site, address: Value) -> None:
        """Local memory is interleaved by words of 4 bytes: word w of lane l lies in sector 4w + l/8."""
        code = self.code
        words = max(site.size // 4, 1)
        if address.uniform and self.active is not None:
            self.costs[site.number] = (words * math.ceil(self.active / 8), 0)
            return
        word = code.op(f"lshr <32 x i64> {code.vector(address)}, splat (i64 2)")
        place = code.op(f"shl <32 x i64> {word}, splat (i64 7)")
        place = code.op(f"or <32 x i64> {place}, {pattern(tuple(4 * lane for lane in range(LANES)), 'i64')}")
        found = code.op(f"call i32 @simulator_sectors(<32 x i64> {place}, i32 {self.mask})")
        total = code.op(f"mul i32 {found}, {words}")
        self._add(site, 0, code.op(f"zext i32 {total} to i64"))

    def _add(self, site: Site, which: int, amount: str) -> None:
        self.bump(self.counter_base + 2 * site.number + which, amount)

    def bump(self, counter: int, amount: str = "1") -> None:
        """Add to one of the worker's counters."""
        place = self.code.pointer("%counters", 8 * counter)
        old = self.code.op(f"load i64, ptr {place}, align 8")
        self.code.do(f"store i64 {self.code.op(f'add i64 {old}, {amount}')}, ptr {place}, align 8")

    def table(self, entries: tuple[int, ...]) -> str:
        """Name of a constant array of bytes."""
        raise NotImplementedError


def _group(shape: tuple[int, ...], step: int) -> int | None:
    """Largest group of lanes such that each is one address or one run of neighbours."""
    for group in (16, 8, 4):
        if len(shape) % group:
            continue
        pieces = [shape[first : first + group] for first in range(0, len(shape), group)]
        if all(
            len(set(piece)) == 1 or piece == tuple(range(piece[0], piece[0] + group * step, step))
            for piece in pieces
        ):
            return group
    return None


def _suffix(element: str) -> str:
    return {"float": "f32", "double": "f64", "half": "f16"}.get(element, element)


__all__ = ["BYTES", "ZERO", "MemoryCode", "Site", "constant"]
