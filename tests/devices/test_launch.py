"""devices.launch: the same arguments, refusals and results on both devices. The GPU here is fake_cuda's."""

from __future__ import annotations

import numpy as np
import pytest

from course_utils import devices, kernels, simulator
from course_utils.devices.gpus import Gpu
from tests.devices.fake_cuda import FakeCuda
from tests.kernels.cases import cases

pytestmark = pytest.mark.usefixtures("gpu")

BOTH = pytest.mark.parametrize("device", ["simulator", "gpu"])
TWICE = 'extern "C" __global__ void twice(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2.0f; }'
LOOK = """
__constant__ float table[4];
__device__ int calls = 3;
template <class Number> __global__ void look(Number* out) {
    out[threadIdx.x] = table[threadIdx.x] * 2;
    atomicAdd(&calls, 1);
}"""


@BOTH
@pytest.mark.parametrize("name", kernels.find())
def test_values(name: str, device: str) -> None:
    kernel = kernels.load(name)
    values = kernel.values()
    for case in cases(name, values):
        grid, block, shared = kernel.geometry(values, **case.sizes)
        run = devices.launch(kernel, None, grid, block, case.args, shared, device=device, repeats=1)
        case.check()
        assert run.kernel == kernel.entry.name
        assert run.block == block + (1,) * (3 - len(block))


def test_the_simulator_counts() -> None:
    x = np.ones(32, np.float32)
    run = devices.launch(TWICE, "twice", 1, 32, [x, 32], device="simulator", trace={"block": (0,)})
    assert (run.kind, run.device, run.time) == ("counted", "simulator", None)
    assert run.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == 4
    assert run.by_line
    assert run.trace is not None


def test_the_gpu_measures(cuda: FakeCuda) -> None:
    cuda.durations = [1.0, 5e-3, 1e-3, 3e-3]  # the run itself, three samples
    x = np.ones(32, np.float32)
    run = devices.launch(TWICE, "twice", 1, 32, [x, 32], repeats=3)
    assert (run.kind, run.device) == ("measured", "Fake 9000")
    assert run.time is not None
    assert run.time.samples == pytest.approx((5e-3, 1e-3, 3e-3))
    assert run.time.median == pytest.approx(3e-3)
    assert not run.by_line
    assert not any(name.startswith("l1tex") for name in run.metrics)
    counted = devices.launch(TWICE, "twice", 1, 32, [x, 32], device="simulator").metrics
    assert run.metrics
    assert run.metrics == {name: counted[name] for name in run.metrics}


def test_repeats_start_from_the_callers_data_and_leave_it_alone(cuda: FakeCuda) -> None:
    source = 'extern "C" __global__ void next(int* x) { int i = x[0]; x[0] = i + 1; x[i] = 7; }'
    x = np.zeros(2, np.int32)
    x[0] = 1  # run on its own result, it would write x[2], out of bounds
    devices.launch(source, "next", 1, 1, [x], repeats=5)
    np.testing.assert_array_equal(x, [2, 7])
    assert cuda.launches.count("next") == 1 + 5


def test_no_repeats_no_time(cuda: FakeCuda) -> None:
    x = np.ones(4, np.float32)
    run = devices.launch(TWICE, "twice", 1, 4, [x, 4], repeats=0)
    assert run.time is None
    assert cuda.launches == ["twice"]


def test_cold_overwrites_twice_the_cache_each_time(cuda: FakeCuda) -> None:
    x = np.ones(4, np.float32)
    run = devices.launch(TWICE, "twice", 1, 4, [x, 4], repeats=4, cold=True)
    assert run.time is not None
    assert run.time.cold
    assert cuda.cleared == 4


def test_warm_up_is_not_timed(cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1000))  # a warm-up reads it twice
    monkeypatch.setattr("course_utils.devices.gpus.WARM_UP_SECONDS", 6.0)
    monkeypatch.setattr("course_utils.devices.gpus.time.monotonic", lambda: float(next(clock)))
    cuda.durations = [9.0, 8.0, 7.0, 1e-3]  # the run itself, two warm-ups, samples
    x = np.ones(4, np.float32)
    run = devices.launch(TWICE, "twice", 1, 4, [x, 4], repeats=2)
    assert run.time is not None
    assert run.time.samples == pytest.approx((1e-3, 1e-3))


def test_long_launches_are_repeated_less(cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 10_000, 2))
    monkeypatch.setattr("course_utils.devices.gpus.time.monotonic", lambda: float(next(clock)))
    x = np.ones(4, np.float32)
    run = devices.launch(TWICE, "twice", 1, 4, [x, 4], repeats=100, time_limit=5.0)
    assert run.time is not None
    assert run.time.repeats == 3


@BOTH
def test_slices_of_one_array_share_memory(device: str) -> None:
    source = 'extern "C" __global__ void chain(float* a, float* b) { a[0] = 5.0f; b[0] = a[-1] + a[1]; }'
    whole = np.arange(8, dtype=np.float32)
    devices.launch(source, "chain", 1, 1, [whole[2:], whole[6:]], device=device)
    np.testing.assert_array_equal(whole, [0, 1, 5, 3, 4, 5, 4, 7])


@BOTH
def test_null_empty_and_scalar_arguments(device: str) -> None:
    source = """
    extern "C" __global__ void sum(const float* none, const float* empty, float* out, float f, double d,
                                   int i, unsigned char c) {
        out[0] = none == nullptr ? f + (float)d + i + c : -1.0f;
    }"""
    out = np.zeros(1, np.float32)
    args = [None, np.zeros(0, np.float32), out, 0.5, np.float64(0.25), -3, np.uint8(200)]
    devices.launch(source, "sum", 1, 1, args, device=device)
    assert out[0] == 197.75


@BOTH
def test_variables_begin_as_the_source_says(device: str) -> None:
    out, calls = np.zeros(4, np.float32), np.zeros(1, np.int32)
    table = np.array([1, 2, 3, 4], np.float32)
    for start in (10, 20):
        devices.launch(LOOK, "look<float>", 1, 4, [out], symbols={"table": table}, device=device)
        np.testing.assert_array_equal(out, [2, 4, 6, 8])
        calls[0] = start
        devices.launch(LOOK, "look<float>", 1, 4, [out], symbols={"calls": calls}, device=device)
        np.testing.assert_array_equal(calls, [start + 4])
        np.testing.assert_array_equal(out, [0, 0, 0, 0])


@BOTH
@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (
            {"args": [np.ones(4), 4]},
            simulator.ArgumentError,
            "x: the kernel wants float.*astype.numpy.float32",
        ),
        ({"args": [np.ones(8, np.float32)[::2], 4]}, simulator.ArgumentError, "x: .*not C-contiguous"),
        ({"args": [np.ones(4, np.float32)]}, simulator.ArgumentError, "takes 2 arguments .x, n., got 1"),
        (
            {"args": [np.ones(4, np.float32), 1 << 40]},
            simulator.ArgumentError,
            "n: 1099511627776 does not fit",
        ),
        ({"args": [np.ones(4, np.float32), 4.0]}, simulator.ArgumentError, "n: 4.0 is a float"),
        ({"args": [1, 4]}, simulator.ArgumentError, "x is a pointer"),
        ({"block": 2000}, simulator.LaunchError, "block.x is 2000; it must be from 1 to 1024"),
        ({"block": (64, 32)}, simulator.LaunchError, "has 2048 threads; a block can have 1024"),
        ({"grid": 0}, simulator.LaunchError, "grid.x is 0"),
        ({"shared_bytes": 50_000}, simulator.LaunchError, "50000 bytes of shared memory"),
        ({"entry": "thrice"}, simulator.LaunchError, "no kernel 'thrice' in mine.cu; there is: twice"),
        ({"entry": None}, simulator.LaunchError, "entry must name the kernel"),
        (
            {"symbols": {"lut": 1}},
            simulator.ArgumentError,
            "no variable 'lut' in this program; there is: none",
        ),
        ({"repeats": -1}, simulator.LaunchError, "repeats must be a whole number from 0, not -1"),
        ({"time_limit": 0}, simulator.LaunchError, "time_limit must be a number of seconds above 0"),
        ({"kernel": TWICE.replace("*=", "**")}, simulator.CompileError, r"mine.cu\(1\): error"),
    ],
)
def test_refusals_are_the_same(
    cuda: FakeCuda, device: str, change: dict[str, object], error: type[Exception], words: str
) -> None:
    given = {
        "kernel": TWICE, "name": "mine.cu", "entry": "twice",
        "grid": 1, "block": 4, "args": [np.ones(4, np.float32), 4],
    }  # fmt: skip
    with pytest.raises(error, match=words):
        devices.launch(**(given | change), device=device)  # type: ignore[arg-type]
    assert cuda.launches == []
    assert cuda.used == 0


def test_a_large_variable_is_refused() -> None:
    big = np.zeros(5, np.float32)
    with pytest.raises(simulator.ArgumentError, match="table has 16 bytes, the value has 20"):
        devices.launch(LOOK, "look<float>", 1, 4, [np.zeros(4, np.float32)], symbols={"table": big})


def test_a_gpu_refuses_what_only_the_simulator_can() -> None:
    for more in ({"checks": ("memory",)}, {"trace": {"block": (0,)}}):
        with pytest.raises(simulator.LaunchError, match="are the simulator's"):
            devices.launch(TWICE, "twice", 1, 4, [np.ones(4, np.float32), 4], device="gpu", **more)


def test_an_unknown_device_is_refused() -> None:
    with pytest.raises(simulator.LaunchError, match="there is no device 'tpu'"):
        devices.launch(TWICE, "twice", 1, 4, [np.ones(4, np.float32), 4], device="tpu")


def test_a_tunable_that_is_none_is_refused() -> None:
    with pytest.raises(kernels.KernelError, match="TILE cannot be 5"):
        devices.launch(kernels.load("tiling/tiled"), None, 1, 1, [], defines={"TILE": 5})


# Failures of the GPU


def test_a_broken_context_stays_broken(gpu: Gpu, cuda: FakeCuda) -> None:
    x = np.ones(4, np.float32)
    cuda.failure = 700
    with pytest.raises(
        devices.GpuLost, match=r"twice broke .*illegal address.* device='simulator'.* restart"
    ) as first:
        devices.launch(TWICE, "twice", 1, 4, [x, 4])
    np.testing.assert_array_equal(x, np.ones(4))
    cuda.failure = 0
    with pytest.raises(devices.GpuLost) as second:
        devices.launch(TWICE, "twice", 1, 4, [x, 4])
    assert str(second.value) == str(first.value)
    devices.launch(TWICE, "twice", 1, 4, [x, 4], device="simulator")
    np.testing.assert_array_equal(x, 2 * np.ones(4))


def test_another_error_is_a_refused_launch(cuda: FakeCuda) -> None:
    x = np.ones(4, np.float32)
    cuda.failure = 701
    with pytest.raises(simulator.LaunchError, match="Fake 9000 refused the launch of twice: error 701"):
        devices.launch(TWICE, "twice", 1, 4, [x, 4])
    cuda.failure = 0
    devices.launch(TWICE, "twice", 1, 4, [x, 4])
    np.testing.assert_array_equal(x, 2 * np.ones(4))


def test_an_endless_kernel(cuda: FakeCuda) -> None:
    x = np.ones(4, np.float32)
    cuda.endless = True
    with pytest.raises(simulator.Hang, match=r"did not end within 0.01 s on Fake 9000.*larger time_limit"):
        devices.launch(TWICE, "twice", 1, 4, [x, 4], time_limit=0.01)
    with pytest.raises(devices.GpuLost, match="An earlier kernel still runs on Fake 9000"):
        devices.launch(TWICE, "twice", 1, 4, [x, 4])
    np.testing.assert_array_equal(x, np.ones(4))
    cuda.endless = False
    devices.launch(TWICE, "twice", 1, 4, [x, 4])
    np.testing.assert_array_equal(x, 2 * np.ones(4))


def test_an_interrupt_ends_the_wait(cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    cuda.endless = True
    monkeypatch.setattr("course_utils.devices.gpus.time.sleep", interrupt)
    with pytest.raises(KeyboardInterrupt):
        devices.launch(TWICE, "twice", 1, 4, [np.ones(4, np.float32), 4])
    with pytest.raises(devices.GpuLost, match="An earlier kernel still runs"):
        devices.launch(TWICE, "twice", 1, 4, [np.ones(4, np.float32), 4])


def test_too_little_memory_for_the_buffers(cuda: FakeCuda) -> None:
    cuda.total = 3 << 20
    x = np.ones(1 << 20, np.float32)
    with pytest.raises(
        devices.OutOfGpuMemory, match="needs 4 MiB on Fake 9000, which has 3 MiB free"
    ) as caught:
        devices.launch(TWICE, "twice", 1, 4, [x, 4])
    assert (caught.value.wanted, caught.value.free) == (4 << 20, 3 << 20)


def test_too_little_memory_for_the_repeats(cuda: FakeCuda) -> None:
    cuda.total = 6 << 20
    x = np.ones(1 << 20, np.float32)
    run = devices.launch(TWICE, "twice", 1, 4, [x, 4])
    np.testing.assert_array_equal(x[:5], [2, 2, 2, 2, 1])
    assert run.time is None
    assert run.notes == ["Not timed: Fake 9000 has no room for the copies that repeats need."]


def test_too_little_memory_for_a_cold_cache(cuda: FakeCuda) -> None:
    cuda.total = 1 << 10
    with pytest.raises(devices.OutOfGpuMemory, match="needs 128 KiB"):
        devices.launch(TWICE, "twice", 1, 4, [np.ones(4, np.float32), 4], cold=True)


def test_a_memory_limit(cuda: FakeCuda, gpu: Gpu) -> None:
    """What a launch takes counts, its copies for timing included, and nothing is held after it."""
    gpu.limit = 6 << 20
    x = np.ones(1 << 20, np.float32)
    for _ in range(2):
        run = devices.launch(TWICE, "twice", 1, 4, [x, 4])
        assert run.notes == ["Not timed: Fake 9000 has no room for the copies that repeats need."]
    assert devices.launch(TWICE, "twice", 1, 4, [x[: 1 << 18].copy(), 4], repeats=1).time is not None
    told = (
        "needs 8 MiB on Fake 9000, of which it may still take 6 MiB: LIVE_KERNELS_GPU_MEMORY sets the limit"
    )
    with pytest.raises(devices.OutOfGpuMemory, match=told):
        devices.launch(TWICE, "twice", 1, 4, [np.ones(1 << 21, np.float32), 4])


def test_time_of_other_work(cuda: FakeCuda, gpu: Gpu) -> None:
    def work() -> None:
        cuda.clock += 2e-3

    assert gpu.time(work, "a library", devices.Timing(3)) == pytest.approx([2e-3] * 3)
    cuda.failure = 719
    with pytest.raises(devices.GpuLost, match="a library broke this program's connection"):
        gpu.time(work, "a library")


def test_what_still_runs_does_not_hold_up_the_end_of_the_program(cuda: FakeCuda) -> None:
    x = np.ones(4, np.float32)
    devices.launch(TWICE, "twice", 1, 4, [x, 4])
    assert cuda.left_running == 0
    cuda.endless = True
    with pytest.raises(simulator.Hang):
        devices.launch(TWICE, "twice", 1, 4, [x, 4], time_limit=0.01)
    assert cuda.left_running == 1
