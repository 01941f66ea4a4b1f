// Tiled matrix product whose tiles need not be square: a block computes ROWS x COLS elements of C, in steps
// of DEPTH. Each element of A that it copies serves COLS threads, each element of B serves ROWS. The threads
// copy in turns, since a tile may have fewer or more elements than the block has threads.
//
// matmul_rectangular(A, B, C, N)
//   A, B    N x N floats, row-major
//   C       N x N floats, row-major, overwritten; must not overlap A or B
//   N       edge of the matrices; any N with N * N < 2^31, a multiple of the tile's edges or not
//
// tunable ROWS: 8, 16, 32    (default 8)   rows of C that a block computes
// tunable COLS: 16, 32       (default 32)  columns of C that a block computes
// tunable DEPTH: 4, 8, 16    (default 8)   columns of the tile of A, and rows of that of B
// block: (COLS, ROWS)
// grid: (ceil(N / COLS), ceil(N / ROWS))
// shared: 0                   dynamic; the two tiles are static, 4 * DEPTH * (ROWS + COLS) bytes
#ifndef ROWS
#define ROWS 8
#endif
#ifndef COLS
#define COLS 32
#endif
#ifndef DEPTH
#define DEPTH 8
#endif

extern "C" __global__ void matmul_rectangular(const float* __restrict__ A, const float* __restrict__ B,
                                              float* __restrict__ C, int N) {
    __shared__ float a_tile[ROWS][DEPTH];
    __shared__ float b_tile[DEPTH][COLS];

    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * ROWS + y;
    int col = blockIdx.x * COLS + x;
    int thread = y * COLS + x;

    float sum = 0.0f;
    for (int start = 0; start < N; start += DEPTH) {
        for (int i = thread; i < ROWS * DEPTH; i += ROWS * COLS) {
            int down = blockIdx.y * ROWS + i / DEPTH, across = start + i % DEPTH;
            a_tile[i / DEPTH][i % DEPTH] = (down < N && across < N) ? A[down * N + across] : 0.0f;
        }
        for (int i = thread; i < DEPTH * COLS; i += ROWS * COLS) {
            int down = start + i / COLS, across = blockIdx.x * COLS + i % COLS;
            b_tile[i / COLS][i % COLS] = (down < N && across < N) ? B[down * N + across] : 0.0f;
        }
        __syncthreads();  // both tiles are complete before any thread reads them

        for (int k = 0; k < DEPTH; ++k) sum += a_tile[y][k] * b_tile[k][x];
        __syncthreads();  // every thread is done with them before the next step overwrites them
    }

    if (row < N && col < N) C[row * N + col] = sum;
}
