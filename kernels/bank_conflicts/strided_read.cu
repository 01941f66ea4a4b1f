// Strided read of shared memory: neighbouring threads of one warp read elements `stride` apart.
// Shared memory has 32 banks of 4 bytes. The stride, and the size of an element, decide in which of them the
// words lie that the warp wants at once. With stride 0 all threads want the same element: a broadcast.
//
// strided_read(in, out, stride)
//   in      1024 elements of WORDS floats
//   out     32 elements of WORDS floats, overwritten with in[0], in[stride], in[2 * stride], ...
//   stride  distance in elements between what neighbouring threads read; 0 to 33
//
// tunable WORDS: 1, 2, 4   (default 1)  floats in an element: 4, 8 or 16 bytes
// block: (32)
// grid: (1)
// shared: 0                   dynamic; the elements are static, 4096 * WORDS bytes
#ifndef WORDS
#define WORDS 1
#endif

// Aligned to its own size, so that a thread moves a whole element by one instruction.
struct alignas(4 * WORDS) Element {
    float word[WORDS];
};

extern "C" __global__ void strided_read(const Element* __restrict__ in, Element* __restrict__ out,
                                        int stride) {
    __shared__ Element cell[1024];

    int t = threadIdx.x;
    for (int i = t; i < 1024; i += 32) cell[i] = in[i];
    __syncthreads();  // all elements are there before any thread reads them

    out[t] = cell[t * stride];
}
