// Sum of the rows of a tile whose rows are padded against bank conflicts.
#define TILE 32

extern "C" __global__ void row_sums(const float *matrix, float *sums, int width)
{
    __shared__ float tile[TILE][TILE + 1];
    for (int row = threadIdx.y; row < TILE; row += blockDim.y)
        tile[row][threadIdx.x] = matrix[row * width + blockIdx.x * TILE + threadIdx.x];
    __syncthreads();
    if (threadIdx.y > 0) return;
    const float *row = tile[threadIdx.x];
    float sum = 0.0f;
    for (int k = 0; k < sizeof tile[0] / sizeof(float); k++)
        sum += row[k]; // fault
    sums[blockIdx.x * TILE + threadIdx.x] = sum;
}
