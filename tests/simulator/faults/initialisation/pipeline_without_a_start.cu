// Tiles are loaded one round ahead of their use, in two buffers.
#define THREADS 64

extern "C" __global__ void add_tiles(const double *in, double *out, int tiles)
{
    __shared__ double buffer[2][THREADS];
    int t = threadIdx.x;
    double sum = 0.0;
    for (int tile = 0; tile < tiles; tile++) {
        if (tile + 1 < tiles) buffer[(tile + 1) % 2][t] = in[(tile + 1) * THREADS + t];
        sum += buffer[tile % 2][(t + 1) % THREADS]; // fault
        __syncthreads();
    }
    out[t] = sum;
}
