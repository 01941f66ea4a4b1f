// Every sixteen threads sort their values by rank, through a slot of shared memory each.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void sort_sixteens(const int *in, int *out)
{
    __shared__ int slots[64];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int *slot = slots + tile.meta_group_rank() * 16, me = tile.thread_rank();
    int value = in[blockIdx.x * 64 + threadIdx.x], rank = 0;
    slot[me] = value; // fault: also
    for (int k = 0; k < 16; k++)
        rank += slot[k] < value || (slot[k] == value && k < me); // fault
    out[blockIdx.x * 64 + tile.meta_group_rank() * 16 + rank] = value;
}
