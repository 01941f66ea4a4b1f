"""What PTX instructions compute, in plain Python on bits: the other side of the tests of semantics.py.

Integers come and go as unsigned bit patterns; floating-point numbers as NumPy scalars. Sections are those of
the PTX ISA.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

LIMITS = {np.float32: np.finfo(np.float32), np.float64: np.finfo(np.float64)}
Number = np.float32 | np.float64


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def unsigned(value: int, bits: int) -> int:
    return value & ((1 << bits) - 1)


def number(value: int, kind: str) -> int:
    """The number that a pattern stands for under a type such as s32 or u64."""
    bits = int(kind[1:])
    return signed(value, bits) if kind[0] == "s" else unsigned(value, bits)


def clamp(value: int, kind: str) -> int:
    bits = int(kind[1:])
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind[0] == "s" else (0, (1 << bits) - 1)
    return min(max(value, low), high)


def quotient(a: int, b: int) -> int:
    """Rounded to zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def shift_left(a: int, amount: int, bits: int) -> int:
    return unsigned(a << amount, bits) if amount < bits else 0


def shift_right(a: int, amount: int, kind: str) -> int:
    return number(a, kind) >> min(amount, int(kind[1:]))


def field_number(value: int, bits: int) -> int:
    """Start or length of a field; what counts beyond 255 was seen on an H200."""
    return value & 255 if bits == 32 else min(value, 255)


def bit_field_extract(a: int, start: int, length: int, kind: str) -> int:
    """9.7.1.19, as its pseudo-code has it."""
    bits = int(kind[1:])
    start, length = field_number(start, bits), field_number(length, bits)
    top = bits - 1
    sign = 0 if kind[0] == "u" or length == 0 else a >> min(start + length - 1, top) & 1
    result = 0
    for i in range(bits):
        inside = i < length and start + i <= top
        result |= ((a >> (start + i) & 1) if inside else sign) << i
    return result


def bit_field_insert(a: int, b: int, start: int, length: int, bits: int) -> int:
    """9.7.1.20."""
    start, length = field_number(start, bits), field_number(length, bits)
    for i in range(length):
        if start + i < bits:
            b = b & ~(1 << start + i) | (a >> i & 1) << start + i
    return b


def highest_bit(a: int, kind: str) -> int:
    """bfind, 9.7.1.16: all ones when there is none."""
    bits = int(kind[1:])
    if kind[0] == "s" and signed(a, bits) < 0:
        a = unsigned(~a, bits)
    return a.bit_length() - 1


def funnel(low: int, high: int, amount: int, *, left: bool, wrap: bool) -> int:
    amount = amount & 31 if wrap else min(amount, 32)
    both = high << 32 | low
    return unsigned(both << amount >> 32 if left else both >> amount, 32)


def permute(a: int, b: int, selector: int) -> int:
    """prmt, 9.7.8.7."""
    data = (b << 32 | a).to_bytes(8, "little")
    out = 0
    for position in range(4):
        pick = selector >> 4 * position & 15
        byte = data[pick & 7]
        out |= ((255 if byte & 128 else 0) if pick & 8 else byte) << 8 * position
    return out


def three_way(a: int, b: int, c: int, table: int) -> int:
    out = 0
    for i in range(32):
        row = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)
        out |= (table >> row & 1) << i
    return out


def dot4(a: int, b: int, c: int, kinds: tuple[str, str]) -> int:
    total = c
    for shift in (0, 8, 16, 24):
        total += number(a >> shift, kinds[0] + "8") * number(b >> shift, kinds[1] + "8")
    return total


# Floating point -------------------------------------------------------------------------------------------


def rounded(exact: Fraction, mode: str, kind: type[Number], zero: float = 0.0) -> Number:
    """The number nearest in the mode's direction: rn, rz, rm (down), rp (up). `zero`: the answer for zero."""
    if exact == 0:
        return kind(zero)
    limits = LIMITS[kind]
    if abs(exact) > 2 * Fraction(float(limits.max)):
        big = kind(np.inf) if exact > 0 else kind(-np.inf)
        inward = np.nextafter(big, kind(0))
        outward = mode == "rn" or (mode == "rm" and exact < 0) or (mode == "rp" and exact > 0)
        return big if outward else inward
    try:
        with np.errstate(over="ignore", under="ignore"):
            low = kind(exact.numerator / exact.denominator)
    except OverflowError:
        low = kind(np.inf) if exact > 0 else kind(-np.inf)
    while low == np.inf or (low != -np.inf and Fraction(float(low)) > exact):
        low = np.nextafter(low, kind(-np.inf))
    with np.errstate(over="ignore", under="ignore"):
        while (
            low != -np.inf
            and np.isfinite(after := np.nextafter(low, kind(np.inf)))
            and Fraction(float(after)) <= exact
        ):
            low = after
        if low != -np.inf and Fraction(float(low)) == exact:
            return low
        high = np.nextafter(low, kind(np.inf))
    if mode == "rm" or (mode == "rz" and exact > 0):
        return low
    if mode in ("rp", "rz"):
        return high if high != 0 or exact > 0 else kind(-0.0)
    unit = Fraction(float(limits.max)) + (
        Fraction(float(limits.max)) - Fraction(float(np.nextafter(limits.max, kind(0))))
    )
    below = -unit if low == -np.inf else Fraction(float(low))
    above = unit if high == np.inf else Fraction(float(high))
    if exact - below == above - exact:
        even = int(np.atleast_1d(low).view(np.uint32 if kind is np.float32 else np.uint64)[0]) & 1 == 0
        return low if even else high
    nearest = low if exact - below < above - exact else high
    return kind(-0.0) if nearest == 0 and exact < 0 else nearest


def flush(value: Number) -> Number:
    """A subnormal single becomes zero, its sign kept."""
    return np.copysign(type(value)(0), value) if abs(value) < LIMITS[type(value)].tiny else value


def multiply_add(a: Number, b: Number, c: Number | None, mode: str) -> Number:
    """a*b + c, or a*b, rounded once."""
    kind = type(a)
    parts = [a, b] if c is None else [a, b, c]
    if not all(np.isfinite(part) for part in parts):
        with np.errstate(all="ignore"):
            if c is None:
                return a * b
            if np.isfinite(a) and np.isfinite(b):
                return c
            return a * b + c
    product = Fraction(float(a)) * Fraction(float(b))
    negative = np.signbit(a) != np.signbit(b)
    if c is None:
        return rounded(product, mode, kind, -0.0 if negative else 0.0)
    exact = product + Fraction(float(c))
    if product == 0 and c == 0 and negative == np.signbit(c):
        zero = -0.0 if negative else 0.0
    else:
        zero = -0.0 if mode == "rm" else 0.0
    return rounded(exact, mode, kind, zero)


def add(a: Number, b: Number, mode: str) -> Number:
    return multiply_add(a, type(a)(1), b, mode)


def divide(a: Number, b: Number, mode: str) -> Number:
    if not np.isfinite(a) or not np.isfinite(b) or b == 0 or a == 0:
        with np.errstate(all="ignore"):
            return a / b
    return rounded(Fraction(float(a)) / Fraction(float(b)), mode, type(a))


def root(a: Number, mode: str) -> Number:
    if not np.isfinite(a) or a <= 0:
        with np.errstate(all="ignore"):
            return np.sqrt(a)
    near = np.sqrt(a)  # correctly rounded by IEEE 754
    if mode == "rn" or Fraction(float(near)) ** 2 == Fraction(float(a)):
        return near
    too_high = Fraction(float(near)) ** 2 > Fraction(float(a))
    if mode == "rp":
        return near if too_high else np.nextafter(near, type(a)(np.inf))
    return np.nextafter(near, type(a)(0)) if too_high else near


def least(a: Number, b: Number) -> Number:
    """min, 9.7.3: a NaN loses, -0 is below +0."""
    if np.isnan(a):
        return b
    if np.isnan(b) or a < b or (a == b and np.signbit(a)):
        return a
    return b


def saturate(value: Number) -> Number:
    """.sat: clamped to 0..1, NaN to +0."""
    kind = type(value)
    return kind(0) if not value > 0 else min(value, kind(1))


def to_integer(value: Number, mode: str, kind: str) -> int:
    """cvt to an integer: rounded (rni, rzi, rmi, rpi), clamped; NaN to 0, or to 1 << bits - 1 where f64, s64
    or u64 is involved (9.7.9.21)."""
    if np.isnan(value):
        return 1 << int(kind[1:]) - 1 if isinstance(value, np.float64) or kind[1:] == "64" else 0
    if np.isinf(value):
        return clamp(1 << 100 if value > 0 else -(1 << 100), kind)
    act = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}[mode]
    return clamp(int(act(np.float64(value))), kind)
