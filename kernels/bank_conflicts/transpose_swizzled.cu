// Transpose through a swizzled tile: no padding, and yet a column of the tile is spread over all 32 banks.
// In row y of the tile, the element of column x lies at place x ^ y. For one y, exclusive or only reorders
// the 32 places of a row; down a column, for one x, it yields 32 different places.
//
// transpose_swizzled(in, out, rows, cols)
//   in      rows x cols floats, row-major
//   out     cols x rows floats, row-major, overwritten; must not overlap in
//   rows    rows of in; at most 32 * 65535, since a grid is at most 65535 blocks high
//   cols    columns of in; rows * cols < 2^31
//
// block: (32, 32)
// grid: (ceil(cols / 32), ceil(rows / 32))
// shared: 0                   dynamic; the tile is static, 4096 bytes

extern "C" __global__ void transpose_swizzled(const float* __restrict__ in, float* __restrict__ out,
                                              int rows, int cols) {
    __shared__ float tile[32][32];

    int x = threadIdx.x, y = threadIdx.y;
    int tile_row = blockIdx.y * 32;
    int tile_col = blockIdx.x * 32;

    int row = tile_row + y, col = tile_col + x;
    if (row < rows && col < cols) tile[y][x ^ y] = in[row * cols + col];
    __syncthreads();  // the tile is complete before any thread reads it

    // Row x, column y of the tile; x runs along a row of out.
    int out_row = tile_col + y, out_col = tile_row + x;
    if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[x][y ^ x];
}
