// Tiled matrix product in which each of the two barriers can be left out, to see what it is there for.
// Without either, the kernel still compiles and runs. FIRST keeps a warp from reading tiles that are not
// filled yet, SECOND keeps it from filling tiles anew that others still read.
//
// matmul_barriers(A, B, C, N)
//   A, B    N x N floats, row-major
//   C       N x N floats, row-major, overwritten; must not overlap A or B
//   N       edge of the matrices; any N with N * N < 2^31, a multiple of TILE or not
//
// tunable TILE: 8, 16, 32   (default 16)  edge of the square tile and of the square block
// tunable FIRST: 0, 1       (default 1)   1: wait before the tiles are read; 0: faulty
// tunable SECOND: 0, 1      (default 1)   1: wait before they are filled anew; 0: faulty
// block: (TILE, TILE)
// grid: (ceil(N / TILE), ceil(N / TILE))
// shared: 0                   dynamic; the two tiles are static, 8 * TILE * TILE bytes
#ifndef TILE
#define TILE 16
#endif
#ifndef FIRST
#define FIRST 1
#endif
#ifndef SECOND
#define SECOND 1
#endif

extern "C" __global__ void matmul_barriers(const float* __restrict__ A, const float* __restrict__ B,
                                           float* __restrict__ C, int N) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];

    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int col = blockIdx.x * TILE + x;

    float sum = 0.0f;
    for (int start = 0; start < N; start += TILE) {
        a_tile[y][x] = (row < N && start + x < N) ? A[row * N + (start + x)] : 0.0f;
        b_tile[y][x] = (start + y < N && col < N) ? B[(start + y) * N + col] : 0.0f;
        if (FIRST) __syncthreads();

        for (int k = 0; k < TILE; ++k) sum += a_tile[y][k] * b_tile[k][x];
        if (SECOND) __syncthreads();
    }

    if (row < N && col < N) C[row * N + col] = sum;
}
