#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

namespace cg = cooperative_groups;
using namespace cooperative_groups;

#define HOST_DEVICE __host__ __device__
#define HD_INLINE HOST_DEVICE __forceinline__

HD_INLINE int ceil_div(int a, int b) { return (a + b - 1) / b; }

__device__ int reduce_sum(thread_group g, int *temp, int val)
{
    int lane = g.thread_rank();
    for (int i = g.size() / 2; i > 0; i /= 2)
    {
        temp[lane] = val;
        g.sync();
        if (lane < i) val += temp[lane + i];
        g.sync();
    }
    return val;
}

__global__ void sum_kernel_block(int *sum, int *input, int n)
{
    int my_sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += blockDim.x * gridDim.x) {
        int4 in = ((int4*)input)[i];
        my_sum += in.x + in.y + in.z + in.w;
    }
    extern __shared__ int temp[];
    auto g = this_thread_block();
    int block_sum = reduce_sum(g, temp, my_sum);
    if (g.thread_rank() == 0) atomicAdd(sum, block_sum);
}

__global__ void two_phase(float *partial, const float *x, float *result, int n)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    float s = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) s += x[i];
    s = cg::reduce(warp, s, cg::plus<float>());
    if (warp.thread_rank() == 0) atomicAdd(&partial[blockIdx.x], s);
    grid.sync();
    if (grid.thread_rank() == 0) {
        float t = 0;
        for (int b = 0; b < gridDim.x; ++b) t += partial[b];
        *result = t;
    }
}

int main()
{
    int n = 1 << 16;
    int blockSize = 256;
    int nBlocks = ceil_div(n, blockSize);
    int sharedBytes = blockSize * sizeof(int);
    int *sum, *data;
    cudaMallocManaged(&sum, sizeof(int));
    cudaMallocManaged(&data, n * sizeof(int));
    std::fill_n(data, n, 1);
    cudaMemset(sum, 0, sizeof(int));
    sum_kernel_block<<<nBlocks, blockSize, sharedBytes>>>(sum, data, n);
    float *partial, *x, *result;
    int blocks = 8;
    cudaMalloc(&partial, blocks * sizeof(float));
    cudaMemset(partial, 0, blocks * sizeof(float));
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&result, sizeof(float));
    void *args[] = {&partial, &x, &result, &n};
    cudaLaunchCooperativeKernel((void *)two_phase, dim3(blocks), dim3(blockSize), args, 0, 0);
    cudaDeviceSynchronize();
    std::cout << *sum << "\n";
}
