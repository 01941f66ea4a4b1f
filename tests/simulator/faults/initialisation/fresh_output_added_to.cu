// y = A x for a matrix in columns, each of which adds its share.
extern "C" __global__ void matrix_vector(const float *columns, const float *x, float *y, int rows, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    for (int k = 0; k < width; k++)
        y[row] += columns[k * rows + row] * x[k]; // fault
}
