// Product of rectangular matrices, C = A B, by blocks that compute ROWS x COLS elements of C.
// As it stands every thread fetches all that it needs from global memory. Make the block fetch it together:
// a tile of A with ROWS x ROWS elements and a tile of B with ROWS x COLS, once in each step of the loop.
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
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * ROWS + y;
    int col = blockIdx.x * COLS + x;

    float sum = 0.0f;
    if (row < M && col < N) {
        for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}
