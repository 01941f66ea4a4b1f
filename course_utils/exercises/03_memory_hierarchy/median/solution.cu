// Median of nine readings: each thread sorts its own nine numbers, and takes the one in the middle.
// Neighbours are compared and exchanged, first those at even places with the next, then those at odd places, and so
// on. Which places are compared does not depend on the numbers, so that each place is a register.
//
// median(x, out, n)
//   x    9 x n floats, row-major; the readings of a thread are one below the other
//   out  n floats, overwritten with the median of each column of x
//   n    columns of x, a multiple of 256 or not
//
// block: (256)
// grid: (ceil(n / 256))
// shared: 0

extern "C" __global__ void median(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;

    float value[9];
    for (int k = 0; k < 9; ++k) value[k] = x[k * n + i];

    // After as many rounds as there are numbers the smallest has come all the way, wherever it began.
#pragma unroll
    for (int round = 0; round < 9; ++round) {
#pragma unroll
        for (int k = round % 2; k + 1 < 9; k += 2) {
            float low = fminf(value[k], value[k + 1]);
            float high = fmaxf(value[k], value[k + 1]);
            value[k] = low;
            value[k + 1] = high;
        }
    }
    out[i] = value[4];
}
