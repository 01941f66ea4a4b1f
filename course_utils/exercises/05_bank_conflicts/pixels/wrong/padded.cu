// No conflicts, but each row of the tile has a pixel more than it needs.

extern "C" __global__ void transpose_pixels(const float4* __restrict__ in, float4* __restrict__ out,
                                            int rows, int cols) {
    __shared__ float4 tile[16][17];

    int x = threadIdx.x, y = threadIdx.y;
    int tile_row = blockIdx.y * 16;
    int tile_col = blockIdx.x * 16;

    int row = tile_row + y, col = tile_col + x;
    if (row < rows && col < cols) tile[y][x] = in[row * cols + col];
    __syncthreads();

    int out_row = tile_col + y, out_col = tile_row + x;
    if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[x][y];
}
