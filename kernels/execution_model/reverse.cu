// Reversal within a block: the threads of a block exchange values through shared memory.
// Each block reverses its own segment of BLOCK elements. A thread needs a value that another thread loaded,
// so all must have stored theirs before any reads: that is what the barrier is for.
//
// reverse_block(in, out, n)
//   in      n floats
//   out     n floats, overwritten: each segment of BLOCK elements back to front, the last one maybe shorter;
//           may be in itself
//   n       number of elements; n <= 2^31 - BLOCK
//
// tunable BLOCK: 32, 64, 128, 256, 512, 1024   (default 128)  threads a block, and elements a segment
// block: (BLOCK)
// grid: (ceil(n / BLOCK))
// shared: 0                   dynamic; the segment is static, 4 * BLOCK bytes
#ifndef BLOCK
#define BLOCK 128
#endif

extern "C" __global__ void reverse_block(const float* in, float* out, int n) {
    __shared__ float segment[BLOCK];

    int start = blockIdx.x * BLOCK;
    int length = min(BLOCK, n - start);
    int t = threadIdx.x;

    if (t < length) segment[t] = in[start + t];
    __syncthreads();  // outside the guard: every thread of the block has to arrive
    if (t < length) out[start + t] = segment[length - 1 - t];
}
