// Brightness of a picture of any length, with a grid that is always the same: 8 blocks of 128 threads.
// In every round the grid takes the next 1,024 elements, neighbours in a warp neighbours in memory.
//
// brighten(in, out, n)
//   in   n floats
//   out  n floats, overwritten with 1.5 * in + 0.25
//   n    number of elements
//
// block: (128)
// grid: (8)
// shared: 0

extern "C" __global__ void brighten(const float* __restrict__ in, float* __restrict__ out, int n) {
    int threads = gridDim.x * blockDim.x;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;

    for (int i = thread; i < n; i += threads) out[i] = 1.5f * in[i] + 0.25f;
}
