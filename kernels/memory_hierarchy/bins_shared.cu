// Bins in shared memory: the counts of bins_local.cu, where each thread has a column of a block's array.
// Shared memory has addresses, so any bin can be chosen. Thread t keeps to column t, in bank t % 32 whichever
// bin it counts in: there are no bank conflicts. No thread looks at another's column, so it needs no barrier.
//
// bins_shared(reading, bins, n)
//   reading  16 x n bins, row-major, each from 0 to 7; a thread's own are one below the other
//   bins     8 x n counts, row-major, overwritten; must not overlap reading
//   n        threads that count; n <= 2^31 - BLOCK
//
// tunable BLOCK: 64, 128, 256   (default 128)  threads a block
// block: (BLOCK)
// grid: (ceil(n / BLOCK))
// shared: 0                     dynamic; the counts are static, 32 * BLOCK bytes
#ifndef BLOCK
#define BLOCK 128
#endif

extern "C" __global__ void bins_shared(const int* __restrict__ reading, int* __restrict__ bins, int n) {
    __shared__ int count[8][BLOCK];

    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    if (i >= n) return;

    for (int bin = 0; bin < 8; ++bin) count[bin][t] = 0;
    for (int r = 0; r < 16; ++r) count[reading[r * n + i]][t] += 1;

    for (int bin = 0; bin < 8; ++bin) bins[bin * n + i] = count[bin][t];
}
