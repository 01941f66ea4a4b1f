// Scales a vector to length one: every block adds its squares, then all divide by the root.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void normalise(float *x, float *squares, int n)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    int i = grid.thread_rank();
    float mine = i < n ? x[i] * x[i] : 0.0f;
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    for (int step = 16; step > 0; step /= 2) mine += warp.shfl_down(mine, step);
    if (warp.thread_rank() == 0)
        atomicAdd(squares, mine);
    grid.sync();
    if (i < n)
        x[i] *= rsqrtf(*squares);
}
