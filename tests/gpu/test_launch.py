"""devices.launch on a real GPU: results, times, and what is said when a kernel goes wrong."""

from __future__ import annotations

import mmap
import subprocess
import sys
import time

import numpy as np
import pytest

from course_utils import devices, kernels, simulator

pytestmark = pytest.mark.gpu

SCALE = 'extern "C" __global__ void twice(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2.0f; }'


def test_time_is_that_of_the_kernel(gpu: devices.Gpu) -> None:
    """A kernel that waits for 2 ms on the GPU's clock takes 2 ms, not the host's overhead more."""
    source = """
    extern "C" __global__ void wait(unsigned long long nanoseconds) {
        unsigned long long start, now;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
        do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - start < nanoseconds);
    }"""
    run = devices.launch(source, "wait", 1, 1, [2_000_000], device="gpu", repeats=9)
    assert run.kind == "measured"
    assert run.device == gpu.name
    assert run.time is not None
    assert run.time.repeats == 9
    assert 1.9e-3 < run.time.minimum <= run.time.median < 2.2e-3


def test_an_empty_kernel_takes_microseconds(gpu: devices.Gpu) -> None:
    run = devices.launch('extern "C" __global__ void nothing() {}', "nothing", 1, 32, [], device="gpu")
    assert run.time is not None
    assert 0 < run.time.median < 20e-6


@pytest.mark.parametrize("cold", [False, True])
def test_a_copy_is_not_faster_than_memory(gpu: devices.Gpu, cold: bool) -> None:
    """256 MiB read and as many written: slower than 10 TB/s, which no GPU reaches, and faster than 50
    GB/s."""
    kernel = kernels.load("execution_model/vector_add")
    n = 1 << 26
    a = np.random.default_rng(1).random(n, np.float32)
    out = np.zeros(n, np.float32)
    grid, block, _ = kernel.geometry({}, n=n)
    run = devices.launch(kernel, None, grid, block, [a, a, out, n], device="gpu", cold=cold)
    np.testing.assert_array_equal(out, a + a)
    assert run.time is not None
    assert run.time.cold is cold
    assert 50e9 < 8 * n / run.time.median < 10e12


def test_repeats_leave_the_callers_data_alone(gpu: devices.Gpu) -> None:
    x = np.arange(4, dtype=np.float32)
    devices.launch(SCALE, "twice", 1, 4, [x, 4], device="gpu", repeats=20)
    np.testing.assert_array_equal(x, [0, 2, 4, 6])


def test_slices_of_one_array_share_memory(gpu: devices.Gpu) -> None:
    source = 'extern "C" __global__ void chain(float* a, float* b) { a[0] = 5.0f; b[0] = a[-1] + a[1]; }'
    whole = np.arange(8, dtype=np.float32)
    devices.launch(source, "chain", 1, 1, [whole[2:], whole[6:]], device="gpu")
    np.testing.assert_array_equal(whole, [0, 1, 5, 3, 4, 5, 4, 7])


def test_variables(gpu: devices.Gpu) -> None:
    source = """
    __constant__ float table[4];
    __device__ int calls = 3;
    template <class Number> __global__ void look(Number* out) {
        out[threadIdx.x] = table[threadIdx.x] * 2;
        atomicAdd(&calls, 1);
    }"""
    out, calls = np.zeros(4, np.float32), np.zeros(1, np.int32)
    table = np.array([1, 2, 3, 4], np.float32)
    for _ in range(2):
        devices.launch(source, "look<float>", 1, 4, [out], symbols={"table": table}, device="gpu")
    devices.launch(source, "look<float>", 1, 4, [out], symbols={"table": table, "calls": calls}, device="gpu")
    np.testing.assert_array_equal(out, [2, 4, 6, 8])
    np.testing.assert_array_equal(calls, [4])


def test_large_dynamic_shared_memory(gpu: devices.Gpu) -> None:
    source = """
    extern "C" __global__ void far(int* out, int n) {
        extern __shared__ int cells[];
        cells[n - 1] = 7;
        out[0] = cells[n - 1];
    }"""
    out, size = np.zeros(1, np.int32), 60 * 1024
    with pytest.raises(simulator.LaunchError, match="allow_large_shared"):
        devices.launch(source, "far", 1, 1, [out, size // 4], size, device="gpu")
    devices.launch(source, "far", 1, 1, [out, size // 4], size, device="gpu", allow_large_shared=True)
    assert out[0] == 7


def test_denormals_are_kept(gpu: devices.Gpu) -> None:
    x = np.array([1e-40], np.float32)
    expected = x * np.float32(2)
    devices.launch(SCALE, "twice", 1, 1, [x, 1], device="gpu")
    assert x[0] == expected[0] != 0


@pytest.mark.skipif(sys.platform != "linux", reason="needs memory that is only promised")
def test_out_of_memory_says_how_much(gpu: devices.Gpu) -> None:
    """Arrays larger together than a GPU's memory, none of which the host really has."""
    size = 60 << 30
    no_reserve = 0x4000  # MAP_NORESERVE, which Python names from 3.13 on
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve
    huge = [np.frombuffer(mmap.mmap(-1, size, flags), np.uint8) for _ in range(6)]
    names = ", ".join(f"unsigned char* x{number}" for number in range(6))
    source = f'extern "C" __global__ void touch({names}) {{ x0[0] = 1; }}'
    with pytest.raises(devices.OutOfGpuMemory, match=r"needs 360 GiB on .*, which has .* free") as caught:
        devices.launch(source, "touch", 1, 1, huge, device="gpu")
    assert caught.value.wanted == 6 * size
    assert 0 < caught.value.free < 6 * size


# What breaks a process's connection to the GPU runs in a process of its own.

_PRELUDE = """
import numpy as np
from course_utils import devices, simulator
x = np.zeros(4, np.float32)
def attempt(source, entry, args, **more):
    try:
        devices.launch(source, entry, 1, 1, args, device="gpu", **more)
    except simulator.Error as error:
        print(type(error).__name__, error, flush=True)
    else:
        print("passed", flush=True)
"""


def _in_a_process(text: str, code: int = 0) -> list[str]:
    answer = subprocess.run(
        [sys.executable, "-c", _PRELUDE + text], capture_output=True, text=True, timeout=100, check=False
    )
    assert (answer.returncode, answer.stderr) == (code, "")
    return answer.stdout.splitlines()


def test_an_illegal_address_is_explained(gpu: devices.Gpu) -> None:
    wild = 'extern "C" __global__ void wild(float* x) { x[1ll << 40] = 1.0f; }'
    lines = _in_a_process(
        f"attempt({wild!r}, 'wild', [x])\n"
        f"attempt({SCALE!r}, 'twice', [x, 4])\n"
        f"devices.launch({SCALE!r}, 'twice', 1, 4, [x, 4], device='simulator')\n"
        "print(x.tolist())"
    )
    assert lines[0].startswith("GpuLost wild broke this program's connection")
    assert "illegal address" in lines[0]
    assert "restart the notebook's kernel" in lines[0]
    assert "device='simulator'" in lines[0]
    assert lines[1] == lines[0]
    assert lines[2] == "[0.0, 0.0, 0.0, 0.0]"


def test_what_a_kernel_prints_is_said_to_be_elsewhere(gpu: devices.Gpu) -> None:
    source = 'extern "C" __global__ void say() { printf("hello from %d\\n", (int)threadIdx.x); }'
    lines = _in_a_process(
        f"run = devices.launch({source!r}, 'say', 1, 2, [], device='gpu', repeats=0)\n"
        "print(run.notes, run.output)"
    )
    assert {"hello from 0", "hello from 1"} < set(lines)
    assert any("in the terminal" in line for line in lines)


def test_a_trap_is_explained(gpu: devices.Gpu) -> None:
    lines = _in_a_process("""attempt('extern "C" __global__ void stop() { __trap(); }', 'stop', [])""")
    assert lines[0].startswith("GpuLost stop broke this program's connection")


def test_a_kernel_that_does_not_end_is_explained(gpu: devices.Gpu) -> None:
    """It ends by itself after 4 s, for the sake of whoever else uses the GPU."""
    slow = """
    extern "C" __global__ void slow(float* x, unsigned long long nanoseconds) {
        unsigned long long start, now;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
        do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - start < nanoseconds);
        x[0] = 1.0f;
    }"""
    began = time.monotonic()
    lines = _in_a_process(
        f"attempt({slow!r}, 'slow', [x, 4_000_000_000], time_limit=0.5)\n"
        f"attempt({SCALE!r}, 'twice', [x, 4])\n"
        "print(x.tolist())\n"
        "import time; time.sleep(5)\n"
        f"attempt({SCALE!r}, 'twice', [x, 4])\n"
    )
    assert lines[0].startswith("Hang slow did not end within 0.5 s on ")
    assert "larger time_limit" in lines[0]
    assert lines[1].startswith("GpuLost An earlier kernel still runs")
    assert lines[2] == "[0.0, 0.0, 0.0, 0.0]"
    assert lines[3] == "passed"
    assert time.monotonic() - began < 60


def test_after_an_endless_kernel_the_next_start_is_clean(gpu: devices.Gpu) -> None:
    """It runs until its process ends: that it ends at all, and that another then has a GPU, is the test."""
    endless = 'extern "C" __global__ void spin(volatile float* x) { while (x[0] == 0.0f); }'
    began = time.monotonic()
    lines = _in_a_process(f"attempt({endless!r}, 'spin', [x], time_limit=0.5)\n", code=1)
    assert lines[0].startswith("Hang spin did not end within 0.5 s on ")
    assert time.monotonic() - began < 60
    assert _in_a_process(f"attempt({SCALE!r}, 'twice', [x, 4])\n") == ["passed"]


def test_static_metrics_are_the_simulators(gpu: devices.Gpu) -> None:
    """For a GPU of the architecture that the simulator counts for, what the machine code states is the
    same."""
    if gpu.arch != "sm_90":
        pytest.skip(f"{gpu.name} is {gpu.arch}; counting is for sm_90")
    kernel = kernels.load("tiling/tiled")
    grid, block, _ = kernel.geometry({}, N=64)
    args = [*(np.ones((64, 64), np.float32) for _ in range(3)), 64]
    measured = devices.launch(kernel, None, grid, block, args, device="gpu").metrics
    counted = devices.launch(kernel, None, grid, block, args, device="simulator").metrics
    assert measured
    assert measured == {name: counted[name] for name in measured}
