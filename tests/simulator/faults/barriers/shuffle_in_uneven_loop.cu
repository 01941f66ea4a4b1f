// Running sum of a list by one warp, 32 elements at a time.
extern "C" __global__ void running_sum(const int *x, int *out, int n)
{
    int lane = threadIdx.x, carry = 0;
    for (int i = lane; i < n; i += 32) {
        int sum = x[i];
        for (int step = 1; step < 32; step *= 2) {
            int left = __shfl_up_sync(0xffffffff, sum, step); // fault
            if (lane >= step) sum += left;
        }
        out[i] = carry + sum;
        carry += __shfl_sync(0xffffffff, sum, 31); // fault
    }
}
