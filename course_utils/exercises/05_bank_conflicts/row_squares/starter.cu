// Sum of the squares of each row of a matrix, by one block a row.
// Each thread first adds up every 256th square of the row. Then the block adds up the 256 sums of its threads.
// As it stands, the words that it adds lie ever farther apart, and in ever fewer banks. Repair that.
//
// row_squares(x, out, rows, cols)
//   x     rows x cols floats, row-major
//   out   rows floats, overwritten with the sum of the squares of each row
//   rows  rows of x
//   cols  columns of x, a multiple of 256 or not
//
// block: (256)
// grid: (rows)
// shared: 0

extern "C" __global__ void row_squares(const float* __restrict__ x, float* __restrict__ out, int rows,
                                       int cols) {
    __shared__ float part[256];

    int t = threadIdx.x;
    int row = blockIdx.x;
    float sum = 0.0f;
    for (int col = t; col < cols; col += 256) sum += x[row * cols + col] * x[row * cols + col];
    part[t] = sum;
    __syncthreads();

    for (int step = 1; step < 256; step *= 2) {
        int first = 2 * step * t;
        if (first < 256) part[first] += part[first + step];
        __syncthreads();
    }

    if (t == 0) out[row] = part[0];
}
