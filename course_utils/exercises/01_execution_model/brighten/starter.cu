// Brightness of a picture of any length, with a grid that is always the same: 8 blocks of 128 threads.
// As it stands each thread walks through a piece of its own, so that the threads of a warp are far apart.
// Let them walk side by side, in a grid-stride loop.
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

    int piece = (n + threads - 1) / threads;
    int end = min(n, (thread + 1) * piece);
    for (int i = thread * piece; i < end; ++i) out[i] = 1.5f * in[i] + 0.25f;
}
