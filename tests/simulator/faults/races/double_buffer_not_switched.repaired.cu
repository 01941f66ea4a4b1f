// A running sum of tiles that are loaded one ahead, so that one barrier a round is enough.
#define THREADS 64

extern "C" __global__ void reversed_tiles(const float *in, float *out, int tiles)
{
    __shared__ float buffer[2][THREADS];
    int t = threadIdx.x, now = 0;
    float sum = 0.0f;
    buffer[0][t] = in[t];
    __syncthreads();
    for (int tile = 0; tile < tiles; tile++) {
        if (tile + 1 < tiles)
            buffer[1 - now][t] = in[(tile + 1) * THREADS + t];
        sum += buffer[now][THREADS - 1 - t];
        __syncthreads();
        now = 1 - now;
    }
    out[t] = sum;
}
