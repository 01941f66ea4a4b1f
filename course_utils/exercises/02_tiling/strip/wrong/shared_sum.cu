// Wrong: one sum for all four elements.
extern "C" __global__ void matmul_strip(const float* __restrict__ A, const float* __restrict__ B,
                                        float* __restrict__ C, int N) {
    __shared__ float a_tile[32][32];
    __shared__ float b_tile[32][32];

    int x = threadIdx.x, y = threadIdx.y;
    int first_row = blockIdx.y * 32;
    int col = blockIdx.x * 32 + x;

    float sum = 0.0f;
    for (int start = 0; start < N; start += 32) {
        for (int i = y; i < 32; i += 8) {
            int row = first_row + i;
            a_tile[i][x] = (row < N && start + x < N) ? A[row * N + (start + x)] : 0.0f;
            b_tile[i][x] = (start + i < N && col < N) ? B[(start + i) * N + col] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < 32; ++k) {
            float b = b_tile[k][x];
            for (int i = 0; i < 4; ++i) sum += a_tile[y + 8 * i][k] * b;
        }
        __syncthreads();
    }

    for (int i = 0; i < 4; ++i) {
        int row = first_row + y + 8 * i;
        if (row < N && col < N) C[row * N + col] = sum;
    }
}
