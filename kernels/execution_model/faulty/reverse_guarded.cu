// Reversal within a block, with the barrier inside the guard: wrong where a segment does not fill its block.
// The threads past the end never come to the barrier for which the others wait.
//
// reverse_guarded(in, out, n)
//   in      n floats
//   out     n floats, overwritten: each segment of BLOCK elements back to front, the last one maybe shorter
//   n       number of elements; n <= 2^31 - BLOCK
//
// tunable BLOCK: 32, 64, 128, 256   (default 128)  threads a block, and elements a segment
// block: (BLOCK)
// grid: (ceil(n / BLOCK))
// shared: 0                   dynamic; the segment is static, 4 * BLOCK bytes
#ifndef BLOCK
#define BLOCK 128
#endif

extern "C" __global__ void reverse_guarded(const float* in, float* out, int n) {
    __shared__ float segment[BLOCK];

    int start = blockIdx.x * BLOCK;
    int length = min(BLOCK, n - start);
    int t = threadIdx.x;

    if (t < length) {
        segment[t] = in[start + t];
        __syncthreads();
        out[start + t] = segment[length - 1 - t];
    }
}
