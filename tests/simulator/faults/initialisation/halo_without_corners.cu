// Sum of the nine pixels around each, from a tile with a border of one.
#define TILE 16

extern "C" __global__ void sum_of_nine(const int *in, int *out, int pitch)
{
    __shared__ int tile[TILE + 2][TILE + 2];
    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    const int *pixel = in + (blockIdx.y * TILE + y) * pitch + blockIdx.x * TILE + x;
    tile[y][x] = *pixel;
    if (x == 1) tile[y][0] = pixel[-1];
    if (x == TILE) tile[y][TILE + 1] = pixel[1];
    if (y == 1) tile[0][x] = pixel[-pitch];
    if (y == TILE) tile[TILE + 1][x] = pixel[pitch];
    __syncthreads();
    int sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += tile[y + dy][x + dx]; // fault
    out[(blockIdx.y * TILE + y - 1) * gridDim.x * TILE + blockIdx.x * TILE + x - 1] = sum;
}
