// Bins in registers: the counts of bins_local.cu, where a thread asks of every bin whether the reading is it.
// That is eight comparisons for a reading instead of one address. But once the compiler has unrolled the
// loop, it knows each place in the array, so that each of the 8 counts has a register.
//
// bins_registers(reading, bins, n)
//   reading  16 x n bins, row-major, each from 0 to 7; a thread's own are one below the other
//   bins     8 x n counts, row-major, overwritten; must not overlap reading
//   n        threads that count; n <= 2^31 - BLOCK
//
// launch BLOCK: 64, 128, 256   (default 128)  threads a block
// block: (BLOCK)
// grid: (ceil(n / BLOCK))
// shared: 0

extern "C" __global__ void bins_registers(const int* __restrict__ reading, int* __restrict__ bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int count[8] = {};
    for (int r = 0; r < 16; ++r) {
        int found = reading[r * n + i];
        for (int bin = 0; bin < 8; ++bin) count[bin] += found == bin;
    }

    for (int bin = 0; bin < 8; ++bin) bins[bin * n + i] = count[bin];
}
