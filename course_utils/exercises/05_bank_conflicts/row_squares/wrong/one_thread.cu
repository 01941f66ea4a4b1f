// No conflicts, since one thread adds everything; it reads 256 words one by one.

extern "C" __global__ void row_squares(const float* __restrict__ x, float* __restrict__ out, int rows,
                                       int cols) {
    __shared__ float part[256];

    int t = threadIdx.x;
    int row = blockIdx.x;
    float sum = 0.0f;
    for (int col = t; col < cols; col += 256) sum += x[row * cols + col] * x[row * cols + col];
    part[t] = sum;
    __syncthreads();

    float total = 0.0f;
    for (int i = 0; i < 256; ++i) total += part[i];

    if (t == 0) out[row] = total;
}
