// The last warp of a block sum, written for GPUs whose warps ran in lockstep.
__device__ void last_warp(volatile int *part, int t)
{
    part[t] += part[t + 32]; // fault
    part[t] += part[t + 16]; // fault
    part[t] += part[t + 8]; // fault
    part[t] += part[t + 4]; // fault
    part[t] += part[t + 2]; // fault
    part[t] += part[t + 1]; // fault
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
