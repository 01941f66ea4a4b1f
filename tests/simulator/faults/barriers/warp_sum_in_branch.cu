// The sum of the odd numbers of each warp.
extern "C" __global__ void odd_sums(const int *x, int *sums)
{
    int value = x[blockIdx.x * 32 + threadIdx.x];
    if (value % 2 != 0) {
        int sum = __reduce_add_sync(0xffffffff, value); // fault
        sums[blockIdx.x] = sum;
    }
}
