// Pointer chase: one thread follows a chain through memory, and each load has to wait for the one before it.
// So the cycles of a hop are the latency of whichever memory holds the chain: L1, L2 or DRAM, by its size.
// The hops before the clock starts fill the caches.
//
// pointer_chase(next, last, cycles, warm, hops)
//   next    the chain: word i says where to go from word i; every value is below its length
//   last    1 word, overwritten with where the chase ends
//   cycles  1 count, overwritten with the clock cycles of all timed hops
//   warm    hops before the clock starts; >= 0
//   hops    hops that are timed; >= 0
//
// block: (1)
// grid: (1)
// shared: 0

extern "C" __global__ void pointer_chase(const unsigned* next, unsigned* last, long long* cycles, int warm,
                                         int hops) {
    unsigned word = 0;
    for (int hop = 0; hop < warm; ++hop) word = next[word];

    long long start = clock64();
    for (int hop = 0; hop < hops; ++hop) word = next[word];
    long long end = clock64();

    *last = word;
    *cycles = end - start;
}
