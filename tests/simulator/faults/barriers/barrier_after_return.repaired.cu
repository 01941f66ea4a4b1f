// Differences of neighbours in two steps, in shared memory. Threads without an element leave first.
extern "C" __global__ void second_differences(const int *x, int *out, int n)
{
    extern __shared__ int d[];
    int t = threadIdx.x;
    if (t < n) d[t] = x[t];
    __syncthreads();
    int first = t > 0 && t < n ? d[t] - d[t - 1] : 0;
    __syncthreads();
    if (t < n) d[t] = first;
    __syncthreads();
    if (t < n) out[t] = t > 0 ? d[t] - d[t - 1] : 0;
}
