// Sorting networks and the passes of radix sort.

__device__ inline void comparator(unsigned &key_a, unsigned &val_a, unsigned &key_b, unsigned &val_b, unsigned dir)
{
    if ((key_a > key_b) == dir) {
        unsigned t = key_a; key_a = key_b; key_b = t;
        t = val_a; val_a = val_b; val_b = t;
    }
}

// Bitonic sort of pairs in shared memory, two pairs a thread.
template <unsigned LENGTH>
__global__ void __launch_bounds__(LENGTH / 2) bitonic_pairs(unsigned *keys, unsigned *vals, unsigned dir)
{
    __shared__ unsigned s_key[LENGTH], s_val[LENGTH];
    keys += blockIdx.x * LENGTH + threadIdx.x;
    vals += blockIdx.x * LENGTH + threadIdx.x;
    s_key[threadIdx.x] = keys[0];
    s_val[threadIdx.x] = vals[0];
    s_key[threadIdx.x + LENGTH / 2] = keys[LENGTH / 2];
    s_val[threadIdx.x + LENGTH / 2] = vals[LENGTH / 2];
#pragma unroll 1
    for (unsigned size = 2; size < LENGTH; size <<= 1) {
        const unsigned ddd = dir ^ ((threadIdx.x & (size / 2)) != 0);
#pragma unroll 1
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            const unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], ddd);
        }
    }
    for (unsigned stride = LENGTH / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        const unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], dir);
    }
    __syncthreads();
    keys[0] = s_key[threadIdx.x];
    vals[0] = s_val[threadIdx.x];
    keys[LENGTH / 2] = s_key[threadIdx.x + LENGTH / 2];
    vals[LENGTH / 2] = s_val[threadIdx.x + LENGTH / 2];
}

// Odd-even transposition: neighbours change places until no pair is out of order.
extern "C" __global__ void odd_even_transposition(short *data, int n, int *rounds)
{
    __shared__ int swapped;
    const int t = threadIdx.x;
    int round = 0;
    do {
        __syncthreads();
        if (t == 0) swapped = 0;
        __syncthreads();
        for (int phase = 0; phase < 2; phase++) {
            const int i = 2 * t + phase;
            if (i + 1 < n && data[i] > data[i + 1]) {
                const short left = data[i];
                data[i] = data[i + 1];
                data[i + 1] = left;
                swapped = 1;
            }
            __syncthreads();
        }
        round++;
    } while (swapped);
    if (t == 0) *rounds = round;
}

// A warp sorts 32 values in registers.
extern "C" __global__ void bitonic_warp(double *data)
{
    const int lane = threadIdx.x & 31, i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = data[i];
    for (int k = 2; k <= 32; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            const double y = __shfl_xor_sync(0xffffffff, x, j);
            const bool up = (lane & k) == 0, lower = (lane & j) == 0;
            x = (lower == up) ? fmin(x, y) : fmax(x, y);
        }
    data[i] = x;
}

#define RADIX_BITS 4
#define RADIX (1 << RADIX_BITS)

// How often each digit occurs in each block; digit-major, ready to be scanned.
extern "C" __global__ void radix_count(const unsigned *keys, unsigned *counts, int n, int shift)
{
    __shared__ unsigned bins[RADIX];
    if (threadIdx.x < RADIX) bins[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[(keys[i] >> shift) & (RADIX - 1)], 1u);
    __syncthreads();
    if (threadIdx.x < RADIX) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

// A stable scatter: a key's rank among equal digits comes from the votes of lower lanes and warps.
extern "C" __global__ void radix_scatter(const unsigned *keys, unsigned *out, const unsigned *offsets, int n, int shift)
{
    __shared__ unsigned per_warp[32][RADIX];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int d = lane; d < RADIX; d += 32) per_warp[warp][d] = 0;
    __syncwarp();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool valid = i < n;
    const unsigned key = valid ? keys[i] : 0u, digit = (key >> shift) & (RADIX - 1);
    unsigned peers = __ballot_sync(0xffffffff, valid);
#pragma unroll
    for (int b = 0; b < RADIX_BITS; b++) {
        const bool bit = (digit >> b) & 1;
        const unsigned votes = __ballot_sync(0xffffffff, bit);
        peers &= bit ? votes : ~votes;
    }
    const unsigned rank = __popc(peers & ((1u << lane) - 1));
    if (valid && rank == 0) per_warp[warp][digit] = __popc(peers);
    __syncthreads();
    if (!valid) return;
    unsigned place = offsets[digit * gridDim.x + blockIdx.x] + rank;
    for (int w = 0; w < warp; w++) place += per_warp[w][digit];
    out[place] = key;
}

// Two sorted arrays become one: each thread finds its own place in the other by bisection.
extern "C" __global__ void merge_by_rank(const int *a, int na, const int *b, int nb, int *out)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= na + nb) return;
    const bool left = t < na;
    const int *other = left ? b : a;
    const int mine = left ? a[t] : b[t - na], own = left ? t : t - na;
    int lo = 0, hi = left ? nb : na;
    while (lo < hi) {
        const int mid = (lo + hi) / 2;
        if (left ? other[mid] < mine : other[mid] <= mine)
            lo = mid + 1;
        else
            hi = mid;
    }
    out[own + lo] = mine;
}
