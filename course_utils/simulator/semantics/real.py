"""Arithmetic of f32 and f64 (PTX ISA 9.7.3): rounded once, as IEEE 754 says, in any of the four modes."""

from __future__ import annotations

from collections.abc import Callable

from ..ir import INT_OF
from .operation import Operation, Result
from .rounding import RESIDUES, TINIEST, arithmetic, flushed, flushed_result, saturated
from .table import rule

MODES = "rn rz rm rp"


def inputs(op: Operation, count: int) -> list[str]:
    texts = [op.source(index) for index in range(count)]
    return [flushed(op, text, op.element) for text in texts] if op.has("ftz") else texts


def finished(op: Operation, text: str, verb: str = "", *sources: str) -> Result:
    """Flush and saturate a result as the instruction says; `verb` and sources are those of `arithmetic`."""
    if op.has("ftz"):
        text = flushed(op, text, op.element)
        if verb in RESIDUES:
            text = flushed_result(op, text, verb, *sources)
    if op.has("sat"):
        text = saturated(op, text, op.element)
    return text, op.element


@rule("add sub mul", "real", f"{MODES} ftz sat")
def _basic(op: Operation) -> Result:
    a, b = inputs(op, 2)
    verb = f"f{op.instruction.name}"
    return finished(op, arithmetic(op, verb, op.element, op.rounding, a, b), verb, a, b)


@rule("fma mad", "real", f"{MODES} ftz sat")
def _fma(op: Operation) -> Result:
    a, b, c = inputs(op, 3)
    return finished(op, arithmetic(op, "fma", op.element, op.rounding, a, b, c), "fma", a, b, c)


@rule("div", "real", f"{MODES} ftz approx full")
def _div(op: Operation) -> Result:
    """div.full and div.approx are rounded correctly here, where the hardware may be off by 2 ulp. div.approx
    gives 0 for divisors beyond 2**126 (NaN for infinite dividends), as its rule in 9.7.3.8 says."""
    a, b = inputs(op, 2)
    value = arithmetic(op, "fdiv", op.element, op.rounding, a, b)
    if op.has("approx"):
        size = op.call("llvm.fabs", "float", b)
        huge = op.compare("ogt", "float", size, op.real(2.0**126, "float"))
        huge = op.op("and", "i1", huge, op.compare("one", "float", size, op.real(float("inf"), "float")))
        value = op.select(huge, "float", op.op("fmul", "float", a, _signed_zero(op, b)), value)
    return finished(op, value, "fdiv", a, b)


def _signed_zero(op: Operation, sign: str) -> str:
    return op.call("llvm.copysign", "float", op.real(0.0, "float"), sign)


@rule("rcp", "real", f"{MODES} ftz approx")
def _rcp(op: Operation) -> Result:
    if op.element == "double" and op.has("approx"):
        return _of_high_word(op, lambda a: op.op("fdiv", "double", op.real(1.0, "double"), a))
    (a,) = inputs(op, 1)
    return finished(op, arithmetic(op, "fdiv", op.element, op.rounding, op.real(1.0, op.element), a))


@rule("sqrt", "real", f"{MODES} ftz approx")
def _sqrt(op: Operation) -> Result:
    (a,) = inputs(op, 1)
    return finished(op, arithmetic(op, "sqrt", op.element, op.rounding, a))


@rule("rsqrt", "real", "ftz approx")
def _rsqrt(op: Operation) -> Result:
    """Within 1.5 ulp: two correctly rounded steps."""

    def inverse(a: str) -> str:
        root = op.call("llvm.sqrt", op.element, a)
        return op.op("fdiv", op.element, op.real(1.0, op.element), root)

    if op.element == "double" and op.has("ftz"):
        return _of_high_word(op, inverse)
    (a,) = inputs(op, 1)
    return finished(op, inverse(a))


def _of_high_word(op: Operation, function: Callable[[str], str]) -> Result:
    """rcp.approx.ftz.f64 and its kin see and give the upper 32 bits only (9.7.3.13, 9.7.3.17)."""

    def cut(text: str) -> str:
        bits = op.op("and", "i64", op.convert("bitcast", text, "double", "i64"), op.number(-1 << 32, "i64"))
        return op.convert("bitcast", bits, "i64", "double")

    a = cut(flushed(op, op.source(0), "double"))
    value = function(a)
    infinite_or_nan = op.compare(
        "ueq", "double", op.call("llvm.fabs", "double", value), op.real(float("inf"), "double")
    )
    return op.select(infinite_or_nan, "double", value, cut(flushed(op, value, "double"))), "double"


@rule("neg", "real", "ftz")
def _neg(op: Operation) -> Result:
    (a,) = inputs(op, 1)
    return op.negated(a, op.element), op.element


@rule("abs", "real", "ftz")
def _abs(op: Operation) -> Result:
    (a,) = inputs(op, 1)
    return op.call("llvm.fabs", op.element, a), op.element


@rule("min max", "real", "ftz NaN xorsign abs")
def _min_max(op: Operation) -> Result:
    """The number if the other is NaN, or NaN with .NaN; -0 is less than +0 (9.7.3.11)."""
    count = len(op.sources)
    return smallest(op, inputs(op, count)), op.element


def smallest(op: Operation, texts: list[str], element: str | None = None) -> str:
    """Minimum or maximum, whichever the instruction is, of floating-point numbers."""
    element = element or op.element
    name = {"min": "llvm.minimum", "max": "llvm.maximum"}[op.instruction.name] + (
        "" if op.has("NaN") else "num"
    )
    sign = None
    if op.has("xorsign"):
        integer = INT_OF[element]
        signs = [op.convert("bitcast", text, element, integer) for text in texts]
        sign = signs[0]
        for other in signs[1:]:
            sign = op.op("xor", integer, sign, other)
        sign = op.convert("bitcast", sign, integer, element)
        texts = [op.call("llvm.fabs", element, text) for text in texts]
    value = texts[0]
    for other in texts[1:]:
        value = op.call(name, element, value, other)
    return value if sign is None else op.call("llvm.copysign", element, value, sign)


@rule("copysign", "real")
def _copysign(op: Operation) -> Result:
    """The sign of the first operand on the second."""
    return op.call("llvm.copysign", op.element, op.source(1), op.source(0)), op.element


@rule("testp", "real", "finite infinite number notanumber normal subnormal")
def _testp(op: Operation) -> Result:
    element, text, what = op.element, op.source(0), op.instruction.parts[1]
    size = op.call("llvm.fabs", element, text)
    infinity, least = op.real(float("inf"), element), op.real(TINIEST[element], element)
    if what in ("number", "notanumber"):
        return op.compare("ord" if what == "number" else "uno", element, text, text), "i1"
    if what in ("finite", "infinite"):
        return op.compare("olt" if what == "finite" else "oeq", element, size, infinity), "i1"
    if what == "normal":
        inside = op.compare("olt", element, size, infinity)
        zero = op.compare("oeq", element, size, op.real(0.0, element))  # counts as normal
        large = op.op("or", "i1", zero, op.compare("oge", element, size, least))
        return op.op("and", "i1", inside, large), "i1"
    some = op.compare("ogt", element, size, op.real(0.0, element))
    return op.op("and", "i1", some, op.compare("olt", element, size, least)), "i1"
