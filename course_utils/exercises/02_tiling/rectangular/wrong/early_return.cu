// Wrong: threads outside C leave before they have fetched their part of the tiles.
#ifndef ROWS
#define ROWS 8
#endif
#ifndef COLS
#define COLS 32
#endif

extern "C" __global__ void matmul_rectangular(const float* __restrict__ A, const float* __restrict__ B,
                                              float* __restrict__ C, int M, int K, int N) {
    __shared__ float a_tile[ROWS][ROWS];
    __shared__ float b_tile[ROWS][COLS];

    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * ROWS + y;
    int col = blockIdx.x * COLS + x;
    if (row >= M || col >= N) return;

    float sum = 0.0f;
    for (int start = 0; start < K; start += ROWS) {
        if (x < ROWS) a_tile[y][x] = (row < M && start + x < K) ? A[row * K + (start + x)] : 0.0f;
        b_tile[y][x] = (start + y < K && col < N) ? B[(start + y) * N + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < ROWS; ++k) sum += a_tile[y][k] * b_tile[k][x];
        __syncthreads();
    }

    C[row * N + col] = sum;
}
