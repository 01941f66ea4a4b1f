"""Results that an H200 gave where the PTX ISA leaves them open, or where intuition errs.

Taken from runs of tests/gpu/test_arithmetic.py (driver 580.159.04).
"""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import simulator
from tests.simulator.semantics import hardware
from tests.simulator.semantics.catalogue import CATALOGUE

ENTRIES = {entry.opcode: entry for entry in CATALOGUE}

RECORDED: dict[str, list[tuple[tuple[int, ...], int]]] = {
    "rem.s16": [((0x1, 0x0), 0xFFFF)],
    "rem.u16": [((0x1, 0x0), 0xFFFF)],
    "rem.s32": [((0x1, 0x0), 0xFFFFFFFF)],
    "rem.u32": [((0x0, 0x0), 0xFFFFFFFF)],
    "rem.s64": [((0x1, 0x0), 0xFFFFFFFFFFFFFFFF)],
    "rem.u64": [((0x1, 0x0), 0xFFFFFFFFFFFFFFFF)],
    "fns.b32": [((0x1, 0x0, 0x80000000), 0x0)],
    # Averages are rounded away from zero.
    "vavrg2.s32.s32.s32": [((0x0, 0xFFFFFFFF, 0x0), 0xFFFFFFFF), ((0x0, 0xFFFFFFFE, 0x3210), 0xFFFFFFFF)],
    "vavrg2.s32.s32.s32.add": [((0x0, 0xFFFFFFFE, 0x3210), 0x320E)],
    "vavrg4.s32.s32.s32": [((0x0, 0xFF, 0x3210), 0xFF)],
    "vavrg4.s32.s32.s32.add": [((0x0, 0xFFFFFFFF, 0x0), 0xFFFFFFFC)],
    # Bit fields that start beyond 255.
    "bfe.u64": [((0x1, 0xFFFFFF00, 0x1F), 0x0), ((0x2, 0x100, 0x1F), 0x0)],
    "bfe.s64": [((0x1, 0xFFFFFF00, 0x1F), 0x0), ((0x2, 0x100, 0x1F), 0x0)],
    "bfi.b64": [((0x0, 0x1, 0x100, 0xFF), 0x1), ((0x0, 0x2, 0x80000000, 0xFFFFFFFE), 0x2)],
    # .ftz: tiny is what is so when rounded without a least exponent.
    "mul.rn.ftz.f32": [((0x800000, 0x3F7FFFFF), 0x0), ((0x800000, 0xBF7FFFFF), 0x80000000)],
    "mul.rn.ftz.sat.f32": [((0x800000, 0x3F7FFFFF), 0x0)],
    "mul.rm.ftz.f32": [((0x800000, 0xBF7FFFFF), 0x80000000)],
    "mul.rp.ftz.f32": [((0x800000, 0x3F7FFFFF), 0x0)],
    "div.rm.ftz.f32": [((0x800000, 0xBF800001), 0x80000000)],
    "div.rp.ftz.f32": [((0x800000, 0x3F800001), 0x0)],
    "mul.rn.ftz.f16": [((0x400, 0x3BFF), 0x0), ((0x400, 0xBBFF), 0x8000)],
    "fma.rn.ftz.f16": [
        ((0x8400, 0xBBFF, 0x2), 0x0),
        ((0x401, 0x8C00, 0x400), 0x0),
        ((0x400, 0x401, 0x8400), 0x8400),
        ((0x8400, 0xC00, 0x400), 0x400),
    ],
    "fma.rn.ftz.f16x2": [((0x3BFF8400, 0x5140BBFF, 0x84010002), 0x513F0000)],
    "cvt.rn.ftz.f32.f64": [
        ((0x380FFFFFE0000000,), 0x0),
        ((0xB80FFFFFE0000000,), 0x80000000),
        ((0x380FFFFFF0000000,), 0x800000),
    ],
    # Zero counts as a normal number.
    "testp.normal.f32": [((0x0,), 1), ((0x80000000,), 1)],
    "testp.normal.f64": [((0x0,), 1), ((0x8000000000000000,), 1)],
}


@pytest.mark.parametrize("opcode", RECORDED)
def test_result(opcode: str) -> None:
    entry = ENTRIES[opcode]
    operands = np.zeros((4, hardware.COUNT), np.uint64)
    for place, (values, _) in enumerate(RECORDED[opcode]):
        operands[: len(values), place] = values
    out = np.zeros((1, 2, hardware.COUNT), np.uint64)
    program = simulator.load_ptx(hardware.text([entry]))
    program.launch("k", hardware.COUNT // hardware.THREADS, hardware.THREADS, [operands, out])
    for place, (values, expected) in enumerate(RECORDED[opcode]):
        found = int(out[0, 0, place])
        assert found == expected, (
            f"{opcode} of {[hex(value) for value in values]} gave {found:#x}; an H200 gave {expected:#x}"
        )
