// Warps in which no value is negative take all square roots.
extern "C" __global__ void roots(const float *x, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int present = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    bool safe = __all_sync(present, x[i] >= 0.0f);
    out[i] = safe ? sqrtf(x[i]) : -1.0f;
}
