"""What is kept for the compiler and what is set aside, and what the host code tells of its launches."""

from __future__ import annotations

import re

import pytest

from course_utils import compiler, simulator
from course_utils.playground import PasteError, functions, read, starts

KERNEL = "__global__ void k(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n"

# Code beside the kernel -> what of it the compiler must get, "" for nothing.
BESIDE = {
    "a host function": ("int helper(int a) { return a; }", ""),
    "a prototype": ("void later(int a);", ""),
    "a host template": ("template <typename T> T twice(T a) { return a + a; }", ""),
    "a host class": ("class Timer { public: void start() {} std::string name; };", ""),
    "a host variable": ("float host_data[100];", ""),
    "a function with a lambda": ("auto f = [](int a) { return a; };", ""),
    "a main with handlers": ("int main() try { k<<<1, 1>>>(0, 0); } catch (...) { return 1; }", ""),
    "a constant that nobody uses": ("const int UNUSED = 3;", ""),
    "a device function": ("__device__ float f(float a);", "__device__ float f(float a);"),
    "a device variable": ("__device__ int counter;", "__device__ int counter;"),
    "a macro": ("#define N 100", "#define N 100"),
    "a static_assert on nothing else": (
        "static_assert(sizeof(int) == 4);",
        "static_assert(sizeof(int) == 4);",
    ),
    "a library's header": ('#include "cutil.h"', ""),
    "a using of what is there": ("using namespace std;", "using namespace std;"),
    "a using of what is not": ("using namespace cv;", ""),
    "an operator of the host": ("std::ostream& operator<<(std::ostream& o, int a) { return o; }", ""),
    "a constructor of a host class": ("Timer::Timer(int a) : a_{a}, b_(2) { start(); }", ""),
}


@pytest.mark.parametrize("what", BESIDE)
def test_set_aside(what: str) -> None:
    beside, kept = BESIDE[what]
    for text in (f"{beside}\n{KERNEL}", f"{KERNEL}{beside}\n"):
        code = read(text).code.replace(KERNEL.rstrip(), "").strip()
        assert code == kept


USED = {
    "a constant": ("const float PI = 3.14f;", "x[0] = PI;"),
    "an array of constants": ("static const int TABLE[2] = {1, 2};", "x[0] = TABLE[n & 1];"),
    "an enumeration": ("enum Mode { FAST, SLOW };", "x[0] = SLOW;"),
    "a constexpr function": ("constexpr int twice(int a) { return 2 * a; }", "x[0] = twice(n);"),
    "an alias": ("using real = float;", "real a = 1; x[0] = a;"),
    "a typedef": ("typedef struct { float a; } Pair;", "Pair p{2}; x[0] = p.a;"),
    "a type by way of another": ("struct A { int a; }; struct B { A a; };", "B b{{1}}; x[0] = b.a.a;"),
    "a type that a macro names": ("struct A { int a; };\n#define MAKE A{1}", "x[0] = MAKE.a;"),
    "a struct with host members": (
        "struct P { float a; P() = default; P(float b) : a{b} {} void print() const { std::cout << a; } };",
        "P p; p.a = 1; x[0] = p.a;",
    ),
    "a namespace": ("namespace a { namespace b { const int C = 1; } }", "x[0] = a::b::C;"),
    "a namespace in one": ("namespace a::b { __device__ int c() { return 1; } }", "x[0] = a::b::c();"),
    "a device lambda": ("", "auto f = [=](int a) { return a + n; }; x[0] = f(1);"),
    "a template variable": ("template <int N> constexpr int SQUARE = N * N;", "x[0] = SQUARE<3>;"),
    "a function of both sides": ("__host__ __device__ int f(int a) { return a; }", "x[0] = f(n);"),
    "an attribute by macro": (
        "#define HD __host__ __device__\nHD int f(int a) { return a; }",
        "x[0] = f(n);",
    ),
    "an extern C block": ('extern "C" { __device__ int f() { return 1; } }', "x[0] = f();"),
}


@pytest.mark.parametrize("what", USED)
def test_kept_where_device_code_uses_it(what: str) -> None:
    beside, body = USED[what]
    host = "#include <iostream>\nint main() { std::cout << 1; }\n"
    text = f"{host}{beside}\n__global__ void k(float* x, int n) {{ {body} }}\n"
    assert read(text).compile().kernels == ["_Z1kPfi"]


HEADS = {
    "launch bounds before void": "__global__ __launch_bounds__(128) void k(float* x, int n)",
    "launch bounds first": "__launch_bounds__(128, 2) __global__ void k(float* x, int n)",
    "launch bounds after void": "__global__ void __launch_bounds__(128) k(float* x, int n)",
    "extern C": 'extern "C" __global__ void k(float* x, int n)',
    "static": "static __global__ void k(float* x, int n)",
    "several lines": "__global__\nvoid\nk\n(\nfloat* x,\nint n\n)",
    "an array parameter": "__global__ void k(float x[], int n)",
    "a default value": "__global__ void k(float* __restrict__ x, const int n = 4)",
    "comments": "__global__ /* <<< */ void k(float* x /* { */, int n // }\n)",
}


@pytest.mark.parametrize("what", HEADS)
def test_heads_of_kernels(what: str) -> None:
    (kernel,) = read(HEADS[what] + " { x[n] = 1; }").kernels
    assert kernel.name == "k"
    assert [(each.name, each.base, each.pointers) for each in kernel.parameters] == [
        ("x", "float", 1),
        ("n", "int", 0),
    ]


def test_names_in_host_code_are_told_where_a_kernel_uses_them() -> None:
    text = "static float scale(float a) { return a; }\n__global__ void k(float* x) { x[0] = scale(x[1]); }\n"
    with pytest.raises(compiler.CompileError) as caught:
        read(text).compile()
    ((line, sentence),) = caught.value.errors
    assert line == 2
    assert sentence.startswith('identifier "scale" is undefined: it is host code, of line 1')
    assert "__device__" in sentence


def test_names_of_headers_out_of_reach() -> None:
    with pytest.raises(compiler.CompileError) as caught:
        read('#include "mine.cuh"\n__global__ void k(float* x) { x[0] = theirs(1); }\n').compile()
    assert "paste it too (mine.cuh)" in caught.value.errors[0][1]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", None, "nothing here yet"),
        ("int main() { return 0; }", None, "no kernel: a kernel is a function that begins with __global__"),
        ("__global__ void k(int* x);", None, "no body here"),
        ("#if 0\n__global__ void k() {}\n#endif", None, "or a condition hides"),
        ("__global__ void k() {\n  if (1) {\n}\n", 1, "the { here is never closed"),
        ("__global__ void k() { }\n}\n", 2, "this } closes nothing"),
        ("__global__ void k(int a { }\n", 1, "never closed: ) is missing"),
        ("#if X\n__global__ void k() { }\n", 1, "#endif is missing"),
        ("__global__ void k() { }\n#else\n", 2, "belongs to no #if"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, line: int | None, words: str) -> None:
    with pytest.raises(PasteError, match=re.escape(words)) as caught:
        read(text)
    assert caught.value.line == line


def test_white_space_of_web_pages_and_fences() -> None:
    text = "```cuda\n\u200b__global__\u00a0void k(float* x)\u3000{\n\tx[0] = 1;\u00a0}\n```\n"
    assert simulator.compile(read(text).code).kernels == ["_Z1kPf"]


LAUNCHES = {
    "numbers": ("k<<<4, 256>>>(x, n);", (4,), (256,), 0),
    "dim3": ("dim3 b(16, 16); dim3 g(2, 3, 4); k<<<g, b>>>(x, n);", (2, 3, 4), (16, 16), 0),
    "braces": ("k<<<{2, 3}, dim3{8, 8}>>>(x, n);", (2, 3), (8, 8), 0),
    "arithmetic": (
        "const int n = 1000, t = 128; k<<<(n + t - 1) / t, t, t * sizeof(float)>>>(x, n);",
        (8,),
        (128,),
        512,
    ),
    "members": ("dim3 b, g; b.x = 32; g.x = (100 + b.x - 1) / b.x; k<<<g, b>>>(x, 1);", (4,), (32,), 0),
    "rounding up": ("int n = 1000; k<<<ceil(n / 256.0), 256>>>(x, n);", (4,), (256,), 0),
    "an argument of main": (
        "int n = 512; if (argc > 1) n = atoi(argv[1]); k<<<n / 64, 64>>>(x, n);",
        (8,),
        (64,),
        0,
    ),
    "a choice": ("int n = argc > 1 ? atoi(argv[1]) : 512; k<<<n / 64, 64>>>(x, n);", (8,), (64,), 0),
    "a loop": ("for (int i = 2; i < 9; i *= 2) { k<<<i, 32>>>(x, i); }", (2,), (32,), 0),
    "a helper": ("k<<<up(1000, 256), 256>>>(x, 1);", (4,), (256,), 0),
    "a macro": ("k<<<UP(1000, 256), 256>>>(x, 1);", (4,), (256,), 0),
    "a checking macro": ("CHECK(k<<<4, 32>>>(x, 1));", (4,), (32,), 0),
    "a stream": ("k<<<4, 32, 0, stream>>>(x, 1);", (4,), (32,), 0),
    "cudaLaunchKernel": ("cudaLaunchKernel((void*)k, dim3(4), dim3(32), args, 64, 0);", (4,), (32,), 64),
    "unknown": ("k<<<file.size(), 32>>>(x, 1);", None, (32,), 0),
}


@pytest.mark.parametrize("what", LAUNCHES)
def test_launches(what: str) -> None:
    body, grid, block, shared = LAUNCHES[what]
    text = (
        f"{KERNEL}#define UP(a, b) (((a) + (b) - 1) / (b))\n"
        "#define CHECK(...) do { __VA_ARGS__; } while (0)\n"
        f"inline int up(int a, int b) {{ return (a + b - 1) / b; }}\n"
        f'// k<<<9, 9>>>(x, n)\nconst char* s = "k<<<8, 8>>>(x, n);";\n'
        f"int main(int argc, char** argv) {{ float* x; {body} }}\n"
    )
    (launch,) = read(text).launches
    assert (launch.grid, launch.block, launch.shared_bytes) == (grid, block, shared)


def test_launches_in_functions_know_what_their_callers_pass() -> None:
    text = f"""{KERNEL}
    template <typename T, int BLOCK> void launch(T* data, int count) {{
        k<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(data, count);
    }}
    int main() {{ float* d; cudaMalloc(&d, 300 * sizeof(float)); launch<float, 64>(d, 300); }}
    """
    source = read(text)
    (start,) = starts(source, source.kernels[0])
    assert (start.grid, start.block) == ((5,), (64,))
    assert [each.text for each in start.inputs] == ["unwritten n", "300"]


def test_sizes_that_only_a_run_knows_are_assumed_alike() -> None:
    text = f"{KERNEL}int main() {{ int size = read(); k<<<(size + 127) / 128, 128>>>(x, size); }}\n"
    source = read(text)
    (start,) = starts(source, source.kernels[0])
    n = int(start.inputs[1].text)
    assert start.grid == (-(-n // 128),)
    assert "only a run knows" in start.label


def test_macros_that_grow_without_end() -> None:
    grown = "".join(f"#define A{i} A{i + 1} A{i + 1}\n" for i in range(60))
    with pytest.raises(PasteError, match="grows without end"):
        read(f"{grown}__global__ void k(int* a) {{ A0 }}")


def test_functions_and_their_sides() -> None:
    source = (
        "#define TWICE(a) doubled(a)\n"
        "__host__ __device__ int doubled(int a) {\n  return 2 * a;\n}\n"
        "__device__ int later(int a);\n"
        "struct Pair { int a; __device__ int sum() { return a; } };\n"
        "__global__ void k(int* x) { x[0] = TWICE(3); }\n"
        "int main() { k<<<1, 1>>>(nullptr); }\n"
    )
    doubled, kernel, main = functions(source)
    assert (doubled.name, doubled.first, doubled.last) == ("doubled", 2, 4)
    assert (doubled.marks, doubled.on_gpu, doubled.on_host) == (("__host__", "__device__"), True, True)
    assert (kernel.marks, kernel.on_gpu, kernel.on_host) == (("__global__",), True, False)
    assert "doubled" in kernel.named
    assert (main.marks, main.on_gpu, main.on_host) == ((), False, True)
    assert "k" in main.named
