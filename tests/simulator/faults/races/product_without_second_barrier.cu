// C = A B for square matrices of n x n, n a multiple of TILE.
#define TILE 16

extern "C" __global__ void product(const float *A, const float *B, float *C, int n)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int k = 0; k < n; k += TILE) {
        a[y][x] = A[row * n + k + x]; // fault: also
        b[y][x] = B[(k + y) * n + column]; // fault: also
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a[y][i] * b[i][x]; // fault
    }
    C[row * n + column] = sum;
}
