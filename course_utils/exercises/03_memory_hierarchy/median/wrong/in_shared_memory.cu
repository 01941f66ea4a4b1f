// Has no local memory, since the nine numbers of each thread lie in shared memory.

extern "C" __global__ void median(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;

    __shared__ float value[9][256];

    int t = threadIdx.x;
    for (int k = 0; k < 9; ++k) value[k][t] = x[k * n + i];

    for (int k = 0; k < 5; ++k) {
        int least = k;
        for (int other = k + 1; other < 9; ++other) {
            if (value[other][t] < value[least][t]) least = other;
        }
        float smallest = value[least][t];
        value[least][t] = value[k][t];
        value[k][t] = smallest;
    }
    out[i] = value[4][t];
}
