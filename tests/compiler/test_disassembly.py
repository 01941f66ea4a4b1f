"""Machine code by line. The disassembler is a script here: it is not among the course's packages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from course_utils import compiler
from course_utils.compiler import disassembly

LISTING = """
	.section	.text.other,"ax",@progbits
        /*0000*/                   MOV R1, c[0x0][0x28] ;
	.section	.text.twice,"ax",@progbits
	//## File "/twice.cu", line 2
        /*0000*/                   MOV R1, c[0x0][0x28] ;
        /*0010*/              @!P0 LDG.E R2, desc[UR4][R2.64] ;
	//## File "/usr/include/cuda_fp16.h", line 9 inlined at "/twice.cu", line 3
        /*0020*/                   EXIT ;
"""
SOURCE = 'extern "C" __global__ void twice(float* x) {\n    x[threadIdx.x] *= 2.0f;\n}\n'


def test_a_listing() -> None:
    assert disassembly.parse(LISTING, "twice.cu", "twice") == (
        (2, "MOV R1, c[0x0][0x28]"),
        (2, "@!P0 LDG.E R2, desc[UR4][R2.64]"),
        (None, "EXIT"),
    )
    assert disassembly.parse(LISTING, "twice.cu", "other") == ((None, "MOV R1, c[0x0][0x28]"),)
    assert disassembly.parse("", "twice.cu", "twice") == ()


@pytest.mark.skipif(sys.platform == "win32", reason="the disassembler is a shell script")
def test_with_and_without_a_disassembler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = compiler.compile(SOURCE, name="twice.cu")
    monkeypatch.setattr(disassembly, "find", lambda: None)
    assert disassembly.instructions(compiled, "twice") == ()
    script = tmp_path / "nvdisasm"
    script.write_text(f"#!/bin/sh\ntest -s \"$2\" && cat <<'END'\n{LISTING}END\n")
    script.chmod(0o755)
    monkeypatch.setattr(disassembly, "find", lambda: str(script))
    assert [line for line, _ in disassembly.instructions(compiled, "twice")] == [2, 2, None]


def test_tools_of_the_toolkit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert disassembly.tool("nv-something") is None
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "nv-something").write_text("")
    assert disassembly.tool("nv-something") == str(tmp_path / "bin" / "nv-something")
