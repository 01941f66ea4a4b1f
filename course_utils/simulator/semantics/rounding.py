"""Rounding: directed modes, round to odd, narrower formats, flushing and saturation.

Operations in a directed mode are one hardware instruction under that mode of the host's control register, in
a function of its own, so that nothing else is computed under it. Where a result passes through a wider format
first, it is rounded to odd there, which keeps the second rounding exact (Boldo and Melquiond, "When double
rounding is odd", 2005).
"""

from __future__ import annotations

import math
import platform

import llvmlite.binding as llvm

from ..kinds import LANES
from .operation import SUFFIX, Operation

_LLVM_MODE = {"rz": 0, "rp": 2, "rm": 3}
TINIEST = {"float": 2.0**-126, "double": 2.0**-1022}
"""Smallest normal numbers."""


def arithmetic(op: Operation, verb: str, element: str, mode: str, *texts: str) -> str:
    """fadd, fsub, fmul, fdiv, fma or sqrt, rounded once in `mode`."""
    if mode == "rn":
        if verb in ("fma", "sqrt"):
            return op.call(f"llvm.{verb}", element, *texts)
        return op.op(verb, element, *texts)
    kind = op.type(element)
    suffix = SUFFIX[element] if op.width == 1 else f"v{LANES}{SUFFIX[element]}"
    name = f"@helper.{verb}.{mode}.{suffix}"
    if name not in op.code.helpers:
        names = [f"%{letter}" for letter in "abc"[: len(texts)]]
        listed = ", ".join(f"{kind} {each}" for each in names)
        op.code.helpers[name] = "\n".join(
            (
                f"define internal {kind} {name}({listed}) noinline nounwind strictfp {{",
                f"  call void @llvm.set.rounding(i32 {_LLVM_MODE[mode]}) strictfp",
                f"  %result = call {kind} @llvm.experimental.constrained.{verb}.{suffix}({listed}, "
                'metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp',
                "  call void @llvm.set.rounding(i32 1) strictfp",
                f"  ret {kind} %result",
                "}",
            )
        )
    arguments = ", ".join(f"{kind} {text}" for text in texts)
    return op.code.op(f"call {kind} {name}({arguments})")


def stepped(op: Operation, bits: str, integer: str, near: str, exact: str, wide: str, mode: str) -> str:
    """A number rounded to nearest, moved to its neighbour where another mode wants that.

    bits: the rounded number, as an integer; near: the same, and exact: the number before rounding, both in
    the format `wide`. Formats are sign and magnitude, so that bits + 1 is the next number away from zero.
    """
    size, goal = op.call("llvm.fabs", wide, near), op.call("llvm.fabs", wide, exact)
    over, under = op.compare("ogt", wide, size, goal), op.compare("olt", wide, size, goal)
    one = op.number(1, integer)
    less, more = op.op("sub", integer, bits, one), op.op("add", integer, bits, one)
    inward = op.select(over, integer, less, bits)
    if mode == "rz":
        return inward
    outward = op.select(under, integer, more, bits)
    if mode == "odd":
        either = op.select(under, integer, more, inward)
        return op.select(op.bit(bits, integer, 1), integer, bits, either)
    negative = op.compare("slt", integer, bits, op.number(0, integer))
    return op.select(negative, integer, *((outward, inward) if mode == "rm" else (inward, outward)))


def to_float(op: Operation, text: str, mode: str) -> str:
    """double -> float in any mode, "odd" among them."""
    near = op.convert("fptrunc", text, "double", "float")
    if mode == "rn":
        return near
    bits = op.convert("bitcast", near, "float", "i32")
    bits = stepped(op, bits, "i32", op.convert("fpext", near, "float", "double"), text, "double", mode)
    return op.convert("bitcast", bits, "i32", "float")


def exact_sum(op: Operation, element: str, a: str, b: str) -> str:
    """a + b rounded to odd: Knuth's sum and its error, then the neighbour on the side of the error if the sum
    is even."""
    total = op.op("fadd", element, a, b)
    back = op.op("fsub", element, total, a)
    rest = op.op("fsub", element, a, op.op("fsub", element, total, back))
    error = op.op("fadd", element, rest, op.op("fsub", element, b, back))
    integer = {"float": "i32", "double": "i64"}[element]
    zero = op.real(0.0, element)
    bits = op.convert("bitcast", total, element, integer)
    one = op.number(1, integer)
    high = op.compare("ogt", element, total, zero)
    up = op.compare("ogt", element, error, zero)
    away = op.op("xor", "i1", op.op("xor", "i1", high, up), op.number(1, "i1"))
    moved = op.select(away, integer, op.op("add", integer, bits, one), op.op("sub", integer, bits, one))
    inexact = op.compare("one", element, error, zero)
    even = op.op("xor", "i1", op.bit(bits, integer, 1), op.number(1, "i1"))
    bits = op.select(op.op("and", "i1", inexact, even), integer, moved, bits)
    return op.convert("bitcast", bits, integer, element)


# Half precision: its values as floats, and floats rounded to it
# ------------------------------------------------------


def from_half(op: Operation, text: str, kind: str) -> str:
    """f16 or bf16 (as i16) -> float, exactly."""
    if kind == "f16":
        _need_half_conversions(op)
        return op.convert("fpext", op.convert("bitcast", text, "i16", "half"), "half", "float")
    wide = op.op("shl", "i32", op.convert("zext", text, "i16", "i32"), op.number(16, "i32"))
    return op.convert("bitcast", wide, "i32", "float")


def to_half(op: Operation, text: str, kind: str, mode: str = "rn") -> str:
    """float -> f16 or bf16 (as i16). NaN becomes 0x7FFF, as in the hardware."""
    if kind == "f16":
        _need_half_conversions(op)
        near = op.convert("bitcast", op.convert("fptrunc", text, "float", "half"), "half", "i16")
    else:
        bits = op.convert("bitcast", text, "float", "i32")
        odd = op.op("and", "i32", op.op("lshr", "i32", bits, op.number(16, "i32")), op.number(1, "i32"))
        bits = op.op("add", "i32", bits, op.op("add", "i32", odd, op.number(0x7FFF, "i32")))
        near = op.convert("trunc", op.op("lshr", "i32", bits, op.number(16, "i32")), "i32", "i16")
    if mode != "rn":
        near = stepped(op, near, "i16", from_half(op, near, kind), text, "float", mode)
    return op.select(op.is_nan(text, "float"), "i16", op.number(0x7FFF, "i16"), near)


def _need_half_conversions(op: Operation) -> None:
    """LLVM would call a library for them, which need not be there, on a processor from before 2012."""
    x86 = platform.machine().lower() in ("x86_64", "amd64")
    if x86 and not llvm.get_host_cpu_features().get("f16c"):
        raise op.refuse("this processor cannot convert half precision (F16C)")


# Modifiers
# -----------------------------------------------------------------------------------------------------------


def flushed(op: Operation, text: str, element: str, tiniest: float | None = None) -> str:
    """Subnormal numbers become zero with their sign (.ftz)."""
    least = op.real(TINIEST[element] if tiniest is None else tiniest, element)
    tiny = op.compare("olt", element, op.call("llvm.fabs", element, text), least)
    zero = op.call("llvm.copysign", element, op.real(0.0, element), text)
    return op.select(tiny, element, zero, text)


RESIDUES = {
    "fmul": ("%exact = fmul D %a, %b", "%left = fsub D %exact, %t"),
    "fma": ("%exact = fmul D %a, %b", "%other = fsub D %c, %t", "%left = fadd D %exact, %other"),
    "fdiv": ("%back = fmul D %t, %b", "%over = fsub D %a, %back", "%left = fmul D %over, %b"),
}
"""How to tell in double precision on which side of %t, a little below the smallest normal float, the exact
result of an operation on floats lies: %left has the sign of exact - %t."""


def least_kept(mode: str) -> float:
    """The smallest double that a conversion to float with .ftz does not flush: as in `flushed_result`."""
    if mode == "rn":
        return TINIEST["float"] * (1 - 2.0**-25)
    return math.nextafter(TINIEST["float"] * (1 - 2.0**-24), 1.0)


def flushed_result(op: Operation, text: str, verb: str, *sources: str) -> str:
    """A float result of .ftz that was rounded up to the smallest normal number becomes zero too, unless it
    would have come that far with 24 bits of fraction below it as well: tiny is what is tiny when rounded
    without a least exponent (measured on an H200)."""
    kind, wide, truth = op.type("float"), op.type("double"), op.type("i1")
    suffix = "f32" if op.width == 1 else f"v{LANES}f32"
    near = op.rounding == "rn"
    name = f"@helper.flushed.{verb}.{'near' if near else 'directed'}.{suffix}"
    if name not in op.code.helpers:
        letters = "abc"[: len(sources)]
        least = op.real(TINIEST["float"], "float")
        op.code.helpers[name] = "\n".join(
            (
                f"define internal {kind} {name}({kind} %rf, "
                + ", ".join(f"{kind} %{letter}f" for letter in letters)
                + ") alwaysinline nounwind {",
                f"  %size = call {kind} @llvm.fabs.{suffix}({kind} %rf)",
                f"  %edge = fcmp oeq {kind} %size, {least}",
                f"  %bits = bitcast {truth} %edge to i{op.width}",
                f"  %some = icmp ne i{op.width} %bits, 0",
                "  br i1 %some, label %look, label %done",
                "look:",
                *(f"  %{each} = fpext {kind} %{each}f to {wide}" for each in f"r{letters}"),
                f"  %t = fmul {wide} %r, {op.real(1 - (2.0**-25 if near else 2.0**-24), 'double')}",
                *("  " + line.replace(" D ", f" {wide} ") for line in RESIDUES[verb]),
                f"  %side = fmul {wide} %left, %r",
                f"  %below = fcmp {'olt' if near else 'ole'} {wide} %side, {op.real(0.0, 'double')}",
                f"  %tiny = and {truth} %below, %edge",
                f"  %zero = call {kind} @llvm.copysign.{suffix}({kind} {op.real(0.0, 'float')}, {kind} %rf)",
                f"  %flat = select {truth} %tiny, {kind} %zero, {kind} %rf",
                "  br label %done",
                "done:",
                f"  %result = phi {kind} [ %rf, %0 ], [ %flat, %look ]",
                f"  ret {kind} %result",
                "}",
            )
        )
    arguments = ", ".join(f"{kind} {each}" for each in (text, *sources))
    return op.code.op(f"call {kind} {name}({arguments})")


def saturated(op: Operation, text: str, element: str) -> str:
    """Clamped to 0..1, NaN and negative numbers to +0 (.sat)."""
    zero, one = op.real(0.0, element), op.real(1.0, element)
    capped = op.select(op.compare("ogt", element, text, one), element, one, text)
    return op.select(op.compare("ogt", element, text, zero), element, capped, zero)


def rectified(op: Operation, text: str, element: str) -> str:
    """Negative numbers become +0, NaN stays (.relu)."""
    zero = op.real(0.0, element)
    return op.select(op.compare("ole", element, text, zero), element, zero, text)
