// The last warp of a block sum, written for GPUs whose warps ran in lockstep.
__device__ void last_warp(int *part, int t)
{
    int sum = part[t] + part[t + 32];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (t == 0) part[0] = sum;
}

extern "C" __global__ void block_sum(const int *x, int *sums)
{
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    if (t < 128) part[t] += part[t + 128];
    __syncthreads();
    if (t < 64) part[t] += part[t + 64];
    __syncthreads();
    if (t < 32) last_warp(part, t);
    if (t == 0) sums[blockIdx.x] = part[0];
}
