// Sum of each row, four floats at a time; a row need not be a multiple of four long.
extern "C" __global__ void row_sums(const float *matrix, float *sums, int width)
{
    const float *row = matrix + blockIdx.x * width;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < width; i += 32) sum += row[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
