// Product of square matrices, C = A B, by blocks of 32 x 8 threads that compute 32 x 32 elements of C.
// A thread computes four elements, 8 rows apart, in one pass: it reads an element of B once, keeps it in a register,
// and uses it for all four.
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
    __shared__ float a_tile[32][32];
    __shared__ float b_tile[32][32];

    int x = threadIdx.x, y = threadIdx.y;
    int first_row = blockIdx.y * 32;
    int col = blockIdx.x * 32 + x;

    float sum[4] = {};
    for (int start = 0; start < N; start += 32) {
        for (int i = y; i < 32; i += 8) {
            int row = first_row + i;
            a_tile[i][x] = (row < N && start + x < N) ? A[row * N + (start + x)] : 0.0f;
            b_tile[i][x] = (start + i < N && col < N) ? B[(start + i) * N + col] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < 32; ++k) {
            float b = b_tile[k][x];
            for (int i = 0; i < 4; ++i) sum[i] += a_tile[y + 8 * i][k] * b;
        }
        __syncthreads();
    }

    for (int i = 0; i < 4; ++i) {
        int row = first_row + y + 8 * i;
        if (row < N && col < N) C[row * N + col] = sum[i];
    }
}
