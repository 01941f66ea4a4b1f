// The sum of the odd numbers of each warp.
extern "C" __global__ void odd_sums(const int *x, int *sums)
{
    int value = x[blockIdx.x * 32 + threadIdx.x];
    int sum = __reduce_add_sync(0xffffffff, value % 2 != 0 ? value : 0);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
