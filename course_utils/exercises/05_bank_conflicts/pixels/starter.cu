// Transpose of an image whose pixels are four floats each, through a tile of 16 x 16 pixels.
// As it stands, all pixels of a column of the tile lie in the same 4 of the 32 banks. Spread them, without a
// byte more of shared memory.
//
// transpose_pixels(in, out, rows, cols)
//   in      rows x cols pixels, row-major
//   out     cols x rows pixels, row-major, overwritten
//   rows    rows of in, a multiple of 16 or not
//   cols    columns of in, a multiple of 16 or not
//
// block: (16, 16)
// grid: (ceil(cols / 16), ceil(rows / 16))
// shared: 0

extern "C" __global__ void transpose_pixels(const float4* __restrict__ in, float4* __restrict__ out,
                                            int rows, int cols) {
    __shared__ float4 tile[16][16];

    int x = threadIdx.x, y = threadIdx.y;
    int tile_row = blockIdx.y * 16;
    int tile_col = blockIdx.x * 16;

    int row = tile_row + y, col = tile_col + x;
    if (row < rows && col < cols) tile[y][x] = in[row * cols + col];
    __syncthreads();

    int out_row = tile_col + y, out_col = tile_row + x;
    if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[x][y];
}
