"""Calls of device functions: written out, recursive, through pointers; and the driver's functions."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import simulator
from course_utils.simulator.printing import format_one

SOURCE = r"""
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recursive(int* x) { x[threadIdx.x] = fibonacci(threadIdx.x & 15); }
extern "C" __global__ void too_deep(int* x) { x[threadIdx.x] = fibonacci(1000000); }

__device__ __noinline__ int odd(int n);
__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__device__ __noinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }
extern "C" __global__ void mutual(int* x) { x[threadIdx.x] = even(threadIdx.x); }

__device__ __noinline__ int walk(int n, const int* v) {
    int own[4];  // one for every call that is under way
    for (int i = 0; i < 4; ++i) own[i] = v[(n + i) & 31];
    if (n <= 0) return own[n & 3];
    int rest = walk(n - 1, v);
    return rest + own[rest & 3];
}
extern "C" __global__ void with_arrays(int* x, const int* v) { x[threadIdx.x] = walk(threadIdx.x & 7, v); }

__device__ void sort(float* a, int low, int high) {
    if (low >= high) return;
    float pivot = a[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i <= j) {
            float t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
    }
    sort(a, low, j);
    sort(a, i, high);
}
extern "C" __global__ void quicksort(float* a, int n) { sort(a + threadIdx.x * n, 0, n - 1); }

typedef float (*Operation)(float, int);
__device__ float shifted(float x, int n) { return x + n; }
__device__ float scaled(float x, int n) { return x * n; }
__device__ Operation table[2] = {shifted, scaled};
extern "C" __global__ void by_pointer(float* x, int n) {
    x[threadIdx.x] = table[threadIdx.x & 1](x[threadIdx.x], n);
}

struct Pair { float a, b; int c; };
__device__ __noinline__ Pair turned(Pair p, float* sum) {
    *sum += p.a;
    return {p.b, p.a, p.c + 1};
}
extern "C" __global__ void by_value(float* x) {
    int i = threadIdx.x;
    Pair p = turned({x[i], 2 * x[i], i}, x + 32 + i);
    x[i] = p.a + 10 * p.b + 100 * p.c;
}

extern "C" __global__ void talk(int* x) { printf("%d of %s: %5.1f\n", (int)threadIdx.x, "many", 0.5 * x[0]); }
extern "C" __global__ void claim(int* x) { assert(x[threadIdx.x] < 5); }
"""


@pytest.fixture(scope="module")
def program() -> simulator.Program:
    return simulator.compile(SOURCE, name="calls.cu")


def test_recursion_returns_to_each_lane(program: simulator.Program) -> None:
    x = np.zeros(40, np.int32)
    run = program.launch("recursive", 1, 40, [x])
    expected = [0, 1]
    while len(expected) < 16:
        expected.append(expected[-1] + expected[-2])
    np.testing.assert_array_equal(x, [expected[i & 15] for i in range(40)])
    # Lanes come back at different times, and store together all the same: one request a warp.
    assert run.metrics["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"] == 2


def test_functions_that_call_each_other(program: simulator.Program) -> None:
    x = np.zeros(32, np.int32)
    program.launch("mutual", 1, 32, [x])
    np.testing.assert_array_equal(x, 1 - np.arange(32) % 2)


def test_local_arrays_belong_to_the_call(program: simulator.Program) -> None:
    v = np.random.default_rng(1).integers(0, 9, 32).astype(np.int32)

    def walk(n: int) -> int:
        own = [int(v[(n + i) & 31]) for i in range(4)]
        if n <= 0:
            return own[n & 3]
        rest = walk(n - 1)
        return rest + own[rest & 3]

    x = np.zeros(32, np.int32)
    program.launch("with_arrays", 1, 32, [x, v])
    np.testing.assert_array_equal(x, [walk(i & 7) for i in range(32)])


def test_a_recursive_sort(program: simulator.Program) -> None:
    a = np.random.default_rng(2).random((40, 50)).astype(np.float32)
    expected = np.sort(a, axis=1)
    program.launch("quicksort", 1, 40, [a, 50])
    np.testing.assert_array_equal(a, expected)


def test_a_stack_has_an_end(program: simulator.Program) -> None:
    with pytest.raises(simulator.Trap, match=r"stack overflow at calls.cu:2, block .*, thread \(0, 0, 0\)"):
        program.launch("too_deep", 1, 32, [np.zeros(32, np.int32)])


def test_calls_through_pointers(program: simulator.Program) -> None:
    x = np.arange(32, dtype=np.float32)
    program.launch("by_pointer", 1, 32, [x, 3])
    i = np.arange(32)
    np.testing.assert_array_equal(x, np.where(i & 1, i * 3, i + 3))


def test_structures_by_value(program: simulator.Program) -> None:
    x = np.arange(64, dtype=np.float32)
    program.launch("by_value", 1, 32, [x])
    i = np.arange(32)
    np.testing.assert_array_equal(x[:32], 2 * i + 10 * i + 100 * (i + 1))
    np.testing.assert_array_equal(x[32:], 32 + 2 * i)


@pytest.mark.parametrize("workers", [1, 2])
def test_printf_comes_in_the_order_of_blocks(program: simulator.Program, workers: int) -> None:
    run = program.launch("talk", 3, 33, [np.array([5], np.int32)], workers=workers)
    block = "".join(f"{thread} of many:   2.5\n" for thread in range(33))
    assert run.output == 3 * block


def test_a_failed_assert_names_the_condition_and_the_thread(program: simulator.Program) -> None:
    x = np.zeros(32, np.int32)
    program.launch("claim", 1, 32, [x])
    x[17] = 6
    with pytest.raises(
        simulator.Trap, match=r"assertion failed at calls.cu:\d+ .*x\[threadIdx.x\] < 5.*\(17, 0, 0\)"
    ):
        program.launch("claim", 1, 32, [x])


@pytest.mark.parametrize(
    ("layout", "arguments", "text"),
    [
        (b"%d%%", np.array([-3], np.int32), "-3%"),
        (b"%5u|%-4x|%#o", np.array([7, 255, 8], np.uint32), "    7|ff  |010"),
        (b"%lld", np.array([-(1 << 40)], np.int64), str(-(1 << 40))),
        (b"%.*f", np.array([2, 0, *np.array([2.5]).view(np.int32)], np.int32), "2.50"),
        (b"%c%c", np.array([72, 105], np.int32), "Hi"),
        (b"%hhd", np.array([200], np.int32), "-56"),
        (b"%e", np.array([1234.5]), "1.234500e+03"),
    ],
)
def test_formats_are_those_of_c(layout: bytes, arguments: np.ndarray, text: str) -> None:
    assert format_one(layout, arguments.tobytes(), lambda address: b"") == text


def test_shared_memory_of_a_function_is_one_for_all_its_calls() -> None:
    source = """
    __device__ int swapped(int value, bool put)
    {
        __shared__ int kept[32];
        if (put) kept[threadIdx.x] = value;
        __syncwarp();
        return kept[31 - threadIdx.x];
    }
    extern "C" __global__ void k(int *x)
    {
        int first = swapped(threadIdx.x, true);
        x[threadIdx.x] = 100 * first + swapped(0, false);
    }
    """
    for optimise in (True, False):
        x = np.zeros(32, np.int32)
        simulator.compile(source, optimise=optimise).launch("k", 1, 32, [x])
        assert x.tolist() == [101 * each for each in range(31, -1, -1)]
