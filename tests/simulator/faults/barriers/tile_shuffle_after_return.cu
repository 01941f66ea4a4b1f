// Pairs of values: where the first is not positive, it has nothing to give and leaves.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void give(const int *values, int *out)
{
    auto pair = cg::tiled_partition<2>(cg::this_thread_block());
    int value = values[threadIdx.x];
    if (pair.thread_rank() == 0 && value <= 0) return; // fault: also
    int other = pair.shfl_xor(value, 1); // fault
    out[threadIdx.x] = pair.thread_rank() == 0 ? value - 1 : value + (other > 0);
}
