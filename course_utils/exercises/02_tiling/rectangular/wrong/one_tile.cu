// Right values, but only A has a tile: every thread still fetches its own elements of B.
#ifndef ROWS
#define ROWS 8
#endif
#ifndef COLS
#define COLS 32
#endif

extern "C" __global__ void matmul_rectangular(const float* __restrict__ A, const float* __restrict__ B,
                                              float* __restrict__ C, int M, int K, int N) {
    __shared__ float a_tile[ROWS][ROWS];

    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * ROWS + y;
    int col = blockIdx.x * COLS + x;

    float sum = 0.0f;
    for (int start = 0; start < K; start += ROWS) {
        if (x < ROWS) a_tile[y][x] = (row < M && start + x < K) ? A[row * K + (start + x)] : 0.0f;
        __syncthreads();

        for (int k = 0; k < ROWS && start + k < K && col < N; ++k) sum += a_tile[y][k] * B[(start + k) * N + col];
        __syncthreads();
    }

    if (row < M && col < N) C[row * N + col] = sum;
}
