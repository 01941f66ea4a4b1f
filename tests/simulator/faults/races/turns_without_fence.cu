// Blocks add to one tile in the order of their numbers: each waits for its turn and hands on to the next.
extern "C" __global__ void in_order(const float *x, float *tile, int *turn)
{
    if (threadIdx.x == 0) {
        while (atomicAdd(turn, 0) != blockIdx.x) {}
    }
    __syncthreads();
    tile[threadIdx.x] = 0.5f * tile[threadIdx.x] + x[blockIdx.x * blockDim.x + threadIdx.x]; // fault
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicExch(turn, blockIdx.x + 1);
    }
}
