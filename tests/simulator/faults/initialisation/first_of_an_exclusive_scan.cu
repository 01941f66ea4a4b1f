// How many elements stand before each thread's own ones.
extern "C" __global__ void places(const int *counts, int *begins)
{
    __shared__ int before[128 + 1];
    int t = threadIdx.x;
    before[t + 1] = counts[t];
    __syncthreads();
    for (int step = 1; step < 128; step *= 2) {
        int left = t + 1 > step ? before[t + 1 - step] : 0;
        __syncthreads();
        before[t + 1] += left;
        __syncthreads();
    }
    begins[t] = before[t]; // fault
}
