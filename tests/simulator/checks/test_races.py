"""Races: what is not ordered is found, what is ordered is not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from course_utils import simulator
from tests.simulator.checks.checked import HEAD, floats, found, launch, quiet, zeros

GROUPS = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"


NEIGHBOUR = """
extern "C" __global__ void k(const float *x, float *y)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    BARRIER
    y[t] = s[(t + 1) % 64];
}
"""


def test_a_missing_barrier_is_told_with_both_lines_and_threads() -> None:
    run = launch(NEIGHBOUR.replace("BARRIER", ""), [floats(64), zeros(64)])
    (finding,) = run.findings
    assert (finding.kind, finding.lines, finding.build) == (
        "races",
        (6, 8),
        "optimised",
    ) or finding.lines == (8, 6)
    now, before = finding.accesses
    assert {now.action, before.action} == {"reads", "writes"}
    assert now.array == before.array == "s"
    assert now.index == before.index
    assert now.thread != before.thread
    assert finding.threads == ((now.block, now.thread), (before.block, before.thread))
    assert f"s[{now.index}]" in finding.message
    assert "`y[t] = s[(t + 1) % 64];`" in finding.message
    assert finding.fix == "Put __syncthreads() between line 6 and line 8."
    assert finding.message.endswith(finding.fix)
    assert finding.count > 32


@pytest.mark.parametrize(
    "barrier", ["__syncthreads();", "__syncthreads_or(t);", 'asm volatile("bar.sync 3, 64;");']
)
def test_a_barrier_orders_the_block(barrier: str) -> None:
    quiet(launch(NEIGHBOUR.replace("BARRIER", barrier), [floats(64), zeros(64)]))


LANES = """
extern "C" __global__ void k(const float *x, float *y)
{
    __shared__ float s[32];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncwarp();
    float next = s[(t + 1) % 32];
    SYNC
    s[t] = next;
    __syncwarp();
    y[t] = s[31 - t];
}
"""


def test_lanes_of_a_warp_need_syncwarp_between_load_and_store() -> None:
    run = launch(LANES.replace("SYNC", ""), [floats(32), zeros(32)], 32)
    assert found(run) == [("races", {8, 10})]
    assert "__syncwarp() between line 8 and line 10" in run.findings[0].fix
    quiet(launch(LANES.replace("SYNC", "__syncwarp();"), [floats(32), zeros(32)], 32))


def test_volatile_does_not_order_lanes() -> None:
    source = (
        HEAD
        + "k(float *x) { __shared__ float s[64]; int t = threadIdx.x; s[t] = x[t]; s[t + 32] = x[t + 32];\n"
    )
    source += "__syncwarp(); volatile float *v = s; v[t] += v[t + 16];\nif (t == 0) x[0] = s[0]; }"
    run = launch(source, [floats(64)], 32)
    assert ("races", {2}) in found(run)
    assert "volatile does not order" in run.findings[0].message


TILES = (
    GROUPS
    + """
extern "C" __global__ void k(const float *x, float *y)
{
    __shared__ float s[64];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x;
    float v = x[t];
    for (int step = 4; step > 0; step /= 2) {
        s[t] = v;
        SYNC
        if (tile.thread_rank() < step) v += s[t + step];
        tile.sync();
    }
    if (tile.thread_rank() == 0) y[t / 8] = v;
}
"""
)


def test_tiles_of_a_warp_are_ordered_by_their_own_sync() -> None:
    x, y = floats(64), zeros(8)
    quiet(launch(TILES.replace("SYNC", "tile.sync();"), [x, y]))
    np.testing.assert_allclose(y, x.reshape(8, 8).sum(1), rtol=1e-6)
    run = launch(TILES.replace("SYNC", ""), [x, y])
    assert ("races", {11, 13}) in found(run)


def test_a_sync_of_one_tile_orders_no_other() -> None:
    source = GROUPS + HEAD + "k(const float *x, float *y) { __shared__ float s[32]; int t = threadIdx.x;\n"
    source += (
        "s[t] = x[t];\ncg::tiled_partition<8>(cg::this_thread_block()).sync();\ny[t] = s[(t + 8) % 32]; }"
    )
    assert found(launch(source, [floats(32), zeros(32)], 32)) == [("races", {4, 6})]


NAMED = """
extern "C" __global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[2][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = 0; i < n; i++) {
        int b = i & 1;
        if (warp == 0) {
            if (i >= 2) asm volatile("bar.sync %0, 64;" :: "r"(3 + b) : "memory");
            s[b][lane] = x[i * 32 + lane];
            asm volatile("bar.arrive %0, 64;" :: "r"(1 + b) : "memory");
        } else {
            asm volatile("bar.sync %0, 64;" :: "r"(1 + b) : "memory");
            y[i * 32 + lane] = s[READ][31 - lane];
            if (i + 2 < n) asm volatile("bar.arrive %0, 64;" :: "r"(3 + b) : "memory");
        }
    }
}
"""


def test_named_barriers_order_those_who_come_to_them() -> None:
    quiet(launch(NAMED.replace("READ", "b"), [floats(256), zeros(256), 8]))
    run = launch(NAMED.replace("READ", "1 - b"), [floats(256), zeros(256), 8])
    assert ("races", {10, 14}) in found(run)


LAST_BLOCK = """
__device__ unsigned arrived;
extern "C" __global__ void k(const float *x, float *parts, float *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = x[blockIdx.x];
        FENCE
        last = atomicAdd(&arrived, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) out[threadIdx.x] = parts[threadIdx.x];
}
"""


def test_a_last_block_needs_a_fence_before_the_counter() -> None:
    run = launch(LAST_BLOCK.replace("FENCE", ""), [floats(8), zeros(8), zeros(8)], 32, 8)
    assert found(run) == [("races", {7, 12})]
    assert "__threadfence() between line 7" in run.findings[0].fix
    assert "line 9" in run.findings[0].fix
    quiet(launch(LAST_BLOCK.replace("FENCE", "__threadfence();"), [floats(8), zeros(8), zeros(8)], 32, 8))


def test_a_fence_of_the_block_does_not_reach_other_blocks() -> None:
    source = LAST_BLOCK.replace("FENCE", "__threadfence_block();")
    assert ("races", {7, 12}) in found(launch(source, [floats(8), zeros(8), zeros(8)], 32, 8))


FLAG = """
extern "C" __global__ void k(volatile int *flag, float *data, float *out)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 2.0f * threadIdx.x;
        EACH
        __syncthreads();
        if (threadIdx.x == 0) { ONE *flag = 1; }
    } else {
        if (threadIdx.x == 0) while (*flag == 0);
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x];
    }
}
"""


@pytest.mark.parametrize("fences", [("__threadfence();", ""), ("", "__threadfence();")])
def test_a_flag_orders_blocks_with_a_fence_before_it(fences: tuple[str, str]) -> None:
    source = FLAG.replace("EACH", fences[0]).replace("ONE", fences[1])
    quiet(launch(source, [zeros(1, np.int32), zeros(64), zeros(64)], 64, 2))


def test_a_flag_without_a_fence_orders_nothing() -> None:
    run = launch(
        FLAG.replace("EACH", "").replace("ONE", ""), [zeros(1, np.int32), zeros(64), zeros(64)], 64, 2
    )
    assert found(run) == [("races", {5, 12})]


LOCK = """
__device__ int mutex;
extern "C" __global__ void k(float *total, const float *x)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&mutex, 0, 1) != 0);
        *total += x[blockIdx.x];
        FENCE
        atomicExch(&mutex, 0);
    }
}
"""


def test_a_lock_needs_a_fence_before_it_is_released() -> None:
    quiet(launch(LOCK.replace("FENCE", "__threadfence();"), [zeros(1), floats(8)], 32, 8))
    assert ("races", {7}) in found(launch(LOCK.replace("FENCE", ""), [zeros(1), floats(8)], 32, 8))


GRID = (
    GROUPS
    + """
extern "C" __global__ void k(float *a, float *b, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    for (int step = 0; step < steps; step++) {
        b[i] = a[(i + 1) % n] + a[(i + n - 1) % n];
        float *c = a; a = b; b = c;
        SYNC
    }
}
"""
)


def test_grid_sync_orders_all_blocks() -> None:
    sync = GRID.replace("SYNC", "cg::this_grid().sync();")
    quiet(launch(sync, [floats(192), zeros(192), 4], 64, 3, cooperative=True))
    run = launch(GRID.replace("SYNC", "__syncthreads();"), [floats(192), zeros(192), 4], 64, 3)
    assert ("races", {8}) in found(run)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_what_is_found_does_not_depend_on_the_workers(workers: int) -> None:
    source = HEAD + "k(float *x) { int i = blockIdx.x * 64 + threadIdx.x; if (i > 0) x[i] = x[i - 1]; }"
    messages = [str(each) for each in launch(source, [floats(256)], 64, 4, workers=workers).findings]
    assert messages == [str(each) for each in launch(source, [floats(256)], 64, 4).findings]
    assert messages


def test_blocks_that_write_one_place() -> None:
    source = HEAD + "k(int *x) { x[threadIdx.x] = blockIdx.x; }"
    run = launch(source, [zeros(32, np.int32)], 32, 3)
    assert found(run) == [("races", {1})]
    assert "nothing orders two blocks" in run.findings[0].message


def test_a_histogram_without_atomics() -> None:
    source = HEAD + "k(const int *x, int *bins) { bins[x[threadIdx.x] % 4]++; }"
    run = launch(source, [np.arange(64, dtype=np.int32), zeros(4, np.int32)])
    assert ("races", {1}) in found(run)
    assert any("atomicAdd()" in each.fix for each in run.findings)
    quiet(launch(source.replace("bins[x[threadIdx.x] % 4]++", "atomicAdd(&bins[x[threadIdx.x] % 4], 1)"),
                 [np.arange(64, dtype=np.int32), zeros(4, np.int32)]))  # fmt: skip


def test_an_atomic_and_a_plain_read_in_a_block() -> None:
    source = HEAD + "k(int *y) { __shared__ int c; if (threadIdx.x == 0) c = 0; __syncthreads();\n"
    source += "atomicAdd(&c, 1);\nSYNC y[threadIdx.x] = c; }"
    assert found(launch(source.replace("SYNC", ""), [zeros(64, np.int32)])) == [("races", {2, 3})]
    quiet(launch(source.replace("SYNC", "__syncthreads();"), [zeros(64, np.int32)]))


def test_the_same_value_is_a_note() -> None:
    source = HEAD + "k(const int *x, int *seen) { if (x[threadIdx.x] == 3) *seen = 1; }"
    run = launch(source, [np.full(64, 3, np.int32), zeros(1, np.int32)], 64, 2)
    quiet(run)
    assert any("write the same value to seen" in note for note in run.notes)


def test_disjoint_bytes_of_a_word() -> None:
    source = HEAD + "k(const unsigned char *x, unsigned char *y) { __shared__ unsigned char s[64];\n"
    source += "int t = threadIdx.x; s[t] = x[t]; y[t + 64 * blockIdx.x] = s[t] + 1; }"
    quiet(launch(source, [np.arange(64, dtype=np.uint8), zeros(128, np.uint8)], 64, 2))


def test_bits_of_one_byte() -> None:
    source = HEAD + "k(unsigned char *y) { int t = threadIdx.x; y[t / 8] |= 1 << t % 8; }"
    assert ("races", {1}) in found(launch(source, [zeros(8, np.uint8)]))


def test_a_compare_and_swap_loop_may_look_first() -> None:
    source = HEAD + "k(const float *x, int *most) { int old = *most, seen;\n"
    source += "do { seen = old; if (__int_as_float(seen) >= x[threadIdx.x]) break;\n"
    source += "old = atomicCAS(most, seen, __float_as_int(x[threadIdx.x])); } while (old != seen); }"
    x, most = floats(64), zeros(1, np.int32)
    run = launch(source, [x, most], 64, 2)
    quiet(run)
    assert most.view(np.float32)[0] == x.max()
    assert any("older value" in note for note in run.notes)


def test_who_wrote_last() -> None:
    source = HEAD + "k(float *y, const float *x, int n) {\nint i = blockIdx.x * 32 + threadIdx.x;\n"
    source += "if (i < n)\ny[i] = x[i]; }"
    y = zeros(80)
    run = launch(source, [y[8:72], floats(64), 40], 32, 2)
    writers = run.writers["y"]
    assert writers.shape == (64,)
    assert writers["line"].tolist() == [4] * 40 + [0] * 24
    assert writers["block"][:40].tolist() == [0] * 32 + [1] * 8
    assert writers["thread"][:40].tolist() == [*range(32), *range(8)]
    assert not run.writers["x"]["line"].any()


CORRECT: dict[str, tuple[str, Callable[[], list[object]]]] = {
    "double buffer": (
        "k(const float *x, float *y, int n) { __shared__ float b[2][64]; int t = threadIdx.x; float "
        "sum = 0;\n"
        "b[0][t] = x[t]; __syncthreads();\n"
        "for (int i = 0; i < n; i++) { if (i + 1 < n) b[(i + 1) & 1][t] = x[(i + 1) * 64 + t];\n"
        "sum += b[i & 1][63 - t]; __syncthreads(); } y[t] = sum; }",
        lambda: [floats(512), zeros(64), 8],
    ),
    "bitonic sort": (
        "k(float *x) { __shared__ float s[64]; int t = threadIdx.x; s[t] = x[t];\n"
        "for (int k = 2; k <= 64; k *= 2) for (int j = k / 2; j > 0; j /= 2) { __syncthreads(); int "
        "o = t ^ j;\n"
        "if (o > t) { float a = s[t], b = s[o]; if ((a > b) == ((t & k) == 0)) { s[t] = b; s[o] = a; } } }\n"
        "__syncthreads(); x[t] = s[t]; }",
        lambda: [floats(64)],
    ),
    "compaction by ballots": (
        "k(const float *x, float *y, int *n) { __shared__ int o[2]; int t = threadIdx.x, w = t / 32, "
        "l = t % 32;\n"
        "bool p = x[t] > 0.5f; unsigned b = __ballot_sync(~0u, p); if (l == 0) o[w] = __popc(b); "
        "__syncthreads();\n"
        "if (t == 0) { int c = o[0]; o[0] = 0; *n = c + o[1]; o[1] = c; } __syncthreads();\n"
        "if (p) y[o[w] + __popc(b & ((1u << l) - 1))] = x[t]; }",
        lambda: [floats(64), zeros(64), zeros(1, np.int32)],
    ),
    "changes until nobody changes": (
        "k(int *x) { __shared__ int s[64]; int t = threadIdx.x; s[t] = x[t]; int changed;\n"
        "do { __syncthreads(); int m = max(s[t], s[(t + 1) % 64]); changed = m != s[t]; "
        "__syncthreads(); s[t] = m;\n"
        "} while (__syncthreads_or(changed)); x[t] = s[t]; }",
        lambda: [np.random.default_rng(2).integers(0, 99, 64).astype(np.int32)],
    ),
    "swap across the diagonal": (
        "k(float *a) { int x = threadIdx.x % 8, y = threadIdx.x / 8;\n"
        "if (x < y) { float v = a[y * 8 + x]; a[y * 8 + x] = a[x * 8 + y]; a[x * 8 + y] = v; } }",
        lambda: [floats(64)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CORRECT)
def test_no_alarm(name: str) -> None:
    text, args = CORRECT[name]
    quiet(launch(HEAD + text, args()))


def test_only_the_checks_asked_for() -> None:
    source = HEAD + "k(float *x) { x[0] = threadIdx.x; x[threadIdx.x + 1000] = 0.0f; }"
    run = launch(source, [zeros(64)], checks=("memory",))
    assert {each.kind for each in run.findings} == {"memory"}
    with pytest.raises(simulator.IllegalAccess):
        launch(source, [zeros(64)], checks=("races",))


def test_a_barrier_that_is_missing_at_the_end_of_a_loop_is_placed_there() -> None:
    source = """
extern "C" __global__ void rounds(const float* x, float* y, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += 64) {
        s[t] = x[k + t];
        __syncthreads();
        sum += s[63 - t];
    }
    y[t] = sum;
}
"""
    run = simulator.compile(source).launch(
        "rounds", 1, 64, [np.ones(256, np.float32), np.zeros(64, np.float32), 256], checks=("races",)
    )
    (finding,) = run.findings
    assert finding.fix == "Put __syncthreads() behind line 9, before the loop comes to line 7 again."


HANDED_OVER = """
extern "C" __global__ void hand_over(volatile int* flag, volatile float* data, float* out) {
    if (threadIdx.x > 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42.0f;
        FENCE
        *flag = 1;
    } else {
        while (*flag == 0);
        __threadfence();
        out[0] = data[0];
    }
}
"""


@pytest.mark.parametrize(("fence", "lines"), [("__threadfence();", []), ("", [{5, 11}])])
def test_volatile_data_needs_a_fence_and_a_volatile_flag_none(fence: str, lines: list[set[int]]) -> None:
    """Both are volatile; the flag is what is compared."""
    args = [np.zeros(1, np.int32), zeros(1), zeros(1)]
    run = simulator.compile(HANDED_OVER.replace("FENCE", fence)).launch(
        "hand_over", 2, 32, args, checks=simulator.CHECKS
    )
    assert [set(each.lines) for each in run.findings] == lines
    assert all("__threadfence()" in each.fix for each in run.findings)
