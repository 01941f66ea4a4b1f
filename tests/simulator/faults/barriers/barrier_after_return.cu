// Differences of neighbours in two steps, in shared memory. Threads without an element leave first.
extern "C" __global__ void second_differences(const int *x, int *out, int n)
{
    extern __shared__ int d[];
    int t = threadIdx.x;
    if (t >= n) return; // fault: also
    d[t] = x[t];
    __syncthreads(); // fault
    int first = t > 0 ? d[t] - d[t - 1] : 0;
    __syncthreads(); // fault
    d[t] = first;
    __syncthreads(); // fault
    out[t] = t > 0 ? d[t] - d[t - 1] : 0;
}
