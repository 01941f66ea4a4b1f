"""FP8: pairs of e4m3 and e5m2 to and from single and half precision (PTX ISA 5.2.3, 9.7.9.21).

Both formats are f16 cut short: e5m2 is its upper byte, and e4m3, whose exponents are 8 less, is seven bits
further up once the number is divided by 2**8. A number is rounded to odd as f16 first, which keeps the second
rounding exact.
"""

from __future__ import annotations

from .half import split
from .operation import Operation, Result
from .rounding import from_half, rectified, to_half

FORMATS = {"e4m3x2": (7, 0x7E, 2.0**-8), "e5m2x2": (8, 0x7B, 1.0)}
"""Bits of f16 to cut off, the largest finite number's bits, and what to multiply with before."""
NAN = 0x7F


def narrowed(op: Operation) -> Result:
    """Two floats, the first to the upper byte, or a pair of halves -> a pair of bytes."""
    to, source = op.types
    if source == "f32":
        high, low = (op.source(index, "float") for index in (0, 1))
    elif source == "f16x2":
        low, high = (from_half(op, text, "f16") for text in split(op, 0))
    else:
        raise op.refuse()
    if not op.has("rn") or not op.has("satfinite"):
        raise op.refuse()
    low, high = (_byte(op, text, to) for text in (low, high))
    return op.op("or", "i16", low, op.op("shl", "i16", high, op.number(8, "i16"))), "i16"


def _byte(op: Operation, text: str, to: str) -> str:
    cut, largest, scale = FORMATS[to]
    if op.has("relu"):
        text = rectified(op, text, "float")
    scaled = op.op("fmul", "float", text, op.real(scale, "float"))
    half = to_half(op, scaled, "f16", "odd")
    size = op.op("and", "i16", half, op.number(0x7FFF, "i16"))
    odd = op.op("and", "i16", op.op("lshr", "i16", size, op.number(cut, "i16")), op.number(1, "i16"))
    size = op.op("add", "i16", size, op.op("add", "i16", odd, op.number((1 << cut - 1) - 1, "i16")))
    size = op.op("lshr", "i16", size, op.number(cut, "i16"))
    size = op.call("llvm.umin", "i16", size, op.number(largest, "i16"))
    sign = op.op("and", "i16", op.op("lshr", "i16", half, op.number(8, "i16")), op.number(0x80, "i16"))
    signed = op.op("or", "i16", size, sign)
    return op.select(op.is_nan(text, "float"), "i16", op.number(NAN, "i16"), signed)


def widened(op: Operation) -> Result:
    """A pair of bytes -> a pair of halves, exactly."""
    to, source = op.types
    if to != "f16x2" or not op.has("rn") or op.has("satfinite"):
        raise op.refuse()
    cut, largest, scale = FORMATS[source]
    word, halves = op.source(0, "i16"), []
    for shift in (0, 8):
        byte = op.op("lshr", "i16", word, op.number(shift, "i16")) if shift else word
        size = op.op("and", "i16", byte, op.number(0x7F, "i16"))
        sign = op.op("shl", "i16", op.op("and", "i16", byte, op.number(0x80, "i16")), op.number(8, "i16"))
        bits = op.op("or", "i16", op.op("shl", "i16", size, op.number(cut, "i16")), sign)
        wide = op.op("fmul", "float", from_half(op, bits, "f16"), op.real(1 / scale, "float"))
        if op.has("relu"):
            wide = rectified(op, wide, "float")
        half = to_half(op, wide, "f16")
        if source == "e4m3x2":  # it has no infinity
            nan = op.compare("ugt", "i16", size, op.number(largest, "i16"))
            half = op.select(nan, "i16", op.number(0x7FFF, "i16"), half)
        halves.append(op.convert("zext", half, "i16", "i32"))
    return op.op("or", "i32", halves[0], op.op("shl", "i32", halves[1], op.number(16, "i32"))), "i32"
