// Sum of the squares of each row of a matrix, by one block a row.
// Each thread first adds up every 256th square of the row. Then the block adds up the 256 sums of its threads: in
// each step the first half of the sums takes in the second, so that neighbours read and write neighbours.
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

    for (int step = 128; step > 0; step /= 2) {
        if (t < step) part[t] += part[t + step];
        __syncthreads();
    }

    if (t == 0) out[row] = part[0];
}
