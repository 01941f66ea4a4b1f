// Row sums, read side by side: the whole warp walks along one row after the other.
// In each row a lane adds up every 32nd element, beginning with its own number. Then the lanes add up what they
// have: in five steps each lane adds the value of the lane that differs from it in one bit of its number.
//
// row_sums(in, sums, rows, cols)
//   in          rows x cols floats, row-major
//   sums        rows floats, overwritten with the sum of each row
//   rows, cols  any sizes
//
// block: (32)
// grid: (ceil(rows / 32))
// shared: 0

extern "C" __global__ void row_sums(const float* __restrict__ in, float* __restrict__ sums, int rows, int cols) {
    int lane = threadIdx.x;
    int first = blockIdx.x * 32;

    float mine = 0.0f;  // the sum of row first + lane, once the warp has come to it
    for (int r = 0; r < 32 && first + r < rows; ++r) {
        float sum = 0.0f;
        for (int col = lane; col < cols; col += 32) sum += in[(first + r) * cols + col];
        for (int other = 16; other > 0; other /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, other);
        if (lane == r) mine = sum;
    }
    if (first + lane < rows) sums[first + lane] = mine;
}
