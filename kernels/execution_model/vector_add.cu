// Vector addition: one thread an element, and a guard for the threads past the end.
// The grid has whole blocks, so unless n is a multiple of the block size the last one has threads to spare.
//
// vector_add(a, b, out, n)
//   a, b    n floats
//   out     n floats, overwritten with a + b; must not overlap a or b
//   n       number of elements; n <= 2^31 - BLOCK
//
// launch BLOCK: 32, 64, 128, 256, 512, 1024   (default 256)  threads a block
// block: (BLOCK)
// grid: (ceil(n / BLOCK))
// shared: 0

extern "C" __global__ void vector_add(const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}
