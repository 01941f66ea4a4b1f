"""What each arithmetic instruction computes, as a table: opcode -> function that writes LLVM.

The same function serves one scalar for the whole warp and a vector of 32 lanes; `Operation` knows which. Memory,
control flow and exchange between lanes are elsewhere (`access`, `codegen`, `exchange`). Sections named are those of the
PTX ISA 8.8.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .errors import Unsupported
from .ir import BITS, FLOATS, INT_OF, Code, Value, constant, vector_type
from .kinds import LANES
from .ptx import TYPE_BITS, Group, Instruction

ELEMENT = {
    "pred": "i1",
    **{f"{kind}{bits}": f"i{bits}" for kind in "bsu" for bits in (8, 16, 32, 64)},
    "b128": "i128",
    "f16": "half",
    "f32": "float",
    "f64": "double",
    "bf16": "i16",
    "f16x2": "i32",
    "bf16x2": "i32",
    "tf32": "float",
}
"""PTX type -> LLVM type of one value."""

STORAGE = ELEMENT | {"f16": "i16"}
"""PTX type -> LLVM type in which a register of that type is kept."""


@dataclass(slots=True)
class Operation:
    """One instruction being written, over one scalar (`width` 1) or all lanes (32)."""

    instruction: Instruction
    code: Code
    sources: list[Value]
    width: int

    def type(self, element: str) -> str:
        return element if self.width == 1 else vector_type(element)

    @property
    def element(self) -> str:
        return ELEMENT[self.instruction.type]

    @property
    def signed(self) -> bool:
        return self.instruction.type.startswith("s")

    @property
    def float(self) -> bool:
        return self.element in FLOATS

    def source(self, index: int, element: str | None = None) -> str:
        """A source operand under an element type: same bits if as wide, else cut or extended."""
        element = element or self.element
        value = self.sources[index]
        if BITS[value.type] != BITS[element]:
            if value.type in FLOATS:
                value = self.code.bitcast(value, INT_OF[value.type])
            whole = f"i{BITS[element]}"
            value = self.code.resize(value, whole)
        value = self.code.bitcast(value, element)
        return value.text if self.width == 1 else self.code.vector(value)

    def number(self, value: int, element: str | None = None) -> str:
        """An integer constant, once or in every lane."""
        text = constant(value, element or self.element).text
        return text if self.width == 1 else f"splat ({element or self.element} {text})"

    def real(self, value: float, element: str | None = None) -> str:
        """A floating-point constant that the type holds exactly, once or in every lane."""
        element = element or self.element
        text = f"{value:.17e}" if element == "double" else _single(value)
        return text if self.width == 1 else f"splat ({element} {text})"

    def op(self, verb: str, element: str, *texts: str) -> str:
        return self.code.op(f"{verb} {self.type(element)} " + ", ".join(texts))

    def call(self, function: str, element: str, *texts: str, result: str | None = None) -> str:
        """An LLVM intrinsic whose arguments all have one type."""
        suffix = {"float": "f32", "double": "f64", "half": "f16"}.get(element, element)
        suffix = suffix if self.width == 1 else f"v{LANES}{suffix}"
        arguments = ", ".join(f"{self.type(element)} {text}" for text in texts)
        return self.code.op(f"call {self.type(result or element)} @{function}.{suffix}({arguments})")

    def call_bit(self, function: str, element: str, text: str) -> str:
        """ctlz and cttz take one bit more."""
        suffix = element if self.width == 1 else f"v{LANES}{element}"
        return self.code.op(
            f"call {self.type(element)} @{function}.{suffix}({self.type(element)} {text}, i1 false)"
        )

    def convert(self, verb: str, text: str, old: str, new: str) -> str:
        return self.code.op(f"{verb} {self.type(old)} {text} to {self.type(new)}")

    def select(self, condition: str, element: str, yes: str, no: str) -> str:
        kind = self.type(element)
        return self.code.op(f"select {self.type('i1')} {condition}, {kind} {yes}, {kind} {no}")

    def compare(self, predicate: str, element: str, a: str, b: str) -> str:
        verb = "fcmp" if element in FLOATS else "icmp"
        return self.code.op(f"{verb} {predicate} {self.type(element)} {a}, {b}")

    def flushed(self, text: str, element: str) -> str:
        """Subnormal numbers become zero with their sign (.ftz)."""
        size = self.call("llvm.fabs", element, text)
        tiny = self.compare("olt", element, size, self.real(2.0**-126, element))
        zero = self.call("llvm.copysign", element, self.real(0.0, element), text)
        return self.select(tiny, element, zero, text)

    def refuse(self, why: str = "") -> Unsupported:
        return Unsupported(
            f"the instruction {self.instruction.opcode} is not supported" + (f": {why}" if why else ""),
            self.instruction.opcode,
            self.instruction.location.line,
        )


def _single(value: float) -> str:
    """LLVM wants a float written as the double that it equals, in hexadecimal."""
    import struct

    rounded = struct.unpack("<f", struct.pack("<f", value))[0]
    return f"0x{struct.unpack('<Q', struct.pack('<d', rounded))[0]:016X}"


Result = tuple[str, str]  # text, element
Rule = Callable[[Operation], Result]
RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    def add(function: Rule) -> Rule:
        for name in names:
            RULES[name] = function
        return function

    return add


def evaluate(instruction: Instruction, code: Code, sources: list[Value], width: int) -> Result:
    """Write a pure instruction; returns the text and element type of its (first) result."""
    found = RULES.get(instruction.name)
    operation = Operation(instruction, code, sources, width)
    if found is None:
        raise operation.refuse()
    return found(operation)


# Helpers --------------------------------------------------------------------------------------------------------------


def _rounding(op: Operation) -> str:
    for mode in ("rn", "rz", "rm", "rp"):
        if op.instruction.has(mode):
            return mode
    return "rn"


def _inputs(op: Operation, count: int) -> list[str]:
    texts = [op.source(index) for index in range(count)]
    if op.instruction.has("ftz"):
        texts = [op.flushed(text, op.element) for text in texts]
    return texts


def _finish(op: Operation, text: str) -> Result:
    """Flush and saturate a floating-point result as the instruction says."""
    if op.instruction.has("ftz"):
        text = op.flushed(text, op.element)
    if op.instruction.has("sat"):
        text = _saturated(op, text, op.element)
    return text, op.element


def _saturated(op: Operation, text: str, element: str) -> str:
    """Clamped to 0..1, NaN to 0 (9.7.3, .sat)."""
    low = op.call("llvm.maximumnum", element, text, op.real(0.0, element))
    high = op.call("llvm.minimumnum", element, low, op.real(1.0, element))
    return op.select(
        op.compare("ogt", element, text, op.real(0.0, element)), element, high, op.real(0.0, element)
    )


def _directed(op: Operation, mode: str, total: str, error: str) -> str:
    """total + error (doubles, |error| at most half a unit of total) rounded to single in a direction other than nearest.

    Round to nearest first, see on which side of the exact value that landed, and step one number back if need be.
    """
    near = op.convert("fptrunc", total, "double", "float")
    wide = op.convert("fpext", near, "float", "double")
    zero = op.real(0.0, "double")
    equal = op.compare("oeq", "double", wide, total)

    def beyond(wrong_way: str, wrong_error: str) -> str:
        past = op.compare(wrong_way, "double", wide, total)
        tie = op.op("and", "i1", equal, op.compare(wrong_error, "double", error, zero))
        return op.op("or", "i1", past, tie)

    too_high, too_low = beyond("ogt", "olt"), beyond("olt", "ogt")
    bits = op.convert("bitcast", near, "float", "i32")
    negative = op.compare("slt", "i32", bits, op.number(0, "i32"))
    is_zero = op.compare("oeq", "float", near, op.real(0.0, "float"))
    up = op.select(
        negative,
        "i32",
        op.op("sub", "i32", bits, op.number(1, "i32")),
        op.op("add", "i32", bits, op.number(1, "i32")),
    )
    up = op.select(is_zero, "i32", op.number(1, "i32"), up)
    down = op.select(
        negative,
        "i32",
        op.op("add", "i32", bits, op.number(1, "i32")),
        op.op("sub", "i32", bits, op.number(1, "i32")),
    )
    down = op.select(is_zero, "i32", op.number(-0x7FFFFFFF, "i32"), down)
    if mode == "rm":
        picked = op.select(too_high, "i32", down, bits)
    elif mode == "rp":
        picked = op.select(too_low, "i32", up, bits)
    else:
        positive = op.compare("ogt", "double", total, zero)
        towards = op.select(op.op("and", "i1", positive, too_high), "i32", down, bits)
        below = op.compare("olt", "double", total, zero)
        picked = op.select(op.op("and", "i1", below, too_low), "i32", up, towards)
    return op.convert("bitcast", picked, "i32", "float")


def _exact_sum(op: Operation, a: str, b: str) -> tuple[str, str]:
    """Knuth's two-sum in double: the rounded sum and its error."""
    total = op.op("fadd", "double", a, b)
    back = op.op("fsub", "double", total, a)
    error = op.op(
        "fadd",
        "double",
        op.op("fsub", "double", a, op.op("fsub", "double", total, back)),
        op.op("fsub", "double", b, back),
    )
    return total, error


def _rounded_single(op: Operation, mode: str, product: tuple[str, str] | None, addend: str | None) -> str:
    """a*b + c, a*b or a + c of singles in a directed rounding. A product of singles is exact in double."""
    zero = op.real(0.0, "double")
    widen = lambda text: op.convert("fpext", text, "float", "double")  # noqa: E731
    if product is None or addend is None:
        raise op.refuse()
    left = op.op("fmul", "double", widen(product[0]), widen(product[1])) if product[1] else widen(product[0])
    if addend == "":
        return _directed(op, mode, left, zero)
    right = widen(addend)
    total, error = _exact_sum(op, left, right)
    result = _directed(op, mode, total, error)
    if mode != "rm":
        return result
    # Downwards, a sum of zero is -0 unless both parts are +0 (IEEE 754, 6.3).
    signs = [op.convert("bitcast", text, "double", "i64") for text in (left, right)]
    negative = op.compare("slt", "i64", op.op("or", "i64", *signs), op.number(0, "i64"))
    nothing = op.op("and", "i1", negative, op.compare("oeq", "double", total, zero))
    return op.select(nothing, "float", op.real(-0.0, "float"), result)


# Arithmetic (9.7.1 integer, 9.7.3 floating point) ---------------------------------------------------------------------


@rule("add", "sub")
def _add(op: Operation) -> Result:
    name = op.instruction.name
    if not op.float:
        if op.instruction.type in ("f16x2", "bf16", "bf16x2") or op.instruction.has("cc"):
            raise op.refuse()
        a, b = op.source(0), op.source(1)
        if op.instruction.has("sat"):
            return op.call(f"llvm.s{name}.sat", op.element, a, b), op.element
        return op.op(name, op.element, a, b), op.element
    a, b = _inputs(op, 2)
    mode = _rounding(op)
    if mode == "rn":
        return _finish(op, op.op(f"f{name}", op.element, a, b))
    if op.element != "float":
        raise op.refuse("only round-to-nearest is, in this precision")
    if name == "sub":
        b = op.code.op(f"fneg {op.type('float')} {b}")
    return _finish(op, _rounded_single(op, mode, (a, ""), b))


@rule("mul")
def _mul(op: Operation) -> Result:
    if op.float:
        a, b = _inputs(op, 2)
        mode = _rounding(op)
        if mode == "rn":
            return _finish(op, op.op("fmul", op.element, a, b))
        if op.element != "float":
            raise op.refuse("only round-to-nearest is, in this precision")
        return _finish(op, _rounded_single(op, mode, (a, b), ""))
    return _integer_product(op)


def _integer_product(op: Operation) -> Result:
    if op.instruction.type in ("f16x2", "bf16", "bf16x2"):
        raise op.refuse()
    a, b = op.source(0), op.source(1)
    if op.instruction.has("wide", "hi"):
        wide = f"i{2 * BITS[op.element]}"
        verb = "sext" if op.signed else "zext"
        full = op.op(
            "mul", wide, op.convert(verb, a, op.element, wide), op.convert(verb, b, op.element, wide)
        )
        if op.instruction.has("wide"):
            return full, wide
        high = op.op("lshr", wide, full, op.number(BITS[op.element], wide))
        return op.convert("trunc", high, wide, op.element), op.element
    return op.op("mul", op.element, a, b), op.element


@rule("mad")
def _mad(op: Operation) -> Result:
    if op.float:
        return _fma(op)
    if op.instruction.has("cc", "sat"):
        raise op.refuse()
    product, element = _integer_product(op)
    return op.op("add", element, product, op.source(2, element)), element


@rule("mul24", "mad24")
def _mul24(op: Operation) -> Result:
    shift = op.number(8)
    verb = "ashr" if op.signed else "lshr"
    a, b = (op.op(verb, op.element, op.op("shl", op.element, op.source(i), shift), shift) for i in (0, 1))
    if op.instruction.has("hi"):
        wide = "sext" if op.signed else "zext"
        full = op.op("mul", "i64", op.convert(wide, a, "i32", "i64"), op.convert(wide, b, "i32", "i64"))
        product = op.convert("trunc", op.op("lshr", "i64", full, op.number(16, "i64")), "i64", "i32")
    else:
        product = op.op("mul", op.element, a, b)
    if op.instruction.name == "mad24":
        product = op.op("add", op.element, product, op.source(2))
    return product, op.element


@rule("fma")
def _fma(op: Operation) -> Result:
    if not op.float:
        raise op.refuse()
    a, b, c = _inputs(op, 3)
    mode = _rounding(op)
    if mode == "rn":
        return _finish(op, op.call("llvm.fma", op.element, a, b, c))
    if op.element != "float":
        raise op.refuse("only round-to-nearest is, in this precision")
    return _finish(op, _rounded_single(op, mode, (a, b), c))


@rule("div")
def _div(op: Operation) -> Result:
    if op.float:
        a, b = _inputs(op, 2)
        return _finish(op, _quotient(op, a, b))
    return _integer_division(op, "div")


def _quotient(op: Operation, a: str, b: str) -> str:
    """a / b. In a directed rounding by way of double, whose own error has the sign of remainder / b."""
    mode = _rounding(op)
    if mode == "rn":
        return op.op("fdiv", op.element, a, b)
    if op.element != "float":
        raise op.refuse("only round-to-nearest is, in this precision")
    a, b = (op.convert("fpext", text, "float", "double") for text in (a, b))
    total = op.op("fdiv", "double", a, b)
    back = op.code.op(f"fneg {op.type('double')} {total}")
    rest = op.call("llvm.fma", "double", back, b, a)
    error = op.call("llvm.copysign", "double", op.real(1.0, "double"), op.op("fmul", "double", rest, b))
    exact = op.compare("oeq", "double", rest, op.real(0.0, "double"))
    return _directed(op, mode, total, op.select(exact, "double", op.real(0.0, "double"), error))


@rule("rem")
def _rem(op: Operation) -> Result:
    return _integer_division(op, "rem")


def _integer_division(op: Operation, verb: str) -> Result:
    """Division by zero gives all ones, its remainder the dividend, and INT_MIN / -1 wraps: what the hardware does."""
    a, b = op.source(0), op.source(1)
    zero = op.compare("eq", op.element, b, op.number(0))
    safe = op.select(zero, op.element, op.number(1), b)
    if op.signed:
        minus = op.compare("eq", op.element, safe, op.number(-1))
        safe = op.select(minus, op.element, op.number(1), safe)
        value = op.op("s" + verb, op.element, a, safe)
        negative = op.op("sub", op.element, op.number(0), a)
        value = op.select(minus, op.element, negative if verb == "div" else op.number(0), value)
    else:
        value = op.op("u" + verb, op.element, a, safe)
    return op.select(zero, op.element, op.number(-1) if verb == "div" else a, value), op.element


@rule("rcp")
def _rcp(op: Operation) -> Result:
    (a,) = _inputs(op, 1)
    return _finish(op, _quotient(op, op.real(1.0), a))


@rule("sqrt")
def _sqrt(op: Operation) -> Result:
    (a,) = _inputs(op, 1)
    mode = _rounding(op)
    if mode == "rn":
        return _finish(op, op.call("llvm.sqrt", op.element, a))
    if op.element != "float":
        raise op.refuse("only round-to-nearest is, in this precision")
    wide = op.convert("fpext", a, "float", "double")
    total = op.call("llvm.sqrt", "double", wide)
    back = op.code.op(f"fneg {op.type('double')} {total}")
    error = op.call("llvm.fma", "double", back, total, wide)
    return _finish(op, _directed(op, mode, total, error))


@rule("rsqrt")
def _rsqrt(op: Operation) -> Result:
    (a,) = _inputs(op, 1)
    return _finish(op, op.op("fdiv", op.element, op.real(1.0), op.call("llvm.sqrt", op.element, a)))


@rule("neg")
def _neg(op: Operation) -> Result:
    if op.float:
        (a,) = _inputs(op, 1)
        return _finish(op, op.code.op(f"fneg {op.type(op.element)} {a}"))
    return op.op("sub", op.element, op.number(0), op.source(0)), op.element


@rule("abs")
def _abs(op: Operation) -> Result:
    if op.float:
        (a,) = _inputs(op, 1)
        return _finish(op, op.call("llvm.fabs", op.element, a))
    return op.call_bit("llvm.abs", op.element, op.source(0)), op.element


@rule("min", "max")
def _min_max(op: Operation) -> Result:
    name = op.instruction.name
    if not op.float:
        if op.instruction.type in ("f16x2", "bf16", "bf16x2"):
            raise op.refuse()
        return op.call(
            f"llvm.{'s' if op.signed else 'u'}{name}", op.element, op.source(0), op.source(1)
        ), op.element
    a, b = _inputs(op, 2)
    function = {"min": "llvm.minimum", "max": "llvm.maximum"}[name] + (
        "" if op.instruction.has("NaN") else "num"
    )
    return _finish(op, op.call(function, op.element, a, b))


@rule("copysign")
def _copysign(op: Operation) -> Result:
    """The sign of the first operand on the second (9.7.3)."""
    return op.call("llvm.copysign", op.element, op.source(1), op.source(0)), op.element


@rule("testp")
def _testp(op: Operation) -> Result:
    text = op.source(0)
    size = op.call("llvm.fabs", op.element, text)
    infinity = op.number(0x7F800000 if op.element == "float" else 0x7FF0000000000000, INT_OF[op.element])
    infinity = op.convert("bitcast", infinity, INT_OF[op.element], op.element)
    least = op.real(2.0**-126 if op.element == "float" else 2.0**-1022)
    what = op.instruction.parts[1]
    if what == "finite":
        return op.compare("olt", op.element, size, infinity), "i1"
    if what == "infinite":
        return op.compare("oeq", op.element, size, infinity), "i1"
    if what == "number":
        return op.compare("ord", op.element, text, text), "i1"
    if what == "notanumber":
        return op.compare("uno", op.element, text, text), "i1"
    normal = op.compare("oge", op.element, size, least)
    if what == "normal":
        return op.op("and", "i1", normal, op.compare("olt", op.element, size, infinity)), "i1"
    small = op.compare("olt", op.element, size, least)
    return op.op("and", "i1", small, op.compare("ogt", op.element, size, op.real(0.0))), "i1"


@rule("sad")
def _sad(op: Operation) -> Result:
    a, b = op.source(0), op.source(1)
    less = op.compare("slt" if op.signed else "ult", op.element, a, b)
    gap = op.select(less, op.element, op.op("sub", op.element, b, a), op.op("sub", op.element, a, b))
    return op.op("add", op.element, gap, op.source(2)), op.element


# Approximations (9.7.3.14 and following) ------------------------------------------------------------------------------


def _polynomial(op: Operation, x: str, coefficients: tuple[float, ...]) -> str:
    """Horner's scheme, highest power first."""
    total = op.real(coefficients[0], "float")
    for coefficient in coefficients[1:]:
        total = op.call("llvm.fma", "float", total, x, op.real(coefficient, "float"))
    return total


@rule("ex2")
def _ex2(op: Operation) -> Result:
    """2**x = 2**n * 2**f with f in -1/2..1/2, the second factor a Taylor polynomial of degree 7."""
    if op.element != "float":
        raise op.refuse()
    (x,) = _inputs(op, 1)
    ln2 = 0.6931471805599453
    coefficients = [1.0]
    for power in range(1, 8):
        coefficients.insert(0, coefficients[0] * ln2 / power)
    bounded = op.call("llvm.minimumnum", "float", x, op.real(200.0))
    bounded = op.call("llvm.maximumnum", "float", bounded, op.real(-200.0))
    whole = op.call("llvm.roundeven", "float", bounded)
    part = _polynomial(op, op.op("fsub", "float", bounded, whole), tuple(coefficients))
    power = op.code.op(f"fptosi {op.type('float')} {whole} to {op.type('i32')}")
    # Two steps, as 2**n alone may not be a normal number.
    half = op.op("ashr", "i32", power, op.number(1, "i32"))
    for step in (half, op.op("sub", "i32", power, half)):
        bits = op.op("shl", "i32", op.op("add", "i32", step, op.number(127, "i32")), op.number(23, "i32"))
        part = op.op("fmul", "float", part, op.convert("bitcast", bits, "i32", "float"))
    nan = op.compare("uno", "float", x, x)
    return _finish(op, op.select(nan, "float", x, part))


@rule("lg2")
def _lg2(op: Operation) -> Result:
    """log2(x) = exponent + log2(mantissa), the mantissa brought to sqrt(1/2)..sqrt(2); series in (m-1)/(m+1)."""
    (x,) = _inputs(op, 1)
    small = op.compare("olt", "float", x, op.real(2.0**-126))
    scaled = op.select(small, "float", op.op("fmul", "float", x, op.real(2.0**24)), x)
    bits = op.convert("bitcast", scaled, "float", "i32")
    offset = op.op("sub", "i32", bits, op.number(0x3F3504F3, "i32"))
    exponent = op.op("ashr", "i32", offset, op.number(23, "i32"))
    mantissa = op.op("sub", "i32", bits, op.op("shl", "i32", exponent, op.number(23, "i32")))
    m = op.convert("bitcast", mantissa, "i32", "float")
    ratio = op.op(
        "fdiv", "float", op.op("fsub", "float", m, op.real(1.0)), op.op("fadd", "float", m, op.real(1.0))
    )
    square = op.op("fmul", "float", ratio, ratio)
    factor = 2.0 / 0.6931471805599453
    series = _polynomial(op, square, tuple(factor / odd for odd in (11, 9, 7, 5, 3, 1)))
    real_exponent = op.convert("sitofp", exponent, "i32", "float")
    shift = op.select(small, "float", op.real(-24.0), op.real(0.0))
    value = op.call("llvm.fma", "float", series, ratio, op.op("fadd", "float", real_exponent, shift))
    infinity = op.convert("bitcast", op.number(0x7F800000, "i32"), "i32", "float")
    value = op.select(op.compare("oeq", "float", x, infinity), "float", infinity, value)
    minus = op.convert("bitcast", op.number(0xFF800000, "i32"), "i32", "float")
    value = op.select(op.compare("oeq", "float", x, op.real(0.0)), "float", minus, value)
    bad = op.convert("bitcast", op.number(0x7FFFFFFF, "i32"), "i32", "float")
    return _finish(op, op.select(op.compare("ult", "float", x, op.real(0.0)), "float", bad, value))


@rule("sin", "cos")
def _sin_cos(op: Operation) -> Result:
    """Reduced to -pi/4..pi/4 in double, then Taylor polynomials."""
    (x,) = _inputs(op, 1)
    wide = op.convert("fpext", x, "float", "double")
    turns = op.call(
        "llvm.roundeven", "double", op.op("fmul", "double", wide, op.real(0.6366197723675814, "double"))
    )
    rest = op.call("llvm.fma", "double", turns, op.real(-1.5707963267948966, "double"), wide)
    r = op.convert("fptrunc", rest, "double", "float")
    square = op.op("fmul", "float", r, r)
    sine = op.op("fmul", "float", r, _polynomial(op, square, (1 / 362880, -1 / 5040, 1 / 120, -1 / 6, 1.0)))
    cosine = _polynomial(op, square, (1 / 40320, -1 / 720, 1 / 24, -1 / 2, 1.0))
    quarter = op.code.op(
        f"call {op.type('i32')} @llvm.fptosi.sat.{'i32.f64' if op.width == 1 else 'v32i32.v32f64'}({op.type('double')} {turns})"
    )
    if op.instruction.name == "cos":
        quarter = op.op("add", "i32", quarter, op.number(1, "i32"))
    odd = op.compare("ne", "i32", op.op("and", "i32", quarter, op.number(1, "i32")), op.number(0, "i32"))
    value = op.select(odd, "float", cosine, sine)
    flip = op.compare("ne", "i32", op.op("and", "i32", quarter, op.number(2, "i32")), op.number(0, "i32"))
    return _finish(op, op.select(flip, "float", op.code.op(f"fneg {op.type('float')} {value}"), value))


@rule("tanh")
def _tanh(op: Operation) -> Result:
    """By way of 2**(2x/ln 2), in double: 1 - 2 / (e**2x + 1), with a short series near zero."""
    if op.element != "float":
        raise op.refuse()
    (x,) = _inputs(op, 1)
    limited = op.call("llvm.minimumnum", "float", op.call("llvm.fabs", "float", x), op.real(10.0))
    inner = Operation(
        op.instruction,
        op.code,
        [
            Value(
                op.op("fmul", "float", limited, op.real(2.8853900817779268)),
                "float",
                op.sources[0].lanes if op.width == 1 else None,
            )
        ],
        op.width,
    )
    power, _ = _ex2(inner)
    one = op.real(1.0)
    big = op.op(
        "fsub", "float", one, op.op("fdiv", "float", op.real(2.0), op.op("fadd", "float", power, one))
    )
    square = op.op("fmul", "float", x, x)
    series = op.op("fmul", "float", limited, _polynomial(op, square, (-17 / 315, 2 / 15, -1 / 3, 1.0)))
    near = op.compare("olt", "float", limited, op.real(0.25))
    size = op.select(near, "float", series, big)
    signed = op.call("llvm.copysign", "float", size, x)
    return _finish(op, op.select(op.compare("uno", "float", x, x), "float", x, signed))


# Logic, shifts and bit fields (9.7.1 and 9.7.8) -----------------------------------------------------------------------


@rule("and", "or", "xor")
def _logic(op: Operation) -> Result:
    return op.op(op.instruction.name, op.element, op.source(0), op.source(1)), op.element


@rule("not")
def _not(op: Operation) -> Result:
    return op.op("xor", op.element, op.source(0), op.number(-1)), op.element


@rule("cnot")
def _cnot(op: Operation) -> Result:
    zero = op.compare("eq", op.element, op.source(0), op.number(0))
    return op.convert("zext", zero, "i1", op.element), op.element


@rule("lop3")
def _lop3(op: Operation) -> Result:
    """Any function of three bits, from its truth table: the sum of the minterms."""
    table = op.instruction.operands[4]
    a, b, c = (op.source(index) for index in range(3))
    lut = getattr(table, "value", None)
    if lut is None or isinstance(op.instruction.operands[0], Group):
        raise op.refuse()
    total = op.number(0)
    for row in range(8):
        if lut >> row & 1:
            term = op.number(-1)
            for bit, text in ((4, a), (2, b), (1, c)):
                factor = text if row & bit else op.op("xor", "i32", text, op.number(-1))
                term = op.op("and", "i32", term, factor)
            total = op.op("or", "i32", total, term)
    return total, "i32"


@rule("shl", "shr")
def _shift(op: Operation) -> Result:
    """Amounts beyond the width are clamped to it (9.7.8)."""
    bits = BITS[op.element]
    amount = op.source(1, "i32")
    left = op.instruction.name == "shl"
    verb = "shl" if left else "ashr" if op.signed else "lshr"
    limit = bits - 1 if verb == "ashr" else bits
    clamped = op.call("llvm.umin", "i32", amount, op.number(limit, "i32"))
    wide = op.call("llvm.umin", "i32", clamped, op.number(bits - 1, "i32"))
    if bits != 32:
        wide = op.convert("trunc" if bits < 32 else "zext", wide, "i32", op.element)
    value = op.op(verb, op.element, op.source(0), wide)
    if verb == "ashr":
        return value, op.element
    out = op.compare("eq", "i32", clamped, op.number(bits, "i32"))
    return op.select(out, op.element, op.number(0), value), op.element


@rule("shf")
def _funnel(op: Operation) -> Result:
    low, high, amount = op.source(0, "i32"), op.source(1, "i32"), op.source(2, "i32")
    left = op.instruction.has("l")
    if op.instruction.has("wrap"):
        amount = op.op("and", "i32", amount, op.number(31, "i32"))
        return op.call("llvm.fshl" if left else "llvm.fshr", "i32", high, low, amount), "i32"
    clamped = op.call("llvm.umin", "i32", amount, op.number(32, "i32"))
    value = op.call("llvm.fshl" if left else "llvm.fshr", "i32", high, low, clamped)
    full = op.compare("eq", "i32", clamped, op.number(32, "i32"))
    return op.select(full, "i32", low if left else high, value), "i32"


@rule("popc")
def _popc(op: Operation) -> Result:
    return _to32(op, op.call("llvm.ctpop", op.element, op.source(0)))


@rule("clz")
def _clz(op: Operation) -> Result:
    return _to32(op, op.call_bit("llvm.ctlz", op.element, op.source(0)))


def _to32(op: Operation, text: str) -> Result:
    return (text, "i32") if op.element == "i32" else (op.convert("trunc", text, op.element, "i32"), "i32")


@rule("brev")
def _brev(op: Operation) -> Result:
    return op.call("llvm.bitreverse", op.element, op.source(0)), op.element


@rule("bfind")
def _bfind(op: Operation) -> Result:
    """Position of the highest bit that differs from the sign; all ones when there is none."""
    value = op.source(0)
    if op.signed:
        value = op.op(
            "xor", op.element, value, op.op("ashr", op.element, value, op.number(BITS[op.element] - 1))
        )
    zeros = op.call_bit("llvm.ctlz", op.element, value)
    text, _ = _to32(op, zeros)
    position = op.op("sub", "i32", op.number(BITS[op.element] - 1, "i32"), text)
    if op.instruction.has("shiftamt"):
        empty = op.compare("eq", op.element, value, op.number(0))
        return op.select(empty, "i32", op.number(-1, "i32"), text), "i32"
    return position, "i32"


@rule("bfe")
def _bfe(op: Operation) -> Result:
    """9.7.1.19: `length` bits from `start`, the sign of a signed field filled in from its top bit or the value's."""
    bits = BITS[op.element]
    start = op.op("and", "i32", op.source(1, "i32"), op.number(255, "i32"))
    length = op.op("and", "i32", op.source(2, "i32"), op.number(255, "i32"))
    value = op.source(0)
    resize = (lambda text: text) if bits == 32 else (lambda text: op.convert("zext", text, "i32", "i64"))
    top = op.number(bits - 1, "i32")
    inside = op.call("llvm.umin", "i32", start, top)
    moved = op.op("ashr" if op.signed else "lshr", op.element, value, resize(inside))
    if not op.signed:
        moved = op.select(op.compare("ugt", "i32", start, top), op.element, op.number(0), moved)
    spare = op.call("llvm.usub.sat", "i32", op.number(bits, "i32"), length)
    spare = op.call("llvm.umin", "i32", spare, top)
    if op.signed:
        end = op.call(
            "llvm.umin",
            "i32",
            op.op("sub", "i32", op.op("add", "i32", start, length), op.number(1, "i32")),
            top,
        )
        sign = op.op("shl", op.element, value, resize(op.op("sub", "i32", top, end)))
        sign = op.op("ashr", op.element, sign, op.number(bits - 1))
        keep = op.op("lshr", op.element, op.number(-1), resize(spare))
        kept = op.op("and", op.element, moved, keep)
        filled = op.op("and", op.element, sign, op.op("xor", op.element, keep, op.number(-1)))
        found = op.op("or", op.element, kept, filled)
    else:
        found = op.op("lshr", op.element, op.op("shl", op.element, moved, resize(spare)), resize(spare))
    empty = op.compare("eq", "i32", length, op.number(0, "i32"))
    return op.select(empty, op.element, op.number(0), found), op.element


@rule("bfi")
def _bfi(op: Operation) -> Result:
    """9.7.1.20: the low `length` bits of the first operand put into the second at `start`."""
    bits = BITS[op.element]
    start = op.op("and", "i32", op.source(2, "i32"), op.number(255, "i32"))
    length = op.op("and", "i32", op.source(3, "i32"), op.number(255, "i32"))
    resize = (lambda text: text) if bits == 32 else (lambda text: op.convert("zext", text, "i32", "i64"))
    top = op.number(bits - 1, "i32")
    spare = op.call("llvm.umin", "i32", op.call("llvm.usub.sat", "i32", op.number(bits, "i32"), length), top)
    ones = op.op("lshr", op.element, op.number(-1), resize(spare))
    at = op.call("llvm.umin", "i32", start, top)
    field = op.op("shl", op.element, ones, resize(at))
    nothing = op.op(
        "or", "i1", op.compare("eq", "i32", length, op.number(0, "i32")), op.compare("ugt", "i32", start, top)
    )
    field = op.select(nothing, op.element, op.number(0), field)
    put = op.op("and", op.element, op.op("shl", op.element, op.source(0), resize(at)), field)
    kept = op.op("and", op.element, op.source(1), op.op("xor", op.element, field, op.number(-1)))
    return op.op("or", op.element, put, kept), op.element


@rule("prmt")
def _prmt(op: Operation) -> Result:
    """Bytes picked from two words by a selector (9.7.8.7, default mode)."""
    if len(op.instruction.parts) > 2:
        raise op.refuse("only its default mode is")
    both = op.op(
        "or",
        "i64",
        op.op("shl", "i64", op.convert("zext", op.source(1, "i32"), "i32", "i64"), op.number(32, "i64")),
        op.convert("zext", op.source(0, "i32"), "i32", "i64"),
    )
    selector = op.source(2, "i32")
    total = op.number(0, "i32")
    for position in range(4):
        nibble = op.op("lshr", "i32", selector, op.number(4 * position, "i32"))
        which = op.op("shl", "i32", op.op("and", "i32", nibble, op.number(7, "i32")), op.number(3, "i32"))
        picked = op.op("lshr", "i64", both, op.convert("zext", which, "i32", "i64"))
        byte = op.op("and", "i32", op.convert("trunc", picked, "i64", "i32"), op.number(255, "i32"))
        sign = op.op("sub", "i32", op.number(0, "i32"), op.op("lshr", "i32", byte, op.number(7, "i32")))
        sign = op.op("and", "i32", sign, op.number(255, "i32"))
        wants_sign = op.compare(
            "ne", "i32", op.op("and", "i32", nibble, op.number(8, "i32")), op.number(0, "i32")
        )
        byte = op.select(wants_sign, "i32", sign, byte)
        total = op.op("or", "i32", total, op.op("shl", "i32", byte, op.number(8 * position, "i32")))
    return total, "i32"


@rule("dp4a")
def _dp4a(op: Operation) -> Result:
    kinds = [part for part in op.instruction.parts if part in ("s32", "u32")]
    total = op.source(2, "i32")
    for position in range(4):
        factors = []
        for index in (0, 1):
            up = op.op("shl", "i32", op.source(index, "i32"), op.number(24 - 8 * position, "i32"))
            factors.append(
                op.op("ashr" if kinds[index] == "s32" else "lshr", "i32", up, op.number(24, "i32"))
            )
        total = op.op("add", "i32", total, op.op("mul", "i32", *factors))
    return total, "i32"


# Comparison and selection (9.7.6) -------------------------------------------------------------------------------------

_INTEGER_ORDER = {
    "lt": "lt",
    "le": "le",
    "gt": "gt",
    "ge": "ge",
    "lo": "lt",
    "ls": "le",
    "hi": "gt",
    "hs": "ge",
}
_FLOAT_ORDER = {
    **{name: "o" + name for name in ("eq", "lt", "le", "gt", "ge")},
    "ne": "one",
    **{name + "u": "u" + name for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "num": "ord",
    "nan": "uno",
}


def _comparison(op: Operation, name: str) -> str:
    a, b = _inputs(op, 2) if op.float else [op.source(0), op.source(1)]
    if op.float:
        return op.compare(_FLOAT_ORDER[name], op.element, a, b)
    if name in ("eq", "ne"):
        return op.compare(name, op.element, a, b)
    unsigned = not op.signed or name in ("lo", "ls", "hi", "hs")
    return op.compare(("u" if unsigned else "s") + _INTEGER_ORDER[name], op.element, a, b)


@rule("setp", "set")
def _setp(op: Operation) -> Result:
    """p = (a cmp b) [bool c]. The second predicate of `p|q` is written by the caller with the comparison negated."""
    parts = op.instruction.parts
    if op.instruction.type in ("f16x2", "bf16", "bf16x2"):
        raise op.refuse()
    found = _comparison(op, parts[1])
    combine = parts[2] if parts[2] in ("and", "or", "xor") else ""
    if combine:
        found = op.op(combine, "i1", found, op.source(2, "i1"))
    if op.instruction.name == "setp":
        return found, "i1"
    to = next(part for part in parts if part in TYPE_BITS)
    if to == "f32":
        return op.select(found, "float", op.real(1.0, "float"), op.real(0.0, "float")), "float"
    return op.convert("sext", found, "i1", "i32"), "i32"


@rule("selp")
def _selp(op: Operation) -> Result:
    return op.select(op.source(2, "i1"), op.element, op.source(0), op.source(1)), op.element


@rule("slct")
def _slct(op: Operation) -> Result:
    element = ELEMENT[op.instruction.parts[-2]]
    if op.element == "float":
        positive = op.compare("oge", "float", op.source(2, "float"), op.real(0.0, "float"))
    else:
        positive = op.compare("sge", "i32", op.source(2, "i32"), op.number(0, "i32"))
    return op.select(positive, element, op.source(0, element), op.source(1, element)), element


# Conversion and movement (9.7.9) --------------------------------------------------------------------------------------


@rule("mov")
def _mov(op: Operation) -> Result:
    return op.source(0), op.element


@rule("cvt")
def _cvt(op: Operation) -> Result:
    to, source = [part for part in op.instruction.parts if part in TYPE_BITS][:2]
    if {"bf16", "tf32", "f16x2", "bf16x2"} & {to, source} or len(
        [p for p in op.instruction.parts if p in TYPE_BITS]
    ) > 2:
        raise op.refuse()
    new, old = ELEMENT[to], ELEMENT[source]
    text = op.source(0, old)
    if old in FLOATS and op.instruction.has("ftz") and old == "float":
        text = op.flushed(text, old)
    if old in FLOATS:
        return _from_float(op, text, old, new, to)
    if new in FLOATS:
        if not op.instruction.has("rn"):
            raise op.refuse("integers become floating point only by round-to-nearest")
        return op.convert("sitofp" if source.startswith("s") else "uitofp", text, old, new), new
    return _between_integers(op, text, source, to)


def _between_integers(op: Operation, text: str, source: str, to: str) -> Result:
    new, old = ELEMENT[to], ELEMENT[source]
    if op.instruction.has("sat"):
        bits = BITS[new]
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if to.startswith("s") else (0, (1 << bits) - 1)
        old_bits = BITS[old]
        if source.startswith("s"):
            if high < 1 << old_bits - 1:
                text = op.call("llvm.smin", old, text, op.number(high, old))
            if low > -(1 << old_bits - 1):
                text = op.call("llvm.smax", old, text, op.number(low, old))
        elif high < (1 << old_bits) - 1:
            text = op.call("llvm.umin", old, text, op.number(high, old))
    if BITS[new] == BITS[old]:
        return text, new
    verb = "trunc" if BITS[new] < BITS[old] else "sext" if source.startswith("s") else "zext"
    return op.convert(verb, text, old, new), new


def _odd_single(op: Operation, text: str) -> str:
    """A double cut to single, the last bit set where that lost something: rounding it once more is then exact."""
    near = op.convert("fptrunc", text, "double", "float")
    wide = op.convert("fpext", near, "float", "double")
    sizes = [op.call("llvm.fabs", "double", each) for each in (wide, text)]
    bits = op.convert("bitcast", near, "float", "i32")
    outward = op.convert("zext", op.compare("ogt", "double", *sizes), "i1", "i32")
    lost = op.convert("zext", op.compare("one", "double", wide, text), "i1", "i32")
    bits = op.op("or", "i32", op.op("sub", "i32", bits, outward), lost)
    return op.convert("bitcast", bits, "i32", "float")


_TO_WHOLE = {"rni": "llvm.roundeven", "rzi": "llvm.trunc", "rmi": "llvm.floor", "rpi": "llvm.ceil"}


def _from_float(op: Operation, text: str, old: str, new: str, to: str) -> Result:
    for mode, function in _TO_WHOLE.items():
        if op.instruction.has(mode):
            text = op.call(function, old, text)
    if new not in FLOATS:
        verb = "llvm.fptosi.sat" if to.startswith("s") else "llvm.fptoui.sat"
        suffix = {"half": "f16", "float": "f32", "double": "f64"}[old]
        name = f"{new}.{suffix}" if op.width == 1 else f"v{LANES}{new}.v{LANES}{suffix}"
        return op.code.op(f"call {op.type(new)} @{verb}.{name}({op.type(old)} {text})"), new
    if BITS[new] > BITS[old]:
        text = op.convert("fpext", text, old, new)
    elif BITS[new] < BITS[old]:
        if _rounding(op) == "rn":
            if (old, new) == ("double", "half"):  # in one step it would be a call of a library that need not be there
                text, old = _odd_single(op, text), "float"
            text = op.convert("fptrunc", text, old, new)
        elif old == "double" and new == "float":
            text = _directed(op, _rounding(op), text, op.real(0.0, "double"))
        else:
            raise op.refuse("only round-to-nearest is, in this precision")
    if op.instruction.has("ftz") and new == "float":
        text = op.flushed(text, new)
    if op.instruction.has("sat"):
        text = _saturated(op, text, new)
    return text, new
