// Tiled matrix product: a block loads square tiles of A and B into shared memory and multiplies from there.
// Each element that it loads is then read by TILE of its threads. The block walks along its rows of A and
// down its columns of B, one pair of tiles a step.
//
// matmul_tiled(A, B, C, N)
//   A, B    N x N floats, row-major
//   C       N x N floats, row-major, overwritten; must not overlap A or B
//   N       edge of the matrices; any N with N * N < 2^31, a multiple of TILE or not
//
// tunable TILE: 4, 8, 16, 32   (default 16)  edge of the square tile and of the square block
// block: (TILE, TILE)
// grid: (ceil(N / TILE), ceil(N / TILE))
// shared: 0                   dynamic; the two tiles are static, 8 * TILE * TILE bytes
#ifndef TILE
#define TILE 16
#endif

extern "C" __global__ void matmul_tiled(const float* __restrict__ A, const float* __restrict__ B,
                                        float* __restrict__ C, int N) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];

    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int col = blockIdx.x * TILE + x;

    float sum = 0.0f;
    for (int start = 0; start < N; start += TILE) {
        // What lies outside a matrix counts as 0, so that the products below need no test.
        a_tile[y][x] = (row < N && start + x < N) ? A[row * N + (start + x)] : 0.0f;
        b_tile[y][x] = (start + y < N && col < N) ? B[(start + y) * N + col] : 0.0f;
        __syncthreads();  // both tiles are complete before any thread reads them

        for (int k = 0; k < TILE; ++k) sum += a_tile[y][k] * b_tile[k][x];
        __syncthreads();  // every thread is done with them before the next step overwrites them
    }

    if (row < N && col < N) C[row * N + col] = sum;
}
