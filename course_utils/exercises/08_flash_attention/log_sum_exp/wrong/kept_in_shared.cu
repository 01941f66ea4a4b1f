// Reads each row once, and keeps it in shared memory, which is too small for long rows.

extern "C" __global__ void log_sum_exp(const float* __restrict__ x, float* __restrict__ out, int rows,
                                       int cols) {
    __shared__ float kept[8][1024];

    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;

    float* mine = kept[threadIdx.x / 32];
    float largest = -1e30f;
    for (int col = lane; col < cols; col += 32) {
        mine[col] = x[row * cols + col];
        largest = fmaxf(largest, mine[col]);
    }
    for (int apart = 16; apart > 0; apart /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, apart));

    float sum = 0.0f;
    for (int col = lane; col < cols; col += 32) sum += expf(mine[col] - largest);
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);

    if (lane == 0) out[row] = largest + logf(sum);
}
