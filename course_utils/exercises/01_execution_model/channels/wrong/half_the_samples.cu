// Each warp has one channel, but the samples are numbered as if they lay in pairs.

extern "C" __global__ void channels(const float* __restrict__ left, const float* __restrict__ right,
                                    float* __restrict__ left_out, float* __restrict__ right_out, int n) {
    int t = threadIdx.x;
    int channel = t / 128;
    int i = blockIdx.x * 128 + t / 2;
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
