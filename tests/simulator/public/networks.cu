// What neural networks spend their time on.
#include <cuda_fp16.h>

#define WARP_SIZE 32

template <typename Op>
__device__ __forceinline__ float warp_all(float v, Op op)
{
#pragma unroll
    for (int m = WARP_SIZE / 2; m > 0; m >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, m, WARP_SIZE));
    return v;
}

// Softmax in two passes, one row a block.
extern "C" __global__ void softmax_two_pass(const float *in, float *out, int cols)
{
    __shared__ float shared_max[4], shared_sum[4];
    const float *x = in + blockIdx.x * cols;
    float *y = out + blockIdx.x * cols;
    const int warp = threadIdx.x / WARP_SIZE, lane = threadIdx.x % WARP_SIZE;
    float top = -__int_as_float(0x7f800000);
    for (int i = threadIdx.x; i < cols; i += blockDim.x) top = fmaxf(top, x[i]);
    top = warp_all(top, [](float a, float b) { return fmaxf(a, b); });
    if (lane == 0) shared_max[warp] = top;
    __syncthreads();
    top = fmaxf(fmaxf(shared_max[0], shared_max[1]), fmaxf(shared_max[2], shared_max[3]));
    float sum = 0.f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        const float e = expf(x[i] - top);
        y[i] = e;
        sum += e;
    }
    sum = warp_all(sum, [](float a, float b) { return a + b; });
    if (lane == 0) shared_sum[warp] = sum;
    __syncthreads();
    sum = shared_sum[0] + shared_sum[1] + shared_sum[2] + shared_sum[3];
    for (int i = threadIdx.x; i < cols; i += blockDim.x) y[i] /= sum;
}

struct __align__(8) MD {
    float m, d;
};

__device__ __forceinline__ MD combine(MD a, MD b)
{
    const bool a_bigger = a.m > b.m;
    const MD big = a_bigger ? a : b, small = a_bigger ? b : a;
    MD r;
    r.d = big.d + small.d * expf(small.m - big.m);
    r.m = big.m;
    return r;
}

// Softmax online: maximum and sum in one pass, a row a warp, by a monoid on pairs.
extern "C" __global__ void softmax_online(const float *in, float *out, int rows, int cols)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float *x = in + (size_t)row * cols;
    MD md = {-3.402823466e+38f, 0.f};
    for (int i = threadIdx.x; i < cols; i += WARP_SIZE) md = combine(md, MD{x[i], 1.f});
    for (int m = WARP_SIZE / 2; m; m /= 2) {
        MD other;
        other.m = __shfl_xor_sync(0xffffffffu, md.m, m);
        other.d = __shfl_xor_sync(0xffffffffu, md.d, m);
        md = combine(md, other);
    }
    for (int i = threadIdx.x; i < cols; i += WARP_SIZE) out[(size_t)row * cols + i] = expf(x[i] - md.m) / md.d;
}

// Layer normalisation: Welford's mean and variance, merged over a warp.
extern "C" __global__ void layernorm_welford(const float *in, const float *gamma, const float *beta, float *out, float *stats,
                                             int cols, float eps)
{
    const float *x = in + blockIdx.x * cols;
    float mean = 0.f, m2 = 0.f, count = 0.f;
    for (int i = threadIdx.x; i < cols; i += WARP_SIZE) {
        count += 1.f;
        const float delta = x[i] - mean;
        mean += delta / count;
        m2 += delta * (x[i] - mean);
    }
    for (int d = 1; d < WARP_SIZE; d <<= 1) {
        const float mean_b = __shfl_xor_sync(~0u, mean, d), m2_b = __shfl_xor_sync(~0u, m2, d);
        const float count_b = __shfl_xor_sync(~0u, count, d);
        const float total = count + count_b;
        if (total == 0.f) continue;
        const float delta = mean_b - mean;
        mean = (count * mean + count_b * mean_b) / total;
        m2 += m2_b + delta * delta * count * count_b / total;
        count = total;
    }
    const float rstd = rsqrtf(m2 / cols + eps);
    for (int i = threadIdx.x; i < cols; i += WARP_SIZE) out[blockIdx.x * cols + i] = (x[i] - mean) * rstd * gamma[i] + beta[i];
    if (threadIdx.x == 0) {
        stats[2 * blockIdx.x] = mean;
        stats[2 * blockIdx.x + 1] = rstd;
    }
}

// Root-mean-square normalisation of halves, two at a time, in place.
extern "C" __global__ void rmsnorm_half2(__half2 *x, const __half2 *weight, int pairs, float eps)
{
    __half2 *row = x + blockIdx.x * pairs;
    float sum = 0.f;
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
        const float2 v = __half22float2(row[i]);
        sum += v.x * v.x + v.y * v.y;
    }
    sum = warp_all(sum, [](float a, float b) { return a + b; });
    const float scale = rsqrtf(sum / (2 * pairs) + eps);
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
        const float2 v = __half22float2(row[i]), w = __half22float2(weight[i]);
        row[i] = __floats2half2_rn(v.x * scale * w.x, v.y * scale * w.y);
    }
}

// Attention without its matrix of scores: keys and values by tiles, a running softmax; a query a thread.
template <int D, int BC>
__global__ void flash_attention(const float *Q, const float *K, const float *V, float *O, int n, float scale, bool causal)
{
    __shared__ float k_tile[BC][D], v_tile[BC][D];
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t head = (size_t)blockIdx.y * n * D;
    float q[D], acc[D] = {}, top = -1e30f, sum = 0.f;
    if (row < n)
        for (int d = 0; d < D; d++) q[d] = Q[head + (size_t)row * D + d] * scale;
    for (int start = 0; start < n; start += BC) {
        for (int e = threadIdx.x; e < BC * D; e += blockDim.x) {
            const int r = start + e / D;
            k_tile[e / D][e % D] = r < n ? K[head + (size_t)start * D + e] : 0.f;
            v_tile[e / D][e % D] = r < n ? V[head + (size_t)start * D + e] : 0.f;
        }
        __syncthreads();
        if (row < n) {
            const int stop = min(BC, (causal ? row + 1 : n) - start);
#pragma unroll 1
            for (int c = 0; c < stop; c++) {
                float s = 0.f;
#pragma unroll
                for (int d = 0; d < D; d++) s += q[d] * k_tile[c][d];
                const float next = fmaxf(top, s), keep = __expf(top - next), p = __expf(s - next);
                sum = sum * keep + p;
#pragma unroll
                for (int d = 0; d < D; d++) acc[d] = acc[d] * keep + p * v_tile[c][d];
                top = next;
            }
        }
        __syncthreads();
    }
    if (row < n)
        for (int d = 0; d < D; d++) O[head + (size_t)row * D + d] = acc[d] / sum;
}

struct AdamArgs {
    float lr, beta1, beta2, eps, decay;
    int step;
};

// AdamW: hyperparameters as a structure by value.
extern "C" __global__ void adamw(float *p, const float *g, float *m, float *v, int n, AdamArgs a)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float gi = g[i];
    m[i] = a.beta1 * m[i] + (1.f - a.beta1) * gi;
    v[i] = a.beta2 * v[i] + (1.f - a.beta2) * gi * gi;
    const float mh = m[i] / (1.f - powf(a.beta1, a.step)), vh = v[i] / (1.f - powf(a.beta2, a.step));
    p[i] -= a.lr * (mh / (sqrtf(vh) + a.eps) + a.decay * p[i]);
}

// Rotary position embedding, angles by sincosf and powf.
extern "C" __global__ void rope(float2 *x, const long long *positions, int heads, int half_dim)
{
    const int token = blockIdx.x, head = threadIdx.y, j = threadIdx.x;
    const float angle = positions[token] * powf(10000.f, -(float)j / half_dim);
    float s, c;
    sincosf(angle, &s, &c);
    float2 &v = x[(token * heads + head) * half_dim + j];
    v = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}

// Rows of a table by 64-bit indices; -1 gives zeros.
extern "C" __global__ void embedding(const __half *table, const long long *ids, __half *out, int dim)
{
    const long long id = ids[blockIdx.y];
    const int d = blockIdx.x * blockDim.x + threadIdx.x;
    if (d < dim) out[(size_t)blockIdx.y * dim + d] = id < 0 ? __half(0.f) : table[id * dim + d];
}

// Dynamic int8 quantisation, a row a block: absolute maximum, then char4 stores.
extern "C" __global__ void quantize_rows(const float4 *in, char4 *out, float *scales, int quads)
{
    const float4 *x = in + blockIdx.x * quads;
    float most = 0.f;
    for (int i = threadIdx.x; i < quads; i += WARP_SIZE)
        most = fmaxf(most, fmaxf(fmaxf(fabsf(x[i].x), fabsf(x[i].y)), fmaxf(fabsf(x[i].z), fabsf(x[i].w))));
    most = warp_all(most, [](float a, float b) { return fmaxf(a, b); });
    const float scale = most / 127.f, inv = most > 0 ? 127.f / most : 0.f;
    for (int i = threadIdx.x; i < quads; i += WARP_SIZE)
        out[blockIdx.x * quads + i] = make_char4((signed char)__float2int_rn(x[i].x * inv), (signed char)__float2int_rn(x[i].y * inv),
                                                 (signed char)__float2int_rn(x[i].z * inv), (signed char)__float2int_rn(x[i].w * inv));
    if (threadIdx.x == 0) scales[blockIdx.x] = scale;
}

// Max pooling 2 x 2 with indices over images in a 3-D grid.
extern "C" __global__ void max_pool(const float *in, float *out, int *where, int channels, int h, int w)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int plane = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= w / 2 || y >= h / 2 || plane >= channels) return;
    const float *p = in + plane * h * w;
    int best = 2 * y * w + 2 * x;
    for (int dy = 0; dy < 2; dy++)
        for (int dx = 0; dx < 2; dx++) {
            const int at = (2 * y + dy) * w + 2 * x + dx;
            if (p[at] > p[best]) best = at;
        }
    const int o = (plane * (h / 2) + y) * (w / 2) + x;
    out[o] = p[best];
    where[o] = best;
}

// The k largest of a row by repeated argmax in one warp.
template <int K>
__global__ void topk_warp(const float *in, float *values, int *indices, int n)
{
    const float *row = in + blockIdx.x * n;
    float kept[K];
    int at[K];
#pragma unroll
    for (int k = 0; k < K; k++) { kept[k] = -1e38f; at[k] = -1; }
    for (int i = threadIdx.x; i < n; i += WARP_SIZE) {
        float v = row[i];
        int vi = i;
#pragma unroll
        for (int k = 0; k < K; k++)
            if (v > kept[k]) {
                const float tv = kept[k]; kept[k] = v; v = tv;
                const int ti = at[k]; at[k] = vi; vi = ti;
            }
    }
    for (int k = 0; k < K; k++) {
        float v = kept[0];
        int vi = at[0], owner = threadIdx.x;
        for (int d = 16; d; d >>= 1) {
            const float ov = __shfl_xor_sync(~0u, v, d);
            const int oi = __shfl_xor_sync(~0u, vi, d), oo = __shfl_xor_sync(~0u, owner, d);
            if (ov > v || (ov == v && oo < owner)) { v = ov; vi = oi; owner = oo; }
        }
        if (threadIdx.x == 0) { values[blockIdx.x * K + k] = v; indices[blockIdx.x * K + k] = vi; }
        if (threadIdx.x == owner) {
#pragma unroll
            for (int j = 0; j + 1 < K; j++) { kept[j] = kept[j + 1]; at[j] = at[j + 1]; }
            kept[K - 1] = -1e38f;
        }
    }
}
