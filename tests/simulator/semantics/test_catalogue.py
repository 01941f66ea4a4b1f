"""The whole catalogue runs on the simulator, with the same bits on a processor with AVX2 alone as on this
one."""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
import numpy as np
import pytest

from course_utils import simulator
from course_utils.simulator import machine
from tests.simulator.semantics import hardware
from tests.simulator.semantics.catalogue import CATALOGUE, Entry
from tests.simulator.semantics.test_portable import function

GROUPS = hardware.groups(CATALOGUE)


@pytest.mark.parametrize("entries", GROUPS[::9], ids=lambda group: group[0].opcode)
def test_groups_run(entries: list[Entry]) -> None:
    """The kernels for a GPU (tests/gpu/test_arithmetic.py) run here too, and give something."""
    operands = hardware.inputs(entries[0].sources, entries[0].about)
    out = np.zeros((len(entries), 2, hardware.COUNT), np.uint64)
    grid = hardware.COUNT // hardware.THREADS
    simulator.load_ptx(hardware.text(entries)).launch("k", grid, hardware.THREADS, [operands, out])
    assert all(results[0].any() for results in out)


def test_a_wrong_result_is_noticed() -> None:
    add = Entry("add.rn.f32", ("f32", "f32"), "f32")
    close = Entry("ex2.approx.f32", ("f32",), "f32", error=2.0**-22)
    operands = hardware.inputs(add.sources)
    results = np.full((2, hardware.COUNT), 0x3F800000, np.uint64)
    nan = results.copy()
    results[0, 5], nan[0, 5] = 0x7FFFFFFF, 0xFFC00000
    assert not hardware.differences(add, operands, results, nan)
    off = nan.copy()
    off[0, 7] += np.uint64(1)
    assert not hardware.differences(close, operands, off, results)
    (line,) = hardware.differences(add, operands, off, results)
    assert line.startswith("add.rn.f32 of ")
    zero, minus = np.zeros_like(results), np.zeros_like(results)
    minus[0] = 0x80000000
    assert hardware.differences(add, operands, zero, minus)


@pytest.mark.skipif(not llvm.get_default_triple().startswith("x86_64"), reason="compares two kinds of x86-64")
@pytest.mark.skipif(not llvm.get_host_cpu_features().get("avx2"), reason="this processor has no AVX2")
def test_avx2_gives_the_same_bits() -> None:
    """32 lanes of extremes and random numbers through every entry, in code for this processor and for AVX2
    alone."""
    text = "\n".join(function(entry, 32, f"f{number}_32") for number, entry in enumerate(CATALOGUE))
    text += machine._declarations(text)
    native = results_of(text, llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    plain = results_of(text, "haswell", "")
    wrong = [
        entry.opcode
        for entry, one, other in zip(CATALOGUE, native, plain, strict=True)
        if hardware.differences(Entry(entry.opcode, entry.sources, entry.result), OPERANDS[entry], one, other)
    ]
    assert not wrong


LANES = range(0, hardware.COUNT, hardware.COUNT // 256)
OPERANDS = {entry: hardware.inputs(entry.sources, entry.about, seed=3) for entry in CATALOGUE}


def results_of(text: str, cpu: str, features: str) -> list[np.ndarray]:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    made = target.create_target_machine(cpu=cpu, features=features, opt=1, jit=True)
    module = llvm.parse_assembly(text)
    engine = llvm.create_mcjit_compiler(module, made)
    engine.finalize_object()
    found = []
    for number, entry in enumerate(CATALOGUE):
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(
            engine.get_function_address(f"f{number}_32")
        )
        results = np.zeros((2, hardware.COUNT), np.uint64)
        for start in range(0, 256, 32):
            lanes = list(LANES)[start : start + 32]
            call_once(call, entry, OPERANDS[entry][:, lanes], results, lanes)
        found.append(results)
    return found


def call_once(
    call: object, entry: Entry, operands: np.ndarray, results: np.ndarray, lanes: list[int]
) -> None:
    memory, out = (np.zeros(32 * 64 + 64, np.uint64) for _ in range(2))
    inside, outside = ((64 - each.ctypes.data % 64) % 64 // 8 for each in (memory, out))
    for number, kind in enumerate(entry.sources):
        place = memory[inside + 32 * number : inside + 32 * number + 32]
        if kind == "pred":
            place.view(np.uint32)[0] = np.packbits(operands[number] & 1, bitorder="little").view(np.uint32)[0]
        else:
            width = hardware.bits(kind)
            place.view(f"u{width // 8}")[:32] = operands[number].astype(f"u{width // 8}")
    call(memory.ctypes.data + 8 * inside, out.ctypes.data + 8 * outside)  # type: ignore[operator]
    kinds = [entry.result, *(["pred"] if entry.pair else [])]
    for number, kind in enumerate(kinds):
        place = out[outside + 32 * number : outside + 32 * number + 32]
        if kind == "pred":
            results[number, lanes] = np.unpackbits(place.view(np.uint8)[:4], bitorder="little")
        else:
            results[number, lanes] = place.view(f"u{hardware.bits(kind) // 8}")[:32]
