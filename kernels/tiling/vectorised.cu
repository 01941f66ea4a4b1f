// Register-blocked matrix product that moves four floats by one instruction, in global and in shared memory.
// A thread computes 4 x 4 elements of C that lie together. The tile of A is turned on its side, so that the
// four elements that a thread needs of one column of A lie side by side there too.
//
// matmul_vectorised(A, B, C, N)
//   A, B    N x N floats, row-major, aligned to 16 bytes
//   C       N x N floats, row-major, aligned to 16 bytes, overwritten; must not overlap A or B
//   N       edge of the matrices; a multiple of 4 with N * N < 2^31, so that every row is aligned
//
// tunable TILE: 32, 64   (default 64)  edge of the square of C that a block computes
// block: (TILE / 4, TILE / 4)
// grid: (ceil(N / TILE), ceil(N / TILE))
// shared: 0                   dynamic; the two tiles are static, 4 * 8 * (2 * TILE + 4) bytes
#ifndef TILE
#define TILE 64
#endif
#define DEPTH 8         // columns of the tile of A, and rows of that of B
#define SPAN (TILE / 4)  // threads in a row of the block, and float4s in a row of the tile of B

extern "C" __global__ void matmul_vectorised(const float4* __restrict__ A, const float4* __restrict__ B,
                                             float4* __restrict__ C, int N) {
    // Four floats more in a row keep it aligned, and spread the stores over the banks.
    __shared__ alignas(16) float a_tile[DEPTH][TILE + 4];
    __shared__ float4 b_tile[DEPTH][SPAN];

    int x = threadIdx.x, y = threadIdx.y;
    int first_row = blockIdx.y * TILE, first_col = blockIdx.x * SPAN;
    int thread = y * SPAN + x;
    int wide = N / 4;  // float4s in a row of a matrix

    float4 sum[4] = {};
    for (int start = 0; start < N; start += DEPTH) {
        for (int i = thread; i < TILE * DEPTH / 4; i += SPAN * SPAN) {
            int down = i / (DEPTH / 4), across = i % (DEPTH / 4);
            int row = first_row + down, k = start / 4 + across;
            float4 four = (row < N && k < wide) ? A[row * wide + k] : float4();
            a_tile[4 * across][down] = four.x;
            a_tile[4 * across + 1][down] = four.y;
            a_tile[4 * across + 2][down] = four.z;
            a_tile[4 * across + 3][down] = four.w;
        }
        for (int i = thread; i < DEPTH * SPAN; i += SPAN * SPAN) {
            int k = start + i / SPAN, col = first_col + i % SPAN;
            b_tile[i / SPAN][i % SPAN] = (k < N && col < wide) ? B[k * wide + col] : float4();
        }
        __syncthreads();  // both tiles are complete before any thread reads them

        for (int k = 0; k < DEPTH; ++k) {
            float4 a = *reinterpret_cast<const float4*>(&a_tile[k][4 * y]), b = b_tile[k][x];
            float each[4] = {a.x, a.y, a.z, a.w};
            for (int i = 0; i < 4; ++i) {
                sum[i].x += each[i] * b.x;
                sum[i].y += each[i] * b.y;
                sum[i].z += each[i] * b.z;
                sum[i].w += each[i] * b.w;
            }
        }
        __syncthreads();  // every thread is done with them before the next step overwrites them
    }

    for (int i = 0; i < 4; ++i) {
        int row = first_row + 4 * y + i, col = first_col + x;
        if (row < N && col < wide) C[row * wide + col] = sum[i];
    }
}
