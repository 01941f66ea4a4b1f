// The product of a sparse matrix in rows (CSR) with a vector, added to what is in y.
// A thread takes a row. Because of the +=, y must hold zeros before every launch.
//
// spmv_csr_add(values, columns, starts, x, y, rows)
//   values    the values of the matrix, row after row
//   columns   the column of each value
//   starts    rows + 1 places: the values of row r are values[starts[r]] to values[starts[r + 1] - 1]
//   x         a float for each column
//   y         rows floats, to which the product is added; must not overlap the others
//   rows      number of rows; rows <= 2^31 - 256
//
// block: (256)
// grid: (ceil(rows / 256))
// shared: 0

extern "C" __global__ void spmv_csr_add(const float* __restrict__ values, const int* __restrict__ columns,
                                        const int* __restrict__ starts, const float* __restrict__ x,
                                        float* __restrict__ y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;

    float sum = 0.0f;
    for (int k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] += sum;
}
