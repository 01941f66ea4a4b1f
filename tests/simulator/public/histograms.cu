// Counting, where many threads want the same address.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void histogram_global(const unsigned char *data, unsigned int *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&bins[data[i]], 1);
}

// A private histogram for each block; uchar4 loads.
extern "C" __global__ void histogram_shared(const uchar4 *data, unsigned int *bins, int n4)
{
    __shared__ unsigned int local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0u;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += blockDim.x * gridDim.x) {
        const uchar4 v = data[i];
        atomicAdd(local + v.x, 1u);
        atomicAdd(local + v.y, 1u);
        atomicAdd(local + v.z, 1u);
        atomicAdd(local + v.w, 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (local[b]) atomicAdd(&bins[b], local[b]);
}

// One histogram a warp; equal keys of a warp are counted by __match_any_sync and added once.
extern "C" __global__ void histogram_matched(const int *keys, unsigned long long *bins, int n, int num_bins)
{
    extern __shared__ unsigned int warp_bins[];
    const int lane = threadIdx.x & 31, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int b = threadIdx.x; b < warps * num_bins; b += blockDim.x) warp_bins[b] = 0;
    __syncthreads();
    const int rounded = (n + 31) & ~31;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rounded; i += blockDim.x * gridDim.x) {
        const int key = i < n ? keys[i] % num_bins : -1;
        const unsigned peers = __match_any_sync(__activemask(), key);
        if (key >= 0 && lane == __ffs(peers) - 1) warp_bins[warp * num_bins + key] += __popc(peers);
        __syncwarp(__activemask());
    }
    __syncthreads();
    for (int b = threadIdx.x; b < num_bins; b += blockDim.x) {
        unsigned long long sum = 0;
        for (int w = 0; w < warps; w++) sum += warp_bins[w * num_bins + b];
        if (sum) atomicAdd(&bins[b], sum);
    }
}

// Binning of doubles by bisection of the edges; weights summed in double.
extern "C" __global__ void histogram_weighted(const double *x, const double *weight, const double *edges, double *sums,
                                              int n, int bins)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double v = x[i];
    if (!(v >= edges[0] && v <= edges[bins])) return;  // NaN as well
    int lo = 0, hi = bins;
    while (hi - lo > 1) {
        const int mid = (lo + hi) >> 1;
        if (v >= edges[mid]) lo = mid; else hi = mid;
    }
    atomicAdd(&sums[lo], weight[i]);
}

// Min, max, or, xor and a saturating count by the other atomics, in 32 and 64 bits.
extern "C" __global__ void atomic_statistics(const int *v, int *i32, unsigned *u32, long long *i64,
                                             unsigned long long *u64, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicMin(&i32[0], v[i]);
    atomicMax(&i32[1], v[i]);
    atomicSub(&i32[2], v[i]);
    atomicOr(&u32[0], 1u << (v[i] & 31));
    atomicAnd(&u32[1], ~(1u << (v[i] & 15)));
    atomicXor(&u32[2], (unsigned)v[i] * 2654435761u);
    atomicDec(&u32[3], 9u);
    atomicMin(&i64[0], (long long)v[i] * v[i] * (v[i] < 0 ? -1 : 1));
    atomicMax(&u64[0], (unsigned long long)(unsigned)v[i] << 20);
    atomicAdd(&u64[1], (unsigned long long)(long long)v[i]);
}

// Sums in half precision, single and in pairs, and a 16-bit counter by atomicCAS.
extern "C" __global__ void half_atomics(__half2 *pairs, __half *one, __nv_bfloat162 *brains, unsigned short *counter, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&pairs[i % 3], __floats2half2_rn(1.f, -0.5f));
    atomicAdd(one, __float2half(0.25f));
    atomicAdd(brains, __floats2bfloat162_rn(1.f, 2.f));
    unsigned short seen = *counter, before;
    do {
        before = seen;
        seen = atomicCAS(counter, before, (unsigned short)(before + 3));
    } while (seen != before);
}
