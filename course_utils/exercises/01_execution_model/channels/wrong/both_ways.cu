// No branch parts a warp, because every thread goes both ways and keeps one of the results.

extern "C" __global__ void channels(const float* __restrict__ left, const float* __restrict__ right,
                                    float* __restrict__ left_out, float* __restrict__ right_out, int n) {
    int t = threadIdx.x;
    int i = blockIdx.x * 128 + t / 2;
    if (i >= n) return;

    float value = t % 2 == 0 ? left[i] : right[i];
    float soft = value, damped = value;
#pragma unroll 1
    for (int k = 0; k < 16; ++k) soft -= 0.125f * soft * soft * soft;
#pragma unroll 1
    for (int k = 0; k < 16; ++k) damped = 0.75f * damped + 0.0625f;
    float* out = t % 2 == 0 ? left_out : right_out;
    out[i] = t % 2 == 0 ? soft : damped;
}
