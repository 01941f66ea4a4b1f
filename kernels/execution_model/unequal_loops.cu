// A loop whose length each thread reads from memory: a warp is busy until its longest is done.
// The sum of all rounds depends on the lengths alone, the time on who shares a warp with whom.
//
// unequal_loops(rounds, x, out, n)
//   rounds  n ints from 0: the rounds of each thread
//   x       n floats
//   out     n floats, overwritten: element i is x[i], halved and increased by 1 rounds[i] times
//   n       number of elements; n <= 2^31 - BLOCK
//
// launch BLOCK: 64, 128, 256   (default 128)  threads a block
// block: (BLOCK)
// grid: (ceil(n / BLOCK))
// shared: 0

extern "C" __global__ void unequal_loops(const int* __restrict__ rounds, const float* __restrict__ x,
                                         float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int mine = rounds[i];
    float value = x[i];
    // Not unrolled, so that a round here is a round in the counts.
#pragma unroll 1
    for (int k = 0; k < mine; ++k) value = 0.5f * value + 1.0f;
    out[i] = value;
}
