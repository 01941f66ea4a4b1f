// Lifetimes: every thread counts itself three times, in a variable of its own, of its block, of the program.
// The first is gone when the thread ends, the second when the block ends. The third, a __device__ variable,
// is still there at the next launch: nothing sets it back.
//
// lifetimes(by_thread, by_block, n)
//   by_thread  n counts, overwritten with what each thread counted by itself
//   by_block   ceil(n / 64) counts, overwritten with what each block counted
//   n          threads that count; n <= 2^31 - 64
//
// block: (64)
// grid: (ceil(n / 64))
// shared: 0     dynamic; the block's count is static, 4 bytes

__device__ int by_program = 0;  // when the program is loaded, and never again

extern "C" __global__ void lifetimes(int* __restrict__ by_thread, int* __restrict__ by_block, int n) {
    __shared__ int in_block;
    int in_thread = 0;
    int i = blockIdx.x * 64 + threadIdx.x;

    if (threadIdx.x == 0) in_block = 0;
    __syncthreads();  // the block's count is 0 before any thread adds to it

    if (i < n) {
        in_thread += 1;
        atomicAdd(&in_block, 1);
        atomicAdd(&by_program, 1);
        by_thread[i] = in_thread;
    }
    __syncthreads();  // all have counted

    if (threadIdx.x == 0) by_block[blockIdx.x] = in_block;
}
