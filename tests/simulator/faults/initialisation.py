"""For the initialisation check: reads of memory that nothing was written to."""

from __future__ import annotations

import numpy as np

from .fault import Fresh, Kind, Launch, rng

kind = Kind("initialisation")


@kind.fault(
    "Nothing sets the sum in shared memory to zero; it begins with what a block before left there.",
    "Shared memory persists between kernel launches, https://github.com/numba/numba/issues/6076",
)
def shared_sum_not_zeroed() -> Launch:
    x = rng().integers(0, 100, 180, dtype=np.int32)
    expected = np.pad(x, (0, 12)).reshape(3, 64).sum(1)
    return Launch("block_sum", 3, 64, [x, Fresh(3, np.int32), np.int32(180)], {1: expected})


@kind.fault("64 threads set 64 of the 256 bins to zero.")
def bins_zeroed_in_part() -> Launch:
    data = rng().integers(0, 256, 1000, dtype=np.uint8)
    args = [data, Fresh(256, np.uint32), np.int32(1000)]
    return Launch("histogram", 1, 64, args, {1: np.bincount(data, minlength=256)})


@kind.fault(
    "In a block that is not full the halo lies right behind its last element; the kernel fills the place "
    "behind a full block, and leaves some of these cells unset.",
    "Bug: Shared memory need initialization with 0 before access, "
    "https://github.com/dlsys-course/examples/issues/1",
)
def halo_behind_a_short_block() -> Launch:
    x = rng().random(150 + 6, dtype=np.float32)
    expected = np.lib.stride_tricks.sliding_window_view(x, 7).sum(1, dtype=np.float64)
    return Launch("window_sum", 3, 64, [x, Fresh(150, np.float32), np.int32(150)], {1: expected})


@kind.fault(
    "Threads past the end store nothing, but their elements of shared memory are added as well.",
    "[Puzzle 12, Test2] Question regarding shared memory, https://github.com/srush/GPU-Puzzles/issues/20",
)
def sum_of_a_short_block() -> Launch:
    x = rng().random(150)
    args = [x, Fresh(2, np.float64), np.int32(150)]
    expected = np.array([x[:128].sum(), x[128:].sum()])
    return Launch("block_sum", 2, 128, args, {1: expected}, shared_bytes=128 * 8)


@kind.fault(
    "A block of three warps leaves three sums; the last step adds 32.",
    "Fixed uninitialized variable, https://github.com/lattice/quda/pull/276",
)
def absent_warps() -> Launch:
    x = rng().random((2, 96), dtype=np.float32)
    return Launch("block_sum", 2, 96, [x, Fresh(2, np.float32)], {1: x.sum(1, dtype=np.float64)})


@kind.fault(
    "Where a row has fewer than three values above zero, places that were never set are written out.",
    "Initialize top-k shared output before selection, https://github.com/vllm-project/vllm/pull/49666",
)
def best_not_filled() -> Launch:
    rows = rng().standard_normal((64, 6), dtype=np.float32)
    rows[:, 3:] -= 2
    order = np.argsort(-rows, axis=1)[:, :3].astype(np.int32)
    expected = np.where(np.take_along_axis(rows, order, 1) > 0, order, -1)
    return Launch("top_places", 2, 32, [rows, Fresh((64, 3), np.int32), np.int32(6)], {1: expected})


@kind.fault("The launch forgets to set the coefficients in constant memory.")
def constants_never_set() -> Launch:
    x = rng().random(100, dtype=np.float32)
    coefficients = np.array([1, -2, 0.5, 3], np.float32)
    expected = np.polynomial.polynomial.polyval(x.astype(np.float64), coefficients)
    return Launch(
        "polynomial", 2, 64, [x, Fresh(100, np.float32), np.int32(100)], {1: expected},
        repaired={"symbols": {"coefficients": coefficients}},
    )  # fmt: skip


@kind.fault(
    "The result is added to memory that was allocated and never set to zero.",
)
def fresh_output_added_to() -> Launch:
    matrix, x = rng().random((100, 12), dtype=np.float32), rng(2).random(12, dtype=np.float32)
    args = [matrix.T.copy(), x, Fresh(100, np.float32), np.int32(100), np.int32(12)]
    return Launch("matrix_vector", 2, 64, args, {2: matrix.astype(np.float64) @ x})


@kind.fault(
    "A segment without elements has no first element, so its size is never written, and read all the same.",
    "segmented_top_k: uninitialized device read for an empty segment, "
    "https://github.com/NVIDIA/cudf/issues/23111",
)
def empty_segments_skipped() -> Launch:
    sizes = np.array([5, 0, 7, 3, 0, 20], np.int32)
    segment_of = np.repeat(np.arange(6, dtype=np.int32), sizes)
    args = [segment_of, np.int32(35), Fresh(6, np.int32), Fresh(6, np.int32), np.int32(6)]
    return Launch("offsets", 1, 64, args, {2: sizes, 3: sizes.cumsum() - sizes})


@kind.fault("The four edges of the border are loaded, its corners are not; a window of nine needs them.")
def halo_without_corners() -> Launch:
    image = rng().integers(0, 256, (34, 50), dtype=np.int32)
    expected = np.lib.stride_tricks.sliding_window_view(image, (3, 3)).sum((2, 3))
    args = [image, Fresh((32, 48), np.int32), np.int32(50)]
    return Launch("sum_of_nine", (3, 2), (16, 16), args, {1: expected})


@kind.fault(
    "For the number 0 the counts are never set, but compared all the same.",
    "fix using uninitilized variable, https://github.com/ComputationalRadiationPhysics/picongpu/pull/4303",
)
def set_on_one_path() -> Launch:
    numbers = rng().integers(0, 10**9, 64, dtype=np.uint32)
    numbers[[3, 40]] = 0
    digits = [max(range(10), key=lambda d: str(n).count(str(d)) if n else 0) for n in numbers]
    args = [numbers, Fresh(64, np.int32)]
    return Launch("most_frequent_digit", 2, 32, args, {1: np.array(digits)})


@kind.fault("The sum runs over the padding as well, an element a row that nothing is stored in.")
def padding_is_read() -> Launch:
    matrix = rng().random((32, 64), dtype=np.float32)
    expected = matrix.reshape(32, 2, 32).sum(2, dtype=np.float64).T.ravel()
    args = [matrix, Fresh(64, np.float32), np.int32(64)]
    return Launch("row_sums", 2, (32, 8), args, {1: expected})


@kind.fault("The first round uses a buffer that no round before has filled.")
def pipeline_without_a_start() -> Launch:
    x = rng().random((5, 64))
    args = [x, Fresh(64, np.float64), np.int32(5)]
    return Launch("add_tiles", 1, 64, args, {1: np.roll(x.sum(0), -1)})


@kind.fault(
    "An exclusive scan begins with 0 in the first place; nothing puts it there.",
)
def first_of_an_exclusive_scan() -> Launch:
    counts = rng().integers(0, 20, 128, dtype=np.int32)
    return Launch("places", 1, 128, [counts, Fresh(128, np.int32)], {1: counts.cumsum() - counts})


@kind.fault("The row of the winner is not set in shared memory, but copied out with the rest of the struct.")
def member_left_out() -> Launch:
    image = rng().random((6, 80), dtype=np.float32)
    best = np.dtype([("value", "<f4"), ("x", "<i2"), ("y", "<i2")])
    expected = np.empty(6, best)
    expected["value"], expected["x"], expected["y"] = image.max(1), image.argmax(1), np.arange(6)
    args = [image, Fresh(6, best), np.int32(80)]
    return Launch("brightest", 3, 64, args, {1: expected})
