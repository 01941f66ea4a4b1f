"""Approximations (PTX ISA 9.7.3.18 to 9.7.3.22, 9.7.4.9, 9.7.4.10). A chip's own tables are not public:
results are near the true value, within the error stated, which is no larger than the one that the PTX ISA
allows.

Largest errors (tests/simulator/semantics/test_approximate.py measures them):

    ex2     1 ulp
    lg2     1 ulp outside 1/2..2, 3 ulp inside
    tanh    2.5 ulp
    sin cos 2**-20.5, absolute, in -2 pi..2 pi. Beyond, the angle loses its fraction as it does in the
            hardware, which reduces it to turns in single precision.
    f16, bf16: the single's result rounded
"""

from __future__ import annotations

import math
from collections.abc import Callable

from .half import halves
from .operation import Operation, Result
from .real import finished, inputs
from .rounding import TINIEST, flushed, from_half, to_half
from .table import rule

INFINITY = float("inf")
NAN = 0x7FFFFFFF


def _polynomial(op: Operation, x: str, coefficients: list[float]) -> str:
    """Horner's scheme, highest power first."""
    total = op.real(coefficients[0], "float")
    for coefficient in coefficients[1:]:
        total = op.call("llvm.fma", "float", total, x, op.real(coefficient, "float"))
    return total


def _nan(op: Operation) -> str:
    return op.convert("bitcast", op.number(NAN, "i32"), "i32", "float")


_EX2 = [math.log(2.0) ** power / math.factorial(power) for power in range(7, -1, -1)]


def ex2(op: Operation, x: str) -> str:
    """2**x = 2**n * 2**f with f in -1/2..1/2, the second factor a Taylor polynomial of degree 7."""
    bounded = op.call("llvm.minimumnum", "float", x, op.real(200.0, "float"))
    bounded = op.call("llvm.maximumnum", "float", bounded, op.real(-200.0, "float"))
    whole = op.call("llvm.roundeven", "float", bounded)
    part = _polynomial(op, op.op("fsub", "float", bounded, whole), _EX2)
    power = op.convert("fptosi", whole, "float", "i32")
    # Two factors, as 2**n alone may not be a normal number.
    half = op.op("ashr", "i32", power, op.number(1, "i32"))
    for step in (half, op.op("sub", "i32", power, half)):
        bits = op.op("shl", "i32", op.op("add", "i32", step, op.number(127, "i32")), op.number(23, "i32"))
        part = op.op("fmul", "float", part, op.convert("bitcast", bits, "i32", "float"))
    return op.select(op.is_nan(x, "float"), "float", _nan(op), part)


_LG2 = [2.0 / math.log(2.0) / odd for odd in (11, 9, 7, 5, 3, 1)]


def lg2(op: Operation, x: str) -> str:
    """log2(x) = exponent + log2(m), m brought to sqrt(1/2)..sqrt(2); a series in (m - 1) / (m + 1)."""
    small = op.compare("olt", "float", x, op.real(TINIEST["float"], "float"))
    scaled = op.select(small, "float", op.op("fmul", "float", x, op.real(2.0**24, "float")), x)
    bits = op.convert("bitcast", scaled, "float", "i32")
    exponent = op.op(
        "ashr", "i32", op.op("sub", "i32", bits, op.number(0x3F3504F3, "i32")), op.number(23, "i32")
    )
    mantissa = op.op("sub", "i32", bits, op.op("shl", "i32", exponent, op.number(23, "i32")))
    m, one = op.convert("bitcast", mantissa, "i32", "float"), op.real(1.0, "float")
    ratio = op.op("fdiv", "float", op.op("fsub", "float", m, one), op.op("fadd", "float", m, one))
    series = _polynomial(op, op.op("fmul", "float", ratio, ratio), _LG2)
    shift = op.select(small, "float", op.real(-24.0, "float"), op.real(0.0, "float"))
    whole = op.op("fadd", "float", op.convert("sitofp", exponent, "i32", "float"), shift)
    value = op.call("llvm.fma", "float", series, ratio, whole)
    infinity, zero = op.real(INFINITY, "float"), op.real(0.0, "float")
    value = op.select(op.compare("oeq", "float", x, infinity), "float", infinity, value)
    value = op.select(op.compare("oeq", "float", x, zero), "float", op.real(-INFINITY, "float"), value)
    return op.select(op.compare("ult", "float", x, zero), "float", _nan(op), value)


_TAU = 2.0 * math.pi
_SINE = [(-1) ** n * _TAU ** (2 * n + 1) / math.factorial(2 * n + 1) for n in range(4, -1, -1)]
_COSINE = [(-1) ** n * _TAU ** (2 * n) / math.factorial(2 * n) for n in range(4, -1, -1)]


def _circular(op: Operation, x: str, quarters: int) -> str:
    """sin (0) or cos (1). As in the hardware, the angle becomes turns first, in single precision and towards
    zero: an angle of many turns has lost its fraction by then. Taylor polynomials on -1/8..1/8 turn."""
    wide = op.convert("fpext", x, "float", "double")
    product = op.op("fmul", "double", wide, op.real(0.15915493667125702, "double"))
    kept = op.op("and", "i64", op.convert("bitcast", product, "double", "i64"), op.number(-1 << 29, "i64"))
    turns = op.convert("fptrunc", op.convert("bitcast", kept, "i64", "double"), "double", "float")
    rest = op.op("fsub", "float", turns, op.call("llvm.roundeven", "float", turns))  # -1/2..1/2, exact
    quarter = op.call("llvm.roundeven", "float", op.op("fmul", "float", rest, op.real(4.0, "float")))
    r = op.call("llvm.fma", "float", quarter, op.real(-0.25, "float"), rest)
    square = op.op("fmul", "float", r, r)
    sine = op.op("fmul", "float", r, _polynomial(op, square, _SINE))
    cosine = _polynomial(op, square, _COSINE)
    bounded = op.select(op.is_nan(quarter, "float"), "float", op.real(0.0, "float"), quarter)
    number = op.op("add", "i32", op.convert("fptosi", bounded, "float", "i32"), op.number(quarters, "i32"))
    value = op.select(op.bit(number, "i32", 1), "float", cosine, sine)
    value = op.select(op.bit(number, "i32", 2), "float", op.negated(value, "float"), value)
    value = op.select(op.is_nan(rest, "float"), "float", _nan(op), value)
    if quarters:
        return value
    return op.select(op.compare("oeq", "float", x, op.real(0.0, "float")), "float", x, value)  # -0 stays


def sin(op: Operation, x: str) -> str:
    return _circular(op, x, 0)


def cos(op: Operation, x: str) -> str:
    return _circular(op, x, 1)


def tanh(op: Operation, x: str) -> str:
    """1 - 2 / (e**2x + 1) by way of a power of two, a short series near zero."""
    size = op.call("llvm.fabs", "float", x)
    limited = op.call("llvm.minimumnum", "float", size, op.real(10.0, "float"))
    power = ex2(op, op.op("fmul", "float", limited, op.real(2.0 / math.log(2.0), "float")))
    one = op.real(1.0, "float")
    far = op.op("fdiv", "float", op.real(2.0, "float"), op.op("fadd", "float", power, one))
    far = op.op("fsub", "float", one, far)
    square = op.op("fmul", "float", limited, limited)
    series = [-1382 / 155925, 62 / 2835, -17 / 315, 2 / 15, -1 / 3, 1.0]
    near = op.op("fmul", "float", limited, _polynomial(op, square, series))
    close = op.compare("olt", "float", limited, op.real(0.375, "float"))
    value = op.call("llvm.copysign", "float", op.select(close, "float", near, far), x)
    return op.select(op.is_nan(x, "float"), "float", _nan(op), value)


FUNCTIONS: dict[str, Callable[[Operation, str], str]] = {
    "ex2": ex2,
    "lg2": lg2,
    "sin": sin,
    "cos": cos,
    "tanh": tanh,
}


@rule("ex2 lg2 sin cos tanh", "real", "approx ftz")
def _single(op: Operation) -> Result:
    if op.element != "float":
        raise op.refuse()
    (x,) = inputs(op, 1)
    return finished(op, FUNCTIONS[op.instruction.name](op, x))


@rule("ex2 tanh", "half", "approx ftz")
def _half(op: Operation) -> Result:
    function = FUNCTIONS[op.instruction.name]

    def one(kind: str, x: str) -> str:
        wide = from_half(op, x, kind)
        if op.has("ftz"):
            wide = flushed(op, wide, "float", 2.0**-14 if kind == "f16" else None)
        value = function(op, wide)
        if op.has("ftz"):
            value = flushed(op, value, "float", 2.0**-14 if kind == "f16" else None)
        return to_half(op, value, kind)

    return halves(op, one, 1)
