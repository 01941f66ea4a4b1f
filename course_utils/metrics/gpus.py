"""GPUs as data: what one SM of each compute capability holds, and what each product has.

Every number has its source beside it. Times are never computed from these: they give limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

WARP_SIZE = 32
MAX_THREADS_PER_BLOCK = 1024
MAX_REGISTERS_PER_THREAD = 255

_KB = 1024


@dataclass(frozen=True)
class Sm:
    """One SM of a compute capability. Registers are 32-bit; shared memory is in bytes.

    ``shared_carveouts`` are the amounts of shared memory that the driver can set apart, in ascending order;
    the rest of the SM's memory is L1 cache. ``max_shared_per_block`` is what a block may use, statically and
    dynamically; above 48 KB only after opting in. ``shared_reserved_per_block`` is what the driver takes for
    itself in each block.
    """

    compute_capability: str
    max_warps: int
    max_blocks: int
    registers: int
    shared_carveouts: tuple[int, ...]
    max_shared_per_block: int
    shared_reserved_per_block: int
    shared_allocation_unit: int
    fp32_lanes: int

    @property
    def max_shared(self) -> int:
        """The largest carve-out, in bytes."""
        return self.shared_carveouts[-1]


def _sm(
    compute_capability: str,
    max_warps: int,
    max_blocks: int,
    carveouts_kb: tuple[int, ...],
    reserved: int,
    unit: int,
    fp32_lanes: int,
) -> Sm:
    carveouts = tuple(_KB * size for size in carveouts_kb)
    most = carveouts[-1] - reserved
    return Sm(compute_capability, max_warps, max_blocks, 65536, carveouts, most, reserved, unit, fp32_lanes)


# CUDA C++ Programming Guide, "Compute Capabilities": the tables "Technical Specifications per Compute
# Capability" and "Throughput of Native Arithmetic Instructions" (FP32 lanes), and the sections on shared
# memory of each capability (carve-outs, the 1 KB reserved per block from 8.0 on). The allocation unit is from
# cuda_occupancy.h (CUDA 12.9), cudaOccSMemAllocationGranularity.
# https://docs.nvidia.com/cuda/cuda-c-programming-guide/
SMS: dict[str, Sm] = {
    sm.compute_capability: sm
    for sm in (
        _sm("7.0", 64, 32, (0, 8, 16, 32, 64, 96), 0, 256, 64),
        _sm("7.5", 32, 16, (32, 64), 0, 256, 64),
        _sm("8.0", 64, 32, (0, 8, 16, 32, 64, 100, 132, 164), 1 * _KB, 128, 64),
        _sm("8.6", 48, 16, (0, 8, 16, 32, 64, 100), 1 * _KB, 128, 128),
        _sm("8.9", 48, 24, (0, 8, 16, 32, 64, 100), 1 * _KB, 128, 128),
        _sm("9.0", 64, 32, (0, 8, 16, 32, 64, 100, 132, 164, 196, 228), 1 * _KB, 128, 128),
    )
}


class Source(NamedTuple):
    """Where numbers were read, and which."""

    place: str
    says: str


@dataclass(frozen=True)
class Gpu:
    """One product: its SM and how many of them, its clock, cache and memory, and where that was read.

    ``boost_hz`` is the clock that the maker's FP32 figure assumes; ``dram_bytes_per_second`` is the
    datasheet's.
    """

    name: str
    sm: Sm
    sms: int
    boost_hz: float
    l2_bytes: int
    dram_bytes_per_second: float
    sources: tuple[Source, ...]

    @property
    def compute_capability(self) -> str:
        """The compute capability, say ``9.0``."""
        return self.sm.compute_capability

    @property
    def fp32_flops(self) -> float:
        """Peak FP32 operations a second, no tensor cores: 2 (a multiply-add) x lanes x SMs x boost clock."""
        return 2 * self.sm.fp32_lanes * self.sms * self.boost_hz


GPUS: dict[str, Gpu] = {
    gpu.name: gpu
    for gpu in (
        Gpu(
            "V100 SXM2",
            SMS["7.0"],
            sms=80,
            boost_hz=1530e6,
            l2_bytes=6144 * _KB,
            dram_bytes_per_second=900e9,
            sources=(
                Source(
                    "https://cvw.cac.cornell.edu/gpu-architecture/gpu-example-tesla-v100/volta_block",
                    "80 SMs",
                ),
                Source(
                    "https://pmc.ncbi.nlm.nih.gov/articles/PMC10448217/table/t0015",
                    "1530 MHz, 6 MB of L2, 900 GB/s",
                ),
            ),
        ),
        Gpu(
            "T4",
            SMS["7.5"],
            sms=40,
            boost_hz=1590e6,
            l2_bytes=4096 * _KB,
            dram_bytes_per_second=320e9,
            sources=(
                Source(
                    "https://gist.github.com/Terminus-IMRC/5e4b7782c27106dec287050b323cd059",
                    "deviceQuery: 40 SMs, 1590 MHz, 4194304 bytes of L2, 256-bit memory at 2 x 5001 MHz",
                ),
            ),
        ),
        Gpu(
            "A100 SXM 40 GB",
            SMS["8.0"],
            sms=108,
            boost_hz=1410e6,
            l2_bytes=40960 * _KB,
            dram_bytes_per_second=1555e9,
            sources=(
                Source(
                    "https://upb-pc2.atlassian.net/wiki/spaces/PC2DOK/pages/1900609/NVIDIA+A100+40GB+with+NVLINK",
                    "data sheet and deviceQuery: 108 SMs, 1410 MHz, 41943040 bytes of L2, 1555 GB/s",
                ),
            ),
        ),
        Gpu(
            "A100 SXM 80 GB",
            SMS["8.0"],
            sms=108,
            boost_hz=1410e6,
            l2_bytes=40960 * _KB,
            dram_bytes_per_second=2039e9,
            sources=(
                Source(
                    "https://gist.github.com/gengwg/3520df2ebf8872e5ee4818367e3a4122",
                    "deviceQuery: 108 SMs, 1410 MHz, 41943040 bytes of L2, 5120-bit memory at 2 x 1593 MHz",
                ),
            ),
        ),
        Gpu(
            "RTX 3090",
            SMS["8.6"],
            sms=82,
            boost_hz=1695e6,
            l2_bytes=6144 * _KB,
            dram_bytes_per_second=936e9,
            sources=(
                Source(
                    "https://holynerdvana.blogspot.com/2022/10/nvidia-geforce-rtx-3090-specifications.html",
                    "82 SMs, 1695 MHz, 6 MB of L2, 936 GB/s",
                ),
            ),
        ),
        Gpu(
            "RTX 4090",
            SMS["8.9"],
            sms=128,
            boost_hz=2520e6,
            l2_bytes=73728 * _KB,
            dram_bytes_per_second=1008e9,
            sources=(
                Source(
                    "https://www.thefpsreview.com/gpu-family/nvidia-geforce-rtx-4090-gpu-family-specifications",
                    "16384 CUDA cores of 128 an SM, 2520 MHz, 1008 GB/s",
                ),
                Source("https://cputronic.com/gpu/nvidia-geforce-rtx-4090", "72 MB of L2"),
            ),
        ),
        Gpu(
            "H100 SXM",
            SMS["9.0"],
            sms=132,
            boost_hz=1980e6,
            l2_bytes=51200 * _KB,
            dram_bytes_per_second=3350e9,
            sources=(
                Source("https://glennklockwood.com/garden/processors/h100", "132 SMs, 1.98 GHz, 3.35 TB/s"),
                Source("https://archive-lib.hpctech.co.jp/gpuproduct/nvidia-h100.html", "50 MB of L2"),
            ),
        ),
        Gpu(
            "H200 SXM",
            SMS["9.0"],
            sms=132,
            boost_hz=1980e6,
            l2_bytes=61440 * _KB,
            dram_bytes_per_second=4800e9,
            sources=(
                Source(
                    "cudaGetDeviceProperties of an NVIDIA H200, CUDA 13.0, November 2026",
                    "132 SMs, 1980 MHz, 62914560 bytes of L2",
                ),
                Source("https://aiwiki.ai/wiki/nvidia_h200", "4.8 TB/s"),
            ),
        ),
    )
}

# What counting compiles for, and what the recorded counters were counted on.
H200 = GPUS["H200 SXM"]
