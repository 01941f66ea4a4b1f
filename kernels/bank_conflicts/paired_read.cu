// Paired read of shared memory: thread t and thread t + STEP want the same element.
// A warp of 32 threads so wants 16 elements, side by side. For elements of 8 and 16 bytes the hardware
// serves a warp in several groups of threads, and it depends on who shares with whom how many there are.
//
// paired_read(in, out)
//   in   16 elements of WORDS floats
//   out  32 elements of WORDS floats, overwritten: each element of in twice, STEP places apart
//
// tunable WORDS: 1, 2, 4   (default 2)  floats in an element: 4, 8 or 16 bytes
// tunable STEP: 1, 2, 4, 8, 16   (default 1)  distance between the two threads of a pair
// block: (32)
// grid: (1)
// shared: 0                   dynamic; the elements are static, 64 * WORDS bytes
#ifndef WORDS
#define WORDS 2
#endif
#ifndef STEP
#define STEP 1
#endif

// Aligned to its own size, so that a thread moves a whole element by one instruction.
struct alignas(4 * WORDS) Element {
    float word[WORDS];
};

extern "C" __global__ void paired_read(const Element* __restrict__ in, Element* __restrict__ out) {
    __shared__ Element cell[16];

    int t = threadIdx.x;
    if (t < 16) cell[t] = in[t];
    __syncthreads();  // all elements are there before any thread reads them

    int pair = t / (2 * STEP) * STEP + t % STEP;
    out[t] = cell[pair];
}
