// Strided reads of shared memory over and over: enough of them for a clock to tell what a stride costs.
// In each read the 32 threads of a warp want words `stride` apart, as in strided_read.cu.
//
// strided_sum(in, sums, stride, rounds, n)
//   in      1280 integers
//   sums    n integers, overwritten: element i is the sum over r < rounds and k < 8 of
//           in[(i % 32 * stride + r) % 1024 + 32 * k]; no sum may reach 2^31
//   stride  distance in words between what neighbouring threads read; 0 to 33
//   rounds  of 8 reads each; >= 0
//   n       number of sums, one a thread; n <= 2^31 - 256
//
// block: (256)
// grid: (ceil(n / 256))
// shared: 0                   dynamic; the words are static, 5120 bytes

extern "C" __global__ void strided_sum(const int* __restrict__ in, int* __restrict__ sums, int stride,
                                       int rounds, int n) {
    __shared__ int word[1280];

    for (int i = threadIdx.x; i < 1280; i += 256) word[i] = in[i];
    __syncthreads();  // all words are there before any thread reads them

    int first = threadIdx.x % 32 * stride;
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
        // 32 words are once around the banks: all 8 reads want the banks that the first one wants.
        for (int k = 0; k < 8; ++k) sum += word[first + 32 * k];
        first = (first + 1) % 1024;
    }

    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) sums[i] = sum;
}
