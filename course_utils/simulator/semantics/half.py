"""Half precision (PTX ISA 9.7.4): f16 and bf16, one or two in a register.

Every result is rounded once. Sums, and products of f16, go through single precision, whose 24 bits are enough
that the second rounding is the only one that counts (Figueroa, "When is double rounding innocuous?", 1995);
products of bf16 and all fused operations are rounded to odd on the way.
"""

from __future__ import annotations

from collections.abc import Callable

from .operation import Operation, Result
from .real import smallest
from .rounding import exact_sum, flushed, from_half, rectified, saturated, to_float, to_half
from .table import rule

LEAST_NORMAL = {"f16": 2.0**-14, "bf16": 2.0**-126}


def split(op: Operation, index: int) -> list[str]:
    """The halves of a source, as i16: one, or the low and the high of a pair."""
    if not op.instruction.type.endswith("x2"):
        return [op.source(index, "i16")]
    word = op.source(index, "i32")
    high = op.op("lshr", "i32", word, op.number(16, "i32"))
    return [op.convert("trunc", text, "i32", "i16") for text in (word, high)]


def joined(op: Operation, parts: list[str]) -> Result:
    """One half, or two in a word."""
    if len(parts) == 1:
        return parts[0], "i16"
    low, high = (op.convert("zext", part, "i16", "i32") for part in parts)
    return op.op("or", "i32", low, op.op("shl", "i32", high, op.number(16, "i32"))), "i32"


def halves(op: Operation, function: Callable[..., str], count: int) -> Result:
    """Apply function(kind, *sources) -> i16 to each half of `count` sources."""
    kind = op.instruction.type.removesuffix("x2")
    sources = [split(op, index) for index in range(count)]
    return joined(op, [function(kind, *each) for each in zip(*sources, strict=True)])


def widened(op: Operation, kind: str, texts: tuple[str, ...]) -> list[str]:
    """Halves as floats, flushed where the instruction says so."""
    wide = [from_half(op, text, kind) for text in texts]
    return [flushed(op, text, "float", LEAST_NORMAL[kind]) for text in wide] if op.has("ftz") else wide


def narrowed(op: Operation, kind: str, text: str) -> str:
    """A float as a half, with the instruction's modifiers applied."""
    if op.has("relu"):
        text = rectified(op, text, "float")
    if op.has("sat"):
        text = saturated(op, text, "float")
    result = to_half(op, text, kind)
    if op.has("ftz"):  # tiny when rounded to as many bits without a least exponent, as in `flushed_result`
        size = op.call("llvm.fabs", "float", text)
        least = LEAST_NORMAL[kind] * (1 - (2.0**-12 if kind == "f16" else 2.0**-9))
        tiny = op.compare("olt", "float", size, op.real(least, "float"))
        sign = op.op("and", "i16", result, op.number(-0x8000, "i16"))
        result = op.select(tiny, "i16", sign, result)
    return result


@rule("add sub mul", "half", "rn ftz sat")
def _basic(op: Operation) -> Result:
    verb = f"f{op.instruction.name}"

    def one(kind: str, *texts: str) -> str:
        a, b = widened(op, kind, texts)
        if verb == "fmul" and kind == "bf16":
            wide = (op.convert("fpext", text, "float", "double") for text in (a, b))
            return narrowed(op, kind, to_float(op, op.op(verb, "double", *wide), "odd"))
        return narrowed(op, kind, op.op(verb, "float", a, b))

    return halves(op, one, 2)


@rule("fma", "half", "rn ftz sat relu")
def _fma(op: Operation) -> Result:
    def one(kind: str, *texts: str) -> str:
        a, b, c = widened(op, kind, texts)
        if kind == "f16":  # 22 bits of product: exact
            return narrowed(op, kind, exact_sum(op, "float", op.op("fmul", "float", a, b), c))
        a, b, c = (op.convert("fpext", text, "float", "double") for text in (a, b, c))
        total = exact_sum(op, "double", op.op("fmul", "double", a, b), c)
        return narrowed(op, kind, to_float(op, total, "odd"))

    return halves(op, one, 3)


@rule("neg abs", "half", "ftz")
def _sign(op: Operation) -> Result:
    def one(kind: str, text: str) -> str:
        if op.instruction.name == "neg":
            result = op.op("xor", "i16", text, op.number(-0x8000, "i16"))
        else:
            result = op.op("and", "i16", text, op.number(0x7FFF, "i16"))
        if op.has("ftz"):
            (wide,) = widened(op, kind, (result,))
            result = to_half(op, wide, kind)
        return result

    return halves(op, one, 1)


@rule("min max", "half", "ftz NaN xorsign abs")
def _min_max(op: Operation) -> Result:
    def one(kind: str, *texts: str) -> str:
        return to_half(op, smallest(op, widened(op, kind, texts), "float"), kind)

    return halves(op, one, len(op.sources))
