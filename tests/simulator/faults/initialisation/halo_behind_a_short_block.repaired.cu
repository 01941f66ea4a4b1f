// Sum over a window; the last block is not full. in has RADIUS extra elements on each side.
#define THREADS 64
#define RADIUS 3

extern "C" __global__ void window_sum(const float *in, float *out, int n)
{
    __shared__ float tile[THREADS + 2 * RADIUS];
    int i = blockIdx.x * THREADS + threadIdx.x, t = threadIdx.x + RADIUS;
    for (int k = threadIdx.x; k < THREADS + 2 * RADIUS; k += THREADS) {
        int from = blockIdx.x * THREADS + k;
        tile[k] = from < n + 2 * RADIUS ? in[from] : 0.0f;
    }
    __syncthreads();
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += tile[t + k];
    out[i] = sum;
}
