// Naive transpose: a warp reads along a row and writes down a column.
// Its loads are coalesced: 32 consecutive floats. Its stores are not: they lie `rows` floats apart.
//
// transpose_naive(in, out, rows, cols)
//   in      rows x cols floats, row-major
//   out     cols x rows floats, row-major, overwritten; must not overlap in
//   rows    rows of in; at most 32 * 65535, since a grid is at most 65535 blocks high
//   cols    columns of in; rows * cols < 2^31
//
// block: (32, 32)
// grid: (ceil(cols / 32), ceil(rows / 32))
// shared: 0

extern "C" __global__ void transpose_naive(const float* __restrict__ in, float* __restrict__ out,
                                           int rows, int cols) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
