// The four largest values of each thread's stripe, largest first.
#define BEST 4

extern "C" __global__ void largest(const float *x, float *out, int each)
{
    float best[BEST];
    for (int k = 0; k < BEST; k++) best[k] = -1.0f;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < each; i++) {
        float value = x[t * each + i];
        int place = BEST;
        while (place > 0 && best[place - 1] < value) {
            if (place < BEST) best[place] = best[place - 1];
            place--;
        }
        if (place < BEST) best[place] = value;
    }
    for (int k = 0; k < BEST; k++) out[t * BEST + k] = best[k];
}
