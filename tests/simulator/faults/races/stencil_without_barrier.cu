// Sum over a window of 2 * RADIUS + 1; in has RADIUS extra elements on each side.
#define THREADS 96
#define RADIUS 4

extern "C" __global__ void window_sum(const int *in, int *out)
{
    __shared__ int tile[THREADS + 2 * RADIUS];
    int i = blockIdx.x * THREADS + threadIdx.x, t = threadIdx.x + RADIUS;
    tile[t] = in[i + RADIUS]; // fault: also
    if (threadIdx.x < RADIUS) {
        tile[t - RADIUS] = in[i]; // fault: also
        tile[t + THREADS] = in[i + RADIUS + THREADS]; // fault: also
    }
    int sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += tile[t + k]; // fault
    out[i] = sum;
}
