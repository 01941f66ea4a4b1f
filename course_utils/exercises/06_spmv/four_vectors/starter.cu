// The product of a sparse matrix in rows (CSR) with four vectors at once, by a thread a row.
// As it stands, a thread goes through its row once for each of the vectors. Let it go through it once.
//
// four_vectors(values, columns, starts, x, y, rows, cols)
//   values    the values of the matrix, row after row
//   columns   the column of each value
//   starts    rows + 1 places: the values of row r are values[starts[r]] to values[starts[r + 1] - 1]
//   x         cols x 4 floats, row-major: four vectors side by side
//   y         rows x 4 floats, row-major, overwritten with the four products
//   rows      rows of the matrix
//   cols      columns of the matrix
//
// block: (256)
// grid: (ceil(rows / 256))
// shared: 0

extern "C" __global__ void four_vectors(const float* __restrict__ values, const int* __restrict__ columns,
                                        const int* __restrict__ starts, const float* __restrict__ x,
                                        float* __restrict__ y, int rows, int cols) {
    int row = blockIdx.x * 256 + threadIdx.x;
    if (row >= rows) return;

    for (int v = 0; v < 4; ++v) {
        float sum = 0.0f;
        for (int k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * x[4 * columns[k] + v];
        y[4 * row + v] = sum;
    }
}
