"""Hand-written PTX that puts one instruction after another to the test, in all the ways a warp can run it.

A kernel gets up to three operand arrays and computes every operation of a group four times: with a value of
its own in every lane, with one value for the warp, and both again behind a branch that only some lanes take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from course_utils import simulator

WAYS = ("own values", "one value for the warp", "own values, some lanes", "one value, some lanes")
DTYPES = {"b16": np.uint16, "b32": np.uint32, "b64": np.uint64, "f32": np.float32, "f64": np.float64}
BLOCKS = 40
COUNT = 32 * BLOCKS
PREFIX = {"b16": "rs", "b32": "r", "b64": "rd", "f32": "f", "f64": "fd", "pred": "p"}


@dataclass(frozen=True)
class Operation:
    """One line of PTX with {d}, {a}, {b}, {c} for its operands; their types; and what it computes.

    `d` is the type of the result, "pred" for a truth value. `tolerance` is relative, 0: bit for bit.
    """

    line: str
    d: str
    sources: tuple[str, ...]
    compute: Callable[..., object]
    tolerance: float = 0.0
    floor: float = 0.0  # absolute error always allowed

    @property
    def name(self) -> str:
        return self.line.split()[0]


def header(parameters: str, name: str = "k") -> str:
    return f".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry {name}({parameters})\n"


def text(operations: Sequence[Operation]) -> str:
    """The kernel for operations that share their operands' types."""
    sources = operations[0].sources
    lines = [
        "{",
        ".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<40>; .reg .b64 %rd<40>;",
        ".reg .f32 %f<9>; .reg .f64 %fd<9>;",
        "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [gate];",
        "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; shl.b32 %r3, %r1, 5; add.s32 %r4, %r3, %r2;",
        "mul.wide.u32 %rd3, %r4, 8; mul.wide.u32 %rd4, %r3, 8; add.s64 %rd5, %rd1, %rd3;",
        "mul.wide.u32 %rd6, %r4, 4; add.s64 %rd7, %rd2, %rd6; ld.global.u32 %r5, [%rd7];",
        "setp.ne.s32 %p8, %r5, 0;",
    ]
    registers: dict[str, tuple[str, str]] = {}  # operand -> its register with own values, with one value
    for number, (letter, kind) in enumerate(zip("abc", sources, strict=False)):
        base = 10 * (number + 1)
        width = np.dtype(DTYPES[kind]).itemsize
        own, one = f"%{PREFIX[kind]}v{letter}", f"%{PREFIX[kind]}u{letter}"
        lines[1] += f" .reg .{kind} {own}, {one};"
        lines += [
            f"ld.param.u64 %rd{base}, [in{letter}];",
            f"mul.wide.u32 %rd{base + 1}, %r4, {width}; add.s64 %rd{base + 2}, %rd{base}, %rd{base + 1};",
            f"mul.wide.u32 %rd{base + 3}, %r3, {width}; add.s64 %rd{base + 4}, %rd{base}, %rd{base + 3};",
            f"ld.global.{kind} {own}, [%rd{base + 2}]; ld.global.{kind} {one}, [%rd{base + 4}];",
        ]
        registers[letter] = (own, one)

    def compute(way: int) -> list[str]:
        found = []
        for position, operation in enumerate(operations):
            target = f"%{PREFIX[operation.d]}8" if operation.d != "pred" else "%p1"
            names = {letter: pair[way % 2] for letter, pair in registers.items()}
            found.append(operation.line.format(d=target, **names) + ";")
            kind = operation.d
            if kind == "pred":
                found.append("selp.u32 %r8, 1, 0, %p1;")
                target, kind = "%r8", "b32"
            offset = (position * len(WAYS) + way) * COUNT * 8
            found.append(f"st.global.{kind} [%rd5+{offset}], {target};")
        return found

    lines += [*compute(0), *compute(1), "@!%p8 bra DONE;", *compute(2), *compute(3), "DONE: ret;", "}"]
    parameters = ["out", "gate", *(f"in{letter}" for letter in registers)]
    return header(", ".join(f".param .u64 {name}" for name in parameters)) + "\n".join(lines)


@cache
def gate() -> np.ndarray:
    """Which lanes take the branch: some in most warps, all or none in others."""
    flags = np.random.default_rng(3).integers(0, 2, (BLOCKS, 32)).astype(np.uint32)
    flags[::5], flags[1::7] = 1, 0
    return flags.reshape(-1)


def mismatch(operations: Sequence[Operation], inputs: dict[str, np.ndarray]) -> list[str]:
    """Run a group; the first wrong result of each operation and way. `inputs`: operand letter -> array."""
    out = np.zeros(len(operations) * len(WAYS) * COUNT, np.uint64)
    program = simulator.load_ptx(text(operations))
    program.launch("k", BLOCKS, 32, [out, gate(), *inputs.values()], workers=1)
    results = out.reshape(len(operations), len(WAYS), COUNT)
    wrong = []
    own = list(
        zip(*(array.tolist() if array.dtype.kind == "u" else array for array in inputs.values()), strict=True)
    )
    for operation, by_way in zip(operations, results, strict=True):
        kind = DTYPES["b32" if operation.d == "pred" else operation.d]
        with np.errstate(all="ignore"):
            each = np.array([operation.compute(*values) for values in own], kind)
        whole = np.repeat(each[::32], 32)
        for way, found in enumerate(by_way):
            expected = (each, whole)[way % 2]
            taken = gate().astype(bool) if way >= 2 else np.ones(COUNT, bool)
            got = found.view(kind)[:: 8 // np.dtype(kind).itemsize]
            bad = np.nonzero(taken & ~_alike(got, expected, operation))[0]
            if len(bad):
                at = int(bad[0])
                used = own[at] if way % 2 == 0 else own[at // 32 * 32]
                wrong.append(
                    f"{operation.name} ({WAYS[way]}) of {used}: {got[at]!r}, expected {expected[at]!r} "
                    f"({len(bad)} of {int(taken.sum())} wrong)"
                )
            elif not (found[~taken] == 0).all():
                wrong.append(
                    f"{operation.name} ({WAYS[way]}): lanes that did not take the branch stored something"
                )
    return wrong


def _alike(found: np.ndarray, expected: np.ndarray, operation: Operation) -> np.ndarray:
    if found.dtype.kind != "f":
        return found == expected
    nan = np.isnan(found) & np.isnan(expected)
    whole = {4: np.uint32, 8: np.uint64}[found.dtype.itemsize]
    same = found.view(whole) == expected.view(whole)
    if operation.tolerance or operation.floor:
        with np.errstate(all="ignore"):
            near = abs(found.astype(np.float64) - expected) <= np.maximum(
                abs(expected) * operation.tolerance, operation.floor
            )
        return nan | same | near | (found == expected)
    return nan | same
