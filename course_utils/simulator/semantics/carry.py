"""Arithmetic over several words (PTX ISA 9.7.2): the carry is a truth value that goes from one to the next.

The condition code register is made an operand when PTX is read (`ptx.CARRY`): add.cc has it as a second
result, addc as a last source. Nothing else has to know of it.
"""

from __future__ import annotations

from .integer import product
from .operation import Operation, Result
from .table import rule


@rule("add.cc addc", "integer", "cc")
def _add(op: Operation) -> list[Result]:
    return _sum(op, op.source(0), op.source(1), 2)


@rule("mad.cc madc", "integer", "lo hi cc")
def _mad(op: Operation) -> list[Result]:
    total, _ = product(op)
    return _sum(op, total, op.source(2), 3)


def _sum(op: Operation, a: str, b: str, carry_at: int) -> list[Result]:
    element = op.element
    total = op.op("add", element, a, b)
    out = op.compare("ult", element, total, a)
    if op.instruction.name.endswith("c"):
        carry = op.convert("zext", op.source(carry_at, "i1"), "i1", element)
        more = op.op("add", element, total, carry)
        out = op.op("or", "i1", out, op.compare("ult", element, more, total))
        total = more
    return [(total, element), (out, "i1")]


@rule("sub.cc subc", "integer", "cc")
def _sub(op: Operation) -> list[Result]:
    a, b, element = op.source(0), op.source(1), op.element
    total = op.op("sub", element, a, b)
    borrowed = op.compare("ult", element, a, b)
    if op.instruction.name == "subc":
        borrow = op.convert("zext", op.source(2, "i1"), "i1", element)
        less = op.op("sub", element, total, borrow)
        borrowed = op.op("or", "i1", borrowed, op.compare("ult", element, total, borrow))
        total = less
    return [(total, element), (borrowed, "i1")]
