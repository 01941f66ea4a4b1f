"""The table of rules: (opcode, family of types) -> function that writes LLVM, and the modifiers which it
knows.

An instruction with a modifier that its rule does not know is refused by name, so that nothing is ever left
out silently.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..ir import Code, Value
from ..ptx import TYPE_BITS, Group, Instruction
from .operation import Operation, Result
from .types import ELEMENT, FAMILY

Write = Callable[[Operation], Result | list[Result]]


@dataclass(frozen=True, slots=True)
class Rule:
    write: Write
    modifiers: frozenset[str]
    types: int


RULES: dict[tuple[str, str], Rule] = {}


def rule(names: str, families: str = "any", modifiers: str = "", types: int = 1) -> Callable[[Write], Write]:
    """Enter a function in the table. names, families, modifiers: words separated by spaces; types: how many
    the opcode may name at most."""

    def enter(function: Write) -> Write:
        for name in names.split():
            for family in families.split():
                RULES[name, family] = Rule(function, frozenset(modifiers.split()), types)
        return function

    return enter


def results(instruction: Instruction, code: Code, sources: list[Value], width: int) -> list[Result]:
    """Write a pure instruction; returns text and element type of each result. Raises Unsupported."""
    operation = Operation(instruction, code, sources, width)
    name, family = instruction.name, FAMILY.get(instruction.type, "")
    if instruction.has("cc") and (f"{name}.cc", family) in RULES:
        name = f"{name}.cc"
    found = RULES.get((name, family)) or RULES.get((name, "any"))
    if found is None or not family:
        raise operation.refuse()
    types = [part for part in instruction.parts if part in TYPE_BITS]
    unknown = [
        part for part in instruction.parts[1:] if part not in TYPE_BITS and part not in found.modifiers
    ]
    if unknown:
        raise operation.refuse(f"its .{unknown[0]} is not")
    if len(types) > found.types:
        raise operation.refuse("this combination of types is not")
    try:
        written = found.write(operation)
    except IndexError:
        raise operation.refuse("it lacks an operand") from None
    return written if isinstance(written, list) else [written]


def evaluate(instruction: Instruction, code: Code, sources: list[Value], width: int) -> Result:
    """`results`, the first of them."""
    return results(instruction, code, sources, width)[0]


def source_element(instruction: Instruction, index: int) -> str:
    """The element type in which an immediate source is read."""
    name, types = instruction.name, [part for part in instruction.parts if part in TYPE_BITS]
    if (name, index) in _PREDICATES:
        return "i1"
    if index >= _COUNTS_FROM.get(name, 99):
        return "i32"
    if name == "slct":
        return ELEMENT[types[min(index, 2) // 2]]
    if name == "mov" and isinstance(instruction.operands[1], Group):
        return f"i{TYPE_BITS[types[-1]] // len(instruction.operands[1].items)}"
    element = ELEMENT.get(instruction.type, "i32")
    if name == "mad" and instruction.has("wide") and index == 2:
        return f"i{2 * TYPE_BITS[instruction.type]}"
    return "i16" if element == "half" else element  # a constant of half precision is written as its bits


_PREDICATES = frozenset(
    (("selp", 2), ("set", 2), ("setp", 2), ("lop3", 4), ("addc", 2), ("subc", 2), ("madc", 3))
)
_COUNTS_FROM = {"shl": 1, "shr": 1, "bfe": 1, "bfi": 2}


def signed_result(instruction: Instruction) -> bool:
    """Does a result narrower than its register carry its sign into it? (PTX ISA 6.4.1)"""
    kind = next((part for part in instruction.parts if part in TYPE_BITS), "")
    return (kind if instruction.name == "cvt" else instruction.type).startswith("s")
