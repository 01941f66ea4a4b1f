// Matrix product with an epilogue: C = max(A B + bias, 0), column-major without gaps.
// Bias and maximum are applied to the sum while a thread still holds it in a register, so that they cost no
// pass over C of their own. Otherwise this is the kernel of gemm.cu without its flags.
//
// gemm_bias_relu(m, n, k, A, B, bias, C)
//   m, n, k   A is m x k, B k x n, C m x n; n at most 8 * 65535
//   A, B      floats, column by column
//   bias      m floats, one for each row of C
//   C         floats, column by column, overwritten; must not overlap the others
//
// block: (32, 8)
// grid: (ceil(m / 32), ceil(n / 8))
// shared: 0

extern "C" __global__ void gemm_bias_relu(int m, int n, int k, const float* __restrict__ A,
                                          const float* __restrict__ B, const float* __restrict__ bias,
                                          float* __restrict__ C) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n) return;

    float sum = 0.0f;
    for (int p = 0; p < k; ++p) sum += A[i + p * m] * B[p + j * k];
    C[i + j * m] = fmaxf(sum + bias[i], 0.0f);
}
