"""compile(): what comes out, what is refused, and where an error is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from course_utils import compiler
from course_utils.compiler import program, toolchain

SCALE = """extern "C" __global__ void scale(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= FACTOR;
}
"""


def errors_of(source: str, **arguments: object) -> list[tuple[int, str]]:
    with pytest.raises(compiler.CompileError) as caught:
        compiler.compile(source, **arguments)
    return caught.value.errors


def test_a_kernel_becomes_ptx_and_machine_code() -> None:
    made = compiler.compile(SCALE, defines={"FACTOR": "3.0f"}, name="scale.cu")
    assert ".visible .entry scale(" in made.ptx
    assert ".target sm_90\n" in made.ptx
    assert "\t.loc\t1 3 " in made.ptx
    assert made.cubin[:4] == b"\x7fELF"
    assert list(made.resources) == ["scale"]
    assert made.log == ""
    assert (made.name, made.arch, made.source) == ("scale.cu", "sm_90", SCALE)
    assert int(made.key, 16) >= 0


def test_the_cubin_is_whole() -> None:
    # The section headers end the file; a lost last byte would cut the last one.
    cubin = compiler.compile(SCALE, defines={"FACTOR": 2}).cubin
    start, size = int.from_bytes(cubin[0x28:0x30], "little"), int.from_bytes(cubin[0x3A:0x3C], "little")
    programs, each = int.from_bytes(cubin[0x20:0x28], "little"), int.from_bytes(cubin[0x36:0x38], "little")
    ends = {start + size * int.from_bytes(cubin[0x3C:0x3E], "little")}
    ends.add(programs + each * int.from_bytes(cubin[0x38:0x3A], "little"))
    assert len(cubin) == max(ends)


def test_defines_reach_the_source() -> None:
    source = 'extern "C" __global__ void k(int *a) { a[0] = A; a[1] = B; a[2] = C; a[3] = D; a[4] = E + 1; }'
    made = compiler.compile(source, defines={"A": 11, "B": True, "C": "40 + 2", "D": None, "E": -3})
    for value in (11, 1, 42, -2):
        assert f", {value};" in made.ptx


def test_an_error_is_on_the_files_own_line() -> None:
    broken = SCALE.replace("a[i] *= FACTOR;", "a[i] *= FACTOR\n    int unused = nowhere;")
    with pytest.raises(compiler.CompileError) as caught:
        compiler.compile(broken, defines={"FACTOR": 2}, name="scale.cu")
    error = caught.value
    assert error.errors[0][0] == 4
    assert 'expected a ";"' in error.errors[0][1]
    assert 'scale.cu(4): error: expected a ";"' in str(error)
    assert "int unused = nowhere;" in str(error)
    assert not isinstance(error, compiler.CompilerFailed)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_do_not_move_errors(end: str) -> None:
    source = end.join(["// one", '/* ünï ☃ "', "*/", "__device__ int a = b;", ""])
    assert errors_of(source) == [(4, 'identifier "b" is undefined')]


def test_characters_outside_ascii_are_kept() -> None:
    kernel = 'extern "C" __global__ void k(char *a) { a[0] = text[a[1]]; }'
    made = compiler.compile('// größer ☃\n__device__ char text[] = "ß☃";\n' + kernel)
    assert "195, 159, 226, 152, 131" in made.ptx


def test_a_byte_order_mark_is_skipped() -> None:
    assert "scale" in compiler.compile("\ufeff" + SCALE, defines={"FACTOR": 5}).resources


def test_an_empty_source_compiles_to_nothing() -> None:
    assert compiler.compile("").resources == {}


def test_a_nul_character_is_refused_with_its_line() -> None:
    assert errors_of("int a;\nint \0b;\n") == [(2, "the source holds a NUL character")]


def test_half_a_surrogate_pair_is_refused_with_its_line() -> None:
    assert errors_of("// \n// \udc80")[0][0] == 2


def test_source_must_be_text() -> None:
    with pytest.raises(TypeError, match="source must be a string, not bytes"):
        compiler.compile(b"")


def test_warnings_are_in_the_log() -> None:
    made = compiler.compile('extern "C" __global__ void k(float *a) {\n    int lost;\n}', name="w.cu")
    assert 'w.cu(2): warning #177-D: variable "lost" was declared but never referenced' in made.log
    assert "ptxas" not in made.log


def test_templates_are_instantiated_and_named() -> None:
    source = "template <class V> __global__ void fill(V *a, V v) { a[threadIdx.x] = v; }"
    made = compiler.compile(source, expressions=["fill<float>", "fill<int>"])
    assert made.lowered_names == {"fill<float>": "_Z4fillIfEvPT_S0_", "fill<int>": "_Z4fillIiEvPT_S0_"}
    assert set(made.resources) == {*made.lowered_names.values()}


def test_an_instantiation_that_cannot_be_is_an_error() -> None:
    source = "template <class V> __global__ void fill(V *a, V v) { a[threadIdx.x] = v; }"
    assert any("nothing" in text for _, text in errors_of(source, expressions=["fill<nothing>"]))


def test_an_instantiation_cannot_smuggle_in_another_line() -> None:
    assert "not one line" in errors_of("", expressions=['f<1>\n#include "/etc/passwd"'])[0][1]


def test_inline_ptx_errors_are_traced_to_the_source() -> None:
    source = '__global__ void k(float *a) {\n    a[0] = 1;\n    asm("bogus.f32 %0;" : "=f"(a[1]));\n}'
    assert errors_of(source)[0][0] == 3


def test_too_much_shared_memory_is_the_assemblers_error() -> None:
    source = "__global__ void k(int *a) { __shared__ int s[20000]; s[a[0]] = 1; a[1] = s[a[2]]; }"
    assert any(line == 0 and "too much shared data" in text for line, text in errors_of(source))


def test_an_error_in_a_header_names_the_header(monkeypatch: pytest.MonkeyPatch) -> None:
    found = errors_of("#include <cuda_fp16.h>\n__half2 h = nothing;\n")
    assert (2, 'identifier "nothing" is undefined') in found


def test_a_header_out_of_reach_is_explained() -> None:
    with pytest.raises(compiler.CompileError, match="what kernels use of the standard C and C") as caught:
        compiler.compile("\n#include <coroutine>\n")
    assert caught.value.errors == [(2, 'cannot open source file "coroutine"')]


def test_cuda_headers_are_within_reach() -> None:
    source = '#include <cuda_fp16.h>\nextern "C" __global__ void k(__half *a) { a[0] = __hadd(a[1], a[2]); }'
    assert "add.f16" in compiler.compile(source).ptx


def test_cooperative_groups_compile() -> None:
    if not any(folder.parent.name == "cuda_cccl" for folder in compiler.include_folders()):
        pytest.skip("the package nvidia-cuda-cccl-cu12 is not installed")
    source = """#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(int *a) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    a[0] = cg::reduce(warp, a[threadIdx.x], cg::plus<int>());
}
"""
    assert "redux.sync.add.s32" in compiler.compile(source).ptx


def test_unoptimised_code_keeps_every_load_and_its_line() -> None:
    source = 'extern "C" __global__ void k(float *a) {\n    float unused = a[5];\n    a[0] = 1;\n}'
    plain, kept = compiler.compile(source), compiler.compile(source, optimise=False)
    assert "ld." not in plain.ptx.replace("ld.param", "")
    assert "+20]" in kept.ptx
    assert "\t.loc\t1 2 " in kept.ptx
    assert "Conflicting options" not in kept.log
    assert plain.key != kept.key


def test_a_real_architecture_is_needed() -> None:
    assert compiler.compile(SCALE, defines={"FACTOR": 2}, arch="sm_80").ptx.count(".target sm_80") == 1
    assert "sm_90" in errors_of(SCALE, arch="compute_90")[0][1]
    assert errors_of(SCALE, arch="sm_1")[0][0] == 0


@pytest.mark.parametrize(
    "option",
    [
        "-I/etc",
        "--include-path=/etc",
        "-include=/etc/passwd",
        "--pre-include=/etc/passwd",
        "--options-file=/etc/passwd",
        "@/etc/passwd",
        "-time=/times",
        "--pch-dir=/tmp",
        "-Xptxas=-o/tmp/x",
        "--ptxas-options=--version",
        "-fmad=maybe",
        "-std=c++17\n-I/etc",
        "-DX=1\n#include </etc/passwd>",
        "-U X",
        "-arch=sm_70",
        "-DT=3",
        "-DTHRUST_HOST_SYSTEM_HEADER=</etc/passwd>",
        "",
    ],
)
def test_other_options_are_refused(option: str) -> None:
    assert errors_of(SCALE, defines={"FACTOR": 2}, options=[option])[0][0] == 0


def test_allowed_options_take_effect() -> None:
    source = 'extern "C" __global__ void k(float *a) { a[0] = a[1] / a[2] + X; }'
    plain = compiler.compile(source, options=["-DX=1"])
    fast = compiler.compile(source, options=["-DX=1", "--use_fast_math", "-std=c++14", "-w", "-lineinfo"])
    assert "div.rn.f32" in plain.ptx
    assert "div.approx.ftz.f32" in fast.ptx


@pytest.mark.parametrize(
    ("defines", "sentence"),
    [
        ({"T": 3}, "use another name, such as TILE"),
        ({"A B": 1}, "not a C identifier"),
        ({"é": 1}, "not a C identifier"),
        ({"A(x)": 1}, "not a C identifier"),
        ({"A": "1\n#include </etc/passwd>"}, "line break"),
        ({"A": "1\0"}, "control character"),
        ({3: 1}, "not a C identifier"),
    ],
)
def test_bad_defines_are_refused(defines: dict[str, object], sentence: str) -> None:
    assert sentence in errors_of("", defines=defines)[0][1]


@pytest.mark.parametrize("name", ["", "a\nb.cu", 'a"b.cu'])
def test_file_names_that_would_break_the_ptx_are_refused(name: str) -> None:
    assert "must be printable" in errors_of("", name=name)[0][1]


def test_the_same_source_comes_from_memory_then_from_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    first = compiler.compile(SCALE, defines={"FACTOR": 7})
    monkeypatch.setattr(program._POOL, "run", lambda *_: pytest.fail("NVRTC was asked again"))
    assert compiler.compile(SCALE, defines={"FACTOR": 7}) is first
    program._MEMORY.clear()
    again = compiler.compile(SCALE, defines={"FACTOR": 7})
    assert again is not first
    assert again == first


def test_a_damaged_entry_is_compiled_anew(cache: Path) -> None:
    first = compiler.compile(SCALE, defines={"FACTOR": 8})
    (entry,) = [path for path in (cache / "compiler").iterdir() if path.name == first.key]
    entry.write_bytes(entry.read_bytes()[:-100])
    program._MEMORY.clear()
    assert compiler.compile(SCALE, defines={"FACTOR": 8}) == first
    program._MEMORY.clear()
    assert program._DISK.get(first.key) is not None


def test_a_refused_source_is_not_kept_on_disk(cache: Path) -> None:
    assert errors_of("int a = b;") == errors_of("int a = b;")
    assert not (cache / "compiler").exists() or not list((cache / "compiler").iterdir())


def test_the_key_tells_apart_whatever_changes_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    variants = [
        {},
        {"defines": {"FACTOR": 2}},
        {"defines": {"FACTOR": 2}, "arch": "sm_80"},
        {"defines": {"FACTOR": 2}, "name": "other.cu"},
        {"defines": {"FACTOR": 2}, "options": ["-fmad=false"]},
    ]
    source = "#ifndef FACTOR\n#define FACTOR 1\n#endif\n" + SCALE
    keys = {compiler.compile(source, **variant).key for variant in variants}
    assert len(keys) == len(variants)
    other = toolchain.Toolchain(**{**vars(toolchain.find()), "fingerprint": "another compiler"})
    monkeypatch.setattr(toolchain, "find", lambda: other)
    assert compiler.compile(source).key not in keys


def test_a_header_under_kernels_is_part_of_the_key(kernels: Path) -> None:
    (kernels / "common").mkdir()
    (kernels / "common" / "value.cuh").write_text('#include "inner.cuh"\n')
    (kernels / "common" / "inner.cuh").write_text("#define VALUE 41\n")
    source = '#include "common/value.cuh"\nextern "C" __global__ void k(int *a) { a[0] = VALUE; }'
    first = compiler.compile(source)
    (kernels / "common" / "inner.cuh").write_text("#define VALUE 42\n")
    second = compiler.compile(source)
    assert ", 41;" in first.ptx
    assert ", 42;" in second.ptx
    assert first.key != second.key


def test_compiles_are_the_same_in_every_process(cache: Path) -> None:
    # Two processes at once, on one cache, starting from nothing.
    code = (
        "from course_utils import compiler; import hashlib\n"
        f"for i in range(4): m = compiler.compile({SCALE!r}, defines={{'FACTOR': i}}); "
        "print(m.key, hashlib.sha256(m.cubin).hexdigest())"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    outputs = [process.communicate(timeout=60) for process in running]
    assert [errors for _, errors in outputs] == [b"", b""]
    assert outputs[0][0] == outputs[1][0]
    assert len(list((cache / "compiler").iterdir())) == 4


def test_the_version_is_nvrtcs_own() -> None:
    assert f"V{compiler.version()}" in compiler.compile("").ptx


def test_a_missing_nvrtc_is_said_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "_library", lambda: None)
    toolchain.find.cache_clear()
    try:
        with pytest.raises(compiler.ToolchainMissing, match="install the package nvidia-cuda-nvrtc-cu12"):
            compiler.compile("")
    finally:
        toolchain.find.cache_clear()
