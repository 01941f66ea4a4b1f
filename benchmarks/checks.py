"""What checked launches cost: kernels of the usual kinds with counters only, and with all four checks.

    python benchmarks/checks.py [--repeats 5] [--only PART]

Both are timed in turns in one run, after one of each that is not timed, on as many threads as the simulator
takes by itself (a checked launch takes one). Launches are timed, not compilations. Nothing is asserted;
see README.md beside this file.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from course_utils import simulator  # noqa: E402

SOURCE = """
template <int TILE>
__device__ void product(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int tile = 0; tile < n; tile += TILE) {
        as[threadIdx.y][threadIdx.x] = a[row * n + tile + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
extern "C" __global__ void product16(const float *a, const float *b, float *c, int n)
{
    product<16>(a, b, c, n);
}
extern "C" __global__ void product32(const float *a, const float *b, float *c, int n)
{
    product<32>(a, b, c, n);
}

extern "C" __global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void reduction(const float *x, float *sums, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) sum += x[i];
    s[t] = sum;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step) s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = s[0];
}

extern "C" __global__ void histogram(const unsigned char *x, unsigned *bins, int n)
{
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&own[x[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

extern "C" __global__ void stencil(const float *in, float *out, int n)
{
    __shared__ float s[258];
    int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x + 1;
    s[t] = in[i];
    if (threadIdx.x == 0) s[0] = i > 0 ? in[i - 1] : 0.0f;
    if (threadIdx.x == 255) s[257] = i + 1 < n ? in[i + 1] : 0.0f;
    __syncthreads();
    out[i] = 0.25f * s[t - 1] + 0.5f * s[t] + 0.25f * s[t + 1];
}

extern "C" __global__ void spmv(const int *offsets, const int *columns, const float *values, const float *x,
                                float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int k = offsets[row]; k < offsets[row + 1]; k++) sum += values[k] * x[columns[k]];
    y[row] = sum;
}

extern "C" __global__ void saxpy(const float *x, float *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""
CHECKS = simulator.CHECKS
Launch = Callable[[tuple[str, ...]], object]


def launches() -> dict[str, Launch]:
    """Name -> a function that launches with these checks."""
    program = simulator.compile(SOURCE, name="checks.cu")
    rng = np.random.default_rng(1)

    def floats(*shape: int) -> np.ndarray:
        return rng.random(shape, np.float32)

    def of(kernel: str, grid: object, block: object, *args: object) -> Launch:
        return lambda checks: program.launch(kernel, grid, block, list(args), checks=checks)  # type: ignore[arg-type]

    found: dict[str, Launch] = {}
    for n in (256, 512):
        a, b, c = floats(n, n), floats(n, n), np.zeros((n, n), np.float32)
        for tile in (16, 32):
            grid, block = (n // tile, n // tile), (tile, tile)
            found[f"tiled product, {tile} x {tile}, N = {n}"] = of(f"product{tile}", grid, block, a, b, c, n)
    n = 1024
    found["transpose, 1024 x 1024"] = of("transpose", (32, 32), (32, 8), floats(n, n), floats(n, n), n)
    n = 1 << 20
    found["reduction, 1 M elements"] = of("reduction", 256, 256, floats(n), floats(256), n)
    bytes_ = rng.integers(0, 256, n, dtype=np.uint8)
    found["histogram, 1 M bytes"] = of("histogram", 64, 256, bytes_, np.zeros(256, np.uint32), n)
    found["stencil, 1 M elements"] = of("stencil", n // 256, 256, floats(n), floats(n), n)
    found["y = a x + y, 1 M elements"] = of("saxpy", n // 256, 256, floats(n), floats(n), np.float32(2), n)
    rows = 1 << 15
    lengths = rng.integers(0, 32, rows)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    columns = rng.integers(0, rows, offsets[-1], dtype=np.int32)
    found["sparse matrix x vector, 32 K rows"] = of(
        "spmv", rows // 128, 128, offsets, columns, floats(len(columns)), floats(rows), floats(rows), rows
    )
    return found


def timed(launch: Launch, checks: tuple[str, ...]) -> float:
    start = time.perf_counter()
    run = launch(checks)
    assert not run.findings, run.findings  # type: ignore[attr-defined]
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", default="", help="rows whose name holds this text")
    options = parser.parse_args()
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{datetime.date.today()}, {os.cpu_count()} cores; load before: {load}")
    print(f"Python {platform.python_version()}, NumPy {np.__version__}\n")
    print("| | counters only, ms | all checks, ms | slower, medians | slower, least |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, launch in launches().items():
        if options.only not in name:
            continue
        timed(launch, ()), timed(launch, CHECKS)
        pairs = [(timed(launch, ()), timed(launch, CHECKS)) for _ in range(options.repeats)]
        times = list(zip(*pairs, strict=True))
        plain, checked = map(statistics.median, times)
        ratios = f"{checked / plain:.1f} x | {min(times[1]) / min(times[0]):.1f} x"
        print(f"| {name} | {1e3 * plain:.1f} | {1e3 * checked:.1f} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
