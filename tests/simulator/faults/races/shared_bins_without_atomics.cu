// Counts the four letters of a genome, first in shared memory.
extern "C" __global__ void letters(const unsigned char *genome, int *counts, int n)
{
    __shared__ int bins[4];
    if (threadIdx.x < 4) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        bins[genome[i]]++; // fault
    __syncthreads();
    if (threadIdx.x < 4) atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}
