// Right values, but each lane walks along a 32nd of the row: neighbours read cols / 32 floats apart.
extern "C" __global__ void row_sums(const float* __restrict__ in, float* __restrict__ sums, int rows, int cols) {
    int lane = threadIdx.x;
    int first = blockIdx.x * 32;
    int piece = (cols + 31) / 32;

    for (int r = 0; r < 32 && first + r < rows; ++r) {
        float sum = 0.0f;
        for (int col = lane * piece; col < min((lane + 1) * piece, cols); ++col)
            sum += in[(first + r) * cols + col];
        for (int other = 16; other > 0; other /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, other);
        if (lane == 0) sums[first + r] = sum;
    }
}
