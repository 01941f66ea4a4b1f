// Product of a matrix with BATCH vectors at once: one thread computes an element of each result.
// An element of the matrix is fetched once and used BATCH times, for sums that are kept in registers. The
// vectors come through shared memory in parts of 32 elements, fetched once for a whole block.
//
// batch_product(A, X, Y, rows, cols)
//   A     the matrix, cols x rows floats: its columns one after the other
//   X     BATCH x cols floats, a vector in each row
//   Y     BATCH x rows floats, overwritten with the result of each vector; must not overlap A or X
//   rows  rows of the matrix, a multiple of 256 or not
//   cols  its columns, a multiple of 32 or not; rows * cols < 2^31
//
// tunable BATCH: 1, 2, 4, 8, 16, 32   (default 4)  vectors
// block: (256)
// grid: (ceil(rows / 256))
// shared: 0     dynamic; the part of the vectors is static, 128 * BATCH bytes
#ifndef BATCH
#define BATCH 4
#endif

extern "C" __global__ void batch_product(const float* __restrict__ A, const float* __restrict__ X,
                                         float* __restrict__ Y, int rows, int cols) {
    __shared__ float part[BATCH][32];

    int row = blockIdx.x * 256 + threadIdx.x;
    float sum[BATCH] = {};
    for (int start = 0; start < cols; start += 32) {
        for (int i = threadIdx.x; i < BATCH * 32; i += 256) {
            int col = start + i % 32;
            part[i / 32][i % 32] = col < cols ? X[i / 32 * cols + col] : 0.0f;
        }
        __syncthreads();  // the part is there before any thread reads it

        for (int k = 0; k < 32 && start + k < cols; ++k) {
            float element = A[(start + k) * rows + min(row, rows - 1)];  // behind the last row: that one
            for (int b = 0; b < BATCH; ++b) sum[b] += element * part[b][k];
        }
        __syncthreads();  // every thread is done with it before the next one overwrites it
    }

    if (row >= rows) return;
    for (int b = 0; b < BATCH; ++b) Y[b * rows + row] = sum[b];
}
