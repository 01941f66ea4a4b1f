// CUB's block-wide primitives.
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>

struct Longest {
    __device__ int2 operator()(const int2 &a, const int2 &b) const { return b.x > a.x ? b : a; }
};

// A sum and a maximum with its place, by a functor on int2.
extern "C" __global__ void cub_reduce(const int *in, int *sums, int2 *longest, int n)
{
    using Sum = cub::BlockReduce<int, 128>;
    using Max = cub::BlockReduce<int2, 128, cub::BLOCK_REDUCE_RAKING>;
    __shared__ union {
        typename Sum::TempStorage sum;
        typename Max::TempStorage max;
    } storage;
    const int i = blockIdx.x * 128 + threadIdx.x;
    const int v = i < n ? in[i] : 0;
    const int total = Sum(storage.sum).Sum(v);
    __syncthreads();
    const int2 top = Max(storage.max).Reduce(make_int2(v, i), Longest());
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = total;
        longest[blockIdx.x] = top;
    }
}

// An exclusive scan of four items a thread, loaded and stored through shared memory.
extern "C" __global__ void cub_scan(const int *in, int *out, int *totals)
{
    using Load = cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Scan = cub::BlockScan<int, 64>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Scan::TempStorage scan;
    } storage;
    int items[4];
    Load(storage.load).Load(in + blockIdx.x * 256, items);
    __syncthreads();
    int total;
    Scan(storage.scan).ExclusiveSum(items, items, total);
    for (int k = 0; k < 4; k++) out[blockIdx.x * 256 + threadIdx.x * 4 + k] = items[k];
    if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

// Signed keys with values, sorted by radix.
extern "C" __global__ void cub_radix_sort(int *keys, unsigned short *values)
{
    using Sort = cub::BlockRadixSort<int, 64, 3, unsigned short>;
    __shared__ typename Sort::TempStorage storage;
    int k[3];
    unsigned short v[3];
    for (int j = 0; j < 3; j++) {
        k[j] = keys[blockIdx.x * 192 + threadIdx.x * 3 + j];
        v[j] = threadIdx.x * 3 + j;
    }
    Sort(storage).Sort(k, v);
    for (int j = 0; j < 3; j++) {
        keys[blockIdx.x * 192 + threadIdx.x * 3 + j] = k[j];
        values[blockIdx.x * 192 + threadIdx.x * 3 + j] = v[j];
    }
}

// Logical warps of eight lanes.
extern "C" __global__ void cub_warp_reduce(const double *in, double *out)
{
    using Warp = cub::WarpReduce<double, 8>;
    __shared__ typename Warp::TempStorage storage[16];
    const int which = threadIdx.x / 8;
    const double sum = Warp(storage[which]).Sum(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x % 8 == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 8] = sum;
}
