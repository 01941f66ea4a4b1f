// Logarithm of the sum of exponentials of each row of a matrix, by one warp a row, which reads it once.
// Each lane runs an online sum over its own columns. At the end all sums are scaled down to the largest
// element of the row, and added.
//
// log_sum_exp(x, out, rows, cols)
//   x     rows x cols floats, row-major
//   out   rows floats, overwritten with log(sum of exp(x)) of each row
//   rows  rows of x
//   cols  columns of x, a multiple of 32 or not; a row may be longer than shared memory
//
// block: (256)
// grid: (ceil(rows / 8))
// shared: 0

extern "C" __global__ void log_sum_exp(const float* __restrict__ x, float* __restrict__ out, int rows,
                                       int cols) {
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;

    float largest = -1e30f, sum = 0.0f;
    for (int col = lane; col < cols; col += 32) {
        float value = x[row * cols + col];
        float larger = fmaxf(largest, value);
        sum = sum * expf(largest - larger) + expf(value - larger);
        largest = larger;
    }

    float common = largest;
    for (int apart = 16; apart > 0; apart /= 2)
        common = fmaxf(common, __shfl_xor_sync(0xffffffffu, common, apart));

    sum *= expf(largest - common);  // 0 for a lane without columns
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);

    if (lane == 0) out[row] = common + logf(sum);
}
