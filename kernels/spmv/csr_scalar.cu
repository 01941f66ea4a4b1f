// The product of a sparse matrix in rows (CSR) with a vector: a thread takes a row.
// In each round, the lanes of a warp read places of 32 rows, and these lie as far apart as the rows are long.
//
// spmv_csr_scalar(values, columns, starts, x, y, rows)
//   values    the values of the matrix, row after row
//   columns   the column of each value
//   starts    rows + 1 places: the values of row r are values[starts[r]] to values[starts[r + 1] - 1]
//   x         a float for each column
//   y         rows floats, overwritten with the product; must not overlap the others
//   rows      number of rows; rows <= 2^31 - 256
//
// block: (256)
// grid: (ceil(rows / 256))
// shared: 0

extern "C" __global__ void spmv_csr_scalar(const float* __restrict__ values, const int* __restrict__ columns,
                                           const int* __restrict__ starts, const float* __restrict__ x,
                                           float* __restrict__ y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;

    float sum = 0.0f;
    int end = starts[row + 1];
    for (int k = starts[row]; k < end; ++k) {
        int column = columns[k];
        sum += values[k] * x[column];
    }
    y[row] = sum;
}
