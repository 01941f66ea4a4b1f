"""What is known about a kernel before code is made: control flow, kinds, addresses of variables, where
registers live."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from . import async_copy, atomics, merging, tensor
from . import kinds as kinds_
from .access import BYTES, Site
from .checks.scheme import Scheme
from .controlflow import ControlFlow, build, read, written
from .errors import Unsupported
from .kinds import LANES, UNIFORM, VECTOR, ZERO, Kind, infer
from .layout import CounterLayout, WarpLayout, warp_layout
from .ptx import TYPE_BITS, Address, Function, Instruction, Register, Symbol
from .semantics import STORAGE

SPACES = ("global", "shared", "local", "const", "param")
MEMORY = frozenset(("ld", "ldu", "st", "atom", "red"))


@dataclass(frozen=True)
class Addresses:
    """Where variables lie: name -> (space, offset in the space's window, or virtual address for global)."""

    places: dict[str, tuple[str, int]]
    shared_bytes: int  # static; dynamic shared memory begins here, aligned as its declaration wants
    local_bytes: int  # a thread
    constant_bytes: int
    parameter_bytes: int
    sizes: dict[str, int] = field(default_factory=dict)  # bytes of shared and local variables; 0: open end
    locals: dict[str, dict[int, str]] = field(default_factory=dict)  # see ptx.Module

    @property
    def parameters_at(self) -> int:
        """Where generic addresses find the parameters in constant memory's window: behind the constants."""
        return (self.constant_bytes + 255) // 256 * 256


@dataclass(frozen=True)
class Group:
    """Accesses in one block of code whose addresses differ by constants: bytes low .. high from their base
    register. The leader is the first of them, whose address is the operand number `operand`."""

    leader: Site
    operand: int
    low: int
    high: int


@dataclass
class Variant:
    """One kind of fast code: for warps whose first `active` lanes exist.

    groups: accesses checked together, by (block, position) of the leader. group_of: site -> (the leader's
    site, bytes from the group's first byte).
    """

    name: str
    active: int
    kinds: dict[str, Kind]
    counters: int  # index of its block counters
    groups: dict[tuple[int, int], Group] = field(default_factory=dict)
    group_of: dict[int, tuple[int, int]] = field(default_factory=dict)


class Plan:
    """A kernel prepared for one block shape.

    block_shape: threads in x, y, z. small_grid: whether thread indices over the whole grid fit a signed
    32-bit number, which spares most wrap-around checks. checks: those that the compiled code is to make, of a
    build that is optimised or not.
    """

    def __init__(
        self,
        function: Function,
        addresses: Addresses,
        block_shape: tuple[int, int, int],
        small_grid: bool,
        checks: frozenset[str] = frozenset(),
        optimised: bool = True,
    ) -> None:
        self.function = function
        self.addresses = addresses
        self.block_shape = block_shape
        self.small_grid = small_grid
        self.flow: ControlFlow = build(function)
        x, y, z = block_shape
        self.threads = x * y * z
        self.warps = (self.threads + LANES - 1) // LANES
        self.sites = self._sites()
        self.counters = CounterLayout(len(self.flow.blocks), len(self.sites))
        self.scheme = Scheme(self, checks, optimised) if checks else None

    # Threads ----------------------------------------------------------------------------------------------

    def thread_index(self, axis: int, warp: int) -> list[int]:
        """threadIdx along an axis (0: x) for the 32 lanes of a warp; lanes beyond the block get what would
        follow."""
        x, y, _ = self.block_shape
        linear = range(warp * LANES, warp * LANES + LANES)
        return [(t % x, t // x % y, t // (x * y))[axis] for t in linear]

    @cached_property
    def variants(self) -> list[Variant]:
        """The fast code there must be: for whole warps, and for a last warp that is not."""
        whole, rest = divmod(self.threads, LANES)
        found = []
        if whole:
            found.append(Variant("full", LANES, self._infer(range(whole), LANES), self.counters.full))
        if rest:
            found.append(
                Variant("partial", rest, self._infer(range(whole, whole + 1), rest), self.counters.partial)
            )
        for variant in found:
            self._find_groups(variant)
        return found

    def _find_groups(self, variant: Variant) -> None:
        for block in self.flow.blocks:
            version: dict[str, int] = {}
            together: dict[tuple[str, str, int, int], list[tuple[int, Site, int, int]]] = {}
            for position, instruction in enumerate(block.instructions):
                site = self.sites.get((block.index, position))
                if (
                    site is not None
                    and site.counted
                    and not site.atomic
                    and not site.window
                    and site.space in ("global", "shared")
                ):
                    operand = 1 if site.load else 0
                    address = instruction.operands[operand]
                    if isinstance(address, Address) and isinstance(address.base, Register):
                        name = address.base.name
                        kind = variant.kinds.get(name, UNIFORM)
                        lanes = kind.lanes if kind.scaled == ZERO else None
                        patterned = lanes is not None and (site.size >= 4 or not any(lanes))
                        if patterned and all(
                            (lane - lanes[0]) % site.size == 0 for lane in lanes[: variant.active]
                        ):
                            key = (site.space, name, version.get(name, 0), site.size)
                            together.setdefault(key, []).append((position, site, operand, address.offset))
                for name in written(instruction):
                    version[name] = version.get(name, 0) + 1
            for (_, _, _, size), members in together.items():
                low = min(offset for *_, offset in members)
                if len(members) < 2 or any((offset - low) % size for *_, offset in members):
                    continue
                position, leader, operand, _ = members[0]
                high = max(offset for *_, offset in members) + size
                variant.groups[block.index, position] = Group(leader, operand, low, high)
                for _, site, _, offset in members:
                    variant.group_of[site.number] = (leader.number, offset - low)

    def _infer(self, warps: Iterable[int], active: int) -> dict[str, Kind]:
        return infer(self.flow, self.special_kinds(warps, active), self.symbol_kind)

    def special_kinds(self, warps: Iterable[int], active: int) -> Callable[[str], Kind]:
        """Kind of a special register over these warps."""
        warps = list(warps)
        known: dict[str, Kind] = {}

        def kind(name: str) -> Kind:
            if name not in known:
                known[name] = self._special_kind(name, warps, active)
            return known[name]

        return kind

    def _special_kind(self, name: str, warps: list[int], active: int) -> Kind:
        base, _, axis_name = name.partition(".")
        if base == "%tid":
            axis = "xyz".index(axis_name)
            vectors = [self.thread_index(axis, warp)[:active] for warp in warps]
            shapes = {tuple(value - vector[0] for value in vector) for vector in vectors}
            if len(shapes) > 1:
                return Kind(None, bounds=(0, self.block_shape[axis] - 1))
            shape = shapes.pop()
            lanes = shape + (0,) * (LANES - active)
            firsts = [vector[0] for vector in vectors]
            align = min(kinds_.constant(first).align for first in firsts)
            return Kind(
                lanes,
                align,
                firsts[0] if len(set(firsts)) == 1 else None,
                (min(map(min, vectors)), max(map(max, vectors))),
            )
        if base == "%ntid":
            return kinds_.constant(self.block_shape["xyz".index(axis_name)])
        if base == "%laneid":
            return Kind(tuple(range(LANES)), 64, 0, (0, LANES - 1))
        if base == "%ctaid":
            size = self.block_shape["xyz".index(axis_name)]
            return Kind(
                ZERO, bounds=(0, ((1 << 31) - 1) // size - 1) if self.small_grid else (0, (1 << 31) - 2)
            )
        if base.startswith("%lanemask") or base in ("%clock", "%clock64", "%clock_hi"):
            return VECTOR if base.startswith("%lanemask") else UNIFORM
        return UNIFORM

    def symbol_kind(self, name: str) -> Kind:
        place = self.addresses.places.get(name)
        return UNIFORM if place is None else kinds_.constant(place[1])

    # Memory -----------------------------------------------------------------------------------------------

    def _sites(self) -> dict[tuple[int, int], Site]:
        sites: dict[tuple[int, int], Site] = {}
        for block in self.flow.blocks:
            for position, instruction in enumerate(block.instructions):
                name = instruction.name
                if async_copy.is_copy(instruction):
                    size = async_copy.moved_bytes(instruction)
                    for key, space in (
                        ((block.index, position), "shared"),
                        (async_copy.second(block.index, position), "global"),
                    ):
                        load = space == "global"
                        sites[key] = Site(len(sites), block.index, instruction, space, load, not load, size)
                elif name in tensor.NAMES and tensor.has_address(instruction):
                    load, size = tensor.is_load(instruction), tensor.moved_bytes(instruction)
                    sites[block.index, position] = Site(
                        len(sites), block.index, instruction, self._space(instruction), load, not load, size
                    )
                if name not in MEMORY:
                    continue
                sites[block.index, position] = Site(
                    len(sites),
                    block.index,
                    instruction,
                    self._space(instruction),
                    name in ("ld", "ldu", "atom"),
                    name in ("st", "atom", "red"),
                    access_bytes(instruction),
                )
        return sites

    def _space(self, instruction: Instruction) -> str:
        for space in SPACES:
            if any(part == space or part.startswith(space + "::") for part in instruction.parts):
                return space
        # Without a space the address is generic; a variable's own name tells which it is.
        for operand in instruction.operands:
            if isinstance(operand, Address) and isinstance(operand.base, Symbol):
                place = self.addresses.places.get(operand.base.name)
                if place is not None:
                    return place[0]
        return "generic"

    @cached_property
    def merged(self) -> dict[int, int]:
        """Shared loads that the machine code makes one of (see `merging`)."""

        def address(name: str) -> int | None:
            place = self.addresses.places.get(name)
            return None if place is None else place[1]

        return merging.merged_sizes(self.flow, self.sites, address)

    @cached_property
    def atomic_rules(self) -> dict[int, atomics.Rule]:
        """Site of an atomic -> how it is counted."""
        uniform, used = atomics.uniform_registers(self.flow), atomics.results_used(self.flow)
        sites = [site for site in self.sites.values() if site.instruction.name in ("atom", "red")]
        return {site.number: atomics.rule(site, uniform, used) for site in sites}

    @cached_property
    def reductions(self) -> set[int]:
        """Sites of atomics that return nothing."""
        used = atomics.results_used(self.flow)
        return {number for number in self.atomic_rules if atomics.is_reduction(self._site(number), used)}

    def _site(self, number: int) -> Site:
        return next(site for site in self.sites.values() if site.number == number)

    def counted_size(self, site: Site) -> int:
        """Bytes a lane that the hardware moves at once for this instruction; 0 when it comes along with
        another."""
        return self.merged.get(site.number, site.size)

    # Registers --------------------------------------------------------------------------------------------

    @cached_property
    def guards(self) -> dict[tuple[int, int], tuple[bool, bool]]:
        """Instructions whose rule holds only without wrap-around, in any fast code: (block, position) -> how
        to check."""
        found: dict[tuple[int, int], tuple[bool, bool]] = {}
        for variant in self.variants:
            special = self.special_kinds(self.warps_of(variant), variant.active)
            for block in self.flow.blocks:
                for position, instruction in enumerate(block.instructions):
                    if instruction.name not in ("mul", "mad", "cvt", "shr"):
                        continue
                    kinds = [
                        kinds_.of(item, variant.kinds, special, self.symbol_kind) or UNIFORM
                        for item in instruction.operands[1:]
                    ]
                    check = kinds_.needs_guard(instruction, kinds)
                    if any(check):
                        found[block.index, position] = check
        return found

    def warps_of(self, variant: Variant) -> range:
        whole = self.threads // LANES
        return range(whole) if variant.name == "full" else range(whole, whole + 1)

    def live_at(self, block: int, position: int) -> set[str]:
        """Registers that an instruction or what follows it reads."""
        code = self.flow.blocks[block]
        live: set[str] = set().union(*(self.flow.live_in[target] for target in code.targets))
        if code.condition:
            live.add(code.condition.name)
        if code.barrier:
            live.update(read(code.barrier))
        for instruction in reversed(code.instructions[position:]):
            live -= set(written(instruction))
            live |= set(read(instruction))
        return live

    @cached_property
    def saved(self) -> list[str]:
        """Registers that outlive a block of code, or an instruction that may be left half-way."""
        names: set[str] = set().union(*self.flow.live_in)
        left = set(self.guards).union(*(variant.groups for variant in self.variants))
        if self.scheme and self.scheme.memory:
            left |= {place for place in self.sites if place[1] >= 0}
        for block, position in left:
            names |= self.live_at(block, position)
        return sorted(names)

    @cached_property
    def masked_offsets(self) -> dict[str, int]:
        offsets, at = {}, 0
        for name in self.saved:
            offsets[name] = at
            at += max(LANES * BYTES.get(self.storage(name), 0), 64)
        return offsets

    @cached_property
    def fast_offsets(self) -> dict[str, dict[str, int]]:
        """Variant -> register -> offset: a scalar takes 8 bytes, a vector all it needs."""
        tables = {}
        for variant in self.variants:
            offsets, at = {}, 0
            for name in self.saved:
                vector = variant.kinds.get(name, VECTOR).vector
                if vector:
                    at = (at + 63) & ~63
                offsets[name] = at
                at += max(LANES * BYTES.get(self.storage(name), 0), 64) if vector else 16
            tables[variant.name] = offsets
            self._fast_bytes = max(getattr(self, "_fast_bytes", 0), at)
        return tables

    @cached_property
    def layout(self) -> WarpLayout:
        masked = max(self.masked_offsets.values(), default=0) + 512
        assert self.fast_offsets is not None
        return warp_layout(len(self.flow.blocks), self._fast_bytes + 512, masked)

    def storage(self, register: str) -> str:
        """LLVM type of one lane of a register."""
        kind = self.function.registers.get(register)
        if kind is None:
            raise Unsupported(f"the register {register} is not declared", register)
        return STORAGE[kind]

    @cached_property
    def rejoins(self) -> set[int]:
        """Blocks at which masked code, its lanes together again, may go back to the fast code."""
        found: set[int] = set()
        for block in self.flow.blocks:
            if block.end == "wait":
                found.add(block.targets[0])
            if block.end in ("branch", "switch"):
                name = block.condition.name  # type: ignore[union-attr]
                parts = any(variant.kinds.get(name, VECTOR).vector for variant in self.variants)
                target = self.flow.rejoin[block.index]
                if parts and target is not None:
                    found.add(target)
        return found


def access_bytes(instruction: Instruction) -> int:
    """Bytes that one lane moves."""
    count = next((int(part[1:]) for part in instruction.parts if part in ("v2", "v4", "v8")), 1)
    return count * max(TYPE_BITS[instruction.type] // 8, 1)
