// Histogram of bytes in shared memory, with fewer threads than bins.
extern "C" __global__ void histogram(const unsigned char *data, unsigned int *out, int n)
{
    __shared__ unsigned int bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(&bins[data[i]], 1u); // fault
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        out[bin] = bins[bin]; // fault
}
