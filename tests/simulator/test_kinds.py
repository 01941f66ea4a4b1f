"""What the fast code keeps once for a warp must give every lane its own right value, wrapped around or not.

Random straight-line PTX over thread indices, parameters and literals, with detours that some lanes take and
loops; every register is stored at the end and compared with NumPy. Parameters are drawn from the numbers at
which 32 bits overflow.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from course_utils import simulator
from tests.simulator.instructions import header

ODD_NUMBERS = (
    0,
    1,
    2,
    3,
    5,
    31,
    32,
    33,
    100,
    1 << 16,
    (1 << 30) + 1,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
    (1 << 32) - 32,
)
SHAPES = (
    (32, 1, 1), (64, 1, 1), (96, 1, 1), (20, 1, 1), (33, 1, 1), (1, 1, 1), (16, 16, 1), (8, 8, 1), (8, 6, 1),
    (4, 4, 4), (16, 3, 1), (32, 4, 1), (5, 7, 1), (1, 33, 1), (2, 16, 2), (64, 2, 1), (24, 4, 1), (4, 8, 1),
    (1, 1, 32),
)  # fmt: skip


@dataclass
class Text:
    """A kernel being written, and the NumPy functions that follow it."""

    random: random.Random
    lines: list[str] = field(default_factory=list)
    names: dict[int, list[str]] = field(default_factory=lambda: {32: [], 64: []})
    count: int = 0

    def pick(self, bits: int) -> str:
        return self.random.choice(self.names[bits])

    def target(self, bits: int) -> str:
        """A new register, or an old one to write again."""
        if self.random.random() < 0.25:
            return self.pick(bits)
        self.count += 1
        return f"%{'r' if bits == 32 else 'rd'}{100 + self.count}"


Values = dict[str, np.ndarray]
Step = Callable[[Values], None]


def _signed(array: np.ndarray) -> np.ndarray:
    return array.view(np.int32 if array.dtype == np.uint32 else np.int64)


def instruction(text: Text) -> Step:
    """One random instruction; returns what it does to all threads' registers."""
    rng = text.random
    number = rng.choice(ODD_NUMBERS)
    kind = rng.choice(
        ["add", "add", "sub", "mul", "mul literal", "mad", "shl", "shr", "and", "or", "neg", "widen",
         "widen", "wide product", "wide mad", "add 64", "sub 64", "mul 64", "shl 64", "shr 64", "narrow",
         "move", "min", "select", "literal"]
    )  # fmt: skip
    if not text.names[64]:
        kind = "widen"
    bits = 64 if kind.endswith("64") or kind in ("widen", "wide product", "wide mad") else 32
    width = 64 if kind.endswith("64") else 32
    a, b, c = (text.pick(width) for _ in range(3))
    wide = text.pick(64) if text.names[64] else ""
    d = text.target(bits) if text.names[bits] else ("%rd100" if bits == 64 else "%r100")
    kind = kind.removesuffix(" 64")
    unsigned = rng.random() < 0.5
    s = "u" if unsigned else "s"
    amount = rng.choice([0, 1, 2, 3, 5, 16, 31])
    dtype = np.uint32 if width == 32 else np.uint64
    literal = dtype(number)
    shown = str(number) if width == 64 or number < 1 << 31 else str(number - (1 << 32))
    view = (lambda x: x) if unsigned else _signed
    op = f"{s}{width}"
    extend = lambda x: x.astype(np.uint64) if unsigned else x.view(np.int32).astype(np.int64).view(np.uint64)  # noqa: E731
    table: dict[str, tuple[str, Callable[[Values], np.ndarray]]] = {
        "add": (f"add.{op} {d}, {a}, {b}", lambda v: v[a] + v[b]),
        "sub": (f"sub.{op} {d}, {a}, {b}", lambda v: v[a] - v[b]),
        "mul": (f"mul.lo.{op} {d}, {a}, {b}", lambda v: v[a] * v[b]),
        "mul literal": (f"mul.lo.{op} {d}, {a}, {shown}", lambda v: v[a] * literal),
        "mad": (f"mad.lo.{op} {d}, {a}, {b}, {c}", lambda v: v[a] * v[b] + v[c]),
        "shl": (f"shl.b{width} {d}, {a}, {amount}", lambda v: v[a] << dtype(amount)),
        "shr": (f"shr.{op} {d}, {a}, {amount}",
                lambda v: (view(v[a]) >> view(np.array([amount], dtype))).view(dtype)),
        "and": (f"and.b32 {d}, {a}, {shown}", lambda v: v[a] & literal),
        "or": (f"or.b32 {d}, {a}, {b}", lambda v: v[a] | v[b]),
        "neg": (f"neg.s32 {d}, {a}", lambda v: np.uint32(0) - v[a]),
        "widen": (f"cvt.{s}64.{s}32 {d}, {a}", lambda v: extend(v[a])),
        "wide product": (f"mul.wide.{s}32 {d}, {a}, {b}", lambda v: extend(v[a]) * extend(v[b])),
        "wide mad": (f"mad.wide.{s}32 {d}, {a}, {b}, {wide}",
                     lambda v: extend(v[a]) * extend(v[b]) + v[wide]),
        "narrow": (f"cvt.u32.u64 {d}, {wide}", lambda v: v[wide].astype(np.uint32)),
        "move": (f"mov.u32 {d}, {a}", lambda v: v[a]),
        "literal": (f"mov.u32 {d}, {shown}", lambda v: np.full_like(v[a], literal)),
        "min": (f"min.{op} {d}, {a}, {b}", lambda v: np.minimum(view(v[a]), view(v[b])).view(dtype)),
        "select": (f"setp.lt.u32 %p1, {a}, {b}; selp.b32 {d}, {b}, {c}, %p1",
                   lambda v: np.where(v[a] < v[b], v[b], v[c])),
    }  # fmt: skip
    line, compute = table[kind]
    text.lines.append(line + ";")
    if d not in text.names[bits]:
        text.names[bits].append(d)

    def step(values: Values) -> None:
        values[d] = np.broadcast_to(compute(values), values["%r1"].shape).copy()

    return step


def sequence(text: Text, count: int, depth: int) -> list[Step]:
    steps: list[Step] = []
    for _ in range(count):
        draw = text.random.random()
        if depth and draw < 0.12:
            steps.append(detour(text, depth - 1))
        elif depth and draw < 0.2:
            steps.append(loop(text, depth - 1))
        else:
            steps.append(instruction(text))
    return steps


def detour(text: Text, depth: int) -> Step:
    """Instructions that only some lanes run. Registers first written there stay unused elsewhere."""
    before = {bits: list(names) for bits, names in text.names.items()}
    text.count += 1
    label, a, mask = f"PAST{text.count}", text.pick(32), text.random.choice([1, 2, 8, 0x80000000])
    predicate = f"%q{text.count}"
    shown = mask if mask < 1 << 31 else mask - (1 << 32)
    text.lines.append(
        f".reg .pred {predicate}; and.b32 %r90, {a}, {shown}; setp.eq.s32 {predicate}, %r90, 0;"
        f" @{predicate} bra {label};"
    )
    inner = sequence(text, text.random.randrange(1, 5), depth)
    text.lines.append(f"{label}:")
    text.names = {bits: list(names) for bits, names in before.items()}

    def step(values: Values) -> None:
        taken = values[a] & np.uint32(mask) != 0
        kept = {name: values[name].copy() for names in before.values() for name in names}
        for each in inner:
            each(values)
        for name, old in kept.items():
            values[name] = np.where(taken, values[name], old)

    return step


def loop(text: Text, depth: int) -> Step:
    before = {bits: list(names) for bits, names in text.names.items()}
    text.count += 1
    number, rounds = text.count, text.random.randrange(1, 4)
    text.lines.append(f".reg .pred %q{number}; .reg .b32 %k{number}; mov.u32 %k{number}, 0;")
    text.lines.append(f"AGAIN{number}:")
    inner = sequence(text, text.random.randrange(1, 5), depth)
    text.lines.append(
        f"add.s32 %k{number}, %k{number}, 1; setp.lt.s32 %q{number}, %k{number}, {rounds};"
        f" @%q{number} bra AGAIN{number};"
    )
    text.names = {bits: list(names) for bits, names in before.items()}

    def step(values: Values) -> None:
        for _ in range(rounds):
            for each in inner:
                each(values)

    return step


def kernel(seed: int) -> tuple[str, list[Step], list[str]]:
    """(PTX, what it does, the registers that it stores)."""
    text = Text(random.Random(seed))
    text.names[32] = ["%r1", "%r2", "%r3", "%r4", "%r5", "%r6", "%r7"]
    steps = sequence(text, 22, 2)
    stored = [*text.names[32], *text.names[64]]
    head = [
        "{ .reg .pred %p<4>; .reg .b32 %r<900>; .reg .b64 %rd<900>;",
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %laneid;",
        "ld.param.u32 %r5, [k0]; ld.param.u32 %r6, [k1]; ld.param.u32 %r7, [k2]; ld.param.u64 %rd1, [out];",
        "mov.u32 %r20, %ntid.x; mov.u32 %r21, %ntid.y; mov.u32 %r22, %ntid.z;",
        "mov.u32 %r23, %tid.z; mov.u32 %r24, %ctaid.x;",
        "mad.lo.s32 %r25, %r23, %r21, %r2; mad.lo.s32 %r26, %r25, %r20, %r1; mul.lo.s32 %r27, %r20, %r21;",
        "mul.lo.s32 %r27, %r27, %r22; mad.lo.s32 %r28, %r24, %r27, %r26;",
        f"mul.wide.s32 %rd2, %r28, {8 * len(stored)}; add.s64 %rd3, %rd1, %rd2;",
    ]
    tail = [
        f"st.global.{'u32' if name[:3] != '%rd' else 'u64'} [%rd3+{8 * place}], {name};"
        for place, name in enumerate(stored)
    ]
    parameters = ".param .u64 out, .param .u32 k0, .param .u32 k1, .param .u32 k2"
    # The indices are read again: the tests' own registers may have been overwritten.
    head[5] = head[5].replace("%r2;", "%r31;").replace("%r1;", "%r30;")
    head.insert(5, "mov.u32 %r30, %tid.x; mov.u32 %r31, %tid.y;")
    return header(parameters) + "\n".join([*head, *text.lines, *tail, "ret; }"]), steps, stored


def run(seed: int) -> None:
    source, steps, stored = kernel(seed)
    rng = random.Random(seed + 1_000_000)
    program = simulator.load_ptx(source)
    for _ in range(2):
        block, grid = rng.choice(SHAPES), 2
        numbers = [rng.choice(ODD_NUMBERS) for _ in range(3)]
        threads = block[0] * block[1] * block[2]
        linear = np.tile(np.arange(threads, dtype=np.uint32), grid)
        values: Values = {
            "%r1": linear % block[0],
            "%r2": linear // block[0] % block[1],
            "%r3": np.repeat(np.arange(grid, dtype=np.uint32), threads),
            "%r4": linear % 32,
        }
        values |= {f"%r{5 + place}": np.full_like(linear, number) for place, number in enumerate(numbers)}
        values = {name: array.astype(np.uint32) for name, array in values.items()}
        with np.errstate(over="ignore"):
            for step in steps:
                step(values)
        out = np.zeros((grid * threads, len(stored)), np.uint64)
        program.launch("k", grid, block, [out, *(np.uint32(number) for number in numbers)], workers=1)
        for place, name in enumerate(stored):
            wrong = np.nonzero(out[:, place] != values[name])[0]
            assert not len(wrong), (
                f"seed {seed}, block {block}, parameters {numbers}: {name} of thread {wrong[0]} is "
                f"{out[wrong[0], place]:#x}, "
                f"expected {int(values[name][wrong[0]]):#x}\n{source}"
            )


@pytest.mark.parametrize("seed", range(24))
def test_every_lane_has_its_own_value(seed: int) -> None:
    run(seed)
