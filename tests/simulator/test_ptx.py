"""Reading PTX: what NVRTC and others write, and where an error is."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from course_utils import compiler, simulator
from course_utils.simulator import ptx
from tests.simulator.instructions import header

MODULE = """
//
.version 8.5 // a comment
.target sm_90, debug
.address_size 64
.file 1 "/course/kernel.cu"
.visible .const .align 4 .b8 table[8] = {1, 2, 0xFF};
.global .align 8 .u64 pointer = generic(table)+4;
.extern .shared .align 16 .b8 dynamic[];
.visible .entry scale(
    .param .u64 .ptr .global .align 4 scale_param_0,
    .param .align 8 .b8 scale_param_1[16],
    .param .f32 scale_param_2
)
.maxntid 128, 1, 1
{
    .reg .pred %p<3>;
    .reg .b32 %r<5>, %extra;
    .reg .f32 %f<3>;
    .reg .b64 %rd<4>;
    .loc 1 7 5
    ld.param.u64 %rd1, [scale_param_0+-8];
    /* a comment
       over lines */
    @!%p1 bra $L__BB0_2;
    .loc 1 0 3
    ld.global.v4.f32 {%f1, %f2, _, %f1}, [%rd1+16];
$L__BB0_2:
    setp.lt.and.f32 %p1|%p2, %f1, 0f3F800000, !%p1;
    {
        .reg .b32 %r1;
        mov.u32 %r1, %tid.x;
        add.s32 %r2, %r1, -5;
    }
    mov.b64 {%r1, %r2}, %rd1;
    fma.rn.f32 %f1, %f2, 0fBF800000, 0f00000000;
    ret;
}
"""


@pytest.fixture(scope="module")
def module() -> ptx.Module:
    return ptx.parse(MODULE)


@pytest.fixture(scope="module")
def scale(module: ptx.Module) -> ptx.Function:
    return module.functions["scale"]


def test_the_head(module: ptx.Module, scale: ptx.Function) -> None:
    assert module.target == "sm_90"
    assert module.files == {1: "/course/kernel.cu"}
    assert scale.entry
    assert [(each.name, each.type, each.size, each.align, each.array) for each in scale.parameters] == [
        ("scale_param_0", "u64", 8, 4, False),
        ("scale_param_1", "b8", 16, 8, True),
        ("scale_param_2", "f32", 4, 4, False),
    ]
    assert scale.directives["maxntid"] == (128, 1, 1)


def test_variables(module: ptx.Module) -> None:
    table, pointer, dynamic = (module.variables[name] for name in ("table", "pointer", "dynamic"))
    assert (table.space, table.size, table.align) == ("const", 8, 4)
    assert table.initial == [(1, ""), (2, ""), (255, "")]
    assert (pointer.space, pointer.size) == ("global", 8)
    assert (dynamic.space, dynamic.count, dynamic.align) == ("shared", 0, 16)


def test_instructions(scale: ptx.Function) -> None:
    names = [instruction.name for instruction in scale.instructions]
    assert names == ["ld", "bra", "ld", "setp", "mov", "add", "mov", "fma", "ret"]
    load, branch, vector, compare, _, _, unpack, fused, _ = scale.instructions
    assert load.operands == (ptx.Register("%rd1"), ptx.Address(ptx.Symbol("scale_param_0"), -8))
    assert branch.guard == ptx.Register("%p1", negated=True)
    assert branch.operands == (ptx.Symbol("$L__BB0_2"),)
    assert scale.labels["$L__BB0_2"] == 3
    assert vector.operands[1] == ptx.Address(ptx.Register("%rd1"), 16)
    assert vector.operands[0].items[1] == ptx.Register("%f2")
    assert len(vector.operands[0].items) == 4
    assert compare.operands[0] == ptx.Group((ptx.Register("%p1"), ptx.Register("%p2")))
    assert compare.operands[3] == ptx.Register("%p1", negated=True)
    assert (compare.type, compare.parts) == ("f32", ("setp", "lt", "and", "f32"))
    assert unpack.operands[0] == ptx.Group((ptx.Register("%r1"), ptx.Register("%r2")))
    assert fused.operands[2] == ptx.Immediate(0xBF800000, 32)


def test_lines(scale: ptx.Function) -> None:
    """Line 0 is the compiler's own: it stays with the line before it."""
    assert {(each.location.file, each.location.line) for each in scale.instructions} == {(1, 7)}
    text = MODULE.splitlines()
    for instruction in scale.instructions:
        assert instruction.opcode in text[instruction.ptx_line - 1]


def test_a_register_of_an_inner_scope_is_another_one(scale: ptx.Function) -> None:
    inner, outer = scale.instructions[4].operands[0], ptx.Register("%r1")
    assert inner != outer
    assert scale.instructions[5].operands == (ptx.Register("%r2"), inner, ptx.Immediate(-5))
    assert scale.registers[inner.name] == scale.registers["%r1"] == "b32"
    assert scale.registers["%extra"] == "b32"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", ptx.Immediate(12)), ("-12", ptx.Immediate(-12)), ("0x1F", ptx.Immediate(31)),
        ("017", ptx.Immediate(15)),
        ("0b101", ptx.Immediate(5)), ("7U", ptx.Immediate(7)), ("0f3F800000", ptx.Immediate(0x3F800000, 32)),
        ("0d3FF0000000000000", ptx.Immediate(0x3FF0000000000000, 64)), ("WARP_SZ", ptx.Immediate(32)),
        ("1.5", ptx.Immediate(struct.unpack("<Q", struct.pack("<d", 1.5))[0], 64)),
        ("%tid.x", ptx.Special("%tid.x")), ("%r1", ptx.Register("%r1")),
        ("!%p1", ptx.Register("%p1", negated=True)),
        ("table+4", ptx.Symbol("table", 4)), ("[%rd1-4]", ptx.Address(ptx.Register("%rd1"), -4)),
        ("[table+8]", ptx.Address(ptx.Symbol("table"), 8)),
        ("[16]", ptx.Address(None, 16)), ("[%rd1+-16]", ptx.Address(ptx.Register("%rd1"), -16)),
    ],
)  # fmt: skip
def test_operands(text: str, value: ptx.Operand) -> None:
    assert ptx.operand(text) == value


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (".version 8.5\n.entry k() {\n    add.s32 %r1, %r2, [[;\n}", "PTX line 3: cannot read"),
        (".version 8.5\n.entry k() {\n    ret;\n", "ends inside a function"),
        (".version 8.5\n.entry k() {\n    .reg .b99 ;\n}", "PTX line 3"),
        (".version 8.5\n.global .wide x;\n", "the type .wide is not supported"),
        ("this is no PTX", "PTX line 1: cannot read"),
        ("}", "PTX line 1: cannot read"),
        (".version 8.5\n.entry k() {\n    @\n;}", "PTX line 3: cannot read"),
        (".version 8.5\n.loc 1\n", "PTX line 2: cannot read"),
    ],
)
def test_text_that_cannot_be_read(text: str, sentence: str) -> None:
    with pytest.raises(simulator.PtxError) as caught:
        simulator.load_ptx(text)
    assert sentence in str(caught.value)


def test_cutting_a_module_anywhere_never_crashes() -> None:
    """Any beginning of a module is read or refused with a PtxError."""
    refused = 0
    for end in range(0, len(MODULE), 7):
        try:
            ptx.parse(MODULE[:end])
        except simulator.PtxError:
            refused += 1
    assert refused > 50


def test_what_nvrtc_writes_is_read() -> None:
    source = "template <typename T> __device__ T twice(T x) { return x + x; }\n"
    source += 'extern "C" __global__ void k(float *a) { a[threadIdx.x] = twice(a[threadIdx.x]); }'
    made = compiler.compile(source, name="k.cu")
    function = ptx.parse(made.ptx).functions["k"]
    stores = [each for each in function.instructions if each.name == "st"]
    assert [(each.opcode, each.location.line) for each in stores] == [("st.global.f32", 2)]


BROKEN = [
    "cvt.rn.f32.s32%f2, %r1;", "shl.b32 %r3;", "mul.wide.u32 %rd2;", "ld.param.%f1 %rd1, [out];",
    "add.s64 %rd2, %rd1, [%rd1];", "@%p1 bra ;", "shfl.sync.v4.b32 %r1|%p2, %r1, 1, 31, -1;",
    "mov.u32 %r2, %tid.%q9;", "atom.global.add.u32 %r1, %r1;",
    "add.u32 %r1, %r1, %nowhere;", "bra NOWHERE;", "st.global.u32 [%rd1], table;", "add.u32;",
]  # fmt: skip


@pytest.mark.parametrize("line", BROKEN)
def test_malformed_instructions_are_an_error_of_the_simulator(line: str) -> None:
    """Text that no compiler writes: the answer is one of the simulator's own errors."""
    body = "{ .reg .pred %p<3>; .reg .b32 %r<4>; .reg .f32 %f<3>; .reg .b64 %rd<3>; ld.param.u64 %rd1, [out];"
    text = f"{header('.param .u64 out')}{body}\n{line}\nret; }}"
    with pytest.raises(simulator.Error):
        simulator.load_ptx(text).launch("k", 1, 32, [np.zeros(32, np.uint32)])
