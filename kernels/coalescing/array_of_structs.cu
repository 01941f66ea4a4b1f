// Array of structs: the eight readings of a station lie side by side, and a thread adds up the first FIELDS.
// One reading of 32 stations lies in 32 sectors of 32 bytes, since each station fills a sector of its own.
//
// sum_of_structs(stations, sums, n)
//   stations  n stations of 8 floats
//   sums      n floats, overwritten: for each station the sum of its first FIELDS readings
//   n         number of stations; n <= 2^31 - 256
//
// tunable FIELDS: 1, 2, 4, 8   (default 1)  readings that are used
// block: (256)
// grid: (ceil(n / 256))
// shared: 0
#ifndef FIELDS
#define FIELDS 1
#endif

struct Station {
    float reading[8];
};

extern "C" __global__ void sum_of_structs(const Station* __restrict__ stations, float* __restrict__ sums,
                                          int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float sum = 0.0f;
    for (int field = 0; field < FIELDS; ++field) sum += stations[i].reading[field];
    sums[i] = sum;
}
