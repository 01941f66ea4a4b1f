// The product of a sparse matrix in ELL with a vector: all rows are padded to the same length.
// The first values of all rows lie side by side, then all second ones: so 32 lanes read side by side.
//
// spmv_ell(values, columns, x, y, rows, width)
//   values    width x rows floats: value k of row r is values[k rows + r]
//   columns   the column of each value, and -1 for a place that only pads
//   x         a float for each column
//   y         rows floats, overwritten with the product; must not overlap the others
//   rows      number of rows; rows <= 2^31 - 256
//   width     values of the longest row; width rows < 2^31
//
// block: (256)
// grid: (ceil(rows / 256))
// shared: 0

extern "C" __global__ void spmv_ell(const float* __restrict__ values, const int* __restrict__ columns,
                                    const float* __restrict__ x, float* __restrict__ y, int rows, int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;

    float sum = 0.0f;
    for (int k = 0; k < width; ++k) {
        int column = columns[k * rows + row];
        if (column >= 0) sum += values[k * rows + row] * x[column];
    }
    y[row] = sum;
}
