// Tiled matrix product in which a thread computes PER_THREAD x PER_THREAD elements of C. In each step of k it
// reads PER_THREAD elements of either tile into registers, and uses each of them PER_THREAD times. Its
// elements lie SPAN apart, so that neighbours in x always read, and store, neighbours in a row.
//
// matmul_register_blocked(A, B, C, N)
//   A, B    N x N floats, row-major
//   C       N x N floats, row-major, overwritten; must not overlap A or B
//   N       edge of the matrices; any N with N * N < 2^31, a multiple of 64 or not
//
// tunable PER_THREAD: 2, 4, 8   (default 4)  edge of the square of C that a thread computes
// block: (64 / PER_THREAD, 64 / PER_THREAD)
// grid: (ceil(N / 64), ceil(N / 64))
// shared: 0                    dynamic; the two tiles are static, 4352 bytes
#ifndef PER_THREAD
#define PER_THREAD 4
#endif
#define TILE 64  // edge of the square of C that a block computes
#define DEPTH 8  // columns of the tile of A, and rows of that of B
#define SPAN (TILE / PER_THREAD)

extern "C" __global__ void matmul_register_blocked(const float* __restrict__ A, const float* __restrict__ B,
                                                   float* __restrict__ C, int N) {
    __shared__ float a_tile[TILE][DEPTH + 1];  // one more, so that a column lies in different banks
    __shared__ float b_tile[DEPTH][TILE];

    int x = threadIdx.x, y = threadIdx.y;
    int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;
    int thread = y * SPAN + x;

    float sum[PER_THREAD][PER_THREAD] = {};
    for (int start = 0; start < N; start += DEPTH) {
        for (int i = thread; i < TILE * DEPTH; i += SPAN * SPAN) {
            int row = first_row + i / DEPTH, k = start + i % DEPTH;
            a_tile[i / DEPTH][i % DEPTH] = (row < N && k < N) ? A[row * N + k] : 0.0f;
        }
        for (int i = thread; i < DEPTH * TILE; i += SPAN * SPAN) {
            int k = start + i / TILE, col = first_col + i % TILE;
            b_tile[i / TILE][i % TILE] = (k < N && col < N) ? B[k * N + col] : 0.0f;
        }
        __syncthreads();  // both tiles are complete before any thread reads them

        for (int k = 0; k < DEPTH; ++k) {
            float a[PER_THREAD], b[PER_THREAD];
            for (int i = 0; i < PER_THREAD; ++i) a[i] = a_tile[y + i * SPAN][k];
            for (int j = 0; j < PER_THREAD; ++j) b[j] = b_tile[k][x + j * SPAN];
            for (int i = 0; i < PER_THREAD; ++i)
                for (int j = 0; j < PER_THREAD; ++j) sum[i][j] += a[i] * b[j];
        }
        __syncthreads();  // every thread is done with them before the next step overwrites them
    }

    for (int i = 0; i < PER_THREAD; ++i) {
        for (int j = 0; j < PER_THREAD; ++j) {
            int row = first_row + y + i * SPAN, col = first_col + x + j * SPAN;
            if (row < N && col < N) C[row * N + col] = sum[i][j];
        }
    }
}
