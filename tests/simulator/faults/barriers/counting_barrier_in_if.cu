// How many values of each block are above a limit.
extern "C" __global__ void count_above(const float *x, int *counts, float limit, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int above = __syncthreads_count(x[i] > limit); // fault
        if (threadIdx.x == 0) counts[blockIdx.x] = above;
    }
}
