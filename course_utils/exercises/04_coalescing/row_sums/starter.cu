// Row sums: a block is one warp, which adds up 32 rows of a matrix.
// As it stands each thread walks along a row of its own, so that neighbours read from neighbouring rows. Let the
// warp walk along one row after the other, so that neighbours read neighbours.
//
// row_sums(in, sums, rows, cols)
//   in          rows x cols floats, row-major
//   sums        rows floats, overwritten with the sum of each row
//   rows, cols  any sizes
//
// block: (32)
// grid: (ceil(rows / 32))
// shared: 0

extern "C" __global__ void row_sums(const float* __restrict__ in, float* __restrict__ sums, int rows, int cols) {
    int row = blockIdx.x * 32 + threadIdx.x;
    if (row >= rows) return;

    float sum = 0.0f;
    for (int col = 0; col < cols; ++col) sum += in[row * cols + col];
    sums[row] = sum;
}
