// Right values, but two sums at a time: everything of B is still read twice.
extern "C" __global__ void matmul_strip(const float* __restrict__ A, const float* __restrict__ B,
                                        float* __restrict__ C, int N) {
    __shared__ float a_tile[16][32];
    __shared__ float b_tile[32][32];

    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * 32 + x;

    for (int pass = 0; pass < 2; ++pass) {
        int row = blockIdx.y * 32 + 16 * pass + y;
        float upper = 0.0f, lower = 0.0f;
        for (int start = 0; start < N; start += 32) {
            a_tile[y][x] = (row < N && start + x < N) ? A[row * N + (start + x)] : 0.0f;
            a_tile[y + 8][x] = (row + 8 < N && start + x < N) ? A[(row + 8) * N + (start + x)] : 0.0f;
            for (int i = y; i < 32; i += 8) {
                b_tile[i][x] = (start + i < N && col < N) ? B[(start + i) * N + col] : 0.0f;
            }
            __syncthreads();

            for (int k = 0; k < 32; ++k) {
                upper += a_tile[y][k] * b_tile[k][x];
                lower += a_tile[y + 8][k] * b_tile[k][x];
            }
            __syncthreads();
        }
        if (row < N && col < N) C[row * N + col] = upper;
        if (row + 8 < N && col < N) C[(row + 8) * N + col] = lower;
    }
}
