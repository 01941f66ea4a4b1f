"""cvt between all types in all rounding modes, against exact arithmetic rounded once."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.simulator import reference as ref
from tests.simulator.instructions import Operation, mismatch
from tests.simulator.semantics import operands
from tests.simulator.semantics.formats import BF16, E5M2, F16, F32, F64, FORMATS, TF32, Format

MODES = ("rn", "rz", "rm", "rp")
REGISTER = {"f16": "b16", "bf16": "b16", "f32": "f32", "f64": "f64"}


def check(operations: list[Operation], inputs: dict[str, np.ndarray]) -> None:
    wrong = mismatch(operations, inputs)
    assert not wrong, "\n".join(wrong)


def as_number(bits: int, to: str) -> int | np.floating:
    """Bits as the harness compares them: halves by their bits, f32 and f64 as numbers."""
    whole = {"f32": np.uint32, "f64": np.uint64}.get(to)
    return (
        bits if whole is None else np.array([bits], whole).view({"f32": np.float32, "f64": np.float64}[to])[0]
    )


def narrowing(
    to: str, mode: str, *, relu: bool = False, sat: bool = False
) -> Callable[[float], int | np.floating]:
    form = FORMATS[to]

    def compute(number: float) -> int | np.floating:
        number = float(number)
        if relu and number <= 0:
            number = 0.0
        if sat:
            number = min(number, 1.0) if number > 0 else 0.0
        return as_number(form.bits(number, mode, nan=0x7FFF if form.width == 16 else form.infinity + 1), to)

    return compute


@pytest.mark.parametrize("source", ["f32", "f64"])
@pytest.mark.parametrize("mode", MODES)
def test_narrower_formats(source: str, mode: str) -> None:
    group = [Operation(f"cvt.{mode}.f16.{source} {{d}}, {{a}}", "b16", (source,), narrowing("f16", mode))]
    if source == "f32":
        group += [
            Operation(f"cvt.{mode}.bf16.f32 {{d}}, {{a}}", "b16", ("f32",), narrowing("bf16", mode)),
            Operation(
                f"cvt.{mode}.sat.f16.f32 {{d}}, {{a}}", "b16", ("f32",), narrowing("f16", mode, sat=True)
            ),
        ]
    else:
        group.append(Operation(f"cvt.{mode}.f32.f64 {{d}}, {{a}}", "f32", ("f64",), narrowing("f32", mode)))
    check(group, operands.reals(source))


def test_relu_and_pairs() -> None:
    group = []
    for kind, mode in product(("f16", "bf16"), ("rn", "rz")):
        high, low = narrowing(kind, mode), narrowing(kind, mode, relu=True)
        group += [
            Operation(f"cvt.{mode}.relu.{kind}.f32 {{d}}, {{a}}", "b16", ("f32",), low),
            Operation(
                f"cvt.{mode}.{kind}x2.f32 {{d}}, {{a}}, 0f3FA00000",
                "b32",
                ("f32",),
                lambda x, f=high: f(x) << 16 | f(1.25),
            ),
            Operation(
                f"cvt.{mode}.{kind}x2.f32 {{d}}, 0fBFA00000, {{a}}",
                "b32",
                ("f32",),
                lambda x, f=high: f(-1.25) << 16 | f(x),
            ),
            Operation(
                f"cvt.{mode}.relu.{kind}x2.f32 {{d}}, 0fBFA00000, {{a}}",
                "b32",
                ("f32",),
                lambda x, f=low: f(x),
            ),
        ]
    check(group, operands.reals("f32"))


def eighth(kind: str, number: float) -> int:
    """A number as e4m3 or e5m2, the largest where it would be infinite."""
    number = float(number)
    if math.isnan(number):
        return 0x7F
    sign = 0x80 if math.copysign(1, number) < 0 else 0
    if kind == "e5m2":
        return sign | min(E5M2.bits(abs(number)), 0x7B)
    # e4m3 has numbers, up to 448, where other formats have infinity and NaN.
    wide = Format(4, -6, 9)
    return sign | min(wide.bits(min(abs(number), 1e6)), 0x7E)


def test_eight_bits() -> None:
    group = []
    for kind in ("e4m3", "e5m2"):
        group += [
            Operation(
                f"cvt.rn.satfinite.{kind}x2.f32 {{d}}, {{a}}, 0f3FC00000",
                "b16",
                ("f32",),
                lambda x, k=kind: eighth(k, x) << 8 | eighth(k, 1.5),
            ),
            Operation(
                f"cvt.rn.satfinite.relu.{kind}x2.f32 {{d}}, 0f00000000, {{a}}",
                "b16",
                ("f32",),
                lambda x, k=kind: eighth(k, 0.0 if x <= 0 else x),
            ),
        ]
    check(group, operands.reals("f32"))
    pairs = [
        Operation(
            f"cvt.rn.satfinite.{kind}x2.f16x2 %rs1, {{a}}; cvt.u32.u16 {{d}}, %rs1",
            "b32",
            ("b32",),
            lambda x, k=kind: eighth(k, F16.value(x & 0xFFFF)) | eighth(k, F16.value(x >> 16)) << 8,
        )
        for kind in ("e4m3", "e5m2")
    ]
    check(pairs, operands.packed("f16", 1))


@pytest.mark.parametrize("kind", ["e4m3", "e5m2"])
def test_eight_bits_widened(kind: str) -> None:
    """Every byte gives the half that rounds back to it."""

    def half(byte: int) -> int:
        form = E5M2 if kind == "e5m2" else Format(4, -6, 9)
        if (byte & 0x7F) == 0x7F and kind == "e4m3":
            return 0x7FFF
        value = form.value(byte & 0x7F) * (-1 if byte & 0x80 else 1)
        return F16.bits(math.copysign(value, -1 if byte & 0x80 else 1))

    line = f"cvt.u16.u32 %rs1, {{a}}; cvt.rn.f16x2.{kind}x2 {{d}}, %rs1"
    group = [Operation(line, "b32", ("b32",), lambda x: half(x & 0xFF) | half(x >> 8 & 0xFF) << 16)]
    check(group, operands.words(32, 1))


def test_tf32() -> None:
    """11 bits of significand in a float's place."""

    def act(mode: str) -> Callable[[float], int]:
        return lambda x: 0x7FFFFFFF if math.isnan(x) else TF32.bits(float(x), mode) << 13

    group = [
        Operation(f"cvt.{mode}.tf32.f32 {{d}}, {{a}}", "b32", ("f32",), act(mode))
        for mode in ("rna", "rn", "rz")
    ]
    check(group, operands.reals("f32"))


@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_from_half(kind: str) -> None:
    form = FORMATS[kind]
    acts = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}
    group = [
        Operation(f"cvt.{to}.{kind} {{d}}, {{a}}", to, ("b16",), lambda x, t=dtype: t(form.value(x)))
        for to, dtype in (("f32", np.float32), ("f64", np.float64))
    ]
    for (mode, act), to in product(acts.items(), ("s16", "u16", "s32", "u32", "s64", "u64")):
        bits = int(to[1:])

        def compute(x: int, m: str = mode, t: str = to, b: int = bits) -> int:
            return ref.unsigned(ref.to_integer(np.float32(form.value(x)), m, t), b)

        group.append(Operation(f"cvt.{mode}.{to}.{kind} {{d}}, {{a}}", f"b{bits}", ("b16",), compute))
        if to == "s16":
            whole = lambda x, f=act: form.bits(float(f(form.value(x))))  # noqa: E731
            group.append(Operation(f"cvt.{mode}.{kind}.{kind} {{d}}, {{a}}", "b16", ("b16",), whole))
    check(group, operands.halves(kind, 1))


@pytest.mark.parametrize("source", ["s16", "u16", "s32", "u32", "s64", "u64"])
@pytest.mark.parametrize("mode", MODES)
def test_from_integers(source: str, mode: str) -> None:
    bits = int(source[1:])
    group = []
    for to, form in FORMATS.items():

        def compute(x: int, f: object = form, t: str = to) -> int | np.floating:
            return as_number(f.bits(Fraction(ref.number(x, source)), mode), t)

        group.append(
            Operation(f"cvt.{mode}.{to}.{source} {{d}}, {{a}}", REGISTER[to], (f"b{bits}",), compute)
        )
    group.append(
        Operation(
            f"cvt.{mode}.sat.f32.{source} {{d}}, {{a}}",
            "f32",
            (f"b{bits}",),
            lambda x: np.float32(min(max(ref.number(x, source), 0), 1)),
        )
    )
    check(group, operands.words(bits, 1))


@pytest.mark.parametrize("source", ["f32", "f64"])
def test_bytes_from_floating_point(source: str) -> None:
    """s8 and u8 fill a wider register by their sign."""
    group = [
        Operation(
            f"cvt.rzi.{to}.{source} {{d}}, {{a}}",
            "b32",
            (source,),
            lambda x, t=to: ref.unsigned(byte(x, t), 32),
        )
        for to in ("s8", "u8")
    ]
    check(group, operands.reals(source))


def byte(value: np.floating, kind: str) -> int:
    return ref.number(ref.unsigned(ref.to_integer(value, "rzi", kind), 8), kind)


def test_pack() -> None:
    def clamp(value: int, kind: str) -> int:
        return ref.unsigned(ref.clamp(ref.signed(value, 32), kind), int(kind[1:]))

    group = []
    for kind in ("s16", "u16"):
        group.append(
            Operation(
                f"cvt.pack.sat.{kind}.s32 {{d}}, {{a}}, {{b}}",
                "b32",
                ("b32",) * 3,
                lambda a, b, c, k=kind: clamp(a, k) << 16 | clamp(b, k),
            )
        )
    for kind in ("s8", "u8"):
        group.append(
            Operation(
                f"cvt.pack.sat.{kind}.s32.b32 {{d}}, {{a}}, {{b}}, {{c}}",
                "b32",
                ("b32",) * 3,
                lambda a, b, c, k=kind: clamp(a, k) << 8 | clamp(b, k) | (c & 0xFFFF) << 16,
            )
        )
    check(group, operands.words(32, 3))


def test_the_reference_itself() -> None:
    """The exact formats agree with NumPy where NumPy has them."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    assert all(
        F16.value(bits) == value or math.isnan(value)
        for bits, value in enumerate(halves.astype(np.float64).tolist())
    )
    numbers = operands.reals("f64")["a"]
    with np.errstate(all="ignore"):
        for form, dtype, whole in ((F16, np.float16, np.uint16), (F32, np.float32, np.uint32)):
            expected = numbers.astype(dtype).view(whole)
            assert all(
                form.bits(float(x)) == e
                for x, e in zip(numbers, expected.tolist(), strict=True)
                if not np.isnan(x)
            )
    assert F64.bits(0.1) == int(np.array([0.1]).view(np.uint64)[0])
    assert BF16.bits(1.00390625) == 0x3F80
    assert BF16.bits(1.00390626) == 0x3F81
