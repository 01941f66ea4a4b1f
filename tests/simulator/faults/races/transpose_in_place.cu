// Transposes a square matrix in place, a tile a block.
#define TILE 16

extern "C" __global__ void transpose(int *matrix, int n)
{
    __shared__ int tile[TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    tile[y][x] = matrix[(row + y) * n + column + x]; // fault
    __syncthreads();
    matrix[(column + y) * n + row + x] = tile[x][y]; // fault
}
