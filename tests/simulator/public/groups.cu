// Cooperative groups: tiles, coalesced threads, the whole grid.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__device__ float block_sum(float v)
{
    __shared__ float warps[32];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    v = cg::reduce(warp, v, cg::plus<float>());
    if (warp.thread_rank() == 0) warps[warp.meta_group_rank()] = v;
    block.sync();
    v = 0.f;
    for (unsigned w = 0; w < warp.meta_group_size(); w++) v += warps[w];
    block.sync();
    return v;
}

// One atomic for all lanes that came to this line: the leader adds, the others take their rank.
__device__ int aggregated_increment(int *counter)
{
    cg::coalesced_group active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0) base = atomicAdd(counter, (int)active.size());
    return active.shfl(base, 0) + active.thread_rank();
}

extern "C" __global__ void filter_groups(const float *in, float *out, int *count, float above, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > above) out[aggregated_increment(count)] = in[i];
}

// Offsets within tiles of eight: an exclusive scan, any() and ballot() of a tile.
extern "C" __global__ void tile_scan(const int *in, int *out, unsigned *votes, int n)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int v = i < n ? in[i] : 0;
    const int before = cg::exclusive_scan(tile, v);
    const unsigned found = tile.ballot(v & 1) | (tile.any(v > 90) << 8) | (tile.all(v > 10) << 9);
    if (i < n) out[i] = before;
    if (tile.thread_rank() == 0) votes[i / 8] = found;
}

// Cooperative groups: tiles of 16 threads, then the block.
extern "C" __global__ void reduce_groups(const float *in, float *tile_sums, float *block_max, int n)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    __shared__ float maxima[64];
    const int i = block.group_index().x * block.size() + block.thread_rank();
    const float v = i < n ? in[i] : 0.0f;
    const float sum = cg::reduce(tile, v, cg::plus<float>());
    const float top = cg::reduce(tile, v, cg::greater<float>());
    if (tile.thread_rank() == 0) {
        tile_sums[i / 16] = sum;
        maxima[tile.meta_group_rank()] = top;
    }
    block.sync();
    if (block.thread_rank() == 0) {
        float most = maxima[0];
        for (int t = 1; t < tile.meta_group_size(); t++) most = fmaxf(most, maxima[t]);
        block_max[blockIdx.x] = most;
    }
}

// Mean and variance in one launch: the grid waits for itself.
extern "C" __global__ void mean_variance(const float *in, float *sums, float *out, int n)
{
    cg::grid_group grid = cg::this_grid();
    float s = 0.f;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) s += in[i];
    s = block_sum(s);
    if (threadIdx.x == 0) atomicAdd(&sums[0], s);
    grid.sync();
    const float mean = sums[0] / n;
    float q = 0.f;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
        const float d = in[i] - mean;
        q += d * d;
    }
    q = block_sum(q);
    if (threadIdx.x == 0) atomicAdd(&sums[1], q);
    grid.sync();
    if (grid.thread_rank() == 0) {
        out[0] = mean;
        out[1] = sums[1] / n;
    }
}

// Steps of the wave equation in one launch: the whole grid waits after each.
extern "C" __global__ void wave_steps(float *a, float *b, int n, int steps, float c)
{
    auto grid = cg::this_grid();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *now = a, *before = b;
    for (int s = 0; s < steps; s++) {
        float next = 0.f;
        if (i > 0 && i < n - 1) next = 2.f * now[i] - before[i] + c * (now[i - 1] - 2.f * now[i] + now[i + 1]);
        if (i < n) before[i] = next;
        float *t = now;
        now = before;
        before = t;
        grid.sync();
    }
}
