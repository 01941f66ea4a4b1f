// Longest line of a block's part of a text.
extern "C" __global__ void longest(const int *lengths, int *out, int each)
{
    __shared__ int most;
    if (threadIdx.x == 0)
        most = 0; // fault
    const int *part = lengths + blockIdx.x * each;
    for (int i = threadIdx.x; i < each; i += blockDim.x)
        atomicMax(&most, part[i]); // fault: also
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = most;
}
