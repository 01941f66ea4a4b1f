"""Programs are kept while they are likely to be wanted again."""

from __future__ import annotations

from course_utils import kernels
from course_utils.devices.programs import Source


def test_the_same_source_gives_the_same_program() -> None:
    kernel = kernels.load("tiling/tiled")
    first, second, other = (
        Source.of(kernel, {"TILE": tile}, "", ()).program("sm_90", "matmul_tiled") for tile in (8, 8, 4)
    )
    assert first is second
    assert first is not other


def test_tunables_of_the_launch_are_no_macros() -> None:
    kernel = kernels.load("execution_model/scale")
    assert Source.of(kernel, {"BLOCK": 64}, "", ()).defines == {}
    assert Source.of("", {"BLOCK": 64}, "", ()).defines == {"BLOCK": 64}


def test_a_kernel_without_extern_c_is_found_by_its_plain_name() -> None:
    program = Source.of("__global__ void plain(int* x) { x[0] = 1; }", None, "mine.cu", ()).program(
        "sm_90", "plain"
    )
    assert program.entry == "_Z5plainPi"


def test_a_program_that_prints_is_known() -> None:
    printing = 'extern "C" __global__ void say(int n) { printf("%d", n); }'
    assert Source.of(printing, None, "mine.cu", ()).program("sm_90", "say").prints
    quiet = 'extern "C" __global__ void say(int* n) { n[0] = 1; }'
    assert not Source.of(quiet, None, "mine.cu", ()).program("sm_90", "say").prints
