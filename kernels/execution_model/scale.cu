// Scaling by a grid-stride loop: any number of threads covers any number of elements.
// Thread i handles elements i, i + threads, i + 2 * threads and so on, where threads counts the whole grid,
// so that a warp always wants 32 consecutive elements.
//
// scale(x, out, factor, n)
//   x       n floats
//   out     n floats, overwritten with factor * x; may be x itself
//   factor  float
//   n       number of elements; n + BLOCKS * BLOCK <= 2^31, or the loop counter overflows
//
// launch BLOCK: 32, 64, 128, 256, 512, 1024   (default 256)  threads a block
// launch BLOCKS: 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024   (default 128)  blocks, whatever n is
// block: (BLOCK)
// grid: (BLOCKS)
// shared: 0

extern "C" __global__ void scale(const float* x, float* out, float factor, int n) {
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) out[i] = factor * x[i];
}
