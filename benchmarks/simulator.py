"""How long the simulator takes: matrix products against NumPy and plain C, a new kernel, and memory.

    python benchmarks/simulator.py [--edge 1024] [--repeats 5] [--launches 500]

Everything is timed in one run and in turns, so that what else the machine does touches all alike. Nothing is
asserted; see README.md beside this file.
"""

from __future__ import annotations

import argparse
import ctypes
import datetime
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from course_utils import simulator  # noqa: E402

PLAIN_C = """
void rows(const float *a, const float *b, float *restrict c, int n) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) c[i * n + j] = 0.0f;
        for (int k = 0; k < n; ++k)
            for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}
void columns(const float *a, const float *b, float *restrict c, int n) {
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0.0f;
            for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}
"""
"""The triple loop in its best order, whose inner loop walks along rows and becomes vector code; and as one
would first write it, with an inner loop down a column of B."""
BEST = "C loops i-k-j (best order), 1 thread"

NEW_KERNEL = """
extern "C" __global__ void fresh_%d(const float* __restrict__ x, float* __restrict__ y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + %d.0f;
}
"""


def processor() -> str:
    """The processor's name as the system gives it."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def medians(actions: dict[str, Callable[[], object]], repeats: int) -> dict[str, tuple[float, float, float]]:
    """Median, least and largest seconds of each action, all of them in turns, after one run unmeasured."""
    taken: dict[str, list[float]] = {name: [] for name in actions}
    for action in actions.values():
        action()
    for _ in range(repeats):
        for name, action in actions.items():
            taken[name].append(seconds(action))
    return {name: (statistics.median(each), min(each), max(each)) for name, each in taken.items()}


def row(name: str, median: float, least: float, largest: float, note: str = "") -> str:
    return f"| {name:<46} | {median:>9.3f} | {least:>9.3f} | {largest:>9.3f} | {note:<22} |"


def table_head(last: str) -> str:
    head = f"| {'':<46} | {'median s':>9} | {'least s':>9} | {'largest s':>9} | {last:<22} |"
    return f"{head}\n| {'---':<46} | {'---:':>9} | {'---:':>9} | {'---:':>9} | {'---':<22} |"


# Products ------------------------------------------------------------------------------------------------


def products(edge: int, repeats: int, compiler: str | None) -> str:
    """Tiled and naive products, counters on, against NumPy and the plain loop."""
    generator = np.random.default_rng(0)
    a, b = (generator.standard_normal((edge, edge), np.float32) for _ in range(2))
    c = np.zeros((edge, edge), np.float32)
    want = a @ b

    actions: dict[str, Callable[[], object]] = {"NumPy, all threads": lambda: np.matmul(a, b, out=c)}
    for kernel, file, tile in (
        ("matmul_tiled", "tiled", 16),
        ("matmul_tiled", "tiled", 32),
        ("matmul_naive", "naive", 16),
    ):
        source = (ROOT / "kernels" / "tiling" / f"{file}.cu").read_text(encoding="utf-8")
        program = simulator.compile(source, defines={"TILE": tile}, name=f"{file}.cu")
        blocks = -(-edge // tile)
        for threads in (1, 2):

            def launch(
                program: simulator.Program = program,
                kernel: str = kernel,
                grid: tuple[int, int] = (blocks, blocks),
                block: tuple[int, int] = (tile, tile),
                threads: int = threads,
            ) -> None:
                program.launch(kernel, grid, block, [a, b, c, np.int32(edge)], workers=threads)

            c[:] = 0
            launch()
            if not np.allclose(c, want, rtol=1e-3, atol=1e-2):
                raise SystemExit(f"{kernel} with TILE={tile} gave a wrong product; its time says nothing")
            actions[f"{kernel}, {tile} x {tile} threads, {threads} thread{'s' * (threads > 1)}"] = launch

    with tempfile.TemporaryDirectory() as folder:
        if compiler:
            library = plain_c(compiler, Path(folder))
            places = [ctypes.c_void_p(each.ctypes.data) for each in (a, b, c)]
            actions[BEST] = lambda: library.rows(*places, edge)
            actions["C loops i-j-k, 1 thread"] = lambda: library.columns(*places, edge)
        found = medians(actions, repeats)
    base = found.get(BEST, found["NumPy, all threads"])[0]
    against = "C i-k-j" if compiler else "NumPy"
    rows = [row(name, *each, f"{each[0] / base:.2f} x {against}") for name, each in found.items()]
    note = "" if compiler else "\n(no C compiler was found, so that the plain loops are missing)"
    return "\n".join([table_head("ratio of medians"), *rows]) + note


def plain_c(compiler: str, folder: Path) -> ctypes.CDLL:
    """The plain loops, compiled into a folder."""
    source, library = folder / "product.c", folder / "product.so"
    source.write_text(PLAIN_C)
    flags = ["-O3", "-march=native", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, str(source), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


# A new kernel --------------------------------------------------------------------------------------------

NEW_KERNEL_SCRIPT = """
import sys, time
import numpy as np
sys.path.insert(0, sys.argv[1])
from course_utils import simulator

def counted(number):
    source = sys.argv[2] % (number, number)
    start = time.perf_counter()
    program = simulator.compile(source, name="fresh.cu")
    x, y = np.ones(1000, np.float32), np.zeros(1000, np.float32)
    run = program.launch(f"fresh_{number}", 4, 256, [x, y, np.float32(2), np.int32(1000)])
    taken = time.perf_counter() - start
    if run.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] != 125 or y[0] != 2 + number:
        raise SystemExit("the new kernel gave a wrong result; its time says nothing")
    return taken

print(*(counted(number) for number in range(int(sys.argv[3]))))
"""


def new_kernel(repeats: int) -> str:
    """From source to counters, each kernel never seen before, with an empty cache."""
    first, later = [], []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as cache:
            answer = subprocess.run(
                [sys.executable, "-c", NEW_KERNEL_SCRIPT, str(ROOT), NEW_KERNEL, "6"],
                env=os.environ | {"LIVE_KERNELS_CACHE": cache},
                capture_output=True,
                text=True,
                check=True,
            )
        taken = [float(each) for each in answer.stdout.split()]
        first.append(taken[0])
        later += taken[1:]
    rows = [
        row(name, statistics.median(each), min(each), max(each), f"{len(each)} kernels")
        for name, each in (
            ("first of a process (starts NVRTC, no cache)", first),
            ("later ones of the process", later),
        )
    ]
    return "\n".join([table_head(""), *rows])


# Memory --------------------------------------------------------------------------------------------------


def resident_mib() -> float:
    """Memory that the process holds now, in MiB; NaN where the system does not tell."""
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def memory(launches: int) -> str:
    """The resident memory over launches of one kernel whose tile size and matrix edge change each time."""
    source = (ROOT / "kernels" / "tiling" / "tiled.cu").read_text(encoding="utf-8")
    rows = ["| launches | resident MiB |", "| ---: | ---: |"]
    steps = {round(launches * part / 5) for part in range(6)}
    for number in range(launches + 1):
        if number in steps:
            rows.append(f"| {number} | {resident_mib():.1f} |")
        tile, edge = (4, 8, 16, 32)[number % 4], 32 + number % 50
        program = simulator.compile(source, defines={"TILE": tile}, name="tiled.cu")
        a, b, c = (np.ones((edge, edge), np.float32) for _ in range(3))
        blocks = -(-edge // tile)
        program.launch("matmul_tiled", (blocks, blocks), (tile, tile), [a, b, c, np.int32(edge)])
    return "\n".join(rows)


def main() -> None:
    """Run all parts and print their tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--edge", type=int, default=1024, help="edge N of the matrices (default 1024)")
    parser.add_argument(
        "--repeats", type=int, default=5, help="runs of which the median is taken (default 5)"
    )
    parser.add_argument("--launches", type=int, default=500, help="launches in the memory part (default 500)")
    options = parser.parse_args()
    compiler = shutil.which("gcc")
    load = " ".join(f"{each:.1f}" for each in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"
    print(
        textwrap.dedent(
            f"""\
            {datetime.date.today()}, {processor()}, {cores()} cores; load before: {load}
            Python {platform.python_version()}, NumPy {np.__version__}
            """
        )
    )
    print(f"Matrix products, N = {options.edge}, counters on\n")
    print(products(options.edge, options.repeats, compiler), "\n", sep="\n", end="")
    print("A new small kernel, from source to counters\n")
    print(new_kernel(options.repeats), "\n", sep="\n", end="")
    print("Memory, tiled product with changing TILE and N\n")
    print(memory(options.launches))


if __name__ == "__main__":
    main()
