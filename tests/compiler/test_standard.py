"""What kernels use of the standard headers works, and what only hosts use is not in the way."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from course_utils import compiler, simulator
from course_utils.compiler import toolchain

KERNEL = 'extern "C" __global__ void k(int *a) { a[0] = 1; }\n'
HEADERS = sorted(
    path.relative_to(toolchain.STANDARD).as_posix()
    for path in toolchain.STANDARD.rglob("*")
    if path.is_file() and path.name != "nvcc.h"
)
# Other headers of CUDA's that sources name, and that the stand-ins must get along with.
CUDA = ("cuda.h", "cuda_runtime.h", "device_launch_parameters.h", "cuda_fp16.h", "cuComplex.h")


def value(expression: str, *headers: str, options: tuple[str, ...] = ()) -> float:
    """What an expression is in a kernel, as a double; `one` in it is 1.0f that the compiler does not know."""
    includes = "".join(f"#include <{header}>\n" for header in headers)
    source = f'{includes}extern "C" __global__ void k(double *a, float one) {{ a[0] = {expression}; }}\n'
    result = np.zeros(1)
    simulator.compile(source, options=options).launch("k", 1, 1, [result, np.float32(1)])
    return float(result[0])


def test_all_headers_together_and_twice() -> None:
    text = "".join(f"#include <{header}>\n" for header in (*CUDA, *HEADERS, *HEADERS, *CUDA))
    made = compiler.compile(text + KERNEL)
    assert made.log == ""
    assert set(made.resources) == {"k"}


@pytest.mark.parametrize("standard", ["-std=c++14", "-std=c++20"])
def test_other_standards(standard: str) -> None:
    plain = ("cstdint", "cmath", "cfloat", "climits", "cstdlib", "cstdio", "cstring", "algorithm", "iostream")
    text = "".join(f"#include <{header}>\n" for header in plain)
    assert set(compiler.compile(text + KERNEL, options=[standard]).resources) == {"k"}


def test_every_kind_of_header_is_there() -> None:
    asked = (
        "cstdint stdint.h cmath math.h cstdio stdio.h cstdlib stdlib.h cassert assert.h cstring string.h "
        "cfloat float.h climits limits.h limits algorithm type_traits utility iostream vector string chrono "
        "random iomanip fstream memory functional numeric sys/time.h time.h"
    )
    assert set(asked.split()) <= set(HEADERS)


@pytest.mark.parametrize(
    ("header", "expression", "expected"),
    [
        ("cstdint", "sizeof(uint32_t) + sizeof(std::int64_t) + (uint8_t)257 + UINT16_MAX", 4 + 8 + 1 + 65535),
        ("stdint.h", "(int16_t)40000", 40000 - 65536),
        ("cmath", "INFINITY * one", math.inf),
        ("math.h", "M_PI", math.pi),
        ("cmath", "std::sqrt(4 * one) + std::abs(-one) + std::fmax(one, 3.0f)", 6),
        ("cmath", "std::isnan(NAN * one) + isinf(-INFINITY * one)", 2),
        ("cfloat", "FLT_MAX", float(np.finfo(np.float32).max)),
        ("float.h", "FLT_EPSILON + DBL_MIN", 2.0**-23 + float(np.finfo(np.float64).tiny)),
        ("climits", "INT_MAX", 2**31 - 1),
        ("limits.h", "UINT_MAX", 2**32 - 1),
        ("limits", "std::numeric_limits<float>::lowest()", -float(np.finfo(np.float32).max)),
        ("limits", "std::numeric_limits<int>::min()", -(2**31)),
        ("algorithm", "std::min(3, (int)one) + 10 * std::max(2.0f, one)", 21),
        ("iostream", "std::max(one, 7.0f)", 7),
        ("type_traits", "std::is_same<float, decltype(one)>::value", 1),
        ("utility", "std::pair<int, float>{3, one}.first", 3),
        ("tuple", "std::get<1>(std::make_tuple(1, 2 * one))", 2),
        ("cstddef", "NULL == nullptr", 1),
        ("cstdlib", "std::abs(-3) + EXIT_FAILURE", 4),
    ],
)
def test_what_kernels_use(header: str, expression: str, expected: float) -> None:
    assert value(expression, header) == expected


def test_using_the_whole_namespace_is_not_ambiguous() -> None:
    text = (
        "#include <algorithm>\n#include <cmath>\n#include <iostream>\nusing namespace std;\n"
        'extern "C" __global__ void k(float *a, int n) {\n'
        "  a[0] = max(a[0], 0.0f) + min(n, 3) + sqrt(a[1]) + pow(a[1], 2) + abs(a[2]) + fabs(a[2]);\n"
        "  swap(a[1], a[2]);\n}\n"
    )
    values = np.array([-1, 4, -3], np.float32)
    simulator.compile(text).launch("k", 1, 1, [values, np.int32(5)])
    assert values.tolist() == [0 + 3 + 2 + 16 + 3 + 3, -3, 4]


def test_printf_and_assert() -> None:
    text = '#include <cstdio>\n#include <assert.h>\nextern "C" __global__ void k(int n)\n'
    text += '{ printf("n = %d\\n", n);\n  assert(n > 0); }\n'
    program = simulator.compile(text)
    assert program.launch("k", 1, 1, [np.int32(3)]).output == "n = 3\n"
    with pytest.raises(simulator.Trap, match=r"kernel\.cu:5 .*n > 0"):
        program.launch("k", 1, 1, [np.int32(0)])


def test_as_nvcc_needs_no_include() -> None:
    options = (compiler.AS_NVCC,)
    assert value("INFINITY * one", options=options) == math.inf
    assert value("(uint)-1 * 1.0 + (uint8_t)255 + std::abs(-one)", options=options) == 2**32 + 255
    with pytest.raises(compiler.CompileError) as caught:
        compiler.compile("\n\nint a = nothing;\n", options=options)
    assert (3, 'identifier "nothing" is undefined') in caught.value.errors
    with pytest.raises(compiler.CompileError, match="is not allowed"):
        compiler.compile(KERNEL, options=["-include=other.h"])


def test_lines_are_the_sources_own_as_nvcc() -> None:
    text = 'extern "C" __global__ void k(float *a)\n{\n  a[threadIdx.x] = INFINITY;\n}\n'
    run = simulator.compile(text, options=[compiler.AS_NVCC]).launch("k", 1, 32, [np.zeros(32, np.float32)])
    assert run.by_line[3]["global_sectors"] == 4


def test_headers_change_no_machine_code() -> None:
    plain = compiler.compile(KERNEL)
    included = compiler.compile("#include <cmath>\n#include <cstdint>\n#include <iostream>\n" + KERNEL)
    assert plain.resources == included.resources
    code = [line for line in plain.ptx.splitlines() if line.startswith("\t") and ".loc" not in line]
    assert code == [
        line for line in included.ptx.splitlines() if line.startswith("\t") and ".loc" not in line
    ]


def test_the_key_of_a_program_changes_with_the_stand_ins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_text("1")
    before = toolchain._digest(tmp_path)
    (tmp_path / "a").write_text("2")
    assert toolchain._digest(tmp_path) != before
    (tmp_path / "a").rename(tmp_path / "b")
    assert toolchain._digest(tmp_path) != before
    key = compiler.compile(KERNEL).key
    monkeypatch.setattr(toolchain, "STANDARD", tmp_path)
    toolchain.find.cache_clear()
    try:
        assert compiler.compile(KERNEL).key != key
    finally:
        monkeypatch.undo()
        toolchain.find.cache_clear()
        compiler.close()


@pytest.mark.parametrize("header", ["opencv2/core.hpp", "helper_cuda.h"])
def test_other_headers_are_still_explained(header: str) -> None:
    with pytest.raises(compiler.CompileError, match=f"No header '{header}' is within reach"):
        compiler.compile(f"#include <{header}>\n{KERNEL}")


@pytest.mark.parametrize("layouts", [("row", "col", "row"), ("col", "row", "col")])
@pytest.mark.parametrize("sums", ["float", "half"])
@pytest.mark.parametrize("shape", [(16, 16, 16), (32, 8, 16), (8, 32, 16)])
def test_wmma_multiplies_halves(shape: tuple[int, int, int], sums: str, layouts: tuple[str, ...]) -> None:
    kind = np.float32 if sums == "float" else np.float16
    check_wmma(shape, "half", np.float16, sums, kind, layouts)


def test_wmma_multiplies_tf32() -> None:
    check_wmma((16, 16, 8), "wmma::precision::tf32", np.float32, "float", np.float32, ("row", "col", "row"))


def check_wmma(
    shape: tuple[int, int, int],
    element: str,
    held: type,
    sums: str,
    kind: type,
    layouts: tuple[str, ...],
) -> None:
    """D = A B + 2 C of one warp equals NumPy's; small whole numbers, so that every type holds them."""
    m, n, k = shape
    a, b, c = layouts
    pointed = "float" if element.startswith("wmma") else element
    steps = {"a": k if a == "row" else m, "b": n if b == "row" else k, "c": n if c == "row" else m}
    source = f"""
    #include <mma.h>
    using namespace nvcuda;
    extern "C" __global__ void k(const {pointed}* a, const {pointed}* b, const {sums}* c, {sums}* d) {{
        wmma::fragment<wmma::matrix_a, {m}, {n}, {k}, {element}, wmma::{a}_major> fa;
        wmma::fragment<wmma::matrix_b, {m}, {n}, {k}, {element}, wmma::{b}_major> fb;
        wmma::fragment<wmma::accumulator, {m}, {n}, {k}, {sums}> fc;
        wmma::load_matrix_sync(fa, a, {steps["a"]});
        wmma::load_matrix_sync(fb, b, {steps["b"]});
        wmma::load_matrix_sync(fc, c, {steps["c"]}, wmma::mem_{c}_major);
        for (int i = 0; i < fc.num_elements; ++i) fc.x[i] = fc.x[i] * {sums}(2.0f);
        wmma::mma_sync(fc, fa, fb, fc);
        wmma::store_matrix_sync(d, fc, {steps["c"]}, wmma::mem_{c}_major);
    }}"""
    random = np.random.default_rng(0)
    matrices = [random.integers(-4, 5, size).astype(np.float32) for size in ((m, k), (k, n), (m, n))]
    given = [
        np.ascontiguousarray(matrix if layout == "row" else matrix.T).astype(dtype)
        for matrix, layout, dtype in zip(matrices, layouts, (held, held, kind), strict=True)
    ]
    result = np.zeros_like(given[2])
    simulator.compile(source).launch("k", 1, 32, [*given, result])
    found = (result if c == "row" else result.T).astype(np.float32)
    assert np.array_equal(found, matrices[0] @ matrices[1] + 2 * matrices[2])
