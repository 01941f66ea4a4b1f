// Sum of a block by halving. The last block has fewer elements than threads.
extern "C" __global__ void block_sum(const double *x, double *sums, int n)
{
    extern __shared__ double part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    if (i < n) part[t] = x[i];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half]; // fault
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0]; // fault
}
