// Warps in which no value is negative take all square roots.
extern "C" __global__ void roots(const float *x, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return; // fault: also
    bool safe = __all_sync(0xffffffff, x[i] >= 0.0f); // fault
    out[i] = safe ? sqrtf(x[i]) : -1.0f;
}
