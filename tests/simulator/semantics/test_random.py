"""Random operands, found and shrunk by Hypothesis: whole programs of a few instructions against NumPy."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from course_utils import simulator
from tests.simulator.instructions import header

LANES = 32
FLOATS = ("add.rn", "sub.rn", "mul.rn", "div.rn")
INTEGERS = {
    "add.u32": lambda a, b: a + b,
    "sub.u32": lambda a, b: a - b,
    "mul.lo.u32": lambda a, b: a * b,
    "mul.hi.u32": lambda a, b: (a.astype(np.uint64) * b >> np.uint64(32)).astype(np.uint32),
    "and.b32": lambda a, b: a & b,
    "xor.b32": lambda a, b: a ^ b,
    "min.u32": np.minimum,
    "max.s32": lambda a, b: np.maximum(a.view(np.int32), b.view(np.int32)).view(np.uint32),
    "div.u32": lambda a, b: np.where(b == 0, np.uint32(0xFFFFFFFF), a // np.maximum(b, np.uint32(1))),
    "rem.u32": lambda a, b: np.where(b == 0, np.uint32(0xFFFFFFFF), a % np.maximum(b, np.uint32(1))),
    "shl.b32": lambda a, b: np.where(b > 31, 0, a << (b & np.uint32(31))).astype(np.uint32),
    "shr.u32": lambda a, b: np.where(b > 31, 0, a >> (b & np.uint32(31))).astype(np.uint32),
}


@cache
def program(kind: str, steps: tuple[str, ...]) -> simulator.Program:
    """x, y = op(x, y), x for each step; odd steps only in lanes whose operand bits are odd."""
    size = {"b32": 4, "f32": 4, "f64": 8}[kind]
    lines = [
        f"{{ .reg .{kind} %x, %y, %t; .reg .b32 %r<3>; .reg .b64 %rd<9>; .reg .pred %p;",
        "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [out];",
        f"mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, {size};",
        "add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4; add.s64 %rd7, %rd3, %rd4;",
        f"ld.global.{kind} %x, [%rd5]; ld.global.{kind} %y, [%rd6]; ld.global.u32 %r2, [%rd5];",
        "and.b32 %r2, %r2, 1; setp.ne.u32 %p, %r2, 0;",
    ]
    for number, step in enumerate(steps):
        guard = "@%p " if number % 2 else ""
        opcode = step if kind == "b32" else f"{step}.{kind}"
        lines.append(f"{guard}{opcode} %t, %x, %y; {guard}mov.{kind} %y, %x; {guard}mov.{kind} %x, %t;")
    lines.append(f"st.global.{kind} [%rd7], %x; ret; }}")
    return simulator.load_ptx(header(".param .u64 a, .param .u64 b, .param .u64 out") + "\n".join(lines))


def run(kind: str, steps: tuple[str, ...], a: np.ndarray, b: np.ndarray) -> np.ndarray:
    out = np.zeros_like(a)
    program(kind, steps).launch("k", 1, LANES, [a, b, out], workers=1)
    return out


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_floating_point_programs(data: st.DataObject) -> None:
    kind, dtype, whole = data.draw(
        st.sampled_from([("f32", np.float32, np.uint32), ("f64", np.float64, np.uint64)])
    )
    steps = data.draw(st.sampled_from([FLOATS, FLOATS[::-1], ("mul.rn", "add.rn"), ("div.rn", "sub.rn")]))
    a, b = (data.draw(arrays(dtype, LANES, elements=st.floats(width=8 * dtype().itemsize))) for _ in range(2))
    odd = (a.view(np.uint32)[:: dtype().itemsize // 4] & 1).astype(bool)
    acts = {"add.rn": np.add, "sub.rn": np.subtract, "mul.rn": np.multiply, "div.rn": np.divide}
    x, y = a, b
    with np.errstate(all="ignore"):
        for number, step in enumerate(steps):
            active = odd if number % 2 else np.ones(LANES, bool)
            x, y = np.where(active, acts[step](x, y), x), np.where(active, x, y)
    found = run(kind, steps, a, b)
    same = (found.view(whole) == x.view(whole)) | (np.isnan(found) & np.isnan(x))
    assert same.all()


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_integer_programs(data: st.DataObject) -> None:
    names = tuple(INTEGERS)
    steps = data.draw(st.sampled_from([names, names[::-1], names[::2] + names[1::2]]))
    words = st.integers(0, (1 << 32) - 1) | st.sampled_from([0, 1, 31, 32, 33, 1 << 31, (1 << 32) - 1])
    a, b = (data.draw(arrays(np.uint32, LANES, elements=words)) for _ in range(2))
    odd = (a & 1).astype(bool)
    x, y = a, b
    with np.errstate(all="ignore"):
        for number, step in enumerate(steps):
            active = odd if number % 2 else np.ones(LANES, bool)
            x, y = np.where(active, INTEGERS[step](x, y), x), np.where(active, x, y)
    np.testing.assert_array_equal(run("b32", steps, a, b), x)
