// Struct of arrays: one reading of all stations lies side by side, and a thread adds up the first FIELDS.
// One reading of 32 stations is 128 bytes in a row: four sectors, and every byte of them is used.
//
// sum_of_arrays(readings, sums, n)
//   readings  8 arrays of n floats, one behind the other: the first readings of all stations, the second, ...
//   sums      n floats, overwritten: for each station the sum of its first FIELDS readings
//   n         number of stations; 8 * n < 2^31
//
// tunable FIELDS: 1, 2, 4, 8   (default 1)  readings that are used
// block: (256)
// grid: (ceil(n / 256))
// shared: 0
#ifndef FIELDS
#define FIELDS 1
#endif

extern "C" __global__ void sum_of_arrays(const float* __restrict__ readings, float* __restrict__ sums,
                                         int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float sum = 0.0f;
    for (int field = 0; field < FIELDS; ++field) sum += readings[field * n + i];
    sums[i] = sum;
}
