// Inclusive scan of a block after Hillis and Steele.
extern "C" __global__ void scan(const int *in, int *out)
{
    extern __shared__ int sums[];
    int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        if (t >= step) sums[t] += sums[t - step]; // fault
        __syncthreads();
    }
    out[t] = sums[t];
}
