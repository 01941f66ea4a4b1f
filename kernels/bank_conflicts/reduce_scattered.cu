// Sum of a block, by threads scattered over its warps: in each step every 2 * step-th thread adds two.
// The threads that still work lie ever farther apart, so that all warps stay busy with ever fewer lanes.
//
// reduce_scattered(x, sums, n)
//   x     n floats
//   sums  ceil(n / BLOCK) floats, overwritten: element b is the sum of x[BLOCK b] to x[BLOCK b + BLOCK - 1],
//         or to the end
//   n     number of elements; n <= 2^31 - BLOCK
//
// tunable BLOCK: 128, 256, 512, 1024   (default 256)  threads a block, and floats that it adds up
// block: (BLOCK)
// grid: (ceil(n / BLOCK))
// shared: 0                   dynamic; the partial sums are static, 4 * BLOCK bytes
#ifndef BLOCK
#define BLOCK 256
#endif

extern "C" __global__ void reduce_scattered(const float* __restrict__ x, float* __restrict__ sums, int n) {
    __shared__ float part[BLOCK];

    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    part[t] = i < n ? x[i] : 0.0f;
    __syncthreads();  // all floats are there before any thread adds two of them

    for (int step = 1; step < BLOCK; step *= 2) {
        if (t % (2 * step) == 0) part[t] += part[t + step];
        __syncthreads();  // the sums of this step are complete before the next step reads them
    }

    if (t == 0) sums[blockIdx.x] = part[0];
}
