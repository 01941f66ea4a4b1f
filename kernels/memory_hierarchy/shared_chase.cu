// Pointer chase in shared memory: the chain of pointer_chase.cu, copied to where a block keeps its own data.
// The cycles of a hop are the latency of shared memory.
//
// shared_chase(next, words, last, cycles, warm, hops)
//   next    the chain: word i says where to go from word i; every value is below words
//   words   its length; at most 2048
//   last    1 word, overwritten with where the chase ends
//   cycles  1 count, overwritten with the clock cycles of all timed hops
//   warm    hops before the clock starts; >= 0
//   hops    hops that are timed; >= 0
//
// block: (32)
// grid: (1)
// shared: 0                   dynamic; the chain is static, 8192 bytes

extern "C" __global__ void shared_chase(const unsigned* next, int words, unsigned* last, long long* cycles,
                                        int warm, int hops) {
    __shared__ unsigned chain[2048];

    for (int i = threadIdx.x; i < words; i += blockDim.x) chain[i] = next[i];
    __syncthreads();
    if (threadIdx.x > 0) return;

    unsigned word = 0;
    for (int hop = 0; hop < warm; ++hop) word = chain[word];

    long long start = clock64();
    for (int hop = 0; hop < hops; ++hop) word = chain[word];
    long long end = clock64();

    *last = word;
    *cycles = end - start;
}
