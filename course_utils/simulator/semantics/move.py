"""mov in all its forms (PTX ISA 9.7.9.4, 9.7.9.5): copies, and several registers as one wide one."""

from __future__ import annotations

from ..ptx import TYPE_BITS, Group
from .operation import Operation, Result
from .table import rule


@rule("mov")
def _mov(op: Operation) -> Result | list[Result]:
    target, source = op.instruction.operands[:2]
    bits = TYPE_BITS[op.instruction.type]
    whole = f"i{bits}"
    if isinstance(target, Group):
        part = f"i{bits // len(target.items)}"
        value = op.source(0, whole)
        return [
            (
                op.convert(
                    "trunc",
                    _shifted(op, "lshr", value, whole, index * bits // len(target.items)),
                    whole,
                    part,
                ),
                part,
            )
            for index in range(len(target.items))
        ]
    if isinstance(source, Group):
        part = f"i{bits // len(source.items)}"
        total = op.resized(op.source(0, part), part, whole)
        for index in range(1, len(source.items)):
            wide = op.resized(op.source(index, part), part, whole)
            total = op.op(
                "or", whole, total, _shifted(op, "shl", wide, whole, index * bits // len(source.items))
            )
        return total, whole
    element = "i16" if op.element == "half" else op.element
    return op.source(0, element), element


def _shifted(op: Operation, verb: str, text: str, element: str, amount: int) -> str:
    return op.op(verb, element, text, op.number(amount, element)) if amount else text
