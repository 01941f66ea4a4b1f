"""Neighbouring shared-memory accesses that the machine code makes one of.

PTX moves floats one by one where ptxas moves two or four at once, and the hardware counts what ptxas made.
The rule, as measured on an H200 with NVRTC 12.9 for sm_90: loads of 4 or 8 bytes within one block of code,
from one base register at consecutive offsets, become one load of 8 or 16 bytes where the address is
provably a multiple of that, unless a store to shared memory or an atomic stands between them. Stores do the
same if nothing else reaches shared memory in between. What is provable does not depend on the shape of the
block: ptxas does not know it.
"""

from __future__ import annotations

from collections.abc import Callable

from .access import Site
from .controlflow import Block, ControlFlow, written
from .ptx import Address, Immediate, Instruction, Operand, Register, Symbol

_UNKNOWN = 64  # a multiple of anything: not seen yet, or zero


def alignments(flow: ControlFlow, symbol: Callable[[str], int | None]) -> dict[str, int]:
    """Register -> n, where the code shows that it always holds a multiple of 2**n. `symbol` gives
    addresses."""
    known: dict[str, int] = {}

    def of(item: Operand) -> int:
        if isinstance(item, Register):
            return known.get(item.name, _UNKNOWN)
        if isinstance(item, Immediate):
            return _zeros(item.value) if item.bits == 0 else 0
        if isinstance(item, Symbol):
            address = symbol(item.name)
            return 0 if address is None else _zeros(address + item.offset)
        return 0

    changed = True
    while changed:
        changed = False
        for block in flow.blocks:
            for instruction in block.instructions:
                found = _result(instruction, of)
                for name in written(instruction):
                    new = min(known.get(name, _UNKNOWN), found)
                    if known.get(name) != new:
                        known[name] = new
                        changed = True
    return known


def _zeros(value: int) -> int:
    return (value & -value).bit_length() - 1 if value else _UNKNOWN


def _result(instruction: Instruction, of: Callable[[Operand], int]) -> int:
    name, sources = instruction.name, instruction.operands[1:]
    if name in ("mov", "cvta", "cvt", "neg") and len(sources) == 1:
        return of(sources[0])
    if name in ("add", "sub", "or", "xor", "selp", "min", "max"):
        return min(of(sources[0]), of(sources[1]))
    if name == "and":
        return max(of(sources[0]), of(sources[1]))
    if name in ("mul", "mad") and not instruction.has("hi"):
        product = min(of(sources[0]) + of(sources[1]), _UNKNOWN)
        return product if name == "mul" else min(product, of(sources[2]))
    if name == "shl" and isinstance(sources[1], Immediate):
        return min(of(sources[0]) + sources[1].value, _UNKNOWN)
    return 0


def merged_sizes(
    flow: ControlFlow, sites: dict[tuple[int, int], Site], symbol: Callable[[str], int | None]
) -> dict[int, int]:
    """Site -> bytes a lane that the hardware moves for it, where that differs from its own size: 8 or 16 for
    the first of merged accesses, 0 for the others, which come along."""
    known = alignments(flow, symbol)
    found: dict[int, int] = {}
    for block in flow.blocks:
        for (name, *_, size), members in _neighbours(block, sites).items():
            address = symbol(name)
            base = known.get(name, 0) if address is None else _zeros(address)
            _merge(members, size, base, found)
    return found


def _neighbours(
    block: Block, sites: dict[tuple[int, int], Site]
) -> dict[tuple[str, int, bool, int, int], dict[int, Site]]:
    """Accesses of a block that could be one: offset -> site, by base register, its version, whether they
    load, what stands between, and size."""
    version: dict[str, int] = {}
    groups: dict[tuple[str, int, bool, int, int], dict[int, Site]] = {}
    stores = turns = 0  # stores so far; changes between loads and stores, or from one base to another
    last: tuple[str, int, bool] | None = None
    for position, instruction in enumerate(block.instructions):
        site = sites.get((block.index, position))
        if site is not None and site.space in ("shared", "generic"):
            item = instruction.operands[1 if site.load else 0]
            plain = site.space == "shared" and site.load != site.store and isinstance(item, Address)
            name = item.base.name if isinstance(item, Address) and item.base is not None else ""
            now = (name, version.get(name, 0), site.load)
            turns += now != last
            last = now
            if plain and site.size in (4, 8) and site.counted and not instruction.has("volatile"):
                between = stores if site.load else turns
                groups.setdefault((*now, between, site.size), {}).setdefault(item.offset, site)  # type: ignore[union-attr]
            stores += site.store
        for name in written(instruction):
            version[name] = version.get(name, 0) + 1
    return groups


def _merge(members: dict[int, Site], size: int, base: int, found: dict[int, int]) -> None:
    taken: set[int] = set()
    for width in (16, 8):
        if width <= size or 1 << base < width:
            continue
        for offset in sorted(members):
            run = range(offset, offset + width, size)
            if offset % width or any(each not in members or each in taken for each in run):
                continue
            taken.update(run)
            found[members[offset].number] = width
            for each in run[1:]:
                found[members[each].number] = 0
