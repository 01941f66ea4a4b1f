"""For the memory check: accesses outside their array, misaligned, or through a null pointer."""

from __future__ import annotations

import numpy as np

from .fault import Fresh, Kind, Launch, blocks, rng

kind = Kind("memory")


@kind.fault(
    "The last thread reads its right neighbour, which is one element past the end of x.",
    "Out-of-bounds neighbor reads occur before boundary correction, "
    "https://github.com/JuliaParallel/rodinia/issues/12",
)
def neighbour_past_the_end() -> Launch:
    x = rng().random(200, dtype=np.float32)
    return Launch(
        "differences", 4, 64, [x, Fresh(200, np.float32), np.int32(200)], {1: np.append(np.diff(x), 0.0)}
    )


@kind.fault(
    "500 elements are no multiple of 128: the last block's threads go past the end, as nothing stops them.",
    "CUDA: eltwise_zeroize_fp/_fpext have no bounds check, https://github.com/risc0/risc0/issues/3803",
)
def tail_without_guard() -> Launch:
    x = rng().random(500)
    return Launch("scale<double>", blocks(500, 128), 128, [x, np.float64(3), np.int32(500)], {0: 3 * x})


@kind.fault(
    "The transposed matrix has rows of `height` elements; the kernel steps by `width` and leaves the array."
)
def swapped_rows_and_columns() -> Launch:
    matrix = rng().integers(0, 1000, (20, 45), dtype=np.int32)
    args = [matrix, Fresh((45, 20), np.int32), np.int32(20), np.int32(45)]
    return Launch("transpose", (3, 3), (16, 8), args, {1: matrix.T})


@kind.fault(
    "The first block reads the cell left of f[0], and the last block the one right of the last.",
    "dd_1d_shared code question, https://github.com/myurtoglu/cudaforengineers/issues/1",
)
def left_halo_of_the_first_block() -> Launch:
    f = np.sin(np.linspace(0, 3, 256)).astype(np.float32)
    padded = np.pad(f, 1, mode="edge")
    expected = (padded[:-2] - 2 * f + padded[2:]) / np.float32(0.25)
    args = [f, Fresh(256, np.float32), np.float32(0.5), np.int32(256)]
    return Launch("curvature", 4, 64, args, {1: expected})


@kind.fault("No mask is given, and the kernel reads through the null pointer.")
def null_mask() -> Launch:
    a, b = rng().random((2, 300), dtype=np.float32)
    return Launch(
        "blend", 2, 96, [a.copy(), b.copy(), None, Fresh(300, np.float32), np.int32(300)], {3: a + b}
    )


@kind.fault(
    "Rows of 101 floats begin at multiples of 4 bytes; reading a float4 there needs a multiple of 16.",
    "fused_topk_topp misaligned-address crash, https://github.com/lightseekorg/tokenspeed/pull/683",
)
def misaligned_rows() -> Launch:
    matrix = rng().random((6, 101), dtype=np.float32)
    return Launch(
        "row_sums", 6, 32, [matrix, Fresh(6, np.float32), np.int32(101)], {1: matrix.sum(1, dtype=np.float64)}
    )


@kind.fault(
    "A number that may stand at any byte is read as an unsigned int, which must stand at a multiple of four.",
    "Char to uint32_t pointer recasting oddity, https://forums.developer.nvidia.com/t/25769",
)
def words_from_bytes() -> Launch:
    records = rng().integers(0, 256, (50, 7), dtype=np.uint8)
    numbers = np.ascontiguousarray(records[:, 1:5]).view("<u4").ravel()
    return Launch("numbers", 2, 32, [records.ravel(), Fresh(50, np.uint32), np.int32(50)], {1: numbers})


@kind.fault(
    "The queue has 32 places, two rounds can find more: the rest is written past it, into the shared array "
    "that lies behind.",
    'Potential "invalid __shared__ read of size 4" in findBlocksWithInteractions, '
    "https://github.com/openmm/openmm/issues/2825",
)
def into_the_next_shared_array() -> Launch:
    values = rng().integers(-30, 100, 64, dtype=np.int32)
    found = values[values > 0]
    kept = np.full(64, -1, np.int32)
    kept[: found.size] = found
    args = [values, Fresh(64, np.int32), Fresh(1, np.int32)]
    return Launch("collect", 1, 32, args, {1: kept, 2: np.array([found.size], np.int32)})


@kind.fault(
    "Values go up to 63, but there are bins for 32: larger values count outside the array.",
    "Shared memory reference may out of index, https://github.com/ORNL/HeCBench/issues/83",
)
def too_few_shared_bins() -> Launch:
    data = rng().integers(0, 64, 64 * 10, dtype=np.uint8)
    expected = np.bincount(data // 2, minlength=32).astype(np.uint32)
    return Launch("histograms", 1, 64, [data, Fresh(32, np.uint32), np.int32(10)], {1: expected})


@kind.fault(
    "The launch gives dynamic shared memory for the block's 64 floats and forgets the halo of six.",
    "Pass correct shared memory size to orientation kernel, https://github.com/alicevision/popsift/pull/109",
)
def too_little_dynamic_memory() -> Launch:
    x = rng().random(128 + 6, dtype=np.float32)
    expected = np.lib.stride_tricks.sliding_window_view(x, 7).mean(1, dtype=np.float64)
    return Launch(
        "smooth", 2, 64, [x, Fresh(128, np.float32)], {1: expected}, 64 * 4,
        repaired={"shared_bytes": (64 + 6) * 4},
    )  # fmt: skip


@kind.fault("Room is made for a new value by moving the others up, the last one past the end of best[4].")
def past_a_local_array() -> Launch:
    x = rng().random((64, 12), dtype=np.float32)
    expected = -np.sort(-x, axis=1)[:, :4]
    return Launch("largest", 2, 32, [x, Fresh((64, 4), np.float32), np.int32(12)], {1: expected})


@kind.fault(
    "n * part exceeds 2^31 for the last parts: begin and end become negative, and so do the indices.",
    "Fix int32 overflow in CUDA Gather kernel for large tensors, "
    "https://github.com/microsoft/onnxruntime/pull/28108",
)
def index_overflows() -> Launch:
    n, parts = 1_300_000, 2048
    data = rng().integers(-100, 100, n, dtype=np.int8)
    bounds = n * np.arange(parts + 1) // parts
    expected = np.add.reduceat(data, bounds[:-1], dtype=np.int32)
    args = [data, Fresh(parts, np.int32), np.int32(n), np.int32(parts)]
    return Launch("part_sums", parts, 32, args, {1: expected})


@kind.fault(
    "Columns past the image are left out, rows below it are not: the lowest blocks leave the arrays.",
)
def guard_of_one_axis() -> Launch:
    image = rng().integers(0, 256, (50, 70, 3), dtype=np.uint8)
    red, green, blue = image.astype(np.uint32).transpose(2, 0, 1)
    args = [image, Fresh((50, 70), np.uint8), np.int32(70), np.int32(50)]
    return Launch("grey", (5, 4), (16, 16), args, {1: ((red + 2 * green + blue) // 4).astype(np.uint8)})


@kind.fault("A radius of two needs five taps; the loop takes a sixth, past the end of the constant array.")
def too_few_constants() -> Launch:
    x, taps = rng().random(100), np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16
    expected = np.zeros(100)
    expected[:96] = np.correlate(x, taps, "valid")
    args = [x, np.zeros(100), np.int32(100), np.int32(2)]
    return Launch("filter", 2, 64, args, {1: expected}, symbols={"taps": taps})


@kind.fault("What is too long is counted in bins[count]; the last bin is bins[count - 1].")
def atomic_past_the_bins() -> Launch:
    lengths = rng().integers(0, 60, 300, dtype=np.uint16)
    expected = np.bincount(np.minimum(lengths, 49), minlength=50).astype(np.uint32)
    args = [lengths, np.zeros(50, np.uint32), np.int32(50), np.int32(300)]
    return Launch("count_lengths", 3, 128, args, {1: expected})


@kind.fault("`i <= n` lets one thread move a particle that is behind the last.")
def one_particle_too_many() -> Launch:
    particles = rng().random((100, 7), dtype=np.float32)
    expected = particles.copy()
    expected[:, :3] += np.float32(0.5) * particles[:, 3:6]
    return Launch("step", 2, 32, [particles, np.float32(0.5), np.int32(100)], {0: expected})
