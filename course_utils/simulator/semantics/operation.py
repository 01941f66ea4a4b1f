"""One instruction being written: its operands as LLVM values, and short words for LLVM's own instructions."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ..errors import Unsupported
from ..ir import BITS, FLOATS, INT_OF, Code, Value, constant, vector_type
from ..kinds import LANES
from ..ptx import TYPE_BITS, Instruction
from .types import ELEMENT

Result = tuple[str, str]  # text, element
SUFFIX = {"half": "f16", "float": "f32", "double": "f64"}
ROUNDINGS = ("rn", "rz", "rm", "rp")


@dataclass(slots=True)
class Operation:
    """One instruction being written, over one scalar (`width` 1) or all lanes (32)."""

    instruction: Instruction
    code: Code
    sources: list[Value]
    width: int

    # The instruction

    @property
    def types(self) -> list[str]:
        """The types in the opcode, in order: cvt.rn.f32.s32 -> f32, s32."""
        return [part for part in self.instruction.parts if part in TYPE_BITS]

    @property
    def element(self) -> str:
        return ELEMENT[self.instruction.type]

    @property
    def bits(self) -> int:
        return BITS[self.element]

    @property
    def signed(self) -> bool:
        return self.instruction.type.startswith("s")

    @property
    def rounding(self) -> str:
        return next((mode for mode in ROUNDINGS if mode in self.instruction.parts), "rn")

    def has(self, *parts: str) -> bool:
        return self.instruction.has(*parts)

    def refuse(self, why: str = "") -> Unsupported:
        return Unsupported(
            f"the instruction {self.instruction.opcode} is not supported" + (f": {why}" if why else ""),
            self.instruction.opcode,
            self.instruction.location.line,
        )

    # Values

    def type(self, element: str) -> str:
        return element if self.width == 1 else vector_type(element)

    def source(self, index: int, element: str | None = None) -> str:
        """A source operand under an element type: same bits if as wide, else cut or extended with zeros."""
        element = element or self.element
        value = self.sources[index]
        if BITS[value.type] != BITS[element]:
            if value.type in FLOATS:
                value = self.code.bitcast(value, INT_OF[value.type])
            if not value.uniform and BITS[value.type] < BITS[element]:
                value = Value(self.code.vector(value), value.type, None)
            value = self.code.resize(value, f"i{BITS[element]}")
        value = self.code.bitcast(value, element)
        return value.text if self.width == 1 else self.code.vector(value)

    def number(self, value: int, element: str | None = None) -> str:
        """An integer constant, once or in every lane."""
        text = constant(value, element or self.element).text
        return text if self.width == 1 else f"splat ({element or self.element} {text})"

    def real(self, value: float, element: str) -> str:
        """A floating-point constant, rounded to the type, once or in every lane."""
        if element == "float":
            value = struct.unpack("<f", struct.pack("<f", value))[0]
        text = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
        return text if self.width == 1 else f"splat ({element} {text})"

    # LLVM's instructions

    def op(self, verb: str, element: str, *texts: str) -> str:
        return self.code.op(f"{verb} {self.type(element)} " + ", ".join(texts))

    def call(self, function: str, element: str, *texts: str) -> str:
        """An LLVM intrinsic whose arguments and result all have one type."""
        suffix = SUFFIX.get(element, element)
        suffix = suffix if self.width == 1 else f"v{LANES}{suffix}"
        arguments = ", ".join(f"{self.type(element)} {text}" for text in texts)
        return self.code.op(f"call {self.type(element)} @{function}.{suffix}({arguments})")

    def call_bit(self, function: str, element: str, text: str) -> str:
        """ctlz, cttz and abs take one bit more: whether a result may be undefined. It may not."""
        suffix = element if self.width == 1 else f"v{LANES}{element}"
        kind = self.type(element)
        return self.code.op(f"call {kind} @{function}.{suffix}({kind} {text}, i1 false)")

    def convert(self, verb: str, text: str, old: str, new: str) -> str:
        if old == new:
            return text
        return self.code.op(f"{verb} {self.type(old)} {text} to {self.type(new)}")

    def resized(self, text: str, old: str, new: str, *, signed: bool = False) -> str:
        """An integer in another width."""
        verb = "trunc" if BITS[new] < BITS[old] else "sext" if signed else "zext"
        return text if old == new else self.convert(verb, text, old, new)

    def select(self, condition: str, element: str, yes: str, no: str) -> str:
        kind = self.type(element)
        return self.code.op(f"select {self.type('i1')} {condition}, {kind} {yes}, {kind} {no}")

    def compare(self, predicate: str, element: str, a: str, b: str) -> str:
        verb = "fcmp" if element in FLOATS else "icmp"
        return self.code.op(f"{verb} {predicate} {self.type(element)} {a}, {b}")

    def negated(self, text: str, element: str) -> str:
        """A floating-point number with the other sign."""
        return self.code.op(f"fneg {self.type(element)} {text}")

    def inverted(self, text: str, element: str) -> str:
        """All bits flipped."""
        return self.op("xor", element, text, self.number(-1, element))

    def bit(self, text: str, element: str, mask: int) -> str:
        """Is any bit of the mask set? (i1)"""
        return self.compare(
            "ne", element, self.op("and", element, text, self.number(mask, element)), self.number(0, element)
        )

    def is_nan(self, text: str, element: str) -> str:
        return self.compare("uno", element, text, text)
