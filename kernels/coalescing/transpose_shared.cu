// Transpose through shared memory: a warp reads along a row of in and writes along a row of out.
// The column access moves into a 32 x 32 tile of shared memory. With PAD 0 a column of the tile lies in a
// single bank; with PAD 1 each row starts one bank further on, and a column is spread over all 32.
//
// transpose_shared(in, out, rows, cols)
//   in      rows x cols floats, row-major
//   out     cols x rows floats, row-major, overwritten; must not overlap in
//   rows    rows of in; at most 32 * 65535, since a grid is at most 65535 blocks high
//   cols    columns of in; rows * cols < 2^31
//
// tunable PAD: 0, 1   (default 1)  unused floats at the end of each row of the tile
// block: (32, 32)
// grid: (ceil(cols / 32), ceil(rows / 32))
// shared: 0                   dynamic; the tile is static, 4 * 32 * (32 + PAD) bytes
#ifndef PAD
#define PAD 1
#endif

extern "C" __global__ void transpose_shared(const float* __restrict__ in, float* __restrict__ out,
                                            int rows, int cols) {
    __shared__ float tile[32][32 + PAD];

    int x = threadIdx.x, y = threadIdx.y;
    int tile_row = blockIdx.y * 32;
    int tile_col = blockIdx.x * 32;

    int row = tile_row + y, col = tile_col + x;
    if (row < rows && col < cols) tile[y][x] = in[row * cols + col];
    __syncthreads();  // the tile is complete before any thread reads it

    // The tile's place in out: rows and columns are exchanged, and x runs along a row again.
    int out_row = tile_col + y, out_col = tile_row + x;
    if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[x][y];
}
