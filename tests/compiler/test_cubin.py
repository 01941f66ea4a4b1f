"""What is read from a cubin is what the driver reports."""

from __future__ import annotations

import pytest

from course_utils import compiler
from course_utils.compiler import cubin

SOURCE = """
extern __shared__ float dyn[];
__constant__ float lut[7];
__device__ __noinline__ float inner(float *a, int n) {
    float t[32];
    for (int i = 0; i < 32; i++) t[i] = a[i * n];
    return t[n & 31];
}
extern "C" __global__ void plain(float *a) { a[0] += 1; }
extern "C" __global__ void stat(float *a) {
    __shared__ float t[33];
    __shared__ double z[3];
    t[threadIdx.x] = a[0];
    z[threadIdx.x & 1] = a[2];
    __syncthreads();
    a[1] = t[5] + z[1];
}
extern "C" __global__ void dynamic(float *a) {
    dyn[threadIdx.x] = a[0];
    __syncthreads();
    a[1] = dyn[5] * lut[threadIdx.x];
}
extern "C" __global__ void both(float *a) {
    __shared__ float t[33];
    t[threadIdx.x] = a[3];
    dyn[threadIdx.x] = a[0];
    __syncthreads();
    a[1] = dyn[5] + t[9];
}
extern "C" __global__ void __launch_bounds__(128) bounded(float *a) { a[0] += 1; }
extern "C" __global__ void __launch_bounds__(96, 4) bounded_twice(float *a) { a[0] += 1; }
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __block_size__((32, 4, 1)) sized(float *a) { a[0] += 1; }
#endif
extern "C" __global__ void calling(float *a, int n) {
    float t[8];
    for (int i = 0; i < 8; i++) t[i] = a[i];
    a[n] = inner(a, n) + t[n];
}
extern "C" __global__ void fat(float *a, int n) {
    float t[96];
#pragma unroll
    for (int i = 0; i < 96; i++) t[i] = a[i * n];
#pragma unroll
    for (int i = 0; i < 96; i++) a[i * n] = t[95 - i] * t[(i * 7) % 96];
}
"""

# cuFuncGetAttribute on an H200 for these kernels, compiled by NVRTC 12.9.86 for sm_90: registers a thread,
# static shared bytes, local bytes a thread. The module has 28 bytes of __constant__ variables.
DRIVER = {
    "plain": {
        "plain": (8, 0, 0),
        "stat": (16, 160, 0),
        "dynamic": (10, 0, 0),
        "both": (12, 144, 0),
        "bounded": (8, 0, 0),
        "bounded_twice": (8, 0, 0),
        "sized": (8, 0, 0),
        "calling": (40, 0, 160),
        "fat": (255, 0, 160),
    },
    "at most 32 registers": {"stat": (16, 160, 0), "calling": (32, 0, 160), "fat": (32, 0, 2216)},
    "unoptimised": {
        "plain": (8, 0, 0),
        "stat": (17, 156, 0),
        "dynamic": (15, 144, 0),
        "both": (16, 144, 0),
        "calling": (28, 0, 160),
        "fat": (20, 0, 384),
    },
}
HOW = {
    "plain": {},
    "at most 32 registers": {"options": ["-maxrregcount=32"]},
    "unoptimised": {"optimise": False},
}


@pytest.mark.parametrize("how", DRIVER)
def test_resources_are_the_drivers(how: str) -> None:
    resources = compiler.compile(SOURCE, **HOW[how]).resources
    assert set(resources) == set(DRIVER["plain"])
    for kernel, expected in DRIVER[how].items():
        found = resources[kernel]
        numbers = (found.registers_per_thread, found.static_shared_bytes, found.local_bytes_per_thread)
        assert numbers == expected, kernel
        assert found.constant_bytes == 28


def test_bounds_and_block_sizes() -> None:
    resources = compiler.compile(SOURCE).resources
    bounds = {name: (found.max_threads_per_block, found.block) for name, found in resources.items()}
    assert bounds["bounded"] == (128, None)
    assert bounds["bounded_twice"] == (96, None)
    assert bounds["sized"] == (None, (32, 4, 1))
    assert bounds["plain"] == (None, None)


def test_spills_are_told() -> None:
    resources = compiler.compile(SOURCE, options=["-maxrregcount=32"]).resources
    assert resources["fat"].spill_store_bytes > 1000
    assert resources["fat"].spill_load_bytes > 1000
    assert (resources["plain"].spill_store_bytes, resources["plain"].spill_load_bytes) == (0, 0)


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_89", "sm_90a", "sm_100", "sm_120"])
def test_shared_memory_is_the_same_on_every_architecture(arch: str) -> None:
    resources = compiler.compile(SOURCE, arch=arch).resources
    shared = {name: resources[name].static_shared_bytes for name in ("plain", "stat", "dynamic", "both")}
    # 33 floats padded to the alignment of what follows: of the doubles, or of the dynamic part.
    assert shared == {"plain": 0, "stat": 160, "dynamic": 0, "both": 144}


def test_nsight_compute_counts_at_least_16_registers() -> None:
    resources = compiler.compile(SOURCE).resources
    assert resources["plain"].launch_registers_per_thread == 16
    assert resources["calling"].launch_registers_per_thread == 40


@pytest.mark.parametrize("data", [b"", b"MZ", b"\x7fELF\x01" + bytes(60)])
def test_what_is_no_cubin_is_said(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a cubin"):
        cubin.read(data)


def test_the_size_of_the_machine_code() -> None:
    source = """
extern "C" __global__ void none() {}
extern "C" __global__ void some(float* x) { x[threadIdx.x] = 1.0f / x[threadIdx.x]; }
"""
    resources = compiler.compile(source, arch="sm_90").resources
    none, some = (resources[name].code_bytes for name in ("none", "some"))
    assert 0 < none < some
    assert none % cubin.INSTRUCTION_BYTES == some % cubin.INSTRUCTION_BYTES == 0
