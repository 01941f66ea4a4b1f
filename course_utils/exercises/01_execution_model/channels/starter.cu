// Two channels of sound, each through a filter of its own; a block takes 128 samples of both.
// As it stands, neighbours in a warp have different channels, so that every warp goes both ways.
// Let whole warps have one channel.
//
// channels(left, right, left_out, right_out, n)
//   left, right          n floats from -1 to 1
//   left_out, right_out  n floats, overwritten with the filtered samples
//   n                    samples of a channel, a multiple of 128 or not
//
// block: (256)
// grid: (ceil(n / 128))
// shared: 0

extern "C" __global__ void channels(const float* __restrict__ left, const float* __restrict__ right,
                                    float* __restrict__ left_out, float* __restrict__ right_out, int n) {
    int t = threadIdx.x;
    int channel = t % 2;
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
