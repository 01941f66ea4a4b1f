"""No file outside the CUDA headers and kernels/ can be read through the compiler."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path

import pytest

from course_utils import compiler
from course_utils.compiler import includes, program, toolchain

SECRET = "secret_token_9321"
KERNEL = 'extern "C" __global__ void k(int *a) { a[0] = 1; }\n'


@pytest.fixture
def secret(tmp_path: Path) -> str:
    path = tmp_path / "secret.h"
    path.write_text(f"{SECRET} = {SECRET};\n")
    return path.as_posix()


# {0} is the absolute path of a file that must stay unread.
HOSTILE = {
    "absolute": '#include "{0}"',
    "absolute in angle brackets": "#include <{0}>",
    "two slashes": '#include "/{0}"',
    "up and away": '#include "../../../../../../../../../../../..{0}"',
    "up from a header's folder": "#include <cooperative_groups/../../../../../../../../../../../../..{0}>",
    "through this folder": '#include "./../../../../../../../../../../../../..{0}"',
    "backslashes": r'#include "..\..\secret.h"',
    "a name longer than any file's": '#include "' + "x" * 5000 + '"',
    "nothing": '#include ""',
    "a drive": '#include "C:/secret.h"',
    "a splice in the word": '#inc\\\nlude "{0}"',
    "a splice with a Windows line end": '#inc\\\r\nlude "{0}"',
    "a splice in the name": '#include "\\\n{0}"',
    "a splice that hides the dots": '#include ".\\\n./secret.h"',
    "comments between": '#/**/include/* */"{0}"',
    "a comment over lines": '#/*\n*/include/*\n\n*/"{0}"',
    "a comment before": '/* a\n b */ # include "{0}"',
    "a comment with a hash": '#/* # */ include "{0}"',
    "a comment too long to follow": "#/*" + "x" * 5000 + '*/include "{0}"',
    "a comment that looks unfinished": '#/*/ /*/ /**/include "{0}"',
    "vertical space": '\v#\tinclude\f"{0}"',
    "carriage returns": '#\rinclude\r"{0}"',
    "after a byte order mark": '\ufeff\ufeff#include "{0}"',
    "the digraph": '%:include "{0}"',
    "the trigraph": '??=include "{0}"',
    "a trigraph splice": '// ??/\n#include "{0}"',
    "a trigraph splice of a directive": '#inc??/\nlude "{0}"',
    "a macro": '#define FILE "{0}"\n#include FILE',
    "a macro that makes brackets": "#define F(x) <x>\n#include F({0})",
    "a macro of the compiler's": "#include __FILE__",
    "include_next": '#include_next "{0}"',
    "import": '#import "{0}"',
    "embed": 'const char text[] = {{\n#embed "{0}"\n}};',
    "in a macro's argument": '#define S(x) #x\n__device__ char s[] = S(\n#include "{0}"\n);',
    "under a condition": '#if 1\n#include "{0}"\n#endif',
    "after a string with a comment": 'const char *s = "/*";\n#include "{0}"\n/* */',
    "after a raw string": '#define R R"(/*\n)"\n#include "{0}"\n// */',
    "has_include": '#if __has_include("{0}")\n#error there\n#endif',
    "has_include by a macro": '#define H __has_include\n#if H("{0}")\n#error there\n#endif',
    "has_include of a macro": '#define FILE "{0}"\n#if __has_include(FILE)\n#error there\n#endif',
    "beside the source, which is at the root": '#include "{1}"',
    "a header of Thrust": "#define THRUST_DEVICE_SYSTEM_SORT_HEADER <{0}>",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_includes_are_refused(what: str, secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program._POOL, "run", lambda *_: pytest.fail("the source reached NVRTC"))
    with pytest.raises(compiler.CompileError) as caught:
        compiler.compile(HOSTILE[what].format(secret, secret.lstrip("/")) + "\n" + KERNEL)
    assert SECRET not in str(caught.value)
    assert caught.value.errors[0][0] > 0


# Forms that are no include to NVRTC either, or name a file where none is opened.
HARMLESS = {
    "a line directive": '#line 1 "{0}"\nint x = y;',
    "a line marker": '# 1 "{0}"\nint x = y;',
    "a module import": 'import "{0}";',
    "a pragma": '#pragma include_alias("cuda_fp16.h", "{0}")\n#include "cuda_fp16.h"\nint x = y;',
    "an operator pragma": '_Pragma("include \\"{0}\\"")\nint x = y;',
    "inline PTX": '__device__ void f() {{ asm(".include \\"{0}\\";"); }}\nint x = y;',
    "a letter by its number": '#\\u0069nclude "{0}"',
}


@pytest.mark.parametrize("standard", ["-std=c++11", "-std=c++20"])
@pytest.mark.parametrize("what", HARMLESS)
def test_forms_that_nvrtc_itself_does_not_follow(what: str, standard: str, secret: str) -> None:
    with pytest.raises(compiler.CompileError) as caught:
        compiler.compile(HARMLESS[what].format(secret) + "\n" + KERNEL, options=[standard])
    assert SECRET not in str(caught.value)


def test_a_file_beside_the_source_is_not_read(secret: str) -> None:
    with pytest.raises(compiler.CompileError, match="it is a file outside kernels/"):
        compiler.compile('#include "secret.h"\n', name=str(Path(secret).with_name("k.cu")))


def test_the_files_name_is_not_read(secret: str) -> None:
    with pytest.raises(compiler.CompileError) as caught:
        compiler.compile("int x = y;\n", name=secret)
    assert SECRET not in str(caught.value)


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is Linux's")
def test_the_worker_cannot_read_other_files_even_past_the_scan(secret: str) -> None:
    # What the scan guards against, sent to the worker directly.
    program._POOL.close()
    source = f'#include "{secret}"\n'.encode()
    answer = program._POOL.run([source, b"k.cu", b"1", b"-arch=sm_90"], "k.cu", 20, None)
    if program._POOL.confinement() != "landlock":
        pytest.skip("this kernel has no Landlock")
    assert int(answer[0]) != 0
    assert SECRET.encode() not in answer[2]
    assert b"open source file" in answer[2]


ORDINARY = {
    "a host-only include": "#ifndef __CUDACC_RTC__\n#include <cstdio>\n#endif",
    "a question whether": "#ifdef __has_include\n#if __has_include(<cuda_fp16.h>)\n#endif\n#endif",
    "a question with defined": "#if defined(__has_include)\n#endif",
    "a comment about includes": "// there is no #include MACRO here, nor #include </etc/passwd>",
    "a string": '__device__ const char text[] = "#include MACRO";',
    "a word that begins so": "#define include_it 1\n#if include_it\n#endif",
    "a splice elsewhere": "#define ONE \\\n  1",
}


@pytest.mark.parametrize("what", ORDINARY)
def test_ordinary_sources_pass(what: str) -> None:
    assert "k" in compiler.compile(ORDINARY[what] + "\n" + KERNEL).resources


def test_headers_under_kernels_are_found_by_their_path(kernels: Path) -> None:
    (kernels / "common").mkdir()
    (kernels / "common" / "a.cuh").write_text('#include "b.cuh"\n#include <common/c.cuh>\n')
    (kernels / "common" / "b.cuh").write_text("#define B 2\n")
    (kernels / "common" / "c.cuh").write_text("#define C 3\n")
    source = '#include "common/a.cuh"\nextern "C" __global__ void k(int *a) { a[0] = B * 10 + C; }'
    assert ", 23;" in compiler.compile(source).ptx
    found = includes.scan(source, "k.cu", kernels)
    assert found["common/b.cuh"] == b"#define B 2\n"
    assert set(found) == {"common/a.cuh", "common/b.cuh", "common/c.cuh"}


def test_a_source_under_kernels_may_include_its_neighbours(kernels: Path) -> None:
    (kernels / "topic").mkdir()
    (kernels / "topic" / "near.cuh").write_text("#define NEAR 7\n")
    source = '#include "near.cuh"\nextern "C" __global__ void k(int *a) { a[0] = NEAR; }'
    assert ", 7;" in compiler.compile(source, name=str(kernels / "topic" / "k.cu")).ptx


def test_a_circle_of_headers_ends(kernels: Path) -> None:
    (kernels / "a.cuh").write_text('#pragma once\n#include "b.cuh"\n')
    (kernels / "b.cuh").write_text('#pragma once\n#include "a.cuh"\n')
    assert set(includes.scan('#include "a.cuh"\n', "k.cu", kernels)) == {"a.cuh", "b.cuh"}


def test_an_error_in_a_header_under_kernels_names_it(kernels: Path) -> None:
    (kernels / "bad.cuh").write_text("\n\nint a = nothing;\n")
    with pytest.raises(compiler.CompileError) as caught:
        compiler.compile('#include "bad.cuh"\n')
    ((line, text),) = [found for found in caught.value.errors if "identifier" in found[1]]
    assert line == 0
    assert text.endswith('bad.cuh(3): identifier "nothing" is undefined')


def test_a_header_under_kernels_obeys_the_same_rules(kernels: Path, secret: str) -> None:
    (kernels / "bad.cuh").write_text(f'\n#include "{secret}"\n')
    with pytest.raises(compiler.CompileError, match=r"kernels/bad\.cuh\(2\): error: #include of"):
        compiler.compile('#include "bad.cuh"\n')


@pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
def test_a_link_out_of_kernels_is_refused(kernels: Path, secret: str) -> None:
    (kernels / "link.cuh").symlink_to(secret)
    with pytest.raises(compiler.CompileError, match="outside kernels/") as caught:
        compiler.compile('\n#include "link.cuh"\n')
    assert caught.value.errors[0][0] == 2


@pytest.mark.parametrize(
    "unit", ["\n", "#", "# ", "#/*", "/*#", "*/", '#include "a"\n', "\\\n", "/**/", "#/**/", " "]
)
def test_the_scan_takes_time_in_proportion(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    start = time.process_time()
    with contextlib.suppress(compiler.CompileError):
        includes.scan(text, "k.cu", toolchain.KERNELS)
    assert time.process_time() - start < 10, "in proportion it is one second"
