// A moving average over seven samples. The launch must give room for the block and its halo.
#define RADIUS 3

extern __shared__ float tile[];

extern "C" __global__ void smooth(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int t = threadIdx.x;
    for (int k = t; k < blockDim.x + 2 * RADIUS; k += blockDim.x)
        tile[k] = in[i - t + k];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k <= 2 * RADIUS; k++)
        sum += tile[t + k];
    out[i] = sum / (2 * RADIUS + 1);
}
