"""Counting, finding and moving bit fields (PTX ISA 9.7.1.13 to 9.7.1.22)."""

from __future__ import annotations

from collections.abc import Callable

from .operation import Operation, Result
from .table import rule


@rule("popc", "integer")
def _popc(op: Operation) -> Result:
    return _to_32(op, op.call("llvm.ctpop", op.element, op.source(0))), "i32"


@rule("clz", "integer")
def _clz(op: Operation) -> Result:
    return _to_32(op, op.call_bit("llvm.ctlz", op.element, op.source(0))), "i32"


def _to_32(op: Operation, text: str) -> str:
    return op.resized(text, op.element, "i32")


@rule("brev", "integer")
def _brev(op: Operation) -> Result:
    return op.call("llvm.bitreverse", op.element, op.source(0)), op.element


@rule("bfind", "integer", "shiftamt")
def _bfind(op: Operation) -> Result:
    """Position of the highest bit that differs from the sign, or its distance from the top; -1 when there is
    none."""
    value, element = op.source(0), op.element
    if op.signed:
        value = op.op("xor", element, value, op.op("ashr", element, value, op.number(op.bits - 1)))
    zeros = _to_32(op, op.call_bit("llvm.ctlz", element, value))
    if not op.has("shiftamt"):
        return op.op("sub", "i32", op.number(op.bits - 1, "i32"), zeros), "i32"
    none = op.compare("eq", element, value, op.number(0))
    return op.select(none, "i32", op.number(-1, "i32"), zeros), "i32"


@rule("fns", "integer")
def _fns(op: Operation) -> Result:
    """Position of the n-th set bit, counted from `base` up or down; -1 when there is none (9.7.1.17). The
    hardware gives 0 for the one count that has no opposite, INT_MIN."""
    mask, base, offset = (op.source(index, "i32") for index in range(3))
    number = lambda value: op.number(value, "i32")  # noqa: E731
    up = op.compare("sgt", "i32", offset, number(0))
    wanted = op.call_bit("llvm.abs", "i32", offset)
    wanted = op.call("llvm.umax", "i32", wanted, number(1))
    step = op.select(up, "i32", number(1), number(-1))
    limit = op.select(op.compare("eq", "i32", offset, number(0)), "i32", number(1), number(32))
    limit = op.select(op.compare("ult", "i32", base, number(32)), "i32", limit, number(0))
    found, seen, position = number(-1), number(0), base
    for taken in range(32):
        inside = op.compare("ult", "i32", position, number(32))
        inside = op.op("and", "i1", inside, op.compare("ugt", "i32", limit, number(taken)))
        place = op.op("and", "i32", position, number(31))
        bit = op.op("and", "i32", op.op("lshr", "i32", mask, place), number(1))
        seen = op.op("add", "i32", seen, op.select(inside, "i32", bit, number(0)))
        here = op.op("and", "i1", inside, op.compare("eq", "i32", bit, number(1)))
        here = op.op("and", "i1", here, op.compare("eq", "i32", seen, wanted))
        found = op.select(here, "i32", position, found)
        position = op.op("add", "i32", position, step)
    endless = op.compare("eq", "i32", offset, number(-1 << 31))
    return op.select(endless, "i32", number(0), found), "i32"


def _counts(op: Operation, first: int) -> tuple[str, str]:
    """Start and length of a bit field, which the PTX ISA leaves undefined beyond 255. There the hardware
    takes the low byte for fields of 32 bits, and the number as it is for 64."""

    def count(index: int) -> str:
        text, limit = op.source(index, "i32"), op.number(255, "i32")
        return op.op("and", "i32", text, limit) if op.bits == 32 else op.call("llvm.umin", "i32", text, limit)

    return count(first), count(first + 1)


def _widener(op: Operation) -> Callable[[str], str]:
    return lambda text: op.resized(text, "i32", op.element)


@rule("bfe", "integer")
def _bfe(op: Operation) -> Result:
    """`length` bits from `start`; a signed field is filled up with its top bit, or the value's where it ends
    first."""
    element, bits, value, wide = op.element, op.bits, op.source(0), _widener(op)
    start, length = _counts(op, 1)
    top = op.number(bits - 1, "i32")
    inside = op.call("llvm.umin", "i32", start, top)
    moved = op.op("ashr" if op.signed else "lshr", element, value, wide(inside))
    spare = op.call("llvm.usub.sat", "i32", op.number(bits, "i32"), length)
    spare = wide(op.call("llvm.umin", "i32", spare, top))
    if op.signed:
        end = op.op("sub", "i32", op.op("add", "i32", start, length), op.number(1, "i32"))
        end = op.call("llvm.umin", "i32", end, top)
        sign = op.op("shl", element, value, wide(op.op("sub", "i32", top, end)))
        sign = op.op("ashr", element, sign, op.number(bits - 1))
        keep = op.op("lshr", element, op.number(-1), spare)
        kept = op.op("and", element, moved, keep)
        found = op.op("or", element, kept, op.op("and", element, sign, op.inverted(keep, element)))
    else:
        moved = op.select(op.compare("ugt", "i32", start, top), element, op.number(0), moved)
        found = op.op("lshr", element, op.op("shl", element, moved, spare), spare)
    empty = op.compare("eq", "i32", length, op.number(0, "i32"))
    return op.select(empty, element, op.number(0), found), element


@rule("bfi", "integer")
def _bfi(op: Operation) -> Result:
    """The low `length` bits of the first operand put into the second at `start`."""
    element, bits, wide = op.element, op.bits, _widener(op)
    start, length = _counts(op, 2)
    top = op.number(bits - 1, "i32")
    spare = op.call("llvm.usub.sat", "i32", op.number(bits, "i32"), length)
    ones = op.op("lshr", element, op.number(-1), wide(op.call("llvm.umin", "i32", spare, top)))
    at = wide(op.call("llvm.umin", "i32", start, top))
    empty = op.compare("eq", "i32", length, op.number(0, "i32"))
    nothing = op.op("or", "i1", empty, op.compare("ugt", "i32", start, top))
    field = op.select(nothing, element, op.number(0), op.op("shl", element, ones, at))
    put = op.op("and", element, op.op("shl", element, op.source(0), at), field)
    kept = op.op("and", element, op.source(1), op.inverted(field, element))
    return op.op("or", element, put, kept), element


def _ones_from(op: Operation, start: str) -> str:
    """All ones shifted left by 0..; 0 from 32 on."""
    inside = op.op("shl", "i32", op.number(-1, "i32"), op.op("and", "i32", start, op.number(31, "i32")))
    return op.select(
        op.compare("ult", "i32", start, op.number(32, "i32")), "i32", inside, op.number(0, "i32")
    )


@rule("bmsk", "integer", "clamp wrap")
def _bmsk(op: Operation) -> Result:
    """`b` ones from bit `a` on."""
    start, length = op.source(0, "i32"), op.source(1, "i32")
    if op.has("wrap"):
        start, length = (op.op("and", "i32", text, op.number(31, "i32")) for text in (start, length))
    else:
        start, length = (op.call("llvm.umin", "i32", text, op.number(32, "i32")) for text in (start, length))
    beyond = _ones_from(op, op.op("add", "i32", start, length))
    return op.op("and", "i32", _ones_from(op, start), op.inverted(beyond, "i32")), "i32"


@rule("szext", "integer", "clamp wrap")
def _szext(op: Operation) -> Result:
    """The low `b` bits of `a`, extended by sign or zero."""
    value, length = op.source(0, "i32"), op.source(1, "i32")
    low = op.op("and", "i32", length, op.number(31, "i32"))
    spare = op.op("and", "i32", op.op("sub", "i32", op.number(32, "i32"), low), op.number(31, "i32"))
    up = op.op("shl", "i32", value, spare)
    kept = op.op("ashr" if op.signed else "lshr", "i32", up, spare)
    kept = op.select(op.compare("eq", "i32", low, op.number(0, "i32")), "i32", op.number(0, "i32"), kept)
    if op.has("wrap"):
        return kept, "i32"
    return op.select(op.compare("ugt", "i32", length, op.number(31, "i32")), "i32", value, kept), "i32"
