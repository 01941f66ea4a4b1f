// Wrong: stores what lane 0 has, a 32nd of the row.
extern "C" __global__ void row_sums(const float* __restrict__ in, float* __restrict__ sums, int rows, int cols) {
    int lane = threadIdx.x;
    int first = blockIdx.x * 32;

    for (int r = 0; r < 32 && first + r < rows; ++r) {
        float sum = 0.0f;
        for (int col = lane; col < cols; col += 32) sum += in[(first + r) * cols + col];
        if (lane == 0) sums[first + r] = sum;
    }
}
