// Passed down, the sum arrives at lane 0 alone.

extern "C" __global__ void centre(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float mine = i < n ? x[i] : 0.0f;

    float sum = mine;
    for (int other = 16; other > 0; other /= 2) sum += __shfl_down_sync(0xffffffffu, sum, other);

    int members = min(32, n - i / 32 * 32);
    if (i < n) out[i] = mine - sum / members;
}
