"""Loads and stores: bounds and alignment checks, the host's memory, and what the access costs.

Every access is checked against its buffer. Where the 32 addresses follow a pattern known at compile time, the
check, the load and the count are scalar work (see `patterns`); otherwise a function of the runtime checks and
counts the actual addresses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .ir import Code, Value, pattern, vector_type
from .kinds import LANES
from .layout import SITE_NUMBERS, Status, Worker, at
from .ptx import Instruction

if TYPE_CHECKING:
    from .checks.emit import CheckCode

UNCOUNTED = frozenset(("cp", "ldmatrix", "stmatrix", "wmma"))
"""Instructions that move memory and are counted by rules that are not known."""


def whole_copy(instruction: Instruction) -> bool:
    """Is this a cp.async that moves all its bytes, without a source size or a predicate?"""
    hints = sum(part.endswith("cache_hint") for part in instruction.parts)
    return instruction.name == "cp" and len(instruction.operands) - hints == 3


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
    window: int = 0  # what a generic address has more than one in this space

    @property
    def atomic(self) -> bool:
        return self.load and self.store

    @property
    def counted(self) -> bool:
        """Is it known how the hardware counts this instruction's memory traffic? Of the copies to shared
        memory, those of 4 bytes are, as loads from global memory (at the shared end they are no stores)."""
        if self.instruction.name == "cp":
            return not self.load or (whole_copy(self.instruction) and self.size == 4)
        if self.instruction.name == "ldmatrix":
            return self.space == "shared"
        return self.instruction.name not in UNCOUNTED


BYTES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "half": 2, "float": 4, "double": 8, "i128": 16}


Run = tuple[str, tuple[int, ...]]
"""Host address of the lowest lane (i64), and each lane's distance from it in bytes."""


class MemoryCode(ABC):
    """Writes accesses. The kind of code (see `codegen`) says which lanes are active and finds and counts
    patterns."""

    code: Code
    active: int | None  # the first n lanes, always; None: only `mask` knows
    mask: str  # i32, bit i: lane i takes part
    mask_vector: str  # the same as <32 x i1>
    local_bytes: int  # local memory of a thread
    constant_bytes: int
    counter_base: int  # index of the first site counter
    costs: dict[int, tuple[int, int]]  # site -> what an execution adds, where that is always the same
    failures: list[tuple[str, int]]  # labels to go to when a site's access is not legal
    checker: CheckCode | None  # of a checked launch

    def load(self, site: Site, address: Value, element: str, count: int) -> list[Value]:
        runs = self.pattern(site, address)
        host = self.lanes(site, address) if runs is None else ""
        if self.checker:
            self.checker.load(site, address, runs is not None, element, count)
        if runs is not None:
            values = self._load_runs(runs, element, count)
            if values is not None:
                return values
            host = self._spread(runs)
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
        runs = self.pattern(site, address)
        host = self.lanes(site, address) if runs is None else ""
        if self.checker:
            self.checker.store(site, address, runs is not None, values)
        if runs is not None:
            if self._store_runs(runs, values):
                return
            host = self._spread(runs)
        kind = vector_type(element)
        for index, value in enumerate(values):
            pointers = self._pointers(host, index * BYTES[element])
            self.code.do(
                f"call void @llvm.masked.scatter.v{LANES}{_suffix(element)}.v{LANES}p0("
                f"{kind} {self.code.vector(value)}, <32 x ptr> align {BYTES[element]} {pointers}, "
                f"<32 x i1> {self.mask_vector})"
            )

    def hosts(self, site: Site, address: Value) -> str:
        """Checked host addresses of every lane, <32 x i64>, for instructions with counting rules of their
        own."""
        lanes = self.code.vector(address)
        call = self.check_call(site, lanes, self.mask, site.size)
        self.require(site, self.code.op(f"call i1 {call}"), lanes)
        hosts = self.code.load("<32 x i64>", "%worker", at(Worker, "hosts"))
        if self.checker:
            self.checker.atomic(site, address)
        return hosts

    def check_call(self, site: Site, lanes: str, mask: str, size: int) -> str:
        """The call that checks addresses without counting them."""
        if site.space == "shared":
            return (
                f"@simulator_lanes_window(ptr %worker, ptr %shared, i64 %shared_bytes, <32 x i64> {lanes}, "
                f"i32 {mask}, i64 {size})"
            )
        return (
            f"@simulator_lanes_generic(ptr %worker, ptr %warp, <32 x i64> {lanes}, i32 {mask}, i64 {size}, "
            f"i64 {self.local_bytes}, i32 0, i1 false, ptr null)"
        )

    # Addresses ----------------------------------------------------------------------------------------------

    def pattern(self, site: Site, address: Value) -> list[Run] | None:
        """Where the addresses follow a pattern known at compile time: check and count them as such. Returns
        runs of neighbouring lanes, all equally long, that together are the active lanes."""
        return None

    def lanes(self, site: Site, address: Value) -> str:
        """Check and count each lane's address; <32 x i64> host addresses."""
        code = self.code
        addresses = f"<32 x i64> {code.vector(address)}, i32 {self.mask}"
        sizes = f"i64 {site.size}, i64 {self.local_bytes}"
        counter = code.pointer("%counters", 8 * (self.counter_base + SITE_NUMBERS * site.number))
        if site.space == "global":
            call = f"global(ptr %worker, ptr %warp, {addresses}, {sizes}, ptr {counter})"
        elif site.space == "shared" and self.counted_size(site):
            log2, load = self.counted_size(site).bit_length() - 1, "true" if site.load else "false"
            call = (
                f"shared(ptr %worker, i64 %shared_bytes, {addresses}, i64 {site.size}, i32 {log2}, "
                f"i1 {load}, ptr {counter})"
            )
        elif site.space == "local":
            call = f"local(ptr %worker, ptr %local, {addresses}, {sizes}, ptr {counter})"
        elif site.space == "generic":
            log2, load = site.size.bit_length() - 1, "true" if site.load else "false"
            call = (
                f"generic(ptr %worker, ptr %warp, {addresses}, {sizes}, i32 {log2}, i1 {load}, ptr {counter})"
            )
        else:
            base, limit = self.window(site)
            call = f"window(ptr %worker, ptr {base}, i64 {limit}, {addresses}, i64 {site.size})"
        self.require(site, code.op(f"call i1 @simulator_lanes_{call}"), code.vector(address))
        return code.load("<32 x i64>", "%worker", at(Worker, "hosts"))

    @abstractmethod
    def counted_size(self, site: Site) -> int:
        """Bytes a lane that the hardware moves at once for a site, 0 when it comes along with another."""

    def window(self, site: Site) -> tuple[str, str]:
        """(host pointer, bytes) of a space other than global."""
        return {
            "shared": ("%shared", "%shared_bytes"),
            "const": ("%constants", str(self.constant_bytes)),
            "param": ("%parameters", "%parameter_bytes"),
        }[site.space]

    def require(self, site: Site, condition: str, lanes: str = "") -> None:
        """Go on if the i1 holds, else report the site; the runtime has noted lanes and addresses. `lanes` are
        the addresses, where they are those of a variable."""
        if self.checker and self.checker.scheme.memory:
            self.checker.require(site, condition, lanes)
            return
        good, bad = self.code.name("legal"), self.code.name("illegal")
        self.code.branch(condition, good, bad, likely=True)
        self.failures.append((bad, site.number))
        self.code.label(good)

    def emit_failures(self) -> None:
        """The ends of the function for accesses that are not legal."""
        for label, _ in self.failures:
            self.code.label(label)
            self.code.jump("illegal_access")
        if self.failures:
            self.code.label("illegal_access")
            sources = ", ".join(f"[ {site}, %{label} ]" for label, site in self.failures)
            found = self.code.op(f"phi i32 {sources}")
            self.code.store("i32", found, "%worker", at(Worker, "site"))
            self.code.do(f"ret i32 {Status.ERROR}")

    def _spread(self, runs: list[Run]) -> str:
        """Host addresses of runs as a vector; lanes that do not exist point where the last one does."""
        pieces = []
        for host, shape in runs:
            pieces += [(host, distance) for distance in shape]
        pieces += [pieces[-1]] * (LANES - len(pieces))
        total = self.code.splat(runs[0][0], "i64")
        if len(runs) > 1:
            for number, (host, shape) in enumerate(runs[1:], 1):
                first = number * len(shape)
                chosen = ", ".join(f"i1 {'true' if lane >= first else 'false'}" for lane in range(LANES))
                own = self.code.splat(host, "i64")
                total = self.code.op(f"select <32 x i1> <{chosen}>, <32 x i64> {own}, <32 x i64> {total}")
        distances = tuple(distance for _, distance in pieces)
        return self.code.op(f"add <32 x i64> {total}, {pattern(distances, 'i64')}")

    def _pointers(self, hosts: str, offset: int) -> str:
        if offset:
            hosts = self.code.op(f"add <32 x i64> {hosts}, splat (i64 {offset})")
        return self.code.op(f"inttoptr <32 x i64> {hosts} to <32 x ptr>")

    # Patterns ---------------------------------------------------------------------------------------------

    def _load_runs(self, runs: list[Run], element: str, count: int) -> list[Value] | None:
        if len(runs) == 1:
            return self._load_pattern(*runs[0], element, count)
        length = len(runs[0][1])
        if count > 1 or any(group_of(shape, BYTES[element], length) is None for _, shape in runs):
            return None
        pieces = [self._piece(host, shape, element) for host, shape in runs]
        return [Value(self._joined(pieces, element, length), element, None)]

    def _piece(self, host: str, shape: tuple[int, ...], element: str) -> str:
        """One run of lanes as a short vector: one address for all of them, or neighbours."""
        code, length = self.code, len(shape)
        kind = vector_type(element, length)
        pointer = code.op(f"inttoptr i64 {host} to ptr")
        if any(shape):
            return code.load(kind, pointer)
        one = code.load(element, pointer)
        start = code.op(f"insertelement {kind} poison, {element} {one}, i64 0")
        return code.op(f"shufflevector {kind} {start}, {kind} poison, <{length} x i32> zeroinitializer")

    def _store_runs(self, runs: list[Run], values: Sequence[Value]) -> bool:
        if len(runs) == 1:
            return self._store_pattern(*runs[0], values)
        element, length = values[0].type, len(runs[0][1])
        if len(values) > 1 or any(group_of(shape, BYTES[element], length) is None for _, shape in runs):
            return False
        code, kind = self.code, vector_type(element)
        whole = code.vector(values[0])
        for number, (host, shape) in enumerate(runs):
            pointer = code.op(f"inttoptr i64 {host} to ptr")
            first = number * length
            if any(shape):
                indices = ", ".join(f"i32 {lane}" for lane in range(first, first + length))
                piece = code.op(f"shufflevector {kind} {whole}, {kind} poison, <{length} x i32> <{indices}>")
                code.store(vector_type(element, length), piece, pointer)
            else:
                last = code.op(f"extractelement {kind} {whole}, i64 {first + length - 1}")
                code.store(element, last, pointer)
        return True

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
        group = next((each for each in (16, 8, 4) if group_of(shape, step, each)), None)
        if group is None:
            return None
        pieces = []
        for first in range(0, lanes, group):
            part = shape[first : first + group]
            start = code.op(f"add i64 {host}, {part[0]}")
            pieces.append(self._piece(start, tuple(distance - part[0] for distance in part), element))
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

    # Counting -----------------------------------------------------------------------------------------------

    def add_to_site(self, site: Site, which: int, amount: str) -> None:
        self.bump(self.counter_base + SITE_NUMBERS * site.number + which, amount)

    def bump(self, counter: int, amount: str = "1") -> None:
        """Add to one of the worker's counters."""
        place = self.code.pointer("%counters", 8 * counter)
        old = self.code.op(f"load i64, ptr {place}, align 8")
        self.code.do(f"store i64 {self.code.op(f'add i64 {old}, {amount}')}, ptr {place}, align 8")

    @abstractmethod
    def table(self, entries: tuple[int, ...]) -> str:
        """Name of a constant array of bytes."""


def group_of(shape: tuple[int, ...], step: int, group: int) -> int | None:
    """`group`, if every so many lanes have one address or are neighbours."""
    if len(shape) % group:
        return None
    for first in range(0, len(shape), group):
        piece = shape[first : first + group]
        if any(piece[0] != each for each in piece) and piece != tuple(
            range(piece[0], piece[0] + group * step, step)
        ):
            return None
    return group


def _suffix(element: str) -> str:
    return {"float": "f32", "double": "f64", "half": "f16"}.get(element, element)
