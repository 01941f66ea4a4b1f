// Sums and extrema: from the tutorial's tree in shared memory to one pass over the whole grid.
#define FULL_MASK 0xffffffffu

// A tree whose active threads are ever farther apart.
extern "C" __global__ void reduce_interleaved(const int *g_idata, int *g_odata, unsigned int n)
{
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = (i < n) ? g_idata[i] : 0;
    __syncthreads();
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        if ((tid % (2 * s)) == 0) {
            sdata[tid] += sdata[tid + s];
        }
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

// Sequential addressing, the first addition made while loading.
extern "C" __global__ void reduce_first_add(const long long *in, long long *out, int n)
{
    __shared__ long long partial[256];
    int tid = threadIdx.x;
    int i = blockIdx.x * (blockDim.x * 2) + tid;
    long long mine = i < n ? in[i] : 0;
    if (i + (int)blockDim.x < n) mine += in[i + blockDim.x];
    partial[tid] = mine;
    __syncthreads();
    for (int s = blockDim.x >> 1; s > 0; s >>= 1) {
        if (tid < s) partial[tid] = mine = mine + partial[tid + s];
        __syncthreads();
    }
    if (!tid) out[blockIdx.x] = mine;
}

template <typename T, unsigned int blockSize>
__device__ void warp_tail(volatile T *sdata, unsigned int tid)
{
    T v = sdata[tid];
    if (blockSize >= 64) { v += sdata[tid + 32]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
    v += sdata[tid + 16]; __syncwarp(); sdata[tid] = v; __syncwarp();
    v += sdata[tid + 8];  __syncwarp(); sdata[tid] = v; __syncwarp();
    v += sdata[tid + 4];  __syncwarp(); sdata[tid] = v; __syncwarp();
    v += sdata[tid + 2];  __syncwarp(); sdata[tid] = v; __syncwarp();
    v += sdata[tid + 1];  __syncwarp(); sdata[tid] = v; __syncwarp();
}

// Unrolled by template, the last warp in step through volatile shared memory.
template <typename T, unsigned int blockSize>
__global__ void reduce_unrolled(const T *__restrict__ in, T *__restrict__ out, size_t n)
{
    __shared__ T sdata[blockSize + 32];
    const unsigned int tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * blockSize + tid;
    const size_t stride = (size_t)blockSize * gridDim.x;
    T sum = T(0);
    while (i < n) {
        sum += in[i];
        i += stride;
    }
    sdata[tid] = sum;
    if (tid < 32) sdata[blockSize + tid] = T(0);
    __syncthreads();
    if (blockSize >= 512) { if (tid < 256) sdata[tid] += sdata[tid + 256]; __syncthreads(); }
    if (blockSize >= 256) { if (tid < 128) sdata[tid] += sdata[tid + 128]; __syncthreads(); }
    if (blockSize >= 128) { if (tid < 64)  sdata[tid] += sdata[tid + 64];  __syncthreads(); }
    if (tid < 32) warp_tail<T, blockSize>(sdata, tid);
    if (tid == 0) out[blockIdx.x] = sdata[0];
}

template <typename T>
__inline__ __device__ T warp_reduce_sum(T val)
{
#pragma unroll
    for (int offset = warpSize / 2; offset > 0; offset /= 2) val += __shfl_down_sync(FULL_MASK, val, offset);
    return val;
}

__inline__ __device__ float block_reduce_sum(float val)
{
    static __shared__ float shared[32];
    const int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
    val = warp_reduce_sum(val);
    if (lane == 0) shared[wid] = val;
    __syncthreads();
    val = (threadIdx.x < (blockDim.x + warpSize - 1) / warpSize) ? shared[lane] : 0.0f;
    if (wid == 0) val = warp_reduce_sum(val);
    return val;
}

// Shuffles in each warp, float4 loads, one atomic a block.
extern "C" __global__ void reduce_shuffle(const float *in, float *total, int n)
{
    float sum = 0.0f;
    const float4 *in4 = reinterpret_cast<const float4 *>(in);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += blockDim.x * gridDim.x) {
        const float4 v = in4[i];
        sum += (v.x + v.y) + (v.z + v.w);
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) sum += in[n / 4 * 4 + threadIdx.x];
    sum = block_reduce_sum(sum);
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

struct Extrema {
    int low, high;
    unsigned int sum, all, any, parity;
};

// Warp-wide reductions in one instruction each, over partial warps as well.
extern "C" __global__ void reduce_redux(const int *in, Extrema *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned int mask = __ballot_sync(FULL_MASK, i < n);
    if (i >= n) return;
    const int v = in[i];
    Extrema found;
    found.low = __reduce_min_sync(mask, v);
    found.high = __reduce_max_sync(mask, v);
    found.sum = __reduce_add_sync(mask, (unsigned int)v);
    found.all = __reduce_and_sync(mask, (unsigned int)v);
    found.any = __reduce_or_sync(mask, (unsigned int)v);
    found.parity = __reduce_xor_sync(mask, (unsigned int)v);
    if ((threadIdx.x & 31) == 0) out[i >> 5] = found;
}

__device__ unsigned int retirement_count = 0;

// The last block to finish adds up what the others left: no second launch.
extern "C" __global__ void reduce_last_block(const double *in, volatile double *partial, double *result, int n)
{
    __shared__ double tile[128];
    __shared__ bool am_last;
    double sum = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    tile[threadIdx.x] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s; s >>= 1) {
        if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = tile[0];
        __threadfence();
        const unsigned int ticket = atomicInc(&retirement_count, gridDim.x);
        am_last = (ticket == gridDim.x - 1);
    }
    __syncthreads();
    if (am_last) {
        double rest = 0.0;
        for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) rest += partial[i];
        tile[threadIdx.x] = rest;
        __syncthreads();
        for (int s = blockDim.x / 2; s; s >>= 1) {
            if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            *result = tile[0];
            retirement_count = 0;
        }
    }
}

// The index of the smallest float: key and index packed into one 64-bit atomic.
extern "C" __global__ void argmin_packed(const float *values, unsigned long long *best, int n)
{
    unsigned long long mine = ~0ull;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        unsigned int bits = __float_as_uint(values[i]);
        bits ^= (bits >> 31) ? 0xffffffffu : 0x80000000u;  // order of floats -> order of unsigned integers
        const unsigned long long key = ((unsigned long long)bits << 32) | (unsigned int)i;
        mine = key < mine ? key : mine;
    }
    for (int offset = 16; offset; offset >>= 1) {
        const unsigned long long other = __shfl_xor_sync(FULL_MASK, mine, offset);
        mine = min(mine, other);
    }
    if ((threadIdx.x & 31) == 0) atomicMin(best, mine);
}

__device__ __forceinline__ float atomic_max_float(float *address, float value)
{
    int *as_int = (int *)address;
    int old = *as_int, assumed;
    do {
        assumed = old;
        if (__int_as_float(assumed) >= value) break;
        old = atomicCAS(as_int, assumed, __float_as_int(value));
    } while (assumed != old);
    return __int_as_float(old);
}

// The largest magnitude of each column; rows in the y direction.
extern "C" __global__ void column_absmax(const float *m, float *out, int rows, int cols)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float most = 0.f;
    for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += gridDim.y * blockDim.y)
        most = fmaxf(most, fabsf(m[r * cols + c]));
    atomic_max_float(&out[c], most);
}
