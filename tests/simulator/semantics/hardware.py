"""PTX for entries of the catalogue, operands for it, and the comparison of two machines' results.

The same text runs on the simulator and, through the driver, on a GPU (tests/gpu/test_arithmetic.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tests.simulator.semantics.catalogue import Entry
from tests.simulator.semantics.formats import FORMATS
from tests.simulator.semantics.operands import HALVES

THREADS = 128
COUNT = 4096
"""Operands of every entry."""
BITS = {"e4m3x2": 16, "e5m2x2": 16, "pred": 32, "f16": 16, "bf16": 16, "f32": 32, "tf32": 32, "f64": 64}


def bits(kind: str) -> int:
    """Bits that a value of a type takes in memory."""
    return BITS[kind] if kind in BITS else 32 if kind.endswith("x2") else int(kind[1:])


def register(kind: str) -> str:
    """The type to declare a register with: f32, f64, or bits."""
    return kind if kind in ("f32", "f64") else f"b{bits(kind)}"


def text(entries: Sequence[Entry]) -> str:
    """A module with one kernel, `k(in, out)`.

    in: four operands of COUNT 64-bit values, those of operand number n from in + 8 * COUNT * n. out: of each
    entry, COUNT 64-bit values with the first result and as many with the second. All entries have the same
    sources.
    """
    sources = entries[0].sources
    lines = [
        ".version 8.5",
        ".target sm_90",
        ".address_size 64",
        ".visible .entry k(.param .u64 in, .param .u64 out) {",
        ".reg .b64 %a<8>; .reg .b32 %i<4>;",
        "ld.param.u64 %a0, [in]; ld.param.u64 %a1, [out];",
        f"mov.u32 %i0, %ctaid.x; mov.u32 %i1, %tid.x; mad.lo.u32 %i2, %i0, {THREADS}, %i1;",
        "mul.wide.u32 %a2, %i2, 8;",
        "add.u64 %a0, %a0, %a2; add.u64 %a1, %a1, %a2;",
    ]
    names = []
    for number, kind in enumerate(sources):
        name = f"%s{number}"
        lines.append(f".reg .{register(kind)} {name};")
        lines.append(f"ld.global.{register(kind)} {name}, [%a0+{8 * COUNT * number}];")
        if kind == "pred":
            lines.append(
                f".reg .pred %q{number}; and.b32 {name}, {name}, 1; setp.ne.u32 %q{number}, {name}, 0;"
            )
            name = f"%q{number}"
        names.append(name)
    for number, entry in enumerate(entries):
        lines += _one(entry, names, number)
    return "\n".join([*lines, "ret;", "}"])


def _one(entry: Entry, names: list[str], number: int) -> list[str]:
    place, second = f"[%a1+{16 * COUNT * number}]", f"[%a1+{16 * COUNT * number + 8 * COUNT}]"
    kind = register(entry.result)
    carried = ".cc." in entry.opcode
    target = "p" if entry.result == "pred" else "d"
    sources = list(names)
    lines = ["{", f".reg .pred p, q; .reg .b32 t, u; .reg .{kind} d;"]
    if carried and entry.sources[-1] == "pred":  # the carry comes from an instruction before
        name = sources.pop()
        lines.append(f"selp.u32 u, 1, 0, {name};")
        lines.append(
            "sub.cc.u32 t, 0, u;" if entry.opcode.startswith("sub") else "add.cc.u32 t, u, 0xFFFFFFFF;"
        )
    if entry.pair and not carried:
        target += "|q"
    operands = ", ".join([target, *sources, *entry.fixed])
    lines.append(f"{entry.opcode} {operands};")
    if carried:
        lines.append(
            f"{'subc' if entry.opcode.startswith('sub') else 'addc'}.u32 t, 0, 0; st.global.u32 {second}, t;"
        )
    elif entry.pair:
        lines.append(f"selp.u32 t, 1, 0, q; st.global.u32 {second}, t;")
    if entry.result == "pred":
        lines.append(f"selp.u32 t, 1, 0, p; st.global.u32 {place}, t;")
    else:
        lines.append(f"st.global.{kind} {place}, d;")
    return [*lines, "}"]


def inputs(sources: Sequence[str], about: str = "wide", seed: int = 1) -> np.ndarray:
    """Operands, uint64 of shape (4, COUNT), low bits used: extremes in all pairs first, then random ones."""
    random = np.random.default_rng(seed)
    found = np.zeros((4, COUNT), np.uint64)
    extremes = [np.array(_extremes(kind), np.uint64) for kind in sources]
    for number, kind in enumerate(sources):
        data = _random(kind, random)
        special = extremes[number]
        turn = np.repeat(special, len(extremes[1]) if len(sources) > 1 else 1) if number == 0 else special
        some = np.resize(turn, COUNT // 2) if number < 2 else random.choice(special, COUNT // 2)
        data[: COUNT // 2] = some
        if about == "turns":
            data = (
                random.uniform(-2 * math.pi, 2 * math.pi, COUNT)
                .astype(np.float32)
                .view(np.uint32)
                .astype(np.uint64)
            )
        if about == "lanes" and number == 1:
            data &= np.uint64(31)
        found[number] = data
    return found


def _extremes(kind: str) -> list[int]:
    if kind in ("f16x2", "bf16x2"):
        one = _extremes(kind[:-2])
        return [low | high << 16 for low, high in zip(one, one[7:] + one[:7], strict=True)]
    if kind in HALVES:
        return [each | sign for each in HALVES[kind] for sign in (0, 0x8000)]
    if kind in ("f32", "f64"):
        form = FORMATS[kind]
        numbers = (
            0.0,
            1.0,
            1.5,
            2.0**31,
            2.0**32,
            2.0**63,
            2.0**64,
            65519.0,
            65520.0,
            0.5,
            2.5,
            255.5,
            3.3895314e38,
        )
        least, top = 1 << form.precision - 1, form.infinity
        some = [form.bits(number, nan=top + 1) for number in numbers]
        some += [
            1,
            2,
            least - 1,
            least,
            least + 1,
            top - 1,
            top,
            top + (least >> 1),
            some[1] + 1,
            some[1] - 1,
        ]
        if kind == "f64":  # just below the smallest normal float
            some += [form.bits(2.0**-126 * (1 - 2.0**-bits), nan=top + 1) for bits in (23, 24, 25, 26, 52)]
        return [each | sign for each in some for sign in (0, form.sign)]
    if kind == "pred":
        return [0, 1]
    if kind in ("e4m3x2", "e5m2x2"):
        return [0x00, 0x7F80, 0x817E, 0x7B7C, 0x0807, 0xFF01, 0x387D, 0x0483]
    width = 16 if kind.endswith("x2") else bits(kind)
    top = (1 << width) - 1
    some = [
        0,
        1,
        2,
        7,
        31,
        32,
        33,
        63,
        64,
        255,
        256,
        top,
        top - 1,
        top >> 1,
        (top >> 1) + 1,
        top - 255,
        0x3210 & top,
    ]
    return [each | (top - each) << 16 for each in some] if kind.endswith("x2") else some


def _random(kind: str, random: np.random.Generator) -> np.ndarray:
    width = bits(kind)
    data = random.integers(0, (1 << width) - 1, COUNT, np.uint64, endpoint=True)
    if kind in ("f32", "f64"):  # half of them about 1, so that sums cancel and roundings are close
        dtype, whole = (np.float32, np.uint32) if kind == "f32" else (np.float64, np.uint64)
        near = np.ldexp(random.normal(0, 1, COUNT), random.integers(-3, 4, COUNT)).astype(dtype)
        data[::2] = near.view(whole)[::2]
    elif not kind.startswith(("f", "bf", "pred")):
        data[::3] &= np.uint64(63)
    return data


def differences(entry: Entry, operands: np.ndarray, one: np.ndarray, other: np.ndarray) -> list[str]:
    """Where two machines' results differ by more than the entry allows; the first few, in words.

    one, other: uint64 of shape (2, COUNT): first and second results, the second machine's as the truth.
    """
    wrong = np.zeros(COUNT, bool)
    if entry.result == "pred" or entry.pair:
        wrong |= one[1] != other[1]
    parts = ((0, 16), (16, 16)) if entry.result in ("f16x2", "bf16x2") else ((0, bits(entry.result)),)
    form = FORMATS.get(entry.result.removesuffix("x2").replace("tf32", "f32"))
    for shift, width in parts:
        mask = np.uint64((1 << width) - 1)
        a, b = (each[0] >> np.uint64(shift) & mask for each in (one, other))
        off = a != b
        if form is not None:
            for index in np.flatnonzero(off):
                off[index] = not _alike(entry, form.value(int(a[index])), form.value(int(b[index])))
        wrong |= off
    return [
        f"{entry.opcode} of {[hex(int(each[index])) for each in operands[: len(entry.sources)]]}: "
        f"{int(one[0][index]):#x}, {int(one[1][index]):#x}; "
        f"expected {int(other[0][index]):#x}, {int(other[1][index]):#x} "
        f"({int(wrong.sum())} of {COUNT} differ)"
        for index in np.flatnonzero(wrong)[:2]
    ]


def _alike(entry: Entry, found: float, expected: float) -> bool:
    if math.isnan(found) or math.isnan(expected):
        return math.isnan(found) and math.isnan(expected)
    if not (entry.error or entry.floor):
        return found == expected and math.copysign(1, found) == math.copysign(1, expected)
    return found == expected or abs(found - expected) <= max(entry.error * abs(expected), entry.floor)


def groups(entries: Sequence[Entry], size: int = 40) -> list[list[Entry]]:
    """Entries that share sources and range of operands, at most `size` together."""
    together: dict[tuple[tuple[str, ...], str], list[Entry]] = {}
    for entry in entries:
        together.setdefault((entry.sources, entry.about), []).append(entry)
    return [
        found[start : start + size] for found in together.values() for start in range(0, len(found), size)
    ]
