// Right values and few reads of shared memory, but the elements of A come from global memory, each time anew.
extern "C" __global__ void matmul_strip(const float* __restrict__ A, const float* __restrict__ B,
                                        float* __restrict__ C, int N) {
    __shared__ float b_tile[32][32];

    int x = threadIdx.x, y = threadIdx.y;
    int first_row = blockIdx.y * 32;
    int col = blockIdx.x * 32 + x;

    float sum[4] = {};
    for (int start = 0; start < N; start += 32) {
        for (int i = y; i < 32; i += 8) b_tile[i][x] = (start + i < N && col < N) ? B[(start + i) * N + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < 32 && start + k < N; ++k) {
            float b = b_tile[k][x];
            for (int i = 0; i < 4; ++i) {
                int row = first_row + y + 8 * i;
                if (row < N) sum[i] += A[row * N + start + k] * b;
            }
        }
        __syncthreads();
    }

    for (int i = 0; i < 4; ++i) {
        int row = first_row + y + 8 * i;
        if (row < N && col < N) C[row * N + col] = sum[i];
    }
}
