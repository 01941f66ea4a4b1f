"""Every rule of semantics against plain Python: own and common operands, whole and parted warps, extremes."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from course_utils import simulator
from tests.simulator import reference as ref
from tests.simulator.instructions import COUNT, DTYPES, Operation, header, mismatch

EXTREME = {
    "b16": (0, 1, 2, 0x7FFF, 0x8000, 0xFFFF, 15, 16),
    "b32": (
        0, 1, 2, 31, 32, 33, 63, 64, 255, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFF80, 0x3210,
    ),
    "b64": (
        0, 1, 2, 31, 32, 63, 64, 255, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 0xFFFFFFFF,
    ),
    "f32": (
        0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 1e-45, -1e-45, 1.17549435e-38, 1e-38, 3.4028235e38,
        -3.4028235e38, np.inf, -np.inf, np.nan, 2147483648.0, -2147483648.0, 4294967296.0, 1.0000001,
    ),
    "f64": (
        0.0, -0.0, 1.0, -1.0, 0.5, 2.5, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308,
        np.inf, -np.inf, np.nan, 2147483648.0, 1e-40, 3.4028236e38, 1.0000000000000002, 65520.0, 9.3e18,
    ),
}  # fmt: skip


def operands(kinds: tuple[str, ...], seed: int = 1) -> dict[str, np.ndarray]:
    """Every pair of extremes as far as there is room, then random numbers, small and wide."""
    random = np.random.default_rng(seed)
    columns = []
    pairs = list(product(*(EXTREME[kind] for kind in kinds[:2])))
    random.shuffle(pairs)
    pairs = pairs[: COUNT * 2 // 3]
    for number, kind in enumerate(kinds):
        dtype = DTYPES[kind]
        if kind[0] == "f":
            scale = 10.0 ** random.integers(-38, 38, COUNT)
            data = (random.normal(0, 1, COUNT) * np.where(random.random(COUNT) < 0.5, scale, 3)).astype(dtype)
        else:
            data = random.integers(0, 1 << 64, COUNT, np.uint64).astype(dtype)
            small = random.random(COUNT) < 0.4
            data[small] = random.integers(0, 256, int(small.sum())).astype(dtype)
        if number < 2:
            with np.errstate(over="ignore"):
                data[: len(pairs)] = np.array([pair[number] for pair in pairs], dtype)
        else:
            data[: COUNT // 2] = random.choice(np.array(EXTREME[kind], dtype), COUNT // 2)
        columns.append(data)
    order = random.permutation(COUNT)
    return {letter: column[order] for letter, column in zip("abc", columns, strict=False)}


def check(operations: list[Operation]) -> None:
    """Each group of operations with the same operand types, in one kernel."""
    groups: dict[tuple[str, ...], list[Operation]] = {}
    for operation in operations:
        groups.setdefault(operation.sources, []).append(operation)
    wrong = [line for kinds, group in groups.items() for line in mismatch(group, operands(kinds))]
    assert not wrong, "\n".join(wrong)


def integer(bits: int) -> tuple[str, str, str]:
    return f"b{bits}", f"s{bits}", f"u{bits}"


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_integer_arithmetic(bits: int) -> None:
    b, s, u = integer(bits)
    two, n = (b, b), ref.number
    keep = lambda value: ref.unsigned(value, bits)  # noqa: E731
    found = [
        Operation(f"add.{s} {{d}}, {{a}}, {{b}}", b, two, lambda x, y: keep(x + y)),
        Operation(f"sub.{s} {{d}}, {{a}}, {{b}}", b, two, lambda x, y: keep(x - y)),
        Operation(f"mul.lo.{s} {{d}}, {{a}}, {{b}}", b, two, lambda x, y: keep(x * y)),
        Operation(f"abs.{s} {{d}}, {{a}}", b, two, lambda x, _: keep(abs(n(x, s)))),
        Operation(f"neg.{s} {{d}}, {{a}}", b, two, lambda x, _: keep(-x)),
    ]
    for kind in (s, u):
        found += [
            Operation(
                f"mul.hi.{kind} {{d}}, {{a}}, {{b}}",
                b,
                two,
                lambda x, y, k=kind: keep(n(x, k) * n(y, k) >> bits),
            ),
            Operation(
                f"min.{kind} {{d}}, {{a}}, {{b}}", b, two, lambda x, y, k=kind: keep(min(n(x, k), n(y, k)))
            ),
            Operation(
                f"max.{kind} {{d}}, {{a}}, {{b}}", b, two, lambda x, y, k=kind: keep(max(n(x, k), n(y, k)))
            ),
            # Division by zero: all ones, and the dividend as remainder.
            Operation(
                f"div.{kind} {{d}}, {{a}}, {{b}}",
                b,
                two,
                lambda x, y, k=kind: keep(ref.quotient(n(x, k), n(y, k)) if y else -1),
            ),
            Operation(
                f"rem.{kind} {{d}}, {{a}}, {{b}}",
                b,
                two,
                lambda x, y, k=kind: keep(
                    n(x, k) - n(y, k) * ref.quotient(n(x, k), n(y, k)) if y else keep(-1)
                ),
            ),
        ]
        if bits < 64:
            wide = 2 * bits
            found.append(
                Operation(
                    f"mul.wide.{kind} {{d}}, {{a}}, {{b}}",
                    f"b{wide}",
                    two,
                    lambda x, y, k=kind, w=wide: ref.unsigned(n(x, k) * n(y, k), w),
                )
            )
    check(found)


@pytest.mark.parametrize("bits", [32, 64])
def test_three_operand_arithmetic(bits: int) -> None:
    b, s, u = integer(bits)
    three, n = (b, b, b), ref.number
    keep = lambda value: ref.unsigned(value, bits)  # noqa: E731
    found = [Operation(f"mad.lo.{s} {{d}}, {{a}}, {{b}}, {{c}}", b, three, lambda x, y, z: keep(x * y + z))]
    for kind in (s, u):
        found += [
            Operation(
                f"mad.hi.{kind} {{d}}, {{a}}, {{b}}, {{c}}",
                b,
                three,
                lambda x, y, z, k=kind: keep((n(x, k) * n(y, k) >> bits) + z),
            ),
            Operation(
                f"sad.{kind} {{d}}, {{a}}, {{b}}, {{c}}",
                b,
                three,
                lambda x, y, z, k=kind: keep(abs(n(x, k) - n(y, k)) + z),
            ),
        ]
        if bits == 32:
            small = kind[0] + "24"
            found += [
                Operation(
                    f"mad.wide.{kind} {{d}}, {{a}}, {{b}}, {{c}}",
                    "b64",
                    ("b32", "b32", "b64"),
                    lambda x, y, z, k=kind: ref.unsigned(n(x, k) * n(y, k) + z, 64),
                ),
                Operation(
                    f"mul24.lo.{kind} {{d}}, {{a}}, {{b}}",
                    b,
                    three,
                    lambda x, y, z, k=small: keep(n(x, k) * n(y, k)),
                ),
                Operation(
                    f"mul24.hi.{kind} {{d}}, {{a}}, {{b}}",
                    b,
                    three,
                    lambda x, y, z, k=small: keep(n(x, k) * n(y, k) >> 16),
                ),
                Operation(
                    f"mad24.lo.{kind} {{d}}, {{a}}, {{b}}, {{c}}",
                    b,
                    three,
                    lambda x, y, z, k=small: keep(n(x, k) * n(y, k) + z),
                ),
            ]
    if bits == 32:
        found += [
            Operation(
                "add.sat.s32 {d}, {a}, {b}", b, three, lambda x, y, z: keep(ref.clamp(n(x, s) + n(y, s), s))
            ),
            Operation(
                "sub.sat.s32 {d}, {a}, {b}", b, three, lambda x, y, z: keep(ref.clamp(n(x, s) - n(y, s), s))
            ),
        ]
        for one, other in product("su", repeat=2):
            found.append(
                Operation(
                    f"dp4a.{one}32.{other}32 {{d}}, {{a}}, {{b}}, {{c}}",
                    b,
                    three,
                    lambda x, y, z, kinds=(one, other): keep(ref.dot4(x, y, z, kinds)),
                )
            )
    check(found)


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_logic_and_shifts(bits: int) -> None:
    b, s, u = integer(bits)
    two, ones = (b, b), (1 << bits) - 1
    found = [
        Operation(f"and.{b} {{d}}, {{a}}, {{b}}", b, two, lambda x, y: x & y),
        Operation(f"or.{b} {{d}}, {{a}}, {{b}}", b, two, lambda x, y: x | y),
        Operation(f"xor.{b} {{d}}, {{a}}, {{b}}", b, two, lambda x, y: x ^ y),
        Operation(f"not.{b} {{d}}, {{a}}", b, two, lambda x, _: x ^ ones),
        Operation(f"cnot.{b} {{d}}, {{a}}", b, two, lambda x, _: int(x == 0)),
    ]
    amount = (b, "b32")
    found += [
        Operation(f"shl.{b} {{d}}, {{a}}, {{b}}", b, amount, lambda x, y: ref.shift_left(x, y, bits)),
        Operation(f"shr.{u} {{d}}, {{a}}, {{b}}", b, amount, lambda x, y: ref.shift_right(x, y, u)),
        Operation(
            f"shr.{s} {{d}}, {{a}}, {{b}}",
            b,
            amount,
            lambda x, y: ref.unsigned(ref.shift_right(x, y, s), bits),
        ),
    ]
    for fixed in (0, 1, bits - 1, bits, bits + 1, 255):
        found += [
            Operation(
                f"shl.{b} {{d}}, {{a}}, {fixed}", b, (b,), lambda x, y=fixed: ref.shift_left(x, y, bits)
            ),
            Operation(f"shr.{u} {{d}}, {{a}}, {fixed}", b, (b,), lambda x, y=fixed: ref.shift_right(x, y, u)),
            Operation(
                f"shr.{s} {{d}}, {{a}}, {fixed}",
                b,
                (b,),
                lambda x, y=fixed: ref.unsigned(ref.shift_right(x, y, s), bits),
            ),
        ]
    check(found)


@pytest.mark.parametrize("bits", [32, 64])
def test_bits_and_fields(bits: int) -> None:
    b, s, u = integer(bits)
    field, keep = (b, "b32", "b32"), lambda value: ref.unsigned(value, 32)
    found = [
        Operation(f"popc.{b} {{d}}, {{a}}", "b32", (b,), lambda x: x.bit_count()),
        Operation(f"clz.{b} {{d}}, {{a}}", "b32", (b,), lambda x: bits - x.bit_length()),
        Operation(f"brev.{b} {{d}}, {{a}}", b, (b,), lambda x: int(f"{x:0{bits}b}"[::-1], 2)),
    ]
    for kind in (s, u):
        found += [
            Operation(
                f"bfind.{kind} {{d}}, {{a}}", "b32", (b,), lambda x, k=kind: keep(ref.highest_bit(x, k))
            ),
            Operation(
                f"bfind.shiftamt.{kind} {{d}}, {{a}}",
                "b32",
                (b,),
                lambda x, k=kind: keep(
                    bits - 1 - ref.highest_bit(x, k) if ref.highest_bit(x, k) >= 0 else -1
                ),
            ),
            Operation(
                f"bfe.{kind} {{d}}, {{a}}, {{b}}, {{c}}",
                b,
                field,
                lambda x, y, z, k=kind: ref.bit_field_extract(x, y, z, k),
            ),
            Operation(
                f"bfe.{kind} {{d}}, {{a}}, 5, 9",
                b,
                field,
                lambda x, y, z, k=kind: ref.bit_field_extract(x, 5, 9, k),
            ),
            Operation(
                f"bfi.{b} {{d}}, {{a}}, 0x5A5A5A5A, {{b}}, {{c}}",
                b,
                field,
                lambda x, y, z: ref.bit_field_insert(x, 0x5A5A5A5A, y, z, bits),
            ),
        ]
    check(found)


def test_words_put_together() -> None:
    three = ("b32", "b32", "b32")
    found = [Operation("prmt.b32 {d}, {a}, {b}, {c}", "b32", three, ref.permute)]
    for left, wrap in product((True, False), repeat=2):
        line = f"shf.{'l' if left else 'r'}.{'wrap' if wrap else 'clamp'}.b32 {{d}}, {{a}}, {{b}}, {{c}}"
        found.append(
            Operation(
                line,
                "b32",
                three,
                lambda x, y, z, way=(left, wrap): ref.funnel(x, y, z, left=way[0], wrap=way[1]),
            )
        )
    for table in (0x00, 0x96, 0xE8, 0xCA, 0x01, 0xFF):
        found.append(
            Operation(
                f"lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {table:#x}",
                "b32",
                three,
                lambda x, y, z, t=table: ref.three_way(x, y, z, t),
            )
        )
    check(found)


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_integer_comparison_and_selection(bits: int) -> None:
    b, s, u = integer(bits)
    acts = {
        "eq": lambda x, y: x == y,
        "ne": lambda x, y: x != y,
        "lt": lambda x, y: x < y,
        "le": lambda x, y: x <= y,
        "gt": lambda x, y: x > y,
        "ge": lambda x, y: x >= y,
    }
    found = []
    for name, act in acts.items():
        for kind in (s, u):
            found.append(
                Operation(
                    f"setp.{name}.{kind} {{d}}, {{a}}, {{b}}",
                    "pred",
                    (b, b),
                    lambda x, y, k=kind, f=act: f(ref.number(x, k), ref.number(y, k)),
                )
            )
    for name, unsigned in (("lo", "lt"), ("ls", "le"), ("hi", "gt"), ("hs", "ge")):
        found.append(Operation(f"setp.{name}.{u} {{d}}, {{a}}, {{b}}", "pred", (b, b), acts[unsigned]))
    combined = "setp.lt.s32 %p2, {a}, 40; " if bits == 32 else ""
    if bits == 32:
        three = ("b32", "b32", "b32")
        less = lambda x: ref.signed(x, 32) < 40  # noqa: E731
        found += [
            Operation(
                combined + "setp.gt.and.u32 {d}, {a}, {b}, %p2",
                "pred",
                three,
                lambda x, y, z: x > y and less(x),
            ),
            Operation(
                combined + "setp.gt.or.u32 {d}, {a}, {b}, !%p2",
                "pred",
                three,
                lambda x, y, z: x > y or not less(x),
            ),
            Operation(
                combined + "setp.gt.xor.u32 {d}, {a}, {b}, %p2",
                "pred",
                three,
                lambda x, y, z: (x > y) != less(x),
            ),
            Operation(
                combined + "selp.b32 {d}, {b}, {c}, %p2", "b32", three, lambda x, y, z: y if less(x) else z
            ),
            Operation(
                "setp.lt.s32 %p2|{d}, {a}, {b}",
                "pred",
                three,
                lambda x, y, z: ref.signed(x, 32) >= ref.signed(y, 32),
            ),
            Operation(
                "slct.b32.s32 {d}, {a}, {b}, {c}",
                "b32",
                three,
                lambda x, y, z: x if ref.signed(z, 32) >= 0 else y,
            ),
            Operation(
                "set.lt.u32.s32 {d}, {a}, {b}",
                "b32",
                three,
                lambda x, y, z: 0xFFFFFFFF if ref.signed(x, 32) < ref.signed(y, 32) else 0,
            ),
        ]
    check(found)


def test_conversion_between_integers() -> None:
    found = []
    widths = {"b16": (16,), "b32": (32,), "b64": (64,)}
    for source, target in product(widths, repeat=2):
        for old, new in product("su", repeat=2):
            from_kind, to_kind = old + source[1:], new + target[1:]
            bits = int(target[1:])
            found.append(
                Operation(
                    f"cvt.{to_kind}.{from_kind} {{d}}, {{a}}",
                    target,
                    (source,),
                    lambda x, k=from_kind, b=bits: ref.unsigned(ref.number(x, k), b),
                )
            )
            if source != target or old != new:
                found.append(
                    Operation(
                        f"cvt.sat.{to_kind}.{from_kind} {{d}}, {{a}}",
                        target,
                        (source,),
                        lambda x, k=from_kind, t=to_kind, b=bits: ref.unsigned(
                            ref.clamp(ref.number(x, k), t), b
                        ),
                    )
                )
    # Bytes live in wider registers: the result fills them by its own sign, whatever the source's.
    for old, new in product(("s32", "u32"), ("s8", "u8")):
        found.append(
            Operation(
                f"cvt.{new}.{old} {{d}}, {{a}}",
                "b32",
                ("b32",),
                lambda x, k=new: ref.unsigned(ref.number(x, k), 32),
            )
        )
        found.append(
            Operation(
                f"cvt.sat.{new}.{old} {{d}}, {{a}}",
                "b32",
                ("b32",),
                lambda x, k=old, t=new: ref.unsigned(ref.clamp(ref.number(x, k), t), 32),
            )
        )
    for old, new in product(("s8", "u8"), ("s32", "u32")):
        found.append(
            Operation(
                f"cvt.{new}.{old} {{d}}, {{a}}",
                "b32",
                ("b32",),
                lambda x, k=old: ref.unsigned(ref.number(x, k), 32),
            )
        )
    check(found)


FLOATS = [("f32", np.float32), ("f64", np.float64)]


@pytest.mark.parametrize(("kind", "dtype"), FLOATS, ids=["f32", "f64"])
def test_floating_point_to_nearest(kind: str, dtype: type) -> None:
    two, three = (kind, kind), (kind, kind, kind)
    found = [
        Operation(f"add.rn.{kind} {{d}}, {{a}}, {{b}}", kind, two, lambda x, y: x + y),
        Operation(f"add.{kind} {{d}}, {{a}}, {{b}}", kind, two, lambda x, y: x + y),
        Operation(f"sub.rn.{kind} {{d}}, {{a}}, {{b}}", kind, two, lambda x, y: x - y),
        Operation(f"mul.rn.{kind} {{d}}, {{a}}, {{b}}", kind, two, lambda x, y: x * y),
        Operation(f"div.rn.{kind} {{d}}, {{a}}, {{b}}", kind, two, lambda x, y: x / y),
        Operation(f"sqrt.rn.{kind} {{d}}, {{a}}", kind, two, lambda x, _: np.sqrt(x)),
        Operation(f"rcp.rn.{kind} {{d}}, {{a}}", kind, two, lambda x, _: dtype(1) / x),
        Operation(f"abs.{kind} {{d}}, {{a}}", kind, two, lambda x, _: abs(x)),
        Operation(f"neg.{kind} {{d}}, {{a}}", kind, two, lambda x, _: -x),
        Operation(f"min.{kind} {{d}}, {{a}}, {{b}}", kind, two, ref.least),
        Operation(f"max.{kind} {{d}}, {{a}}, {{b}}", kind, two, lambda x, y: -ref.least(-x, -y)),
        Operation(f"copysign.{kind} {{d}}, {{a}}, {{b}}", kind, two, lambda x, y: np.copysign(y, x)),
        Operation(
            f"fma.rn.{kind} {{d}}, {{a}}, {{b}}, {{c}}",
            kind,
            three,
            lambda x, y, z: ref.multiply_add(x, y, z, "rn"),
        ),
    ]
    if kind == "f32":
        nan = lambda x, y: np.isnan(x) or np.isnan(y)  # noqa: E731
        found += [
            Operation(
                "min.NaN.f32 {d}, {a}, {b}",
                kind,
                two,
                lambda x, y: np.float32(np.nan) if nan(x, y) else ref.least(x, y),
            ),
            Operation("add.sat.f32 {d}, {a}, {b}", kind, two, lambda x, y: ref.saturate(x + y)),
            Operation("mul.sat.f32 {d}, {a}, {b}", kind, two, lambda x, y: ref.saturate(x * y)),
            Operation(
                "fma.rn.sat.f32 {d}, {a}, {b}, {c}",
                kind,
                three,
                lambda x, y, z: ref.saturate(ref.multiply_add(x, y, z, "rn")),
            ),
        ]
    check(found)


def test_flush_to_zero() -> None:
    two, three, flush = ("f32", "f32"), ("f32", "f32", "f32"), ref.flush
    check(
        [
            Operation("add.ftz.f32 {d}, {a}, {b}", "f32", two, lambda x, y: flush(flush(x) + flush(y))),
            Operation("mul.ftz.f32 {d}, {a}, {b}", "f32", two, lambda x, y: flush(flush(x) * flush(y))),
            Operation("div.rn.ftz.f32 {d}, {a}, {b}", "f32", two, lambda x, y: flush(flush(x) / flush(y))),
            Operation("sqrt.rn.ftz.f32 {d}, {a}", "f32", two, lambda x, _: np.sqrt(flush(x))),
            Operation("min.ftz.f32 {d}, {a}, {b}", "f32", two, lambda x, y: ref.least(flush(x), flush(y))),
            Operation("abs.ftz.f32 {d}, {a}", "f32", two, lambda x, _: abs(flush(x))),
            Operation("neg.ftz.f32 {d}, {a}", "f32", two, lambda x, _: -flush(x)),
            Operation("setp.eq.ftz.f32 {d}, {a}, {b}", "pred", two, lambda x, y: flush(x) == flush(y)),
            Operation("cvt.ftz.f64.f32 {d}, {a}", "f64", two, lambda x, _: np.float64(flush(x))),
            Operation("cvt.rpi.ftz.f32.f32 {d}, {a}", "f32", two, lambda x, _: np.ceil(flush(x))),
            Operation(
                "fma.rn.ftz.f32 {d}, {a}, {b}, {c}",
                "f32",
                three,
                lambda x, y, z: flush(ref.multiply_add(flush(x), flush(y), flush(z), "rn")),
            ),
        ]
    )


@pytest.mark.parametrize(("kind", "dtype"), FLOATS, ids=["f32", "f64"])
@pytest.mark.parametrize("mode", ["rz", "rm", "rp"])
def test_directed_rounding(mode: str, kind: str, dtype: type) -> None:
    two, three = (kind, kind), (kind, kind, kind)
    check(
        [
            Operation(f"add.{mode}.{kind} {{d}}, {{a}}, {{b}}", kind, two, lambda x, y: ref.add(x, y, mode)),
            Operation(f"sub.{mode}.{kind} {{d}}, {{a}}, {{b}}", kind, two, lambda x, y: ref.add(x, -y, mode)),
            Operation(
                f"mul.{mode}.{kind} {{d}}, {{a}}, {{b}}",
                kind,
                two,
                lambda x, y: ref.multiply_add(x, y, None, mode),
            ),
            Operation(
                f"div.{mode}.{kind} {{d}}, {{a}}, {{b}}", kind, two, lambda x, y: ref.divide(x, y, mode)
            ),
            Operation(
                f"rcp.{mode}.{kind} {{d}}, {{a}}", kind, two, lambda x, _: ref.divide(dtype(1), x, mode)
            ),
            Operation(f"sqrt.{mode}.{kind} {{d}}, {{a}}", kind, two, lambda x, _: ref.root(x, mode)),
            Operation(
                f"fma.{mode}.{kind} {{d}}, {{a}}, {{b}}, {{c}}",
                kind,
                three,
                lambda x, y, z: ref.multiply_add(x, y, z, mode),
            ),
            Operation(f"cvt.{mode}.f32.f64 {{d}}, {{a}}", "f32", ("f64",), lambda x: narrowed(x, mode)),
        ]
    )


def narrowed(value: np.float64, mode: str) -> np.float32:
    if not np.isfinite(value):
        return np.float32(value)
    return ref.rounded(Fraction(float(value)), mode, np.float32, float(value))


@pytest.mark.parametrize(("kind", "dtype"), FLOATS, ids=["f32", "f64"])
def test_floating_point_comparison(kind: str, dtype: type) -> None:
    two = (kind, kind)
    acts = {
        "eq": lambda x, y: x == y,
        "lt": lambda x, y: x < y,
        "le": lambda x, y: x <= y,
        "gt": lambda x, y: x > y,
        "ge": lambda x, y: x >= y,
        "ne": lambda x, y: x < y or x > y,
    }
    unordered = lambda x, y: bool(np.isnan(x) or np.isnan(y))  # noqa: E731
    found = []
    for name, act in acts.items():
        found += [
            Operation(f"setp.{name}.{kind} {{d}}, {{a}}, {{b}}", "pred", two, act),
            Operation(
                f"setp.{name}u.{kind} {{d}}, {{a}}, {{b}}",
                "pred",
                two,
                lambda x, y, f=act: f(x, y) or unordered(x, y),
            ),
        ]
    tiny = np.finfo(dtype).tiny
    found += [
        Operation(f"setp.num.{kind} {{d}}, {{a}}, {{b}}", "pred", two, lambda x, y: not unordered(x, y)),
        Operation(f"setp.nan.{kind} {{d}}, {{a}}, {{b}}", "pred", two, unordered),
        Operation(f"set.lt.f32.{kind} {{d}}, {{a}}, {{b}}", "f32", two, lambda x, y: np.float32(x < y)),
        Operation(f"testp.finite.{kind} {{d}}, {{a}}", "pred", two, lambda x, _: np.isfinite(x)),
        Operation(f"testp.infinite.{kind} {{d}}, {{a}}", "pred", two, lambda x, _: np.isinf(x)),
        Operation(f"testp.notanumber.{kind} {{d}}, {{a}}", "pred", two, lambda x, _: np.isnan(x)),
        Operation(f"testp.number.{kind} {{d}}, {{a}}", "pred", two, lambda x, _: not np.isnan(x)),
        Operation(
            f"testp.normal.{kind} {{d}}, {{a}}",
            "pred",
            two,
            lambda x, _: np.isfinite(x) and not 0 < abs(x) < tiny,
        ),
        Operation(f"testp.subnormal.{kind} {{d}}, {{a}}", "pred", two, lambda x, _: 0 < abs(x) < tiny),
    ]
    check(found)


@pytest.mark.parametrize(("kind", "dtype"), FLOATS, ids=["f32", "f64"])
def test_conversion_from_floating_point(kind: str, dtype: type) -> None:
    found = []
    acts = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}
    for mode, act in acts.items():
        found.append(Operation(f"cvt.{mode}.{kind}.{kind} {{d}}, {{a}}", kind, (kind,), act))
        for to in ("s32", "u32", "s64", "u64", "s16", "u16"):
            bits = int(to[1:])
            found.append(
                Operation(
                    f"cvt.{mode}.{to}.{kind} {{d}}, {{a}}",
                    f"b{bits}",
                    (kind,),
                    lambda x, m=mode, t=to, b=bits: ref.unsigned(ref.to_integer(x, m, t), b),
                )
            )
    found.append(Operation(f"cvt.rn.f16.{kind} {{d}}, {{a}}", "b16", (kind,), lambda x: half_bits(x)))
    if kind == "f32":
        found.append(Operation("cvt.sat.f32.f32 {d}, {a}", kind, (kind,), ref.saturate))
        found.append(Operation("cvt.f64.f32 {d}, {a}", "f64", (kind,), np.float64))
    else:
        found.append(Operation("cvt.rn.f32.f64 {d}, {a}", "f32", (kind,), np.float32))
    check(found)


def half_bits(value: np.floating) -> int:
    bits = int(np.atleast_1d(np.float16(value)).view(np.uint16)[0])
    return 0x7FFF if np.isnan(value) else bits


def test_conversion_to_floating_point() -> None:
    found = []
    for source in ("s32", "u32", "s64", "u64", "s16", "u16"):
        for to, dtype in FLOATS:
            found.append(
                Operation(
                    f"cvt.rn.{to}.{source} {{d}}, {{a}}",
                    to,
                    (f"b{source[1:]}",),
                    lambda x, k=source, t=dtype: exact_to(ref.number(x, k), t),
                )
            )
    found.append(
        Operation(
            "cvt.f32.f16 {d}, {a}",
            "f32",
            ("b16",),
            lambda x: np.float32(np.array([x], np.uint16).view(np.float16)[0]),
        )
    )
    check(found)


def exact_to(value: int, dtype: type) -> np.floating:
    return ref.rounded(Fraction(value), "rn", dtype)


def test_approximations_are_as_near_as_the_ptx_isa_says() -> None:
    """The error bounds of the PTX ISA 9.7.3 (2 ulp is 2.4e-7), and the special values that it tabulates."""
    one, wide = ("f32",), np.float64
    bounded = lambda f: lambda x: np.float32(f(wide(x)))  # noqa: E731
    check(
        [
            Operation("rcp.approx.f32 {d}, {a}", "f32", one, lambda x: np.float32(1) / x, 2.4e-7, 1.5e-45),
            Operation("sqrt.approx.f32 {d}, {a}", "f32", one, np.sqrt, 2.4e-7),
            Operation("rsqrt.approx.f32 {d}, {a}", "f32", one, bounded(lambda x: 1 / np.sqrt(x)), 2.4e-7),
            Operation("ex2.approx.f32 {d}, {a}", "f32", one, bounded(np.exp2), 2.4e-7, 3e-45),
            Operation(
                "ex2.approx.ftz.f32 {d}, {a}",
                "f32",
                one,
                lambda x: ref.flush(np.float32(np.exp2(wide(x)))),
                2.4e-7,
            ),
            Operation("lg2.approx.f32 {d}, {a}", "f32", one, bounded(np.log2), 3e-7, 2**-22.0),
            Operation("tanh.approx.f32 {d}, {a}", "f32", one, bounded(np.tanh), 2**-10.9),
            Operation("div.approx.f32 {d}, {a}, {b}", "f32", ("f32", "f32"), quotient, 2.4e-7, 3e-45),
            Operation("div.full.f32 {d}, {a}, {b}", "f32", ("f32", "f32"), lambda x, y: x / y, 2.4e-7, 3e-45),
        ]
    )


def quotient(a: np.float32, b: np.float32) -> np.float32:
    """div.approx: nothing is left of 1 / b where b is larger than 2**126."""
    return a * np.copysign(np.float32(0), b) if 2.0**126 < abs(b) < np.inf else a / b


def test_sine_and_cosine_over_two_turns() -> None:
    angles = np.random.default_rng(5).uniform(-2 * np.pi, 2 * np.pi, COUNT).astype(np.float32)
    angles[:4] = (0.0, -0.0, np.inf, np.nan)
    close = [
        Operation(
            f"{name}.approx.f32 {{d}}, {{a}}",
            "f32",
            ("f32",),
            lambda x, f=act: np.float32(f(np.float64(x))),
            0,
            2**-20.5,
        )
        for name, act in (("sin", np.sin), ("cos", np.cos))
    ]
    assert not (wrong := mismatch(close, {"a": angles})), "\n".join(wrong)


REFUSED = [
    ("prmt.b32.f8e %r1, %r1, %r1, %r1", "prmt.b32.f8e"),
    ("add.rn.ftz.sat.oob.f32 %f1, %f1, %f1", "add.rn.ftz.sat.oob.f32"),
    ("cvt.rn.satfinite.bf16.f32 %rs1, %f1", "cvt.rn.satfinite.bf16.f32"),
    ("add.rn.f32x2 %rd2, %rd2, %rd2", "add.rn.f32x2"),
    ("sin.approx.f64 %fd1, %fd1", "sin.approx.f64"),
    ("setp.lo.f32 %p1, %f1, %f1", "setp.lo.f32"),
    ("setp.ltu.s32 %p1, %r1, %r1", "setp.ltu.s32"),
    ("vadd.u32.u32.u32 %r1, %r1, %r1", "vadd.u32.u32.u32"),
    ("add.s32 %r1, %r1", "add.s32"),
    ("wibble.b32 %r1, %r1", "wibble.b32"),
]


@pytest.mark.parametrize(("line", "name"), REFUSED, ids=[name for _, name in REFUSED])
def test_what_is_not_supported_is_refused_by_name(line: str, name: str) -> None:
    """Never a wrong answer: an instruction or rounding that is not built stops the launch at once."""
    body = "{ .reg .b32 %r<4>; .reg .f64 %fd<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>;"
    body += " .reg .b16 %rs<4>; .reg .pred %p<4>;"
    body += (
        " ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [%rd1]; mov.u64 %rd2, %rd1; cvt.rn.f32.u32 %f1, %r1;"
    )
    body += (
        f" cvt.rn.f64.u32 %fd1, %r1; {line}; st.global.u32 [%rd1], %r1; st.global.f64 [%rd1+8], %fd1; ret; }}"
    )
    out = np.zeros(8, np.uint32)
    with pytest.raises(simulator.Unsupported, match=name.replace(".", r"\.")) as caught:
        simulator.load_ptx(header(".param .u64 out") + body).launch("k", 1, 32, [out])
    assert caught.value.instruction == name
    assert not out.any()
