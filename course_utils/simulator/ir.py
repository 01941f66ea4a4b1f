"""A small writer of LLVM IR text.

Values carry their element type and whether they are one scalar for the warp (with a pattern of lanes, see
`kinds`) or a vector of 32. Text goes through LLVM's own parser, which is faster than building objects one by
one.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from .kinds import LANES, ZERO

BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "i128": 128, "half": 16, "float": 32, "double": 64}
FLOATS = frozenset(("half", "float", "double"))
INT_OF = {"half": "i16", "float": "i32", "double": "i64"}
FLOAT_OF = {"i16": "half", "i32": "float", "i64": "double"}


@dataclass(frozen=True, slots=True)
class Value:
    """`text` names a scalar when `lanes` is a pattern, a vector of 32 when it is None.

    Lane i of a pattern holds text + lanes[i] + stride * scaled[i]; `stride` names a scalar too.
    """

    text: str
    type: str
    lanes: tuple[int, ...] | None = ZERO
    scaled: tuple[int, ...] = ZERO
    stride: str = ""

    @property
    def vector(self) -> bool:
        return self.lanes is None

    @property
    def uniform(self) -> bool:
        return self.lanes == ZERO and self.scaled == ZERO

    @property
    def scalar(self) -> Value:
        """The scalar part alone."""
        return Value(self.text, self.type)


def vector_type(element: str, count: int = LANES) -> str:
    return f"<{count} x {element}>"


def wrap(value: int, element: str) -> int:
    """`value` as LLVM writes it in that integer type: signed, reduced to the width."""
    bits = BITS[element]
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) and bits > 1 else value


def constant(value: int, element: str) -> Value:
    """An integer constant."""
    if element == "i1":
        return Value("true" if value & 1 else "false", element)
    return Value(str(wrap(value, element)), element)


def float_constant(bits: int, element: str) -> Value:
    """A floating-point constant from its bits. LLVM writes a float as the double that equals it, in
    hexadecimal."""
    if element == "float":
        sign, exponent, mantissa = bits >> 31 & 1, bits >> 23 & 0xFF, bits & 0x7FFFFF
        if exponent == 0xFF:  # infinity or NaN, its payload kept
            wide = sign << 63 | 0x7FF << 52 | mantissa << 29
        else:
            value = struct.unpack("<f", struct.pack("<I", bits & 0xFFFFFFFF))[0]
            wide = struct.unpack("<Q", struct.pack("<d", value))[0]
        return Value(f"0x{wide:016X}", element)
    if element == "double":
        return Value(f"0x{bits & 0xFFFFFFFFFFFFFFFF:016X}", element)
    return Value(f"0xH{bits & 0xFFFF:04X}", element)


def pattern(lanes: tuple[int, ...], element: str) -> str:
    """A constant vector."""
    return "<" + ", ".join(f"{element} {wrap(lane, element)}" for lane in lanes) + ">"


class Code:
    """Lines of one function, with fresh names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.helpers: dict[str, str] = {}  # functions "@helper.name" that the lines call -> their text
        self._count = 0
        self._splats: dict[tuple[str, str], str] = {}
        self._vectors: dict[Value, str] = {}

    def name(self, hint: str = "v") -> str:
        self._count += 1
        return f"{hint}{self._count}"

    def op(self, text: str) -> str:
        """An instruction with a result; returns the result's name."""
        name = f"%{self.name()}"
        self.lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")
        self._vectors.clear()
        self._splats.clear()  # what was made in another block need not dominate this one

    def branch(self, condition: str, true: str, false: str, *, likely: bool | None = None) -> None:
        weights = "" if likely is None else f", !prof !{0 if likely else 1}"
        self.do(f"br i1 {condition}, label %{true}, label %{false}{weights}")

    def jump(self, target: str) -> None:
        self.do(f"br label %{target}")

    # Shapes

    def splat(self, text: str, element: str) -> str:
        """A vector of 32 equal elements."""
        if not text.startswith("%"):
            return f"splat ({element} {text})" if text != "true" and text != "false" else f"splat (i1 {text})"
        key = (text, element)
        if key not in self._splats:
            vector = vector_type(element)
            first = self.op(f"insertelement {vector} poison, {element} {text}, i64 0")
            self._splats[key] = self.op(
                f"shufflevector {vector} {first}, {vector} poison, <32 x i32> zeroinitializer"
            )
        return self._splats[key]

    def vector(self, value: Value) -> str:
        """The 32 lanes of a value as a vector."""
        if value.lanes is None:
            return value.text
        if value.uniform:
            return self.splat(value.text, value.type)
        if value not in self._vectors:
            kind = vector_type(value.type)
            total = self.splat(value.text, value.type)
            if value.scaled != ZERO:
                steps = self.op(
                    f"mul {kind} {self.splat(value.stride, value.type)}, {pattern(value.scaled, value.type)}"
                )
                total = self.op(f"add {kind} {total}, {steps}")
            if value.lanes != ZERO:
                total = self.op(f"add {kind} {total}, {pattern(value.lanes, value.type)}")
            self._vectors[value] = total
        return self._vectors[value]

    def bitcast(self, value: Value, element: str) -> Value:
        """The same bits under another type of the same width."""
        if value.type == element:
            return value
        if value.lanes is None:
            text = self.op(f"bitcast {vector_type(value.type)} {value.text} to {vector_type(element)}")
            return Value(text, element, None)
        if not value.uniform:
            return self.bitcast(Value(self.vector(value), value.type, None), element)
        return Value(self.op(f"bitcast {value.type} {value.text} to {element}"), element)

    def resize(self, value: Value, element: str, *, signed: bool = False) -> Value:
        """An integer in another width."""
        old, new = BITS[value.type], BITS[element]
        if old == new:
            return value
        verb = "trunc" if new < old else "sext" if signed else "zext"
        if value.lanes is None:
            text = self.op(f"{verb} {vector_type(value.type)} {value.text} to {vector_type(element)}")
            return Value(text, element, None)
        text = self.op(f"{verb} {value.type} {value.text} to {element}")
        stride = self.op(f"{verb} {value.type} {value.stride} to {element}") if value.stride else ""
        return Value(text, element, value.lanes, value.scaled, stride)

    def mask_bits(self, vector: str) -> str:
        """A vector of 32 truth values as 32 bits, lane 0 lowest."""
        return self.op(f"bitcast <32 x i1> {vector} to i32")

    def mask_vector(self, bits: str) -> str:
        return self.op(f"bitcast i32 {bits} to <32 x i1>")

    # Structures in memory

    def pointer(self, base: str, offset: int | str) -> str:
        if offset == 0:
            return base
        return self.op(f"getelementptr i8, ptr {base}, i64 {offset}")

    def load(self, kind: str, base: str, offset: int | str = 0, *, fixed: bool = False) -> str:
        """`fixed`: the value never changes during the function, so that it may be read once."""
        note = ", !invariant.load !2" if fixed else ""
        return self.op(f"load {kind}, ptr {self.pointer(base, offset)}, align 1{note}")

    def store(self, kind: str, text: str, base: str, offset: int | str = 0) -> None:
        self.do(f"store {kind} {text}, ptr {self.pointer(base, offset)}, align 1")
