// Matrix product with the arguments of cublasSgemm: C = alpha op(A) op(B) + beta C, column-major.
// A leading dimension is the distance in memory from one column to the next; a transpose flag swaps the two
// indices, and moves no element. One thread computes one element of C. Neighbours in x are neighbours in a
// column of C, so that its stores are coalesced; whether the loads of A are depends on its flag.
//
// gemm(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc)
//   transa, transb  0: op(X) = X, 1: op(X) = X transposed
//   m, n, k         op(A) is m x k, op(B) k x n, C m x n; n at most 8 * 65535
//   alpha           what the product is multiplied with
//   A               floats, column by column
//   lda             from one column of A to the next: at least m, or k where A is transposed
//   B               floats, column by column
//   ldb             from one column of B to the next: at least k, or n where B is transposed
//   beta            what C is multiplied with before; with 0, C is not read
//   C               floats, column by column, overwritten; must not overlap A or B
//   ldc             from one column of C to the next: at least m
//
// block: (32, 8)
// grid: (ceil(m / 32), ceil(n / 8))
// shared: 0

extern "C" __global__ void gemm(int transa, int transb, int m, int n, int k, float alpha,
                                const float* __restrict__ A, int lda, const float* __restrict__ B,
                                int ldb, float beta, float* __restrict__ C, int ldc) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n) return;

    float sum = 0.0f;
    for (int p = 0; p < k; ++p) {
        float a = transa ? A[p + i * lda] : A[i + p * lda];
        float b = transb ? B[j + p * ldb] : B[p + j * ldb];
        sum += a * b;
    }
    // What C held must not count where beta is 0: it may be NaN.
    C[i + j * ldc] = beta == 0.0f ? alpha * sum : alpha * sum + beta * C[i + j * ldc];
}
