// Product of rectangular matrices, C = A B, by blocks that compute ROWS x COLS elements of C.
// Every element of A that a block fetches serves COLS of its threads, every element of B serves ROWS of them.
// The tile of A has ROWS columns, so that the first ROWS threads of each row fetch it, one element each.
//
// matmul_rectangular(A, B, C, M, K, N)
//   A       M x K floats, row-major
//   B       K x N floats, row-major
//   C       M x N floats, row-major, overwritten
//   M, K, N any sizes, multiples of ROWS and COLS or not
//
// tunable ROWS: 8    (default 8)   rows of C that a block computes
// tunable COLS: 32   (default 32)  columns of C that a block computes
// block: (COLS, ROWS)
// grid: (ceil(N / COLS), ceil(M / ROWS))
// shared: 0
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
        b_tile[y][x] = (start + y < K && col < N) ? B[(start + y) * N + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < ROWS; ++k) sum += a_tile[y][k] * b_tile[k][x];
        __syncthreads();
    }

    if (row < M && col < N) C[row * N + col] = sum;
}
