// The first half of a block prepares a table that the whole block uses.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ void prepare(const cg::thread_block &block, float *table, const float *in, int size)
{
    if (block.thread_rank() < size) {
        table[block.thread_rank()] = 2.0f * in[block.thread_rank()];
    }
    block.sync();
}

extern "C" __global__ void look_up(const float *in, const int *places, float *out)
{
    __shared__ float table[48];
    cg::thread_block block = cg::this_thread_block();
    prepare(block, table, in, 48);
    out[block.thread_rank()] = table[places[block.thread_rank()]];
}
