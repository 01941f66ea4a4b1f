"""cvt between all types (PTX ISA 9.7.9.21) and cvt.pack (9.7.9.22).

A floating-point source is held in single or double precision, exactly, and rounded once to the type wanted.
"""

from __future__ import annotations

from ..ir import BITS
from . import eighth
from .operation import SUFFIX, Operation, Result
from .real import MODES
from .rounding import (
    arithmetic,
    exact_sum,
    flushed,
    from_half,
    least_kept,
    rectified,
    saturated,
    to_float,
    to_half,
)
from .table import rule
from .types import ELEMENT, FAMILY

_TO_WHOLE = {"rni": "llvm.roundeven", "rzi": "llvm.trunc", "rmi": "llvm.floor", "rpi": "llvm.ceil"}


@rule("cvt", "any", f"{MODES} {' '.join(_TO_WHOLE)} rna relu ftz sat satfinite pack", types=3)
def _cvt(op: Operation) -> Result:
    if op.has("pack"):
        return _pack(op)
    if len(op.types) != 2:
        raise op.refuse()
    to, source = op.types
    if to in eighth.FORMATS:
        return eighth.narrowed(op)
    if source in eighth.FORMATS:
        return eighth.widened(op)
    if op.has("satfinite"):
        raise op.refuse("its .satfinite is not")
    families = FAMILY[to], FAMILY[source]
    if to in ("f16x2", "bf16x2"):
        if source != "f32":
            raise op.refuse()
        upper, lower = (_from_real(op, op.source(index, "float"), "float", to[:-2]) for index in (0, 1))
        low, high = (op.convert("zext", text, "i16", "i32") for text in (lower, upper))
        return op.op("or", "i32", low, op.op("shl", "i32", high, op.number(16, "i32"))), "i32"
    if to == "tf32" and source == "f32":
        return _to_tf32(op), "float"
    known = ("integer", "real", "half")
    if families[0] not in known or families[1] not in known or op.has("rna"):
        raise op.refuse()
    if families[1] == "integer":
        if families[0] == "integer":
            return _between_integers(op, source, to)
        return _from_integer(op, source, to)
    text, element = op.source(0, "i16" if families[1] == "half" else ELEMENT[source]), ELEMENT[source]
    if families[1] == "half":
        text, element = from_half(op, text, source), "float"
    if op.has("ftz") and element == "float":
        text = flushed(op, text, "float", None if source == "f32" else 0.0)
    for mode, function in _TO_WHOLE.items():
        if op.has(mode):
            text = op.call(function, element, text)
    if families[0] == "integer":
        return _to_integer(op, text, element, to), ELEMENT[to]
    return _from_real(op, text, element, to), "i16" if families[0] == "half" else ELEMENT[to]


def _from_real(op: Operation, text: str, element: str, to: str) -> str:
    """float or double -> any floating-point type, with the instruction's modifiers."""
    if op.has("ftz") and to.removesuffix("x2") != "f64" and element == "float":
        text = flushed(op, text, "float")
    if op.has("relu"):
        text = rectified(op, text, element)
    if op.has("sat"):
        text = saturated(op, text, element)
    if to == "f64":
        return text if element == "double" else op.convert("fpext", text, "float", "double")
    if to == "f32":
        if element == "double":
            if op.has("ftz"):  # what would not round up to a normal number is tiny before it is rounded
                text = flushed(op, text, "double", least_kept(op.rounding))
            text = to_float(op, text, op.rounding)
        return flushed(op, text, "float") if op.has("ftz") else text
    if element == "double":
        text = to_float(op, text, "odd")
    return to_half(op, text, to, op.rounding)


def _to_tf32(op: Operation) -> str:
    """10 bits of fraction are kept: nearest, ties away from zero (rna) or to even (rn), or towards zero
    (rz)."""
    text = op.source(0, "float")
    if op.has("relu"):
        text = rectified(op, text, "float")
    bits = op.convert("bitcast", text, "float", "i32")
    if op.has("rna"):
        bits = op.op("add", "i32", bits, op.number(0x1000, "i32"))
    elif op.has("rn"):
        odd = op.op("and", "i32", op.op("lshr", "i32", bits, op.number(13, "i32")), op.number(1, "i32"))
        bits = op.op("add", "i32", bits, op.op("add", "i32", odd, op.number(0xFFF, "i32")))
    elif not op.has("rz"):
        raise op.refuse()
    bits = op.op("and", "i32", bits, op.number(-0x2000, "i32"))
    bits = op.select(op.is_nan(text, "float"), "i32", op.number(0x7FFFFFFF, "i32"), bits)
    return op.convert("bitcast", bits, "i32", "float")


def _to_integer(op: Operation, text: str, element: str, to: str) -> str:
    """A whole number clamped to the type. NaN gives 0, but the lowest signed number's bits where a 64-bit
    type is involved."""
    new, signed = ELEMENT[to], to.startswith("s")
    wide = new if BITS[new] >= 32 else "i32"
    names = f"{wide}.{SUFFIX[element]}" if op.width == 1 else f"v32{wide}.v32{SUFFIX[element]}"
    verb = "llvm.fptosi.sat" if signed else "llvm.fptoui.sat"
    value = op.code.op(f"call {op.type(wide)} @{verb}.{names}({op.type(element)} {text})")
    if wide != new:
        value = clamped(op, value, wide, signed, to)
        value = op.convert("trunc", value, wide, new)
    if element == "double" or BITS[new] == 64:
        lowest = op.number(1 << BITS[new] - 1, new)
        value = op.select(op.is_nan(text, element), new, lowest, value)
    return value


def _limits(kind: str) -> tuple[int, int]:
    bits = BITS[ELEMENT[kind]]
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if kind.startswith("s") else (0, (1 << bits) - 1)


def clamped(op: Operation, text: str, element: str, signed: bool, to: str) -> str:
    """An integer brought into the range of the type `to`."""
    low, high = _limits(to)
    bits = BITS[element]
    if not signed:
        return (
            op.call("llvm.umin", element, text, op.number(high, element)) if high < (1 << bits) - 1 else text
        )
    if high < (1 << bits - 1) - 1:
        text = op.call("llvm.smin", element, text, op.number(high, element))
    if low > -(1 << bits - 1):
        text = op.call("llvm.smax", element, text, op.number(low, element))
    return text


def _between_integers(op: Operation, source: str, to: str) -> Result:
    """Cut off or extended by the source's sign, clamped with .sat."""
    new, old = ELEMENT[to], ELEMENT[source]
    text = op.source(0, old)
    if op.has("sat"):
        text = clamped(op, text, old, source.startswith("s"), to)
    return op.resized(text, old, new, signed=source.startswith("s")), new


def _from_integer(op: Operation, source: str, to: str) -> Result:
    old, signed, mode = ELEMENT[source], source.startswith("s"), op.rounding
    verb = "sitofp" if signed else "uitofp"
    text = op.source(0, old)
    if BITS[old] < 32:
        text, old = op.resized(text, old, "i32", signed=signed), "i32"
    if to in ("f32", "f64") and (mode == "rn" or (to == "f64" and old == "i32")):
        value, element = op.convert(verb, text, old, ELEMENT[to]), ELEMENT[to]
    elif old == "i32":
        value, element = op.convert(verb, text, old, "double"), "double"
    else:
        high = op.op("ashr" if signed else "lshr", "i64", text, op.number(32, "i64"))
        low = op.op("and", "i64", text, op.number(0xFFFFFFFF, "i64"))
        high = op.op("fmul", "double", op.convert(verb, high, "i64", "double"), op.real(2.0**32, "double"))
        parts, element = (high, op.convert("uitofp", low, "i64", "double")), "double"
        value = (
            arithmetic(op, "fadd", "double", mode, *parts) if to == "f64" else exact_sum(op, "double", *parts)
        )
    if op.has("sat"):
        value = saturated(op, value, element)
    if element == ELEMENT[to]:
        return value, element
    return _from_real(op, value, element, to), "i16" if FAMILY[to] == "half" else ELEMENT[to]


def _pack(op: Operation) -> Result:
    """cvt.pack.sat: two numbers clamped and put side by side; of bytes and nibbles, above the low half of a
    third."""
    to = op.types[0]
    if to not in ("s16", "u16", "s8", "u8") or op.types[1] != "s32" or not op.has("sat"):
        raise op.refuse()
    bits = BITS[ELEMENT[to]]
    low, high = _limits(to)
    first, second = (
        op.call(
            "llvm.smax",
            "i32",
            op.call("llvm.smin", "i32", op.source(i, "i32"), op.number(high, "i32")),
            op.number(low, "i32"),
        )
        for i in (0, 1)
    )
    mask = op.number((1 << bits) - 1, "i32")
    second = op.op("and", "i32", second, mask)
    first = op.op("shl", "i32", op.op("and", "i32", first, mask), op.number(bits, "i32"))
    total = op.op("or", "i32", first, second)
    if bits == 8 and len(op.sources) > 2:
        rest = op.op("shl", "i32", op.source(2, "i32"), op.number(16, "i32"))
        total = op.op("or", "i32", total, rest)
    return total, "i32"
