"""From which variables an address derives: the registers followed back to the symbols and parameters they
come from.

The answer is a set of names, or None where it cannot be told (a pointer that was loaded, for one). It does
not follow the flow of control: a register has one answer for the whole kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from ..access import Site
from ..controlflow import ControlFlow, settled
from ..ptx import Address, Group, Immediate, Instruction, Operand, Register, Special, Symbol

Bases = frozenset[str] | None
NONE: frozenset[str] = frozenset()  # an integer that comes from no variable's address

_UNION = ("mov", "add", "sub", "cvta", "cvt", "selp", "and", "or", "mad", "max", "min")


def of_sites(
    flow: ControlFlow, sites: Mapping[tuple[int, int], Site], locals_: Mapping[str, Mapping[int, str]]
) -> dict[int, Bases]:
    """Number of a site -> the names that its address derives from. Parameters are named "name+offset", local
    variables "block#offset" where it is known (locals_, see ptx.Module) that one begins there."""
    registers = _registers(flow, locals_)
    found: dict[int, Bases] = {}
    for site in sites.values():
        items = [each for each in site.instruction.operands if isinstance(each, Address)]
        if site.instruction.name == "cp":
            items = items[:1] if site.store else items[1:]
        address = items[0] if items else None
        if address is None or address.base is None:
            found[site.number] = None
        else:
            found[site.number] = _of(address.base, registers) or None
    return found


def _registers(flow: ControlFlow, locals_: Mapping[str, Mapping[int, str]]) -> dict[str, Bases]:
    return settled(
        flow,
        lambda instruction, known: _local(instruction, known, locals_) or _result(instruction, known),
        _joined,
    )


def _local(
    instruction: Instruction, known: Mapping[str, Bases], locals_: Mapping[str, Mapping[int, str]]
) -> Bases:
    """The variable whose address an instruction makes: the block of local memory plus where it begins."""
    if instruction.name != "add" or len(instruction.operands) != 3:
        return None
    block, offset = instruction.operands[1:]
    names = _of(block, known) if isinstance(block, Register) else None
    if not names or len(names) != 1 or not isinstance(offset, Immediate):
        return None
    (name,) = names
    if offset.value not in locals_.get(name.split("$")[0], {}):
        return None
    return frozenset((f"{name}#{offset.value}",))


def _joined(a: Bases, b: Bases) -> Bases:
    return None if a is None or b is None else a | b


def _of(item: Operand, known: Mapping[str, Bases]) -> Bases:
    if isinstance(item, Register):
        return known.get(item.name, NONE)
    if isinstance(item, Symbol):
        return frozenset((item.name,))
    if isinstance(item, (Immediate, Special)):
        return NONE
    if isinstance(item, Group):
        return reduce(_joined, (_of(each, known) for each in item.items), NONE)
    return None


def _result(instruction: Instruction, known: Mapping[str, Bases]) -> Bases:
    name = instruction.name
    wide = instruction.type.endswith("64")
    if name in ("ld", "ldu"):
        address = instruction.operands[1]
        if instruction.has("param") and isinstance(address, Address) and isinstance(address.base, Symbol):
            return frozenset((f"{address.base.name}+{address.offset}",)) if wide else NONE
        return None if wide else NONE
    if name in ("atom", "call", "simulator_pop", "simulator_enter", "simulator_return_id"):
        return None if wide or name != "atom" else NONE
    sources = [_of(item, known) for item in instruction.operands[1:] if not isinstance(item, Address)]
    joined = reduce(_joined, sources, NONE)
    if not joined:
        return joined
    if name == "sub" and len(sources) > 1 and sources[1]:
        return NONE if sources[0] else None
    if name == "mad" and any(sources[:2]):
        return None
    return joined if name in _UNION else None if wide else NONE
