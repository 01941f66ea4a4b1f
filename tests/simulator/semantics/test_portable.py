"""The code needs no function of a C library, whatever the processor: one could not be found on every system.

Every rule is written for one value and for 32, and translated for AVX2 on Windows and for ARM64.
"""

from __future__ import annotations

import re

import llvmlite.binding as llvm
import pytest

from course_utils.simulator import machine, ptx
from course_utils.simulator.ir import FLOATS, Code, Value, vector_type
from course_utils.simulator.semantics import ELEMENT, RULES, results
from tests.simulator.semantics.catalogue import CATALOGUE, Entry

TARGETS = {
    "avx2": ("x86_64-pc-windows-msvc", "haswell"),
    "arm64": ("aarch64-unknown-linux-gnu", "generic"),
}


def function(entry: Entry, width: int, name: str) -> str:
    """LLVM text of a function that loads the operands, does the instruction and stores the results."""
    code = Code()
    operands = ["%d", *(f"%{letter}" for letter in "abcd"[: len(entry.sources)]), *entry.fixed]
    opcode = entry.opcode
    instruction = ptx.Instruction(
        opcode, tuple(opcode.split(".")), tuple(map(ptx.operand, operands)), None, ptx.Location(0, 0), 1
    )
    sources = []
    for number, kind in enumerate(entry.sources):
        element = "i16" if ELEMENT[kind] == "half" else ELEMENT[kind]
        shape = element if width == 1 else vector_type(element)
        place = code.op(f"getelementptr i8, ptr %in, i64 {256 * number}")
        sources.append(
            Value(code.op(f"load {shape}, ptr {place}"), element, (0,) * 32 if width == 1 else None)
        )
    for number, (text, element) in enumerate(results(instruction, code, sources, width)):
        shape = element if width == 1 else vector_type(element)
        place = code.op(f"getelementptr i8, ptr %out, i64 {256 * number}")
        code.do(f"store {shape} {text}, ptr {place}")
        assert element in FLOATS or element[0] == "i"
    body = [f"define void @{name}(ptr %in, ptr %out) {{", *code.lines, "  ret void", "}"]
    return "\n".join([*code.helpers.values(), *body]).replace("@helper.", f"@{name}.")


@pytest.fixture(scope="module")
def module() -> str:
    functions = [
        function(entry, width, f"f{number}_{width}")
        for number, entry in enumerate(CATALOGUE)
        for width in (1, 32)
    ]
    return "\n".join(functions)


@pytest.mark.parametrize("target", TARGETS)
def test_no_library_function_is_called(module: str, target: str) -> None:
    assert called_by(module, target) == set()


@pytest.mark.parametrize("target", TARGETS)
def test_a_call_would_be_found(target: str) -> None:
    text = "define double @f(double %a) {\n  %b = frem double %a, 3.0\n  ret double %b\n}"
    assert called_by(text, target) == {"fmod"}


def called_by(module: str, target: str) -> set[str]:
    """Names of the functions outside the module that its machine code calls."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    triple, cpu = TARGETS[target]
    made = llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, opt=1, codemodel="small")
    parsed = llvm.parse_assembly(module + machine._declarations(module))
    parsed.triple, parsed.data_layout = triple, str(made.target_data)
    assembly = made.emit_assembly(parsed)
    called = set(re.findall(r"^\s*(?:callq?|bl|jmp|b)\s+([A-Za-z_][\w.$@]*)", assembly, re.MULTILINE))
    return {name for name in called if not re.match(r"\.?L|f\d+_", name)}


def test_every_rule_is_in_the_catalogue() -> None:
    names = {entry.opcode.split(".")[0] for entry in CATALOGUE}
    assert {name.split(".")[0] for name, _ in RULES} == names | {"mov"}
