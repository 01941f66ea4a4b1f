// Variance of each of many series of VALUES readings, by one thread a series.
// The deviations can be squared only when the mean is known, so a thread holds all its readings, in VALUES
// registers. MIN_BLOCKS asks the compiler to take so few that an SM can hold so many blocks. What does not
// fit then is spilled: stored in local memory, and loaded again.
//
// variance(in, out, n)
//   in   readings of n series, in groups of 256 series: the first readings of a group, then its second ones
//        and so on; the last group is whole as well
//   out  n floats, overwritten with the variance of each series; must not overlap in
//   n    number of series; n <= 2^31 / VALUES - 256
//
// tunable VALUES: 16, 32, 64, 128, 256   (default 32)  readings of a series
// tunable MIN_BLOCKS: 1, 2, 4, 8   (default 1)  blocks that an SM shall be able to hold
// block: (256)
// grid: (ceil(n / 256))
// shared: 0
#ifndef VALUES
#define VALUES 32
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1
#endif

extern "C" __global__ void __launch_bounds__(256, MIN_BLOCKS)
    variance(const float* __restrict__ in, float* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;

    int first = blockIdx.x * 256 * VALUES + threadIdx.x;
    float value[VALUES];
    float sum = 0.0f;
    for (int v = 0; v < VALUES; ++v) {
        value[v] = in[first + v * 256];
        sum += value[v];
    }

    float mean = sum / VALUES;
    float squares = 0.0f;
    for (int v = 0; v < VALUES; ++v) squares += (value[v] - mean) * (value[v] - mean);
    out[i] = squares / VALUES;
}
