// Logarithm of the sum of exponentials of each row of a matrix, by one warp a row.
// As it stands each row is read twice: for its largest element, and for the sum. Once is enough: let each lane
// keep a largest element and a sum of its own, and let the lanes put these together at the end.
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

    float largest = -1e30f;
    for (int col = lane; col < cols; col += 32) largest = fmaxf(largest, x[row * cols + col]);
    for (int apart = 16; apart > 0; apart /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, apart));

    float sum = 0.0f;
    for (int col = lane; col < cols; col += 32) sum += expf(x[row * cols + col] - largest);
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);

    if (lane == 0) out[row] = largest + logf(sum);
}
