// Collects the even values of a block, and says how many there are.
extern "C" __global__ void evens(const int *x, int *kept, int *count)
{
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    int value = x[threadIdx.x];
    if (value % 2 == 0)
        kept[atomicAdd(&found, 1)] = value;
    __syncthreads();
    if (threadIdx.x == 0)
        *count = found;
}
