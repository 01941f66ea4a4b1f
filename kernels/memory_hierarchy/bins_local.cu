// Bins in local memory: each thread counts how many of its readings lie in each of 8 bins, in its own array.
// Which bin comes next is known only when the reading is there. Registers have no addresses to choose among,
// so the array lies in the thread's local memory.
//
// bins_local(reading, bins, n)
//   reading  16 x n bins, row-major, each from 0 to 7; a thread's own are one below the other
//   bins     8 x n counts, row-major, overwritten; must not overlap reading
//   n        threads that count; n <= 2^31 - BLOCK
//
// launch BLOCK: 64, 128, 256   (default 128)  threads a block
// block: (BLOCK)
// grid: (ceil(n / BLOCK))
// shared: 0

extern "C" __global__ void bins_local(const int* __restrict__ reading, int* __restrict__ bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int count[8] = {};
#pragma unroll 1  // unrolled, the compiler loads the bins now in one way, now in another
    for (int r = 0; r < 16; ++r) count[reading[r * n + i]] += 1;

    for (int bin = 0; bin < 8; ++bin) bins[bin * n + i] = count[bin];
}
