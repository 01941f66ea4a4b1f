// Sum of a block whose last 32 sums are added within one warp, by shuffles instead of shared memory.
// Down to 64 sums it goes as in reduce_sequential.cu. Then the lanes of the first warp pass values from
// register to register, without barriers and without banks.
//
// reduce_shuffle(x, sums, n)
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

extern "C" __global__ void reduce_shuffle(const float* __restrict__ x, float* __restrict__ sums, int n) {
    __shared__ float part[BLOCK];

    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    part[t] = i < n ? x[i] : 0.0f;
    __syncthreads();  // all floats are there before any thread adds two of them

    for (int step = BLOCK / 2; step > 32; step /= 2) {
        if (t < step) part[t] += part[t + step];
        __syncthreads();  // the sums of this step are complete before the next step reads them
    }

    if (t < 32) {
        float sum = part[t] + part[t + 32];
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
        if (t == 0) sums[blockIdx.x] = sum;
    }
}
