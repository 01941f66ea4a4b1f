// Naive matrix product: one thread computes one element of C = A B straight from global memory.
// Threads that are neighbours in x compute neighbours in a row of C: in one step of the loop a warp wants
// consecutive elements of a row of B, and the same element of A for every thread of that row.
//
// matmul_naive(A, B, C, N)
//   A, B    N x N floats, row-major
//   C       N x N floats, row-major, overwritten; must not overlap A or B
//   N       edge of the matrices; any N with N * N < 2^31
//
// launch TILE: 4, 8, 16, 32   (default 16)  edge of the square block; the kernel runs with any block shape
// block: (TILE, TILE)
// grid: (ceil(N / TILE), ceil(N / TILE))
// shared: 0

extern "C" __global__ void matmul_naive(const float* __restrict__ A, const float* __restrict__ B,
                                        float* __restrict__ C, int N) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= N || col >= N) return;

    float sum = 0.0f;
    for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * N + col];
    C[row * N + col] = sum;
}
