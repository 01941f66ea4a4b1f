"""Launches: sizes and limits, errors and what comes after them, interrupts, budgets, several at once."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from course_utils import compiler, simulator
from course_utils.simulator import launch as launching

SOURCE = """
extern "C" __global__ void indices(int *out, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    int at = (z * gridDim.y * blockDim.y + y) * width + x;
    out[at] += 1 + x + 1000 * y + 100000 * z;
}
extern "C" __global__ void __launch_bounds__(64) bounded(int *out) { out[threadIdx.x] = 1; }
extern "C" __global__ void shared(int *out) {
    __shared__ int board[1024];
    extern __shared__ int more[];
    board[threadIdx.x] = threadIdx.x;
    more[threadIdx.x] = 2 * threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = board[blockDim.x - 1 - threadIdx.x] + more[threadIdx.x];
}
extern "C" __global__ void endless(volatile int *flag) { while (flag[0] == 0) {} flag[1] = 1; }
extern "C" __global__ void endless_in_part(volatile int *flag) {
    if (threadIdx.x % 2) while (flag[0] == 0) {}
}
extern "C" __global__ void waits_for_nobody(int *out) {
    if (threadIdx.x < 32) __syncthreads();
    else while (out[0] == 0) {}
}
extern "C" __global__ void ends_itself(int *out) {
    if (out[threadIdx.x] == 7) __trap();
    out[threadIdx.x] = 1;
}
template <typename T> __global__ void twice(T *a) { a[threadIdx.x] *= 2; }
extern "C" __global__ void hungry(float *a, int n) {
    float total = 0;
    #pragma unroll 1
    for (int i = 0; i < n; ++i) total += a[i];
    a[threadIdx.x] = total;
}
"""
PROGRAM = simulator.compile(SOURCE, name="launch.cu")
SHAPES = [
    (1, 1), (3, 32), (2, 1024), ((2, 3), (5, 7)), ((2, 3, 2), (3, 5, 4)), (1, (1, 1, 64)), (1, (2, 512)),
    ((1, 1, 3), (1, 33)),
    (np.int64(4), np.int32(16)), ([2, 2], [8, 4]), (np.array([2, 2]), np.array([8, 4, 2])),
]  # fmt: skip


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize(("grid", "block"), SHAPES, ids=str)
def test_every_thread_runs_once(grid: object, block: object, workers: int) -> None:
    whole = [[*np.atleast_1d(part), 1, 1][:3] for part in (grid, block)]
    width, height, depth = (int(whole[0][axis]) * int(whole[1][axis]) for axis in range(3))
    out = np.zeros((depth, height, width), np.int32)
    run = PROGRAM.launch("indices", grid, block, [out, np.int32(width)], workers=workers)  # type: ignore[arg-type]
    z, y, x = np.indices(out.shape)
    assert (out == 1 + x + 1000 * y + 100000 * z).all()
    assert (run.grid, run.block, run.kernel) == (
        tuple(map(int, whole[0])),
        tuple(map(int, whole[1])),
        "indices",
    )


@pytest.mark.parametrize(
    ("grid", "block", "sentence"),
    [
        (0, 32, "grid.x is 0; it must be from 1 to 2147483647"),
        (-1, 32, "grid.x is -1"),
        (1 << 31, 32, "grid.x is 2147483648"),
        ((1, 65536), 32, "grid.y is 65536; it must be from 1 to 65535"),
        ((1, 1, 65536), 32, "grid.z is 65536; it must be from 1 to 65535"),
        (1, 0, "block.x is 0; it must be from 1 to 1024"),
        (1, 1025, "block.x is 1025"),
        (1, (1, 1, 65), "block.z is 65; it must be from 1 to 64"),
        (1, (32, 33), "block (32, 33, 1) has 1056 threads; a block can have 1024"),
        (1.5, 32, "grid must be one to three whole numbers, not 1.5"),
        (None, 32, "grid must be one to three whole numbers, not None"),
        ((1, 2, 3, 4), 32, "grid must be one to three whole numbers"),
        ((), 32, "grid must be one to three whole numbers"),
        (1, "32", "block must be one to three whole numbers, not '32'"),
        (1, (32.0, 1), "block must be one to three whole numbers"),
    ],
)
def test_sizes_that_a_gpu_would_refuse(grid: object, block: object, sentence: str) -> None:
    with pytest.raises(simulator.LaunchError, match="^" + re.escape(sentence)):
        PROGRAM.launch("indices", grid, block, [np.zeros(1, np.int32), 1])  # type: ignore[arg-type]


def test_launch_bounds() -> None:
    out = np.zeros(128, np.int32)
    PROGRAM.launch("bounded", 1, 64, [out])
    with pytest.raises(
        simulator.LaunchError, match=r"^block \(65, 1, 1\) has 65 threads; __launch_bounds__ allows 64"
    ):
        PROGRAM.launch("bounded", 1, 65, [out])
    assert out.sum() == 64


def test_shared_memory_limits() -> None:
    out = np.zeros(1024, np.int32)
    dynamic = 48 * 1024 - 4096
    PROGRAM.launch("shared", 1, 1024, [out], dynamic)
    assert out.tolist() == [1023 - i + 2 * i for i in range(1024)]
    with pytest.raises(
        simulator.LaunchError,
        match=r"^49153 bytes of shared memory \(4096 static, 45057 dynamic\).*49152.*allow_large_shared",
    ):
        PROGRAM.launch("shared", 1, 1024, [out], dynamic + 1)
    PROGRAM.launch("shared", 1, 1024, [out], 227 * 1024 - 4096, allow_large_shared=True)
    with pytest.raises(simulator.LaunchError, match="more than the 232448"):
        PROGRAM.launch("shared", 1, 1024, [out], 227 * 1024 - 4095, allow_large_shared=True)
    for wrong in (-1, 1.5, "4"):
        with pytest.raises(simulator.LaunchError, match=r"^shared_bytes must be a number of bytes"):
            PROGRAM.launch("shared", 1, 32, [out], wrong)  # type: ignore[arg-type]
    with pytest.raises(simulator.IllegalAccess, match="shared memory, which has 4100 bytes"):
        PROGRAM.launch("shared", 1, 2, [out], 4)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"workers": 0}, "workers must be a whole number from 1"),
        ({"workers": -2}, "workers must be a whole number from 1"),
        ({"workers": 1.5}, "workers must be a whole number from 1"),
        ({"budget": 0}, "budget must be a whole number from 1"),
        ({"budget": -1}, "budget must be a whole number from 1"),
        ({"budget": 2.5}, "budget must be a whole number from 1"),
        ({"checks": ("speed",)}, "unknown check 'speed'; there are: memory, races, initialisation, barriers"),
        ({"checks": "races"}, "checks must be a list of names"),
        ({"trace": {"blok": 0}}, "trace: unknown key 'blok'"),
        ({"trace": {"block": 9}}, "trace: there is no block 9 in a grid of (1, 1, 1)"),
        ({"trace": {"block": (0, 0), "warp": 1}}, "trace: there is no warp 1; a block has 1"),
        ({"trace": {"block": "first"}}, "trace: there is no block 'first'"),
        ({"trace": 3}, "trace must be a dictionary"),
    ],
    ids=str,
)
def test_options_that_make_no_sense(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(simulator.LaunchError, match="^" + re.escape(sentence)):
        PROGRAM.launch("bounded", 1, 32, [np.zeros(32, np.int32)], **options)  # type: ignore[arg-type]


def test_a_kernel_that_is_not_there() -> None:
    for name in ("scale", "twice<wibble>", "twice"):
        with pytest.raises(
            simulator.LaunchError,
            match=rf"^there is no kernel '{name}' in this program; there is: .*\bbounded",
        ):
            PROGRAM.launch(name, 1, 32, [])
    program = simulator.load_ptx(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }"
    )
    assert program.kernels == ["k"]
    with pytest.raises(simulator.LaunchError, match=r"^there is no kernel 'l' in this program; there is: k"):
        program.launch("l", 1, 1, [])
    with pytest.raises(simulator.LaunchError, match="templates need the source"):
        program.launch("k<float>", 1, 1, [])


@pytest.mark.parametrize(
    ("name", "dtype"), [("float", np.float32), ("int", np.int32), ("double", np.float64)]
)
def test_templates_by_name(name: str, dtype: type) -> None:
    a = np.arange(40).astype(dtype)
    for _ in range(2):
        PROGRAM.launch(f"twice<{name}>", 1, 40, [a])
    assert (a == 4 * np.arange(40)).all()


# Kernels that do not end ----------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kernel", ["endless", "endless_in_part", "waits_for_nobody"])
def test_a_budget_ends_what_never_would(kernel: str, workers: int) -> None:
    flag = np.zeros(2, np.int32)
    with pytest.raises(simulator.Hang, match=r"50,000 rounds.*larger budget"):
        PROGRAM.launch(kernel, 3, 64, [flag], budget=50_000, workers=workers)
    flag[0] = 1
    PROGRAM.launch("endless", 3, 64, [flag], workers=workers)
    assert flag[1] == 1


def test_a_budget_can_be_raised() -> None:
    a = np.ones(1000, np.float32)
    with pytest.raises(simulator.Hang):
        PROGRAM.launch("hungry", 1, 32, [a, 1000], budget=100, workers=1)
    assert (a == 1).all()
    PROGRAM.launch("hungry", 1, 32, [a, 1000], budget=2000, workers=1)
    assert a[31] == 1000


def test_a_trap_ends_the_launch_and_nothing_else() -> None:
    out = np.zeros(64, np.int32)
    out[40] = 7
    with pytest.raises(simulator.Trap, match=r"launch\.cu"):
        PROGRAM.launch("ends_itself", 1, 64, [out], workers=1)
    assert out[:32].sum() == 32
    out[:] = 0
    PROGRAM.launch("ends_itself", 1, 64, [out])
    assert out.sum() == 64


INTERRUPTED = """
import signal, sys, threading, time
import numpy as np
from course_utils import compiler, simulator
SOURCE = 'extern "C" __global__ void endless(volatile int *flag) { while (flag[0] == 0) {} flag[1] = 1; }'
LINES = "".join(f"a[{i}] = sqrtf(a[{i + 1}]);" for i in range(6000))
HUGE = "extern \\"C\\" __global__ void f(float *a) {" + LINES + "}"
flag = np.zeros(2, np.int32)
program = None
def launch():
    program.launch("endless", 4, 64, [flag], budget=1 << 62)
def compile():
    simulator.compile(HUGE, options=("-DSALT=" + sys.argv[2],))
if sys.argv[1] == "launch":
    program = simulator.compile(SOURCE)
print("ready", flush=True)
try:
    {"launch": launch, "compile": compile}[sys.argv[1]]()
except KeyboardInterrupt:
    print("interrupted", flush=True)
flag[0] = 1
simulator.compile(SOURCE).launch("endless", 1, 32, [flag])
print("alive", flag[1], flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one child")
@pytest.mark.parametrize("what", ["launch", "compile"])
def test_an_interrupt_ends_a_launch_and_a_compilation(what: str, tmp_path: Path) -> None:
    """Ctrl-C from another process, as a notebook's stop button sends it: it gets through while compiled code
    runs and while the compiler works, from the first compile on, and the process can go on afterwards."""
    environment = os.environ | {"LIVE_KERNELS_CACHE": str(tmp_path / "cache")}
    child = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, what, str(time.time_ns())],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        started = time.monotonic()
        assert child.stdout.readline() == "interrupted\n"
        waited = time.monotonic() - started
        output, errors = child.communicate(timeout=60)
        assert (output, child.returncode) == ("alive 1\n", 0), errors
        # A second is promised; a machine busy with other tests gets more.
        assert waited < 10, f"the interrupt took {waited:.1f} s to get through"
    finally:
        child.kill()
        child.communicate()


def test_two_threads_launch_one_program_at_once() -> None:
    program = simulator.compile(
        SOURCE
    )  # nothing is compiled for it yet, so both want the same machine code first
    results = [np.zeros((6, 10, 40), np.int32) for _ in range(4)]
    failures: list[BaseException] = []

    def work(out: np.ndarray, block: tuple[int, int]) -> None:
        try:
            for _ in range(5):
                program.launch(
                    "indices", (40 // block[0], 10 // block[1], 6), block, [out, np.int32(40)], workers=2
                )
        except BaseException as failure:
            failures.append(failure)

    threads = [
        threading.Thread(target=work, args=(out, [(8, 5), (20, 2)][number % 2]))
        for number, out in enumerate(results)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    z, y, x = np.indices(results[0].shape)
    for out in results:
        assert (out == 5 * (1 + x + 1000 * y + 100000 * z)).all()


def test_the_number_of_workers_is_that_of_the_processors() -> None:
    assert launching.default_workers() >= 1


def test_a_compile_that_nobody_wants_any_more_does_not_end_later_ones() -> None:
    """A program outlives the request that it was compiled for; each launch asks for itself."""
    unwanted = False
    source = "template <class T> __global__ void twice(T* x) { x[threadIdx.x] *= 2; }"
    source += f" // {time.time_ns()}: in no cache"
    program = simulator.compile(source, name="kept.cu", cancelled=lambda: unwanted)
    unwanted = True
    x = np.arange(32, dtype=np.float32)
    with pytest.raises(compiler.Cancelled):
        program.launch("twice<int>", 1, 32, [np.arange(32, dtype=np.int32)], cancelled=lambda: True)
    run = program.launch("twice<float>", 1, 32, [x], checks=("memory",))
    assert x.tolist() == list(range(0, 64, 2))
    assert run.findings == []
