"""f16 and bf16, alone and in pairs, against exact arithmetic rounded once."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from course_utils import simulator
from tests.simulator.instructions import Operation, header, mismatch
from tests.simulator.semantics import operands
from tests.simulator.semantics.formats import FORMATS, exactly

KINDS = ("f16", "bf16")
NAN = 0x7FFF
Act = Callable[..., int]


def rounded(kind: str, act: str, *, relu: bool = False, sat: bool = False, ftz: bool = False) -> Act:
    form = FORMATS[kind]

    def flush(bits: int) -> int:
        return bits & form.sign if ftz and bits & 0x7FFF < 1 << form.precision - 1 else bits

    def compute(*bits: int) -> int:
        result = exactly(act, *(form.value(flush(each)) for each in bits))
        nan = isinstance(result, float) and math.isnan(result)
        if relu and not nan and result <= 0:
            result = 0.0
        if sat:
            result = 0.0 if nan or result <= 0 else min(result, 1.0)
        found = form.bits(result)
        # Tiny is what is so when rounded without a least exponent.
        least = Fraction(form.value(1 << form.precision - 1)) * (1 - Fraction(1, 2 << form.precision))
        tiny = ftz and not nan and abs(result) < least
        return found & form.sign if tiny else found

    return compute


def least(kind: str, *, largest: bool = False, nan: bool = False, xorsign: bool = False) -> Act:
    form = FORMATS[kind]

    def compute(a: int, b: int) -> int:
        sign = (a ^ b) & form.sign
        if xorsign:
            a, b = a & ~form.sign, b & ~form.sign
        values = [(form.value(each), each) for each in (a, b)]
        numbers = [pair for pair in values if not math.isnan(pair[0])]
        if not numbers or (nan and len(numbers) < 2):
            return NAN
        # Ordered by value, -0 before +0.
        numbers.sort(key=lambda pair: (pair[0], math.copysign(1, pair[0])))
        found = numbers[-1 if largest else 0][1]
        return found & ~form.sign | sign if xorsign else found

    return compute


def by_halves(act: Act) -> Act:
    return lambda *words: act(*(w & 0xFFFF for w in words)) | act(*(w >> 16 for w in words)) << 16


def check(kind: str, cases: list[tuple[str, int, Act]]) -> None:
    """Each case as one instruction and as its pair. (opcode with {kind}, number of sources, what it
    computes)"""
    for pair in (False, True):
        for count in (1, 2, 3):
            letters = ", ".join("{" + letter + "}" for letter in "abc"[:count])
            element = "b32" if pair else "b16"
            group = [
                Operation(
                    f"{opcode.replace('KIND', kind + ('x2' if pair else ''))} {{d}}, {letters}",
                    element,
                    (element,) * count,
                    by_halves(act) if pair else act,
                )
                for opcode, sources, act in cases
                if sources == count
            ]
            inputs = operands.packed(kind, count) if pair else operands.halves(kind, count)
            if group:
                wrong = mismatch(group, inputs)
                assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_arithmetic(kind: str) -> None:
    cases = [(f"{name}.rn.KIND", 2, rounded(kind, name)) for name in ("add", "sub", "mul")]
    cases += [
        ("fma.rn.KIND", 3, rounded(kind, "fma")),
        ("fma.rn.relu.KIND", 3, rounded(kind, "fma", relu=True)),
    ]
    if kind == "f16":
        cases += [
            ("add.sat.KIND", 2, rounded(kind, "add", sat=True)),
            ("mul.ftz.KIND", 2, rounded(kind, "mul", ftz=True)),
            ("sub.ftz.sat.KIND", 2, rounded(kind, "sub", ftz=True, sat=True)),
            ("fma.rn.sat.KIND", 3, rounded(kind, "fma", sat=True)),
            ("fma.rn.ftz.KIND", 3, rounded(kind, "fma", ftz=True)),
        ]
    check(kind, cases)


@pytest.mark.parametrize("kind", KINDS)
def test_least_and_largest(kind: str) -> None:
    cases, apart = [], []
    for name in ("min", "max"):
        largest = name == "max"
        cases += [
            (f"{name}.KIND", 2, least(kind, largest=largest)),
            (f"{name}.NaN.KIND", 2, least(kind, largest=largest, nan=True)),
        ]
        line = f"{name}.xorsign.abs.{kind} {{d}}, {{a}}, {{b}}"
        apart.append(Operation(line, "b16", ("b16", "b16"), least(kind, largest=largest, xorsign=True)))
    check(kind, cases)
    numbers = {  # the sign of a NaN says nothing
        letter: np.where(data & 0x7FFF > FORMATS[kind].infinity, 0x1234, data).astype(np.uint16)
        for letter, data in operands.halves(kind, 2).items()
    }
    assert not (wrong := mismatch(apart, numbers)), "\n".join(wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_signs(kind: str) -> None:
    check(kind, [("neg.KIND", 1, lambda a: a ^ 0x8000), ("abs.KIND", 1, lambda a: a & 0x7FFF)])


@pytest.mark.parametrize("kind", KINDS)
def test_comparison(kind: str) -> None:
    value = FORMATS[kind].value
    one = {"f16": 0x3C00, "bf16": 0x3F80}[kind]
    tests = {
        "lt": lambda a, b: value(a) < value(b),
        "ne": lambda a, b: value(a) < value(b) or value(a) > value(b),
        "geu": lambda a, b: not value(a) < value(b),
        "nan": lambda a, b: math.isnan(value(a)) or math.isnan(value(b)),
    }
    singles, pairs = [], []
    for name, act in tests.items():
        singles += [
            Operation(f"setp.{name}.{kind} {{d}}, {{a}}, {{b}}", "pred", ("b16", "b16"), act),
            Operation(
                f"set.{name}.{kind}.{kind} {{d}}, {{a}}, {{b}}",
                "b16",
                ("b16", "b16"),
                lambda a, b, f=act: one * f(a, b),
            ),
            Operation(
                f"set.{name}.u32.{kind} {{d}}, {{a}}, {{b}}",
                "b32",
                ("b16", "b16"),
                lambda a, b, f=act: 0xFFFFFFFF * f(a, b),
            ),
        ]
        low = lambda a, b, f=act: f(a & 0xFFFF, b & 0xFFFF)  # noqa: E731
        high = lambda a, b, f=act: f(a >> 16, b >> 16)  # noqa: E731
        pairs += [
            Operation(f"setp.{name}.{kind}x2 {{d}}|%p2, {{a}}, {{b}}", "pred", ("b32", "b32"), low),
            Operation(f"setp.{name}.{kind}x2 %p2|{{d}}, {{a}}, {{b}}", "pred", ("b32", "b32"), high),
            Operation(
                f"setp.lt.u32 %p3, {{a}}, {{b}}; setp.{name}.and.{kind}x2 %p2|{{d}}, {{a}}, {{b}}, %p3",
                "pred",
                ("b32", "b32"),
                lambda a, b, f=high: a < b and f(a, b),
            ),
            Operation(
                f"set.{name}.u32.{kind}x2 {{d}}, {{a}}, {{b}}",
                "b32",
                ("b32", "b32"),
                by_halves(lambda a, b, f=act: 0xFFFF * f(a, b)),
            ),
            Operation(
                f"set.{name}.{kind}x2.{kind}x2 {{d}}, {{a}}, {{b}}",
                "b32",
                ("b32", "b32"),
                by_halves(lambda a, b, f=act: one * f(a, b)),
            ),
        ]
    wrong = mismatch(singles, operands.halves(kind, 2)) + mismatch(pairs, operands.packed(kind, 2))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["ex2", "tanh"])
def test_approximations_are_rounded_from_single(kind: str, name: str) -> None:
    """Within one unit of the half's last place of the true value."""
    form = FORMATS[kind]
    ftz = ".ftz" if (kind, name) == ("bf16", "ex2") else ""
    inputs = operands.halves(kind, 1)
    values = np.array([form.value(int(bits)) for bits in inputs["a"]])
    with np.errstate(all="ignore"):
        true = {"ex2": np.exp2, "tanh": np.tanh}[name](values)

    results = run_one(f"{name}.approx{ftz}.{kind} {{d}}, {{a}}", inputs["a"])
    for value, exact, bits in zip(values, true, results, strict=True):
        got = form.value(int(bits))
        if math.isnan(exact) or math.isinf(exact):
            assert math.isnan(got) if math.isnan(exact) else got == exact
        else:
            unit = 2.0 ** (max(math.frexp(exact)[1] - 1, form.low) - form.precision + 1)
            tiny = 2.0**form.low if ftz else 0.0
            assert abs(got - exact) <= max(unit, tiny) or (
                math.isinf(got) and form.bits(exact) & 0x7FFF >= 0x7BFF
            ), value


def run_one(line: str, data: np.ndarray) -> np.ndarray:
    """The results of a one-operand instruction on 16 bits."""
    body = (
        "{ .reg .b16 %rs<3>; .reg .b32 %r<4>; .reg .b64 %rd<6>; ld.param.u64 %rd1, [in];"
        "ld.param.u64 %rd2, [out];"
        "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r1, 32, %r2; mul.wide.u32 %rd3, %r3, 2;"
        "add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3; ld.global.b16 %rs1, [%rd4];"
        + line.format(d="%rs2", a="%rs1")
        + "; st.global.b16 [%rd5], %rs2; ret; }"
    )
    out = np.zeros_like(data)
    program = simulator.load_ptx(header(".param .u64 in, .param .u64 out") + body)
    program.launch("k", len(data) // 32, 32, [data, out], workers=1)
    return out
