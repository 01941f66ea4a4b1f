// Reading the same data over and over: all threads together go round and round a buffer, 16 bytes a read.
// How much is read does not depend on how large the buffer is. Whether L1, L2 or DRAM serves the reads does.
//
// reread(in, sums, elements, rounds, n)
//   in        elements of 4 floats
//   sums      n floats, overwritten with the sum of all that each thread read
//   elements  elements of in, a power of two from 32 on
//   rounds    how many elements a thread reads; rounds >= 0
//   n         threads that read; n <= 2^31 - BLOCK
//
// launch BLOCK: 256, 512, 1024   (default 256)  threads a block
// block: (BLOCK)
// grid: (ceil(n / BLOCK))
// shared: 0

extern "C" __global__ void reread(const float4* __restrict__ in, float* __restrict__ sums, int elements,
                                  int rounds, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned at = i;
    float sum = 0.0f;
    for (int round = 0; round < rounds; ++round) {
        float4 element = in[at & (elements - 1)];  // at % elements, for a power of two
        sum += (element.x + element.y) + (element.z + element.w);
        at += n;
    }
    sums[i] = sum;
}
