// One histogram a thread in bytes, bin after bin; values have six bits.
#define THREADS 64
#define BINS 32

extern "C" __global__ void histograms(const unsigned char *data, unsigned int *out, int each)
{
    __shared__ unsigned char counts[BINS * THREADS];
    __shared__ unsigned int total[BINS];
    int t = threadIdx.x;
    for (int bin = 0; bin < BINS; bin++) counts[bin * THREADS + t] = 0;
    for (int i = 0; i < each; i++)
        counts[data[i * THREADS + t] / 2 * THREADS + t]++;
    __syncthreads();
    if (t < BINS) {
        total[t] = 0;
        for (int i = 0; i < THREADS; i++) total[t] += counts[t * THREADS + i];
        out[t] = total[t];
    }
}
