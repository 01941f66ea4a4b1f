// Gather: each thread reads the element that an index names, so the data decide which sectors a warp touches.
// The indices themselves are read side by side. What they name may lie in 4 sectors or in 32.
//
// gather(in, index, out, n)
//   in      the floats to choose from
//   index   n places in in; each is at least 0 and below the length of in
//   out     n floats, overwritten with in[index[0]], in[index[1]], ...; must not overlap in or index
//   n       number of elements; n <= 2^31 - BLOCK
//
// launch BLOCK: 32, 64, 128, 256, 512, 1024   (default 256)  threads a block
// block: (BLOCK)
// grid: (ceil(n / BLOCK))
// shared: 0

extern "C" __global__ void gather(const float* __restrict__ in, const int* __restrict__ index,
                                  float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int place = index[i];
    out[i] = in[place];
}
