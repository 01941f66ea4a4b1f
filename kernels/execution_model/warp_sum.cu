// Sum of a warp by shuffles: 32 lanes add up their registers in five steps, without shared memory.
// In each step a lane adds the value held by the lane `offset` above it; lane 0 ends with the sum of all.
//
// warp_sum(x, sums, n)
//   x       n floats
//   sums    ceil(n / 32) floats, overwritten: element w is the sum of x[32 w] to x[32 w + 31], or to the end
//   n       number of elements; n <= 2^31 - BLOCK
//
// launch BLOCK: 32, 64, 128, 256, 512, 1024   (default 256)  threads a block, whole warps
// block: (BLOCK)
// grid: (ceil(n / BLOCK))
// shared: 0

extern "C" __global__ void warp_sum(const float* __restrict__ x, float* __restrict__ sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    // The mask names all 32 lanes, so lanes past the end take part as well, with 0.
    float sum = i < n ? x[i] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);

    if (threadIdx.x % 32 == 0 && i < n) sums[i / 32] = sum;
}
