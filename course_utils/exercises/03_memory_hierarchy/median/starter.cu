// Median of nine readings: each thread sorts its own nine numbers, and takes the one in the middle.
// As it stands, the smallest number that is left is looked for, and exchanged with the one at the front. Where it was
// depends on the numbers, so that the nine lie in local memory. Sort them where they can stay: in registers.
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

    for (int k = 0; k < 5; ++k) {
        int least = k;
        for (int other = k + 1; other < 9; ++other) {
            if (value[other] < value[least]) least = other;
        }
        float smallest = value[least];
        value[least] = value[k];
        value[k] = smallest;
    }
    out[i] = value[4];
}
