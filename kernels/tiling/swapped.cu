// Naive matrix product with x and y swapped: neighbours in x now compute neighbours in a column of C.
// The arithmetic is that of the naive kernel, but one step of the loop makes a warp want elements of A that
// lie N floats apart, and so are its stores to C.
//
// matmul_swapped(A, B, C, N)
//   A, B    N x N floats, row-major
//   C       N x N floats, row-major, overwritten; must not overlap A or B
//   N       edge of the matrices; any N with N * N < 2^31
//
// launch TILE: 4, 8, 16, 32   (default 16)  edge of the square block; the kernel runs with any block shape
// block: (TILE, TILE)
// grid: (ceil(N / TILE), ceil(N / TILE))
// shared: 0

extern "C" __global__ void matmul_swapped(const float* __restrict__ A, const float* __restrict__ B,
                                          float* __restrict__ C, int N) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= N || col >= N) return;

    float sum = 0.0f;
    for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * N + col];
    C[row * N + col] = sum;
}
