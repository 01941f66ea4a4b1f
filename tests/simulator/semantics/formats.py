"""Floating-point formats in exact arithmetic: bits -> number -> bits, in any rounding mode."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np


@dataclass(frozen=True)
class Format:
    """A binary format. precision: bits of the significand, the hidden one included; low: exponent of the
    least normal number; width: bits in all."""

    precision: int
    low: int
    width: int

    @property
    def infinity(self) -> int:
        """Bits of +infinity."""
        return (1 << self.width - 1) - (1 << self.precision - 1)

    @property
    def sign(self) -> int:
        return 1 << self.width - 1

    def value(self, bits: int) -> float:
        """The number, exactly (all formats here fit a double)."""
        sign, size = (-1.0 if bits & self.sign else 1.0), bits & (self.sign - 1)
        if size >= self.infinity:
            return sign * math.inf if size == self.infinity else math.nan
        exponent, fraction = size >> self.precision - 1, size & ((1 << self.precision - 1) - 1)
        hidden = (1 << self.precision - 1) if exponent else 0
        return sign * math.ldexp(fraction + hidden, max(exponent, 1) + self.low - self.precision)

    def bits(self, number: float | Fraction, mode: str = "rn", nan: int = 0x7FFF) -> int:
        """The number rounded once. mode: rn, rna (ties away from zero), rz, rm or rp."""
        if isinstance(number, float) and not math.isfinite(number):
            return nan if math.isnan(number) else self.infinity | (self.sign if number < 0 else 0)
        negative = math.copysign(1, number) < 0 if isinstance(number, float) else number < 0
        size, sign = abs(Fraction(number)), self.sign if negative else 0
        if not size:
            return sign
        exponent = size.numerator.bit_length() - size.denominator.bit_length()
        exponent -= Fraction(2) ** exponent > size
        quantum = max(exponent, self.low) - (self.precision - 1)
        scaled = size / Fraction(2) ** quantum
        whole = math.floor(scaled)
        rest = scaled - whole
        away = {
            "rz": False,
            "rm": negative and rest > 0,
            "rp": not negative and rest > 0,
            "rna": rest >= Fraction(1, 2),
        }
        up = away.get(mode, rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1))
        # Formats are such that the next number's bits are the next integer, over powers of two and up to
        # infinity.
        found = ((quantum - self.low + self.precision - 1) << self.precision - 1) + whole + up
        inward = mode == "rz" or (mode == "rm" and not negative) or (mode == "rp" and negative)
        return sign | min(found, self.infinity - inward)


F16, BF16 = Format(11, -14, 16), Format(8, -126, 16)
F32, F64, TF32 = Format(24, -126, 32), Format(53, -1022, 64), Format(11, -126, 19)
E5M2 = Format(3, -14, 8)
FORMATS = {"f16": F16, "bf16": BF16, "f32": F32, "f64": F64}


def exactly(act: str, *values: float) -> float | Fraction:
    """add, sub, mul or fma of finite numbers as a fraction; as a double where that is infinite, NaN or
    zero."""
    a, b, *rest = values
    with np.errstate(all="ignore"):
        a, b = np.float64(a), np.float64(b)
        quick = {
            "add": a + b,
            "sub": a - b,
            "mul": a * b,
            "fma": a * b + np.float64(rest[0] if rest else 0.0),
        }[act]
    if not all(map(math.isfinite, values)):
        return float(quick)
    exact = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y}
    fractions = [Fraction(float(value)) for value in values]
    total = fractions[0] * fractions[1] + fractions[2] if act == "fma" else exact[act](*fractions)
    if total:
        return total
    # A double's own zero has the right sign where every product is exact, and else the sign is the product's.
    return float(quick) if quick == 0 else 0.0
