// The data is cut into parts of nearly equal length, one a block; each warp sums its part.
extern "C" __global__ void part_sums(const signed char *data, int *sums, int n, int parts)
{
    int part = blockIdx.x;
    int begin = (long long)n * part / parts;
    int end = (long long)n * (part + 1) / parts;
    int sum = 0;
    for (int i = begin + threadIdx.x; i < end; i += 32)
        sum += data[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (threadIdx.x == 0) sums[part] = sum;
}
