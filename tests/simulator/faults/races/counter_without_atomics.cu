// How many entries of a mask are not set.
extern "C" __global__ void count_missing(const bool *mask, long long *missing, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && !mask[i])
        *missing = *missing + 1; // fault
}
