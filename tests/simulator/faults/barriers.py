"""For the barriers check: barriers, shuffles and votes that not all whom they wait for come to, and hangs."""

from __future__ import annotations

import numpy as np

from .fault import Fresh, Kind, Launch, rng

kind = Kind("barriers")
LOOP_ROUNDS = 10_000_000  # that end a kernel which never ends; blocks that wait spin a million each


@kind.fault(
    "Only threads below `half` come to the barrier in the if.",
    "fix CUDA kernel syncthread usage, https://github.com/acts-project/acts/pull/307",
)
def barrier_in_if() -> Launch:
    x = rng().random((2, 128), dtype=np.float32)
    return Launch("block_sum", 2, 128, [x, Fresh(2, np.float32)], {1: x.sum(1, dtype=np.float64)})


@kind.fault(
    "28 of 128 threads have returned and never come to the barriers.",
    "Can I use __syncthreads() after having dropped threads?, https://stackoverflow.com/questions/6666382",
)
def barrier_after_return() -> Launch:
    x = rng().integers(0, 1000, 100, dtype=np.int32)
    first = np.diff(x, prepend=x[:1])
    expected = np.diff(first, prepend=0)
    expected[0] = 0
    args = [x, Fresh(100, np.int32), np.int32(100)]
    return Launch("second_differences", 1, 128, args, {1: expected}, shared_bytes=128 * 4)


@kind.fault(
    "In the last round only the threads that still have an element come to the barriers.",
)
def barrier_in_uneven_loop() -> Launch:
    x = rng().integers(0, 1000, 150, dtype=np.int16)
    expected = np.concatenate([part[::-1] for part in (x[:64], x[64:128], x[128:])])
    return Launch("reverse_groups", 1, 64, [x, Fresh(150, np.int16), np.int32(150)], {1: expected})


@kind.fault(
    "Half of each warp waits at one barrier, the other half at another.",
    "Use of textually-unaligned __syncthreads causes hangs on Volta, "
    "https://github.com/agency-library/agency/issues/435",
)
def barrier_in_each_branch() -> Launch:
    angles = rng().random(64, dtype=np.float32)
    both = np.where(np.arange(64) % 2, np.sin(angles), np.cos(angles)).reshape(32, 2)
    args = [angles, Fresh(64, np.float32)]
    return Launch("products", 1, 64, args, {1: np.repeat(both.prod(1), 2)})


@kind.fault(
    "The barrier waits for 128 threads, and only 64 come.",
    "Update named barrier thread count to match actual participating threads, "
    "https://github.com/deepseek-ai/FlashMLA/pull/57",
)
def wrong_count_at_named_barrier() -> Launch:
    x = rng().integers(1, 1000, 128, dtype=np.int32)
    expected = np.concatenate([x[32:64], x[:32], -x[64:]])
    return Launch("swap_halves", 1, 128, [x, Fresh(128, np.int32)], {1: expected})


@kind.fault(
    "The mask names all 32 lanes, sixteen of which do not come to the shuffle.",
    "How do threads play with __shfl_down_sync plus if branch, https://forums.developer.nvidia.com/t/265242",
)
def full_mask_in_branch() -> Launch:
    x = rng().random((3, 32))
    return Launch("half_sums", 1, 96, [x, Fresh(3, np.float64)], {1: x[:, :16].sum(1)})


@kind.fault(
    "Twelve lanes of the last warp have returned; the mask still names them, and their values are used.",
    "Fixing synchronized behaviour on Volta and Turing, https://github.com/uzh-rpg/vilib/pull/5",
)
def shuffle_after_return() -> Launch:
    scores = rng().random(84, dtype=np.float32)
    expected = np.array([scores[:32].max(), scores[32:64].max(), scores[64:].max()])
    args = [scores, Fresh(3, np.float32), np.int32(84)]
    return Launch("best_scores", 2, 64, args, {1: expected})


@kind.fault("__syncwarp() waits for all 32 lanes, and stands where only eight come.")
def syncwarp_in_branch() -> Launch:
    x = rng().integers(0, 1000, (2, 32), dtype=np.int32)
    expected = np.concatenate([x[:, 7::-1], x[:, 8:]], axis=1)
    return Launch("reverse_eight", 1, 64, [x, Fresh((2, 32), np.int32)], {1: expected})


@kind.fault("The mask of the vote names all lanes, of which some have returned.")
def vote_after_return() -> Launch:
    x = rng().random(83, dtype=np.float32)
    x[10] = -1
    expected = np.sqrt(np.abs(x))
    expected[:32] = -1
    return Launch("roots", 3, 32, [x, Fresh(83, np.float32), np.int32(83)], {1: expected})


@kind.fault(
    "block.sync() is a barrier for the whole block, and stands where 48 of 96 threads come.",
    "Fix a bug in CUDA matrix-free with adapted mesh when using Volta, "
    "https://github.com/dealii/dealii/pull/8337",
)
def group_sync_by_part() -> Launch:
    x = rng().random(48, dtype=np.float32)
    places = rng(2).integers(0, 48, 96, dtype=np.int32)
    return Launch("look_up", 1, 96, [x, places, Fresh(96, np.float32)], {2: 2 * x[places]})


@kind.fault(
    "A thread of a tile has returned when the other asks for its value.",
    "Cooperative group tiled partitions terminate early, https://forums.developer.nvidia.com/t/196930",
)
def tile_shuffle_after_return() -> Launch:
    values = rng().integers(-5, 10, (32, 2), dtype=np.int32)
    expected = np.zeros((32, 2), np.int32)
    giving = values[:, 0] > 0
    expected[giving] = values[giving] + [-1, 1]
    return Launch("give", 1, 64, [values, np.zeros((32, 2), np.int32)], {1: expected})


@kind.fault("`<=` waits for one block more than there are: the kernel never ends.")
def one_block_too_many() -> Launch:
    x = rng().integers(0, 1000, 4, dtype=np.int32)
    args = [x, Fresh(4, np.int32), Fresh(4, np.int32), np.zeros(1, np.uint32)]
    return Launch("exchange", 4, 1, args, {2: np.roll(x, -1)}, budget=LOOP_ROUNDS)


@kind.fault("The block that finds the list full returns with the lock; all that come after wait for ever.")
def lock_never_released() -> Launch:
    values = np.full(8, 5, np.int32)
    args = [values, Fresh(3, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32), np.int32(3)]
    expected = {1: np.full(3, 5), 2: np.array([3])}
    return Launch("append", 8, 1, args, expected, budget=LOOP_ROUNDS)


@kind.fault(
    "The warp with the shorter row leaves the loop, and the other is alone at the barriers.",
    "zaya_moe_ternary_gemv: wave-divergent break/continue skips __syncthreads(), "
    "https://github.com/1bit-MONSTER/1bit-MONSTER/issues/1262",
)
def warps_leave_the_loop() -> Launch:
    rows, weights = rng().random((4, 128), dtype=np.float32), rng(2).random(128, dtype=np.float32)
    lengths = np.array([128, 40, 64, 90], np.int32)
    kept = np.arange(128) < lengths[:, None]
    expected = (rows.astype(np.float64) * kept) @ weights
    args = [rows, weights, lengths, Fresh(4, np.float32), np.int32(128)]
    return Launch("weighted_sums", 2, 64, args, {3: expected})


@kind.fault(
    "In the last round lanes without an element are gone, but the mask names them.",
    "__shfl_sync instructions may have wrong member mask, https://github.com/NVIDIA/cub/issues/154",
)
def shuffle_in_uneven_loop() -> Launch:
    x = rng().integers(0, 100, 75, dtype=np.int32)
    return Launch("running_sum", 1, 32, [x, Fresh(75, np.int32), np.int32(75)], {1: x.cumsum()})


@kind.fault("__syncthreads_count() is a barrier too; threads past the end do not come to it.")
def counting_barrier_in_if() -> Launch:
    x = rng().random(110, dtype=np.float32)
    above = np.pad(x > 0.4, (0, 18)).reshape(2, 64).sum(1)
    args = [x, Fresh(2, np.int32), np.float32(0.4), np.int32(110)]
    return Launch("count_above", 2, 64, args, {1: above})


@kind.fault("Lanes with an even number do not come to the sum, whose mask names them.")
def warp_sum_in_branch() -> Launch:
    x = rng().integers(0, 100, (3, 32), dtype=np.int32)
    return Launch("odd_sums", 3, 32, [x, Fresh(3, np.int32)], {1: (x * (x % 2)).sum(1)})


@kind.fault("One warp waits at barrier 1, the other at barrier 2: neither ever goes on.")
def named_barriers_crossed() -> Launch:
    x = rng().integers(0, 100, 64, dtype=np.int32)
    return Launch("meet_twice", 1, 64, [x, Fresh(64, np.int32)], {1: -np.roll(x, 32)})


@kind.fault(
    "A function with barriers inside is called by some warps of the block only.",
    "CUDA: fix misaligned synchronization in FA, https://github.com/ggml-org/llama.cpp/pull/13469",
)
def block_function_by_one_warp() -> Launch:
    x = rng().random((2, 128), dtype=np.float32) + 1
    most = np.repeat([[True, False]], [96, 32], axis=1)
    expected = x / np.where(most, x.max(1, keepdims=True), 1)
    args = [x, Fresh((2, 128), np.float32), np.int32(3)]
    return Launch("divide", 2, 128, args, {1: expected}, shared_bytes=128 * 4)


@kind.fault(
    "The upper sixteen lanes call a shuffle whose mask does not name them.",
    "What does mask mean in warp shuffle functions, https://forums.developer.nvidia.com/t/67697",
)
def caller_not_in_mask() -> Launch:
    x = rng().random(64)
    return Launch("broadcast", 1, 64, [x, Fresh(64, np.float64)], {1: np.repeat(x[::32], 32)})
