// What each lane holds after a sum by shuffles: by `down` only lane 0 has the sum, by `xor` all 32 lanes do.
// Down, a lane adds the value of the lane `offset` above, or its own where there is none. With xor, two lanes
// whose numbers differ in one bit add each other's, so that both have the sum of both.
//
// lane_sums(x, out, n)
//   x    n floats
//   out  n floats, overwritten: what each lane holds at the end; past the end of x a lane counts as 0
//   n    number of elements; n <= 2^31 - BLOCK
//
// tunable XOR: 0, 1   (default 0)  1 to exchange by xor, 0 to pass down
// launch BLOCK: 32, 64, 128   (default 64)  threads a block, whole warps
// block: (BLOCK)
// grid: (ceil(n / BLOCK))
// shared: 0
#ifndef XOR
#define XOR 0
#endif

extern "C" __global__ void lane_sums(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    // The mask names all 32 lanes, so lanes past the end take part as well, with 0.
    float sum = i < n ? x[i] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) {
        float other = XOR ? __shfl_xor_sync(0xffffffffu, sum, offset)
                          : __shfl_down_sync(0xffffffffu, sum, offset);
        sum += other;
    }

    if (i < n) out[i] = sum;
}
