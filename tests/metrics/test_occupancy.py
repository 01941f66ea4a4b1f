"""Occupancy against limits that Nsight Compute reports on an H200, and against the rules' own corners."""

import pytest

from course_utils.metrics import GPUS, H200, METRICS, Suggestion, names, occupancy, suggested_block, waves

# Nsight Compute, NVIDIA H200, driver 580, November 2026: threads a block, registers a thread, shared bytes a
# block, carve-out in bytes; then launch__occupancy_limit_registers, _warps, _blocks, _shared_mem.
H200_LIMITS = [
    (1024, 16, 0, 8192, 4, 2, 32, 8),
    (1024, 16, 4096, 16384, 4, 2, 32, 3),
    (1024, 16, 4224, 16384, 4, 2, 32, 3),
    (1024, 32, 8192, 32768, 2, 2, 32, 3),
    (256, 16, 0, 32768, 16, 8, 32, 32),
    (256, 16, 1024, 32768, 16, 8, 32, 16),
    (256, 16, 16384, 167936, 16, 8, 32, 9),
    (256, 19, 0, 32768, 10, 8, 32, 32),
    (256, 22, 0, 32768, 10, 8, 32, 32),
    (256, 24, 0, 32768, 10, 8, 32, 32),
    (256, 32, 2048, 65536, 8, 8, 32, 21),
    (128, 16, 512, 65536, 32, 16, 32, 42),
    (128, 32, 2048, 102400, 16, 16, 32, 33),
    (128, 96, 8192, 102400, 5, 16, 32, 11),
    (64, 32, 512, 65536, 32, 32, 32, 42),
    (64, 168, 16384, 135168, 6, 32, 32, 7),
    (16, 40, 128, 65536, 48, 64, 32, 56),
]


@pytest.mark.parametrize("row", H200_LIMITS)
def test_limits_are_those_of_nsight_compute(row: tuple[int, ...]) -> None:
    threads, registers, shared, carveout, *limits = row
    found = occupancy(
        H200,
        threads_per_block=threads,
        registers_per_thread=registers,
        shared_bytes_per_block=shared,
        carveout_bytes=carveout,
    )
    assert [found.registers, found.warps, found.blocks, found.shared_memory] == limits
    assert found.metrics == dict(
        zip(
            (names.LIMIT_REGISTERS, names.LIMIT_WARPS, names.LIMIT_BLOCKS, names.LIMIT_SHARED),
            limits,
            strict=True,
        )
    )
    assert set(found.metrics) <= set(METRICS)
    assert found.blocks_per_sm == min(limits)


# cuda_occupancy.h, CUDA 12.9, cudaOccMaxActiveBlocksPerMultiprocessor with the largest carve-out:
# GPU, threads, registers, shared bytes, then its four limits (None for INT_MAX).
CALCULATOR_LIMITS = [
    ("V100 SXM2", 1, 1, 0, 256, 64, 32, None),
    ("V100 SXM2", 96, 255, 1, 2, 21, 32, 384),
    ("T4", 256, 40, 5000, 6, 4, 16, 12),
    ("A100 SXM 40 GB", 160, 64, 20000, 6, 12, 32, 7),
    ("RTX 3090", 544, 73, 0, 1, 2, 16, 100),
    ("RTX 4090", 33, 128, 101376, 8, 24, 24, 1),
    ("H100 SXM", 1024, 65, 232448, 0, 2, 32, 1),
    ("H100 SXM", 768, 80, 1000, 1, 2, 32, 114),
]


@pytest.mark.parametrize("row", CALCULATOR_LIMITS)
def test_limits_are_those_of_the_occupancy_calculator(row: tuple[object, ...]) -> None:
    gpu, threads, registers, shared, *limits = row
    found = occupancy(
        GPUS[gpu],  # type: ignore[index]
        threads_per_block=threads,  # type: ignore[arg-type]
        registers_per_thread=registers,  # type: ignore[arg-type]
        shared_bytes_per_block=shared,  # type: ignore[arg-type]
    )
    assert [found.registers, found.warps, found.blocks, found.shared_memory] == limits


def test_what_follows_from_the_limits() -> None:
    found = occupancy(H200, threads_per_block=128, registers_per_thread=96, shared_bytes_per_block=8192)
    assert found.limited_by == ("registers",)
    assert (found.blocks_per_sm, found.warps_per_sm, found.fraction) == (5, 20, 20 / 64)
    assert found.carveout_bytes == 228 * 1024
    full = occupancy(H200, threads_per_block=1024, registers_per_thread=32, shared_bytes_per_block=0)
    assert full.limited_by == ("registers", "warps")
    assert full.fraction == 1


def test_without_shared_memory_old_gpus_have_no_limit_by_it() -> None:
    found = occupancy(GPUS["T4"], threads_per_block=64, registers_per_thread=16, shared_bytes_per_block=0)
    assert names.LIMIT_SHARED not in found.metrics
    assert found.blocks_per_sm == 16


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"threads_per_block": 1025}, "1025 threads a block is outside what this GPU accepts, 1 to 1024"),
        ({"registers_per_thread": 256}, "256 registers a thread"),
        ({"shared_bytes_per_block": 227 * 1024 + 1}, "232449 bytes of shared memory a block .* 0 to 232448"),
        ({"carveout_bytes": 50_000}, "H200 SXM has no carve-out of 50000 bytes"),
    ],
)
def test_launches_that_no_gpu_accepts(change: dict[str, int], message: str) -> None:
    launch = {"threads_per_block": 256, "registers_per_thread": 32, "shared_bytes_per_block": 0} | change
    with pytest.raises(ValueError, match=message):
        occupancy(H200, **launch)


# cuda_occupancy.h, CUDA 12.9, cudaOccMaxPotentialOccupancyBlockSize, largest carve-out: GPU, registers
# a thread, static shared bytes a block, then the block size and the smallest grid that it suggests.
SUGGESTED = [
    ("H200 SXM", 16, 0, 1024, 264),
    ("H200 SXM", 40, 0, 768, 264),
    ("H200 SXM", 72, 0, 896, 132),
    ("H200 SXM", 96, 49152, 640, 132),
    ("H200 SXM", 255, 8192, 256, 132),
    ("A100 SXM 80 GB", 40, 8192, 768, 216),
    ("A100 SXM 80 GB", 72, 49152, 896, 108),
    ("RTX 4090", 16, 0, 768, 256),
    ("RTX 4090", 40, 49152, 768, 256),
    ("RTX 4090", 96, 8192, 640, 128),
    ("T4", 16, 49152, 1024, 40),
    ("T4", 32, 0, 1024, 40),
    ("T4", 72, 8192, 896, 40),
]


@pytest.mark.parametrize(("gpu", "registers", "shared", "threads", "blocks"), SUGGESTED)
def test_suggested_blocks_are_those_of_the_occupancy_calculator(
    gpu: str, registers: int, shared: int, threads: int, blocks: int
) -> None:
    found = suggested_block(GPUS[gpu], registers_per_thread=registers, shared_bytes_per_block=shared)
    assert found == Suggestion(threads, blocks)


def test_no_block_is_suggested_where_the_launch_is_not_possible() -> None:
    with pytest.raises(ValueError, match="300 registers a thread"):
        suggested_block(H200, registers_per_thread=300, shared_bytes_per_block=0)


def test_waves() -> None:
    found = occupancy(H200, threads_per_block=256, registers_per_thread=16, shared_bytes_per_block=0)
    assert waves(H200, found, 1056) == 1
    assert waves(H200, found, 20) == pytest.approx(20 / 132 / 8)
    none = occupancy(H200, threads_per_block=1024, registers_per_thread=65, shared_bytes_per_block=0)
    with pytest.raises(ValueError, match="no block fits on an SM of the H200 SXM"):
        waves(H200, none, 1)
