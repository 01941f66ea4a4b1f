// Second difference of a sampled function, from a tile with one cell of halo on each side.
#define THREADS 64

__device__ float second_difference(const float *cell, float h)
{
    return (cell[-1] - 2.0f * cell[0] + cell[1]) / (h * h);
}

extern "C" __global__ void curvature(const float *f, float *out, float h, int n)
{
    __shared__ float tile[THREADS + 2];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 1;
    tile[t] = f[i];
    if (threadIdx.x == 0) {
        tile[0] = f[i - 1]; // fault
        tile[THREADS + 1] = f[i + THREADS]; // fault: also
    }
    __syncthreads();
    out[i] = second_difference(tile + t, h);
}
