// Threads past the edge of the image load and store as well.

extern "C" __global__ void transpose_pixels(const float4* __restrict__ in, float4* __restrict__ out,
                                            int rows, int cols) {
    __shared__ float4 tile[16][16];

    int x = threadIdx.x, y = threadIdx.y;
    int tile_row = blockIdx.y * 16;
    int tile_col = blockIdx.x * 16;

    int row = tile_row + y, col = tile_col + x;
    tile[y][x ^ y] = in[row * cols + col];
    __syncthreads();

    int out_row = tile_col + y, out_col = tile_row + x;
    out[out_row * rows + out_col] = tile[x][y ^ x];
}
