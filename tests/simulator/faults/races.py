"""For the races check: accesses of two threads to one place, at least one of them a write, in no order."""

from __future__ import annotations

import numpy as np

from .fault import Fresh, Kind, Launch, blocks, rng

kind = Kind("races")


@kind.fault(
    "No barrier between the rounds: a warp adds values that another has not written yet.",
    "Possible bug in reduction routine from the CUDA 7 SDK, https://forums.developer.nvidia.com/t/53338",
)
def reduction_without_barriers() -> Launch:
    x = rng().random((3, 128), dtype=np.float32)
    return Launch("block_sum", 3, 128, [x, Fresh(3, np.float32)], {1: x.sum(1, dtype=np.float64)})


@kind.fault(
    "The barrier after the first store to shared memory is missing: the first round reads what is not there.",
    "Fix race condition in reduce_first_kernel, https://github.com/arrayfire/arrayfire/pull/633",
)
def reduction_that_starts_early() -> Launch:
    x = rng().random(1000)
    args = [x, Fresh(1, np.float64), np.int32(1000)]
    return Launch("block_max<double>", 1, 128, args, {1: x.max(keepdims=True)}, shared_bytes=128 * 8)


@kind.fault(
    "No barrier at the end of the loop: fast warps load the next tiles while slow ones still use these.",
    "surfel-cuda: missing __syncthreads between tile iterations, https://github.com/ORNL/HeCBench/issues/253",
)
def product_without_second_barrier() -> Launch:
    a, b = rng().random((2, 48, 48), dtype=np.float32)
    args = [a.copy(), b.copy(), Fresh((48, 48), np.float32), np.int32(48)]
    return Launch("product", (3, 3), (16, 16), args, {2: a.astype(np.float64) @ b})


@kind.fault("The tile is read along the other axis, so other threads' elements, with no barrier in between.")
def transpose_without_barrier() -> Launch:
    matrix = rng().random((64, 96))
    args = [matrix, Fresh((96, 64), np.float64), np.int32(96), np.int32(64)]
    return Launch("transpose", (3, 2), (32, 8), args, {1: matrix.T})


@kind.fault(
    "The window takes in cells that other threads load, and nothing waits for them.",
    "Adjusting the 1D Stencil: can you explain a few details?, https://forums.developer.nvidia.com/t/65397",
)
def stencil_without_barrier() -> Launch:
    x = rng().integers(0, 100, 2 * 96 + 8, dtype=np.int32)
    expected = np.lib.stride_tricks.sliding_window_view(x, 9).sum(1)
    return Launch("window_sum", 2, 96, [x, Fresh(192, np.int32)], {1: expected})


@kind.fault("A thread writes its sum while the thread `step` further on may still have to read the old one.")
def scan_in_one_buffer() -> Launch:
    x = rng().integers(0, 100, 192, dtype=np.int32)
    return Launch("scan", 1, 192, [x, Fresh(192, np.int32)], {1: x.cumsum()}, shared_bytes=192 * 4)


@kind.fault(
    "The next tile is loaded into the half that is being read, instead of the other one.",
    "Fix race in decoupled lookback test harness, https://github.com/NVIDIA/cccl/pull/4556",
)
def double_buffer_not_switched() -> Launch:
    x = rng().random((5, 64), dtype=np.float32)
    args = [x, Fresh(64, np.float32), np.int32(5)]
    return Launch("reversed_tiles", 1, 64, args, {1: x.sum(0, dtype=np.float64)[::-1]})


@kind.fault(
    "The second call stores its warps' sums while threads of slower warps still read those of the first.",
    "Fix thread all reduce to avoid write after read hazzard, https://github.com/apache/tvm/pull/2937",
)
def total_overwritten_by_the_next() -> Launch:
    x = rng().random((2, 128), dtype=np.float32)
    expected = np.stack([x.mean(1, dtype=np.float64), x.var(1, dtype=np.float64)], 1)
    return Launch("mean_and_variance", 2, 128, [x, Fresh((2, 2), np.float32)], {1: expected})


@kind.fault(
    "While thread 0 adds up a row, the others store the products of the next one over it.",
    "Fix race condition in _block_gemv kernel, https://github.com/NVIDIA/cuml/pull/6578",
)
def next_row_overtakes_the_sum() -> Launch:
    matrix, vector = rng().random((7, 64)), rng(2).random(64)
    args = [matrix, vector, Fresh(7, np.float64), np.int32(7)]
    return Launch("matrix_vector", 1, 64, args, {2: matrix @ vector})


@kind.fault(
    "Thread 0 stores where to write, and all threads read it at once.",
    "marchingCubes-cuda: missing __syncthreads in generatingTriangles, "
    "https://github.com/ORNL/HeCBench/issues/254",
)
def totals_read_too_soon() -> Launch:
    values = np.full(3, 7, np.int32)
    args = [values, Fresh(3 * 64 * 2, np.int32), np.zeros(1, np.uint32), np.int32(2)]
    return Launch("repeat", 3, 64, args, {1: np.full(384, 7), 2: np.array([384])})


@kind.fault(
    "Lanes of a warp read what other lanes just wrote; since Volta they need not run in step.",
    "Kernel digit_last_wdc has race conditions, https://github.com/tpruvot/ccminer/pull/75",
)
def lanes_without_syncwarp() -> Launch:
    x = rng().random((8, 8), dtype=np.float32)
    return Launch("eights", 2, 32, [x, Fresh(8, np.float32)], {1: x.sum(1, dtype=np.float64)})


@kind.fault(
    "volatile makes each access real, but does not order those of different lanes.",
    "Why __syncwarp is necessary in undivergent warp reduction?, "
    "https://forums.developer.nvidia.com/t/209893",
)
def volatile_warp_reduction() -> Launch:
    x = rng().integers(0, 1000, (2, 256), dtype=np.int32)
    return Launch("block_sum", 2, 256, [x, Fresh(2, np.int32)], {1: x.sum(1)})


@kind.fault("Each thread overwrites the element that its left neighbour is about to read.")
def shift_in_place() -> Launch:
    x = rng().integers(-1000, 1000, 128, dtype=np.int16)
    return Launch("drop_first", 1, 128, [x, np.int32(128)], {0: np.append(x[1:], x[-1])})


@kind.fault(
    "Threads read a counter, add one and write it back, all at the same time.",
    "Using shared memory to add numbers results in overwriting, https://github.com/numba/numba/issues/4907",
)
def shared_bins_without_atomics() -> Launch:
    genome = rng().integers(0, 4, 700, dtype=np.uint8)
    args = [genome, np.zeros(4, np.int32), np.int32(700)]
    return Launch("letters", 2, 128, args, {1: np.bincount(genome, minlength=4)})


@kind.fault(
    "All threads of the grid increase one counter in global memory without an atomic operation.",
    "feat: ByteMaskedArray numnull Cuda kernel, https://github.com/scikit-hep/awkward/pull/2225",
)
def counter_without_atomics() -> Launch:
    mask = rng().random(300) > 0.3
    args = [mask, np.zeros(1, np.int64), np.int32(300)]
    return Launch("count_missing", 3, 128, args, {1: np.array([np.count_nonzero(~mask)])})


@kind.fault(
    "Two particles in one cell, in different blocks perhaps, add to it at the same time.",
    "multithread add operation in kernel renderCUDA_count, "
    "https://github.com/VITA-Group/LightGaussian/issues/24",
)
def global_bins_without_atomics() -> Launch:
    places = (rng().random((400, 2)) * 8).astype(np.float32)
    weights = rng(2).random(400, dtype=np.float32)
    column, row = places.astype(np.int32).T
    expected = np.bincount(row * 8 + column, weights, 64)
    args = [places, weights, np.zeros(64, np.float32), np.int32(8), np.int32(400)]
    return Launch("deposit", 4, 128, args, {2: expected})


@kind.fault(
    "A step needs the neighbours' values of the last step; __syncthreads() waits for the own block alone, "
    "and at its edges the neighbours are other blocks' cells."
)
def steps_without_grid_barrier() -> Launch:
    start = rng().random(192, dtype=np.float32)
    rod = start.astype(np.float64)
    for _ in range(4):
        rod[1:-1] = rod[1:-1] + 0.25 * (rod[:-2] - 2 * rod[1:-1] + rod[2:])
    args = [start.copy(), start.copy(), np.int32(192), np.int32(4)]
    return Launch("heat", 3, 64, args, {0: rod}, repaired={"cooperative": True})


@kind.fault(
    "The sum is read after a barrier of the block, when other blocks may not have added theirs.",
    "Race Conditions in Cumulative Sum Calculation, a question kept in "
    "https://huggingface.co/datasets/nvidia/Nemotron-CC-Math-v1",
)
def norm_before_all_blocks() -> Launch:
    x = rng().random(250, dtype=np.float32)
    args = [x, np.zeros(1, np.float32), np.int32(250)]
    expected = x / np.linalg.norm(x.astype(np.float64))
    return Launch("normalise", 2, 128, args, {0: expected}, cooperative=True)


@kind.fault("A block writes the mirrored tile while the block whose tile that is may not have read it yet.")
def transpose_in_place() -> Launch:
    matrix = rng().integers(0, 1000, (48, 48), dtype=np.int32)
    return Launch("transpose", (3, 3), (16, 16), [matrix, np.int32(48)], {0: matrix.T.copy()})


@kind.fault("A pixel is replaced while threads of this and other blocks still need its old value.")
def blur_in_place() -> Launch:
    image = rng().random((40, 50), dtype=np.float32)
    blurred = image.astype(np.float64)
    blurred[1:-1, 1:-1] = (
        image[1:-1, :-2] + image[1:-1, 1:-1] + image[1:-1, 2:] + image[:-2, 1:-1] + image[2:, 1:-1]
    ) / 5
    size = [np.int32(50), np.int32(40)]
    return Launch(
        "blur", (4, 5), (16, 8), [image, *size],
        repaired={"args": [image, image.copy(), *size], "expected": {1: blurred}},
    )  # fmt: skip


@kind.fault(
    "Without a fence the last block may see the counter complete and yet read a part that is not there.",
    "A missing fence in a reduction over blocks, https://github.com/pytorch/pytorch/pull/128455",
)
def last_block_without_fence() -> Launch:
    x = rng().random(40 * 32, dtype=np.float32)
    args = [x, Fresh(40, np.float32), np.zeros(1, np.uint32), Fresh(1, np.float32)]
    return Launch("sum", 40, 32, args, {3: x.sum(keepdims=True, dtype=np.float64)})


@kind.fault(
    "A block hands its turn on without a fence: the next may see the turn and still read the old tile.",
    "Add threadfence to grid_sync::blockSerializeRelease, https://github.com/NVIDIA/Fuser/pull/2391",
)
def turns_without_fence() -> Launch:
    x = rng().random((5, 64), dtype=np.float32)
    tile = np.zeros(64)
    for row in x:
        tile = 0.5 * tile + row
    args = [x, np.zeros(64, np.float32), np.zeros(1, np.int32)]
    return Launch("in_order", 5, 64, args, {1: tile})


@kind.fault(
    "The end and the flag that announces it are stored without a fence between, and read without one.",
    "Fix DecoupledLookback cross-block coherence, https://github.com/JuliaGPU/AcceleratedKernels.jl/pull/98",
)
def chained_scan_without_fence() -> Launch:
    x = rng().integers(0, 100, 6 * 32, dtype=np.int32)
    args = [x, Fresh(6 * 32, np.int32), Fresh(6, np.int32), np.zeros(6, np.int32)]
    return Launch("chained", 6, 32, args, {1: x.cumsum()})


@kind.fault(
    "One warp waits for a flag in shared memory that another sets; no fence orders the table and the flag.",
    "Fix race conditions in HIP ParallelScan, https://github.com/kokkos/kokkos/pull/8648",
)
def spin_without_fence() -> Launch:
    x = rng().integers(0, 100, 32, dtype=np.int32)
    return Launch("produce", 1, 64, [x, Fresh(32, np.int32)], {1: (x * x)[::-1]})


@kind.fault("Thread 0 reads the counter while other warps still add to it.")
def counter_read_in_between() -> Launch:
    x = rng().integers(0, 1000, 160, dtype=np.int32)
    args = [x, Fresh(160, np.int32), Fresh(1, np.int32)]
    return Launch("evens", 1, 160, args, {2: np.array([np.count_nonzero(x % 2 == 0)])})


@kind.fault(
    "Looking and marking are two steps: two threads can both find a label new, and both count it.",
    "Race condition despite using atomic.add, https://github.com/IntelPython/numba-dpex/issues/832",
)
def plain_look_before_the_atomic() -> Launch:
    labels = rng().integers(0, 50, 300, dtype=np.uint32)
    args = [labels, np.zeros(50, np.int32), np.zeros(1, np.int32), np.int32(300)]
    return Launch("different", 3, 128, args, {2: np.array([np.unique(labels).size])})


@kind.fault(
    "No barrier between setting the maximum to zero and the atomic operations on it.",
    "Resolve race conditions identified by racecheck, https://github.com/alicevision/popsift/pull/82",
)
def zeroed_while_others_add() -> Launch:
    lengths = rng().integers(0, 200, (2, 150), dtype=np.int32)
    args = [lengths, Fresh(2, np.int32), np.int32(150)]
    return Launch("longest", 2, 64, args, {1: lengths.max(1)})


@kind.fault("Eight threads change bits of the same byte; one writes back what another has just changed.")
def bits_of_one_byte() -> Launch:
    x = rng().random(200, dtype=np.float32)
    args = [x, np.zeros(200, np.uint8), np.float32(0.5), np.int32(200)]
    return Launch("mark", blocks(200, 64), 64, args, {1: x > 0.5})


@kind.fault(
    "Threads of a tile read each other's slots with no tile.sync() after the stores.",
    "cuda: add the __syncwarp() its two siblings carry, https://github.com/JustVugg/colibri/issues/1099",
)
def tile_without_sync() -> Launch:
    x = rng().integers(0, 40, (8, 16), dtype=np.int32)
    return Launch("sort_sixteens", 2, 64, [x, Fresh((8, 16), np.int32)], {1: np.sort(x, axis=1)})


@kind.fault("Pairs are stored one element apart instead of two: neighbours write the same elements.")
def overlapping_pairs() -> Launch:
    i = np.arange(64, dtype=np.float32)
    return Launch("squares", 1, 64, [Fresh(128, np.float32)], {0: np.stack([i, i * i], 1).ravel()})
