"""Integer arithmetic (PTX ISA 9.7.1), the 16-bit pairs of 9.7.1 included."""

from __future__ import annotations

from .operation import Operation, Result
from .table import rule


@rule("add sub", "integer", "sat")
def _add(op: Operation) -> Result:
    name, a, b = op.instruction.name, op.source(0), op.source(1)
    if op.has("sat"):
        return op.call(f"llvm.s{name}.sat", op.element, a, b), op.element
    return op.op(name, op.element, a, b), op.element


@rule("mul", "integer", "lo hi wide")
def _mul(op: Operation) -> Result:
    return product(op)


def product(op: Operation) -> Result:
    """The low or the high half of a product, or all of it."""
    a, b, element = op.source(0), op.source(1), op.element
    if op.has("wide"):
        wide = f"i{2 * op.bits}"
        factors = (op.resized(text, element, wide, signed=op.signed) for text in (a, b))
        return op.op("mul", wide, *factors), wide
    if not op.has("hi"):
        return op.op("mul", element, a, b), element
    if op.bits == 64:
        return _high_64(op, a, b), element
    wide = f"i{2 * op.bits}"
    factors = (op.resized(text, element, wide, signed=op.signed) for text in (a, b))
    high = op.op("lshr", wide, op.op("mul", wide, *factors), op.number(op.bits, wide))
    return op.convert("trunc", high, wide, element), element


def _high_64(op: Operation, a: str, b: str) -> str:
    """Long multiplication in 32-bit digits, as 128-bit vectors would be taken apart lane by lane."""
    low, shift = op.number(0xFFFFFFFF), op.number(32)
    a0, b0 = op.op("and", "i64", a, low), op.op("and", "i64", b, low)
    a1, b1 = op.op("lshr", "i64", a, shift), op.op("lshr", "i64", b, shift)
    carried = op.op("lshr", "i64", op.op("mul", "i64", a0, b0), shift)
    middle = op.op("add", "i64", op.op("mul", "i64", a1, b0), carried)
    other = op.op("add", "i64", op.op("mul", "i64", a0, b1), op.op("and", "i64", middle, low))
    high = op.op("add", "i64", op.op("mul", "i64", a1, b1), op.op("lshr", "i64", middle, shift))
    high = op.op("add", "i64", high, op.op("lshr", "i64", other, shift))
    if not op.signed:
        return high
    for one, factor in ((a, b), (b, a)):  # a negative number was taken for itself + 2**64
        sign = op.op("ashr", "i64", one, op.number(63))
        high = op.op("sub", "i64", high, op.op("and", "i64", sign, factor))
    return high


@rule("mad", "integer", "lo hi wide sat")
def _mad(op: Operation) -> Result:
    total, element = product(op)
    c = op.source(2, element)
    if op.has("sat"):
        return op.call("llvm.sadd.sat", element, total, c), element
    return op.op("add", element, total, c), element


@rule("mul24 mad24", "integer", "lo hi sat")
def _mul24(op: Operation) -> Result:
    """Bits 0..31 or 16..47 of the product of two 24-bit numbers."""
    shift = op.number(8)
    verb = "ashr" if op.signed else "lshr"
    a, b = (op.op(verb, "i32", op.op("shl", "i32", op.source(i), shift), shift) for i in (0, 1))
    if op.has("hi"):
        full = op.op("mul", "i64", *(op.resized(text, "i32", "i64", signed=op.signed) for text in (a, b)))
        total = op.convert("trunc", op.op("lshr", "i64", full, op.number(16, "i64")), "i64", "i32")
    else:
        total = op.op("mul", "i32", a, b)
    if op.instruction.name == "mul24":
        return total, "i32"
    if op.has("sat"):
        return op.call("llvm.sadd.sat", "i32", total, op.source(2)), "i32"
    return op.op("add", "i32", total, op.source(2)), "i32"


@rule("div rem", "integer")
def _division(op: Operation) -> Result:
    """Division by zero and its remainder give all ones, and INT_MIN / -1 wraps: what the hardware does."""
    verb, element, a, b = op.instruction.name, op.element, op.source(0), op.source(1)
    by_zero = op.compare("eq", element, b, op.number(0))
    safe = op.select(by_zero, element, op.number(1), b)
    if op.signed:
        minus = op.compare("eq", element, safe, op.number(-1))
        safe = op.select(minus, element, op.number(1), safe)
        value = op.op(f"s{verb}", element, a, safe)
        wrapped = op.op("sub", element, op.number(0), a) if verb == "div" else op.number(0)
        value = op.select(minus, element, wrapped, value)
    else:
        value = op.op(f"u{verb}", element, a, safe)
    return op.select(by_zero, element, op.number(-1), value), element


@rule("abs", "integer")
def _abs(op: Operation) -> Result:
    return op.call_bit("llvm.abs", op.element, op.source(0)), op.element


@rule("neg", "integer")
def _neg(op: Operation) -> Result:
    return op.op("sub", op.element, op.number(0), op.source(0)), op.element


@rule("min max", "integer", "relu")
def _min_max(op: Operation) -> Result:
    verb = f"llvm.{'s' if op.signed else 'u'}{op.instruction.name}"
    value = op.call(verb, op.element, op.source(0), op.source(1))
    if op.has("relu"):
        value = op.call("llvm.smax", op.element, value, op.number(0))
    return value, op.element


@rule("add min max", "pair", "relu")
def _pairs(op: Operation) -> Result:
    """Two 16-bit integers in 32 bits."""
    name, halves = op.instruction.name, []
    for shift in (0, 16):
        a, b = (
            op.convert("trunc", op.op("lshr", "i32", op.source(i), op.number(shift)), "i32", "i16")
            for i in (0, 1)
        )
        if name == "add":
            value = op.op("add", "i16", a, b)
        else:
            value = op.call(f"llvm.{'s' if op.signed else 'u'}{name}", "i16", a, b)
        if op.has("relu"):
            value = op.call("llvm.smax", "i16", value, op.number(0, "i16"))
        halves.append(op.op("shl", "i32", op.convert("zext", value, "i16", "i32"), op.number(shift)))
    return op.op("or", "i32", *halves), "i32"


@rule("sad", "integer")
def _sad(op: Operation) -> Result:
    """c + |a - b|, without overflow in the difference."""
    a, b, element = op.source(0), op.source(1), op.element
    less = op.compare("slt" if op.signed else "ult", element, a, b)
    gap = op.select(less, element, op.op("sub", element, b, a), op.op("sub", element, a, b))
    return op.op("add", element, gap, op.source(2)), element


@rule("dp4a dp2a", "integer", "lo hi", types=2)
def _dot(op: Operation) -> Result:
    """c + a dot b: four bytes by four bytes, or two halves by the two low or high bytes (9.7.1.23,
    9.7.1.24)."""
    first, second = op.types if len(op.types) == 2 else op.types * 2
    bits = 8 if op.instruction.name == "dp4a" else 16
    skipped = 16 if op.has("hi") else 0
    total = op.source(2, "i32")
    for position in range(32 // bits):
        a = _field(op, op.source(0, "i32"), bits * position, bits, first)
        b = _field(op, op.source(1, "i32"), 8 * position + skipped, 8, second)
        total = op.op("add", "i32", total, op.op("mul", "i32", a, b))
    return total, "i32"


def _field(op: Operation, word: str, start: int, bits: int, kind: str) -> str:
    up = op.op("shl", "i32", word, op.number(32 - bits - start, "i32"))
    return op.op("ashr" if kind.startswith("s") else "lshr", "i32", up, op.number(32 - bits, "i32"))
