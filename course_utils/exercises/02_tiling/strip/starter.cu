// Product of square matrices, C = A B, by blocks of 32 x 8 threads that compute 32 x 32 elements of C.
// So each thread has four elements, 8 rows apart. As it stands the block computes 8 rows at a time, in four passes,
// and fetches and reads everything of B four times. Let each thread keep four sums, and make it one pass.
//
// matmul_strip(A, B, C, N)
//   A, B  N x N floats, row-major
//   C     N x N floats, row-major, overwritten
//   N     edge of the matrices, a multiple of 32 or not
//
// block: (32, 8)
// grid: (ceil(N / 32), ceil(N / 32))
// shared: 0

extern "C" __global__ void matmul_strip(const float* __restrict__ A, const float* __restrict__ B,
                                        float* __restrict__ C, int N) {
    __shared__ float a_tile[8][32];
    __shared__ float b_tile[32][32];

    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * 32 + x;

    for (int pass = 0; pass < 4; ++pass) {
        int row = blockIdx.y * 32 + 8 * pass + y;
        float sum = 0.0f;
        for (int start = 0; start < N; start += 32) {
            a_tile[y][x] = (row < N && start + x < N) ? A[row * N + (start + x)] : 0.0f;
            for (int i = y; i < 32; i += 8) {
                b_tile[i][x] = (start + i < N && col < N) ? B[(start + i) * N + col] : 0.0f;
            }
            __syncthreads();

            for (int k = 0; k < 32; ++k) sum += a_tile[y][k] * b_tile[k][x];
            __syncthreads();
        }
        if (row < N && col < N) C[row * N + col] = sum;
    }
}
