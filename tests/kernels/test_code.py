"""Reading entry points out of CUDA C++."""

import pytest

from course_utils.kernels.code import SharedArray, entry_points, shared_arrays, without_comments
from course_utils.kernels.errors import KernelError

SOURCE = """\
/* extern "C" __global__ void commented_out(int n) {} */
#define MESSAGE "// no comment { "
__device__ float helper(float x) { return x; }

extern "C" __global__ void
__launch_bounds__(128)
first(const float4 *__restrict__ in, float* __restrict__ out,  // the buffers
      unsigned long long n) {
    if (n) { out[0] = in[0].x; }  // }
}
extern "C" __global__ void second() {}
"""


def test_entry_points() -> None:
    first, second = entry_points(SOURCE)
    assert (first.name, first.first, first.last) == ("first", 5, 10)
    assert [(p.type, p.name) for p in first.parameters] == [
        ("const float4*", "in"),
        ("float*", "out"),
        ("unsigned long long", "n"),
    ]
    assert [p.is_pointer for p in first.parameters] == [True, True, False]
    assert [p.is_output for p in first.parameters] == [False, True, False]
    assert (second.name, second.parameters, second.first, second.last) == ("second", (), 11, 11)


def test_comments_are_blanked_in_place_and_strings_kept() -> None:
    blanked = without_comments(SOURCE)
    assert [len(line) for line in blanked.split("\n")] == [len(line) for line in SOURCE.split("\n")]
    assert '"// no comment { "' in blanked
    assert "buffers" not in blanked
    assert "commented_out" not in blanked


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("__global__ void k(int n) {}", "there is no entry point"),
        ('extern "C" __global__ void k(int n) { if (n) {', "a brace is not closed"),
        ('extern "C" __global__ void k(n) {}', "'n' is no parameter"),
    ],
)
def test_errors(source: str, message: str) -> None:
    with pytest.raises(KernelError, match=message):
        entry_points(source)


def test_shared_arrays() -> None:
    found = shared_arrays(
        "__shared__ float a[TILE][TILE + 1], b[8];  // __shared__ int no[3];\n"
        "extern __shared__ float open[];\n__shared__ __align__(16) double c [2] [ 4 ];\n__shared__ int one;"
    )
    assert found == {
        "a": SharedArray("float", ("TILE", "TILE + 1")),
        "b": SharedArray("float", ("8",)),
        "c": SharedArray("double", ("2", "4")),
    }
