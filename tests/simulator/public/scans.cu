// Running sums and what is built on them.
#define NUM_BANKS 32
#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)

// Hillis and Steele, two buffers in turn.
extern "C" __global__ void scan_hillis_steele(const float *g_idata, float *g_odata, int n)
{
    extern __shared__ float temp[];
    int thid = threadIdx.x;
    int pout = 0, pin = 1;
    const int base = blockIdx.x * n;
    temp[thid] = thid < n ? g_idata[base + thid] : 0.f;
    __syncthreads();
    for (int offset = 1; offset < n; offset <<= 1) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (thid >= offset)
            temp[pout * blockDim.x + thid] = temp[pin * blockDim.x + thid] + temp[pin * blockDim.x + thid - offset];
        else
            temp[pout * blockDim.x + thid] = temp[pin * blockDim.x + thid];
        __syncthreads();
    }
    if (thid < n) g_odata[base + thid] = temp[pout * blockDim.x + thid];
}

// Blelloch's exclusive scan: up-sweep, down-sweep, padded against bank conflicts; two elements a thread.
extern "C" __global__ void scan_blelloch(const int *in, int *out, int *block_sums)
{
    extern __shared__ int tree[];
    const int thid = threadIdx.x, n = 2 * blockDim.x;
    in += blockIdx.x * n;
    out += blockIdx.x * n;
    const int ai = thid, bi = thid + n / 2;
    tree[ai + CONFLICT_FREE_OFFSET(ai)] = in[ai];
    tree[bi + CONFLICT_FREE_OFFSET(bi)] = in[bi];
    int offset = 1;
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1, b = offset * (2 * thid + 2) - 1;
            a += CONFLICT_FREE_OFFSET(a);
            b += CONFLICT_FREE_OFFSET(b);
            tree[b] += tree[a];
        }
        offset *= 2;
    }
    if (thid == 0) {
        const int last = n - 1 + CONFLICT_FREE_OFFSET(n - 1);
        block_sums[blockIdx.x] = tree[last];
        tree[last] = 0;
    }
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1, b = offset * (2 * thid + 2) - 1;
            a += CONFLICT_FREE_OFFSET(a);
            b += CONFLICT_FREE_OFFSET(b);
            const int t = tree[a];
            tree[a] = tree[b];
            tree[b] += t;
        }
    }
    __syncthreads();
    out[ai] = tree[ai + CONFLICT_FREE_OFFSET(ai)];
    out[bi] = tree[bi + CONFLICT_FREE_OFFSET(bi)];
}

template <typename T>
__device__ __forceinline__ T warp_inclusive_scan(T v)
{
    const unsigned lane = threadIdx.x & 31;
#pragma unroll
    for (unsigned d = 1; d < 32; d <<= 1) {
        const T up = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d) v += up;
    }
    return v;
}

// Scans of warps, then of the warps' totals. Any element type.
template <typename T>
__global__ void scan_warps(const T *in, T *out, int n)
{
    __shared__ T totals[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    T v = warp_inclusive_scan(i < n ? in[i] : T());
    if (lane == 31) totals[warp] = v;
    __syncthreads();
    if (warp == 0) {
        const T t = lane < (int)(blockDim.x >> 5) ? totals[lane] : T();
        totals[lane] = warp_inclusive_scan(t);
    }
    __syncthreads();
    if (warp > 0) v += totals[warp - 1];
    if (i < n) out[i] = v;
}

enum Flag : unsigned { EMPTY = 0, AGGREGATE = 1, PREFIX = 2 };

// One pass over the array: each tile publishes its sum, then looks back at its predecessors'.
extern "C" __global__ void scan_look_back(const unsigned *in, unsigned *out, unsigned long long *status,
                                          unsigned *ticket, int n)
{
    __shared__ unsigned tile_shared, exclusive_shared, totals[32];
    if (threadIdx.x == 0) tile_shared = atomicAdd(ticket, 1u);
    __syncthreads();
    const unsigned tile = tile_shared;
    const int i = tile * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    unsigned v = warp_inclusive_scan(i < n ? in[i] : 0u);
    if (lane == 31) totals[warp] = v;
    __syncthreads();
    if (warp == 0) totals[lane] = warp_inclusive_scan(lane < warps ? totals[lane] : 0u);
    __syncthreads();
    if (warp) v += totals[warp - 1];
    if (threadIdx.x == 0) {
        const unsigned aggregate = totals[warps - 1];
        unsigned exclusive = 0;
        volatile unsigned long long *seen = status;
        if (tile == 0) {
            atomicExch(&status[0], ((unsigned long long)PREFIX << 32) | aggregate);
        } else {
            atomicExch(&status[tile], ((unsigned long long)AGGREGATE << 32) | aggregate);
            __threadfence();
            for (int before = tile - 1;;) {
                const unsigned long long word = seen[before];
                const unsigned flag = word >> 32;
                if (flag == EMPTY) continue;
                exclusive += (unsigned)word;
                if (flag == PREFIX) break;
                --before;
            }
            __threadfence();
            atomicExch(&status[tile], ((unsigned long long)PREFIX << 32) | (exclusive + aggregate));
        }
        exclusive_shared = exclusive;
    }
    __syncthreads();
    if (i < n) out[i] = v + exclusive_shared;
}

template <class Predicate>
__device__ int compact_warp(const int *in, int *out, int *cursor, int n, Predicate keep)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int v = i < n ? in[i] : 0;
    const bool wanted = i < n && keep(v);
    const unsigned votes = __ballot_sync(0xffffffff, wanted);
    const unsigned below = votes & ((1u << (threadIdx.x & 31)) - 1);
    int base = 0;
    if ((threadIdx.x & 31) == 0 && votes) base = atomicAdd(cursor, __popc(votes));
    base = __shfl_sync(0xffffffff, base, 0);
    if (wanted) out[base + __popc(below)] = v;
    return __popc(votes);
}

// Elements that satisfy a lambda, kept in order within each warp; ballots in place of a scan.
extern "C" __global__ void compact_ballot(const int *in, int *out, int *cursor, int n, int divisor, int below)
{
    auto keep = [=](int v) { return v % divisor == 0 && v < below; };
    compact_warp(in, out, cursor, n, keep);
}

// Sums that start anew at each flag: pairs (value, flag) as the operand of the scan.
extern "C" __global__ void scan_segmented(const int *values, const unsigned char *heads, int *out, int n)
{
    __shared__ int v[1024];
    __shared__ bool f[1024];
    const int t = threadIdx.x;
    v[t] = t < n ? values[t] : 0;
    f[t] = t < n ? heads[t] != 0 : true;
    __syncthreads();
    for (int d = 1; d < n; d *= 2) {
        int add = 0;
        bool flag = f[t];
        if (t >= d && !f[t]) {
            add = v[t - d];
            flag = f[t - d];
        }
        __syncthreads();
        v[t] += add;
        f[t] = flag;
        __syncthreads();
    }
    if (t < n) out[t] = v[t];
}
