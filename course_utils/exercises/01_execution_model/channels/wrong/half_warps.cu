// Sixteen neighbours have the same channel: half a warp.

extern "C" __global__ void channels(const float* __restrict__ left, const float* __restrict__ right,
                                    float* __restrict__ left_out, float* __restrict__ right_out, int n) {
    int t = threadIdx.x;
    int channel = t / 16 % 2;
    int i = blockIdx.x * 128 + t / 32 * 16 + t % 16;
    if (i >= n) return;

    if (channel == 0) {
        float value = left[i];
#pragma unroll 1
        for (int k = 0; k < 16; ++k) value -= 0.125f * value * value * value;
        left_out[i] = value;
    } else {
        float value = right[i];
#pragma unroll 1
        for (int k = 0; k < 16; ++k) value = 0.75f * value + 0.0625f;
        right_out[i] = value;
    }
}
