// Variance of values that a thread holds: it reads each once, and needs all of them a second time.
// What is held takes registers, HELD of them and a few more. The shared memory is not used: it only takes up
// room on the SM, so that one can see what a block that needs it would leave for others.
//
// held_values(x, out, n)
//   x    HELD x n floats, row-major
//   out  n floats, overwritten: element i is the mean of (x[k][i] - mean)^2 over the HELD values of column i
//   n    number of columns; HELD * n < 2^31
//
// tunable HELD: 4, 16, 32, 64   (default 4)  values that a thread holds
// launch BLOCK: 32, 64, 128, 256, 512   (default 256)  threads a block
// launch SHARED_KB: 0, 8, 16, 48   (default 0)  kilobytes of shared memory a block, unused
// block: (BLOCK)
// grid: (ceil(n / BLOCK))
// shared: SHARED_KB * 1024
#ifndef HELD
#define HELD 4
#endif

extern "C" __global__ void held_values(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float held[HELD];
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < HELD; ++k) {
        held[k] = x[k * n + i];
        sum += held[k];
    }

    float mean = sum / HELD;
    float squares = 0.0f;
#pragma unroll
    for (int k = 0; k < HELD; ++k) squares += (held[k] - mean) * (held[k] - mean);
    out[i] = squares / HELD;
}
