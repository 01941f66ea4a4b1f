// Each lane takes a piece of the row of its own, so that the lanes of a warp load far apart.

extern "C" __global__ void log_sum_exp(const float* __restrict__ x, float* __restrict__ out, int rows,
                                       int cols) {
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;

    int piece = (cols + 31) / 32;
    float largest = -1e30f, sum = 0.0f;
    for (int col = lane * piece; col < min(cols, (lane + 1) * piece); ++col) {
        float value = x[row * cols + col];
        float larger = fmaxf(largest, value);
        sum = sum * expf(largest - larger) + expf(value - larger);
        largest = larger;
    }

    float common = largest;
    for (int apart = 16; apart > 0; apart /= 2)
        common = fmaxf(common, __shfl_xor_sync(0xffffffffu, common, apart));

    sum *= expf(largest - common);
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);

    if (lane == 0) out[row] = common + logf(sum);
}
