// Addition of two matrices by a grid of two dimensions, with a guard for each of them.
// x counts columns and y rows, so that neighbours in x, who share a warp, take neighbours in memory.
//
// matrix_add(a, b, out, rows, cols)
//   a, b        rows x cols floats, row-major
//   out         rows x cols floats, overwritten with a + b; must not overlap a or b
//   rows, cols  any sizes; rows * cols < 2^31
//
// launch BLOCK_X: 8, 16, 32, 64   (default 32)  columns a block
// launch BLOCK_Y: 1, 4, 8, 16   (default 8)  rows a block
// block: (BLOCK_X, BLOCK_Y)
// grid: (ceil(cols / BLOCK_X), ceil(rows / BLOCK_Y))
// shared: 0

extern "C" __global__ void matrix_add(const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ out, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        int i = row * cols + col;
        out[i] = a[i] + b[i];
    }
}
