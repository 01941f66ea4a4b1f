// No array at all: finds the number that has four below it, and reads the others anew for each.

extern "C" __global__ void median(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;

    for (int k = 0; k < 9; ++k) {
        float value = x[k * n + i];
        int below = 0, alike = 0;
        for (int other = 0; other < 9; ++other) {
            // volatile: read it again
            float beside = *(const volatile float*)&x[other * n + i];
            below += beside < value;
            alike += beside == value;
        }
        if (below <= 4 && below + alike > 4) out[i] = value;
    }
}
