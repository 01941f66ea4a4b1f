// A matrix times a vector in one block: all threads multiply a row, thread 0 adds it up.
#define THREADS 64

extern "C" __global__ void matrix_vector(const double *matrix, const double *vector, double *out, int rows)
{
    __shared__ double products[THREADS];
    int t = threadIdx.x;
    for (int row = 0; row < rows; row++) {
        products[t] = matrix[row * THREADS + t] * vector[t];
        __syncthreads();
        if (t == 0) {
            double sum = 0.0;
            for (int i = 0; i < THREADS; i++)
                sum += products[i];
            out[row] = sum;
        }
        __syncthreads();
    }
}
