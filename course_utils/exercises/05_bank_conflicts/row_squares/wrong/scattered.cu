// No conflicts, but all warps take part in each step with ever fewer lanes.

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
        if (t % (2 * step) == 0) part[t] += part[t + step];
        __syncthreads();
    }

    if (t == 0) out[row] = part[0];
}
