// The product of a sparse matrix in rows (CSR) with a vector: LANES neighbouring lanes share a row.
// They read places side by side, and add up their sums by shuffles. With 32 lanes, a warp takes a row.
//
// spmv_csr_vector(values, columns, starts, x, y, rows)
//   values    the values of the matrix, row after row
//   columns   the column of each value
//   starts    rows + 1 places: the values of row r are values[starts[r]] to values[starts[r + 1] - 1]
//   x         a float for each column
//   y         rows floats, overwritten with the product; must not overlap the others
//   rows      number of rows; LANES rows <= 2^31 - 256
//
// tunable LANES: 2, 4, 8, 16, 32   (default 32)  lanes that share a row
// block: (256)
// grid: (ceil(rows * LANES / 256))
// shared: 0
#ifndef LANES
#define LANES 32
#endif

extern "C" __global__ void spmv_csr_vector(const float* __restrict__ values, const int* __restrict__ columns,
                                           const int* __restrict__ starts, const float* __restrict__ x,
                                           float* __restrict__ y, int rows) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / LANES, lane = thread % LANES;

    // Lanes past the last row stay, with a sum of 0: the mask of the shuffles names all 32.
    float sum = 0.0f;
    if (row < rows) {
        int end = starts[row + 1];
        for (int k = starts[row] + lane; k < end; k += LANES) {
            int column = columns[k];
            sum += values[k] * x[column];
        }
    }

    for (int offset = LANES / 2; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, offset, LANES);
    }
    if (lane == 0 && row < rows) y[row] = sum;
}
