"""Carries, masks, permuted bytes, dot products, packed integers: what test_semantics leaves out."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from tests.simulator import reference as ref
from tests.simulator.instructions import Operation, mismatch
from tests.simulator.semantics import operands

WORD = 0xFFFFFFFF


def check(operations: list[Operation], bits: int = 32) -> None:
    wrong = mismatch(operations, operands.words(bits, len(operations[0].sources)))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("bits", [32, 64])
def test_carry(bits: int) -> None:
    three, top = (f"b{bits}",) * 3, (1 << bits) - 1
    both = lambda c: c | c << bits  # noqa: E731
    lines: list[tuple[str, Callable[[int, int, int], int]]] = [
        ("add.cc.uN {d}, {a}, {b}; addc.uN {d}, {c}, {b}", lambda a, b, c: (a + b >> bits) + b + c),
        ("add.cc.uN {d}, {a}, {b}; addc.uN {d}, 0, 0", lambda a, b, c: a + b >> bits),
        (
            "add.cc.uN {d}, {a}, {b}; addc.cc.uN {d}, {c}, {b}; addc.uN {d}, 0, 0",
            lambda a, b, c: both(b) + (a | c << bits) >> 2 * bits,
        ),
        ("sub.cc.uN {d}, {a}, {b}; subc.uN {d}, {c}, {b}", lambda a, b, c: (c << bits | a) - both(b) >> bits),
        (
            "sub.cc.sN {d}, {a}, {b}; subc.cc.sN {d}, {c}, {b}; subc.uN {d}, 0, 0",
            lambda a, b, c: (c << bits | a) - both(b) >> 2 * bits,
        ),
        ("mad.lo.cc.uN {d}, {a}, {b}, {c}; madc.hi.uN {d}, {a}, {b}, 0", lambda a, b, c: a * b + c >> bits),
        (
            "mad.lo.cc.uN {d}, {a}, {b}, {c}; madc.hi.cc.uN {d}, {a}, {b}, {c}; addc.uN {d}, 0, 0",
            lambda a, b, c: a * b + both(c) >> 2 * bits,
        ),
        (
            "mad.hi.cc.sN {d}, {a}, {b}, {c}; madc.lo.uN {d}, {a}, {b}, {c}",
            lambda a, b, c: (
                a * b + c + (((ref.signed(a, bits) * ref.signed(b, bits) >> bits) & top) + c >> bits)
            ),
        ),
    ]
    if bits == 64:  # 128 bits in parts
        lines.append(("mul.lo.u64 {d}, {a}, {b}; mul.hi.u64 {d}, {a}, {b}", lambda a, b, c: a * b >> 64))
    check(
        [
            Operation(line.replace("N", str(bits)), f"b{bits}", three, lambda *x, f=act: f(*x) & top)
            for line, act in lines
        ],
        bits,
    )


def test_carry_outlives_a_block() -> None:
    """The carry crosses a branch that only some lanes take."""
    line = "add.cc.u32 {d}, {a}, {b}; setp.lt.u32 %p1, {a}, {c}; @%p1 bra LABEL; "
    line += "mov.u32 {d}, 7; LABEL: addc.u32 {d}, {d}, 0"
    # Labels must differ in each of the four ways, so every way has its own scope.
    expected = lambda a, b, c: ((a + b if a < c else 7) + (a + b >> 32)) & WORD  # noqa: E731
    check([Operation("{{ " + line + "; }} mov.u32 {d}, {d}", "b32", ("b32",) * 3, expected)])


def test_masks_and_extensions() -> None:
    def bmsk(a: int, b: int, mode: str) -> int:
        if mode == "wrap":
            a, b = a & 31, b & 31
        return (((1 << min(b, 32)) - 1) << min(a, 32)) & WORD

    def szext(a: int, b: int, mode: str, kind: str) -> int:
        if b > 31:
            if mode == "clamp":
                return a
            b &= 31
        low = a & (1 << b) - 1
        return low | (WORD << b & WORD) if kind == "s32" and b and low >> b - 1 else low

    group = []
    for mode in ("clamp", "wrap"):
        group.append(
            Operation(
                f"bmsk.{mode}.b32 {{d}}, {{a}}, {{b}}",
                "b32",
                ("b32",) * 2,
                lambda a, b, m=mode: bmsk(a, b, m),
            )
        )
        for kind in ("u32", "s32"):
            group.append(
                Operation(
                    f"szext.{mode}.{kind} {{d}}, {{a}}, {{b}}",
                    "b32",
                    ("b32",) * 2,
                    lambda a, b, m=mode, k=kind: szext(a, b, m, k),
                )
            )
    check(group)


def test_find_nth_set() -> None:
    def fns(mask: int, base: int, offset: int) -> int:
        if offset == 1 << 31:
            return 0
        if base > 31:
            return WORD
        offset = ref.signed(offset, 32)
        if offset == 0:
            return base if mask >> base & 1 else WORD
        places = range(base, 32) if offset > 0 else range(base, -1, -1)
        found = [place for place in places if mask >> place & 1]
        return found[abs(offset) - 1] if abs(offset) <= len(found) else WORD

    group = [Operation("fns.b32 {d}, {a}, {b}, {c}", "b32", ("b32",) * 3, fns)]
    for base, offset in product((0, 7, 31), (-3, 0, 1, 5)):
        group.append(
            Operation(
                f"fns.b32 {{d}}, {{a}}, {base}, {offset}",
                "b32",
                ("b32",) * 3,
                lambda a, b, c, p=base, n=offset: fns(a, p, n & WORD),
            )
        )
    check(group)


PERMUTATIONS = {  # from the table of the PTX ISA: selector -> source of bytes 3, 2, 1, 0
    "f4e": ("3210", "4321", "5432", "6543"),
    "b4e": ("5670", "6701", "7012", "0123"),
    "rc8": ("0000", "1111", "2222", "3333"),
    "ecl": ("3210", "3211", "3222", "3333"),
    "ecr": ("0000", "1110", "2210", "3210"),
    "rc16": ("1010", "3232", "1010", "3232"),
}


def test_permuted_bytes() -> None:
    def prmt(a: int, b: int, c: int, mode: str) -> int:
        both = (b << 32 | a).to_bytes(8, "little")
        return int.from_bytes(bytes(both[int(digit)] for digit in PERMUTATIONS[mode][c & 3]), "big")

    check(
        [
            Operation(
                f"prmt.b32.{mode} {{d}}, {{a}}, {{b}}, {{c}}",
                "b32",
                ("b32",) * 3,
                lambda a, b, c, m=mode: prmt(a, b, c, m),
            )
            for mode in PERMUTATIONS
        ]
    )


def test_logic_with_a_predicate() -> None:
    table = lambda a, b, c: (a & b) ^ c  # noqa: E731 - 0x6A
    check(
        [
            Operation(
                "setp.lt.u32 %p2, {a}, {b}; lop3.or.b32 %r8|{d}, {a}, {b}, {c}, 0x6A, %p2",
                "pred",
                ("b32",) * 3,
                lambda a, b, c: table(a, b, c) != 0 or a < b,
            ),
            Operation(
                "setp.lt.u32 %p2, {a}, {b}; lop3.and.b32 _|{d}, {a}, {b}, {c}, 0x6A, !%p2",
                "pred",
                ("b32",) * 3,
                lambda a, b, c: table(a, b, c) != 0 and a >= b,
            ),
            Operation(
                "setp.lt.u32 %p2, {a}, {b}; lop3.or.b32 {d}|%p3, {a}, {b}, {c}, 0x6A, %p2",
                "b32",
                ("b32",) * 3,
                table,
            ),
            Operation(
                "setp.lt.u32 %p2, {a}, {c}; setp.eq.and.u32 {d}|%p3, {a}, {b}, %p2",
                "pred",
                ("b32",) * 3,
                lambda a, b, c: a == b and a < c,
            ),
            Operation(
                "setp.lt.u32 %p2, {a}, {c}; setp.eq.xor.u32 %p3|{d}, {a}, {b}, %p2",
                "pred",
                ("b32",) * 3,
                lambda a, b, c: (a != b) != (a < c),
            ),
        ]
    )


def test_dot_products() -> None:
    def field(value: int, start: int, bits: int, kind: str) -> int:
        return ref.number(value >> start & (1 << bits) - 1, f"{kind[0]}{bits}")

    group = []
    for half, (one, other) in product(("lo", "hi"), product(("s32", "u32"), repeat=2)):

        def dp2a(a: int, b: int, c: int, h: str = half, k: str = one, m: str = other) -> int:
            skip = 16 if h == "hi" else 0
            return c + sum(field(a, 16 * i, 16, k) * field(b, 8 * i + skip, 8, m) for i in (0, 1)) & WORD

        group.append(
            Operation(f"dp2a.{half}.{one}.{other} {{d}}, {{a}}, {{b}}, {{c}}", "b32", ("b32",) * 3, dp2a)
        )
    check(group)


def test_saturating_products_and_24_bits() -> None:
    n = ref.signed
    clamp = lambda value: ref.unsigned(ref.clamp(value, "s32"), 32)  # noqa: E731

    def hi24(a: int, b: int) -> int:
        return n(a & 0xFFFFFF, 24) * n(b & 0xFFFFFF, 24) >> 16

    check(
        [
            Operation(
                "mad.hi.sat.s32 {d}, {a}, {b}, {c}",
                "b32",
                ("b32",) * 3,
                lambda a, b, c: clamp((n(a, 32) * n(b, 32) >> 32) + n(c, 32)),
            ),
            Operation(
                "mad24.hi.sat.s32 {d}, {a}, {b}, {c}",
                "b32",
                ("b32",) * 3,
                lambda a, b, c: clamp(n(hi24(a, b) & WORD, 32) + n(c, 32)),
            ),
            Operation(
                "mad24.hi.s32 {d}, {a}, {b}, {c}", "b32", ("b32",) * 3, lambda a, b, c: hi24(a, b) + c & WORD
            ),
            Operation(
                "min.relu.s32 {d}, {a}, {b}",
                "b32",
                ("b32",) * 3,
                lambda a, b, c: max(min(n(a, 32), n(b, 32)), 0),
            ),
            Operation(
                "max.relu.s32 {d}, {a}, {b}", "b32", ("b32",) * 3, lambda a, b, c: max(n(a, 32), n(b, 32), 0)
            ),
        ]
    )


def test_pairs_of_integers() -> None:
    def paired(act: Callable[[int, int], int], kind: str) -> Callable[[int, int], int]:
        number = lambda x: ref.number(x, kind[:3])  # noqa: E731
        each = lambda x, y: act(number(x & 0xFFFF), number(y & 0xFFFF)) & 0xFFFF  # noqa: E731
        return lambda a, b: each(a, b) | each(a >> 16, b >> 16) << 16

    acts = {"add": lambda x, y: x + y, "min": min, "max": max}
    group = [
        Operation(f"{name}.{kind} {{d}}, {{a}}, {{b}}", "b32", ("b32",) * 2, paired(act, kind))
        for (name, act), kind in product(acts.items(), ("s16x2", "u16x2"))
    ]
    for name in ("min", "max"):
        group.append(
            Operation(
                f"{name}.relu.s16x2 {{d}}, {{a}}, {{b}}",
                "b32",
                ("b32",) * 2,
                paired(lambda x, y, f=acts[name]: max(f(x, y), 0), "s16x2"),
            )
        )
    check(group)


def test_parts_of_a_word() -> None:
    """The SIMD video instructions, as a sum of parts and part by part."""
    acts: dict[str, Callable[[int, int], int]] = {
        "add": lambda x, y: x + y,
        "sub": lambda x, y: x - y,
        "avrg": lambda x, y: x + y + (x + y >= 0) >> 1,
        "absdiff": lambda x, y: abs(x - y),
        "min": min,
        "max": max,
    }
    group = []
    for (name, act), count, kind in product(acts.items(), (2, 4), ("s32", "u32")):
        bits = 32 // count

        def parts(
            a: int, b: int, f: Callable[[int, int], int] = act, w: int = bits, k: str = kind
        ) -> list[int]:
            cut = lambda x, i: ref.number(x >> i & (1 << w) - 1, f"{k[0]}{w}")  # noqa: E731
            return [f(cut(a, i), cut(b, i)) for i in range(0, 32, w)]

        def plain(a: int, b: int, c: int, p: Callable[..., list[int]] = parts, w: int = bits) -> int:
            return sum(ref.unsigned(value, w) << w * i for i, value in enumerate(p(a, b)))

        def saturated(
            a: int, b: int, c: int, p: Callable[..., list[int]] = parts, w: int = bits, k: str = kind
        ) -> int:
            return sum(ref.unsigned(ref.clamp(v, f"{k[0]}{w}"), w) << w * i for i, v in enumerate(p(a, b)))

        def total(a: int, b: int, c: int, p: Callable[..., list[int]] = parts) -> int:
            return sum(p(a, b)) + c & WORD

        opcode = f"v{name}{count}.{kind}.{kind}.{kind}"
        for suffix, compute in (("", plain), (".sat", saturated), (".add", total)):
            group.append(
                Operation(f"{opcode}{suffix} {{d}}, {{a}}, {{b}}, {{c}}", "b32", ("b32",) * 3, compute)
            )
    check(group)


def test_moves() -> None:
    check(
        [
            Operation(
                "mov.b32 {{%rs1, %rs2}}, {a}; mov.b32 {d}, {{%rs2, %rs1}}",
                "b32",
                ("b32",) * 2,
                lambda a, b: (a << 16 | a >> 16) & WORD,
            ),
            Operation(
                "mov.b64 %rd7, {{{a}, {b}}}; mov.b64 {{_, {d}}}, %rd7", "b32", ("b32",) * 2, lambda a, b: b
            ),
            Operation(
                "mov.b64 %rd7, {{{a}, {b}}}; mov.b64 {{%rs1, %rs2, %rs3, %rs4}}, %rd7; "
                "mov.b32 {d}, {{%rs3, %rs2}}",
                "b32",
                ("b32",) * 2,
                lambda a, b: (b & 0xFFFF) | (a >> 16) << 16,
            ),
            Operation(
                "mov.b64 %rd7, {{{a}, {b}}}; mov.b64 %rd8, {{{b}, {b}}}; {{ .reg .b128 %q; "
                "mov.b128 %q, {{%rd7, %rd8}}; "
                "mov.b128 {{%rd8, %rd7}}, %q; }} shr.u64 %rd8, %rd8, 32; cvt.u32.u64 {d}, %rd8",
                "b32",
                ("b32",) * 2,
                lambda a, b: b,
            ),
            Operation(
                "{{ .reg .u32 t, u; mov.u32 t, %laneid; mad.wide.u32 %rd7, t, 0x40000000, 5; "
                "mov.b64 {{t, u}}, %rd7; "
                "xor.b32 u, u, t; xor.b32 {d}, u, {a}; }} xor.b32 {d}, {d}, {a}; mov.u32 %r9, %laneid; "
                "shl.b32 %r6, %r9, 30; "
                "add.u32 %r6, %r6, 5; shr.u32 %r9, %r9, 2; xor.b32 %r9, %r9, %r6; setp.eq.u32 %p1, %r9, {d}; "
                "selp.u32 {d}, 1, 0, %p1",
                "b32",
                ("b32",) * 2,
                lambda a, b: 1,
            ),
        ]
    )


def test_literals_of_another_precision() -> None:
    """They are rounded to the type of the instruction; too large, they are infinite."""
    lines = {
        "add.f32 {d}, 0f00000000, 0d3FB999999999999A": np.float32(0.1),
        "add.f32 {d}, 0f00000000, 0d7FE0000000000000": np.float32(np.inf),
        "add.f32 {d}, 0fC0000000, 3": np.float32(1),
        "add.f64 %fd1, 0d0000000000000000, 0f3F000000; cvt.rn.f32.f64 {d}, %fd1": np.float32(0.5),
    }
    check([Operation(line, "f32", ("b32",), lambda a, v=value: v) for line, value in lines.items()])
