// Sum of a block by atomic additions in shared memory.
extern "C" __global__ void block_sum(const int *x, int *sums, int n)
{
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sum, x[i]);
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
