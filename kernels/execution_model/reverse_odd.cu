// Reversal of every second segment: a barrier inside a branch that whole blocks take.
// All threads of a block have the same blockIdx, so either all of them come to the barrier or none does.
//
// reverse_odd(in, out, n)
//   in      n floats
//   out     n floats, overwritten: segments 1, 3, 5 ... of BLOCK elements back to front, the others as they
//           are; may be in itself
//   n       number of elements; n <= 2^31 - BLOCK
//
// tunable BLOCK: 32, 64, 128, 256   (default 128)  threads a block, and elements a segment
// block: (BLOCK)
// grid: (ceil(n / BLOCK))
// shared: 0                   dynamic; the segment is static, 4 * BLOCK bytes
#ifndef BLOCK
#define BLOCK 128
#endif

extern "C" __global__ void reverse_odd(const float* in, float* out, int n) {
    __shared__ float segment[BLOCK];

    int start = blockIdx.x * BLOCK;
    int length = min(BLOCK, n - start);
    int t = threadIdx.x;

    float value = t < length ? in[start + t] : 0.0f;
    if (blockIdx.x % 2 == 1) {
        segment[t] = value;
        __syncthreads();  // allowed here: the whole block has taken this branch
        if (t < length) value = segment[length - 1 - t];
    }
    if (t < length) out[start + t] = value;
}
