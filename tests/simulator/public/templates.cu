// Templates, instantiated by name.

// Any size, a 4 x 4 patch a thread, edges by predicate; the element type and the tile are template parameters.
template <typename T, int TILE, int PATCH = 4>
__global__ void gemm_patch(const T *A, const T *B, T *C, int m, int n, int k)
{
    constexpr int SIDE = TILE / PATCH;
    __shared__ T a[TILE][TILE + 1], b[TILE][TILE + 1];
    T sum[PATCH][PATCH];
    for (auto &row : sum)
        for (T &each : row) each = T(0);
    const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    for (int k0 = 0; k0 < k; k0 += TILE) {
        for (int i = threadIdx.y; i < TILE; i += SIDE)
            for (int j = threadIdx.x; j < TILE; j += SIDE) {
                a[i][j] = row0 + i < m && k0 + j < k ? A[(row0 + i) * k + k0 + j] : T(0);
                b[i][j] = k0 + i < k && col0 + j < n ? B[(k0 + i) * n + col0 + j] : T(0);
            }
        __syncthreads();
#pragma unroll 2
        for (int kk = 0; kk < TILE; kk++)
            for (int i = 0; i < PATCH; i++)
                for (int j = 0; j < PATCH; j++)
                    sum[i][j] += a[threadIdx.y + i * SIDE][kk] * b[kk][threadIdx.x + j * SIDE];
        __syncthreads();
    }
    for (int i = 0; i < PATCH; i++)
        for (int j = 0; j < PATCH; j++) {
            const int r = row0 + threadIdx.y + i * SIDE, c = col0 + threadIdx.x + j * SIDE;
            if (r < m && c < n) C[r * n + c] = sum[i][j];
        }
}

// A transpose whose tile is swizzled instead of padded; eight rows of threads for 32 rows of data.
template <typename T>
__global__ void transpose_swizzled(const T *in, T *out, int w, int h)
{
    __shared__ T tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (int j = 0; j < 32; j += 8)
        if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
    for (int j = 0; j < 32; j += 8)
        if (x < h && y + j < w) out[(y + j) * h + x] = tile[threadIdx.x][(threadIdx.y + j) ^ threadIdx.x];
}

// Small dense factorisations, one matrix a block.
template <int N>
__global__ void cholesky_batched(double *matrices, int *info)
{
    __shared__ double a[N][N + 1];
    __shared__ bool bad;
    double *m = matrices + (size_t)blockIdx.x * N * N;
    const int t = threadIdx.x;
    for (int i = t; i < N * N; i += blockDim.x) a[i / N][i % N] = m[i];
    if (t == 0) bad = false;
    __syncthreads();
    for (int k = 0; k < N; k++) {
        if (t == k) {
            if (a[k][k] <= 0) bad = true; else a[k][k] = sqrt(a[k][k]);
        }
        __syncthreads();
        if (bad) {
            if (t == 0) info[blockIdx.x] = k + 1;
            return;
        }
        if (t > k && t < N) a[t][k] /= a[k][k];
        __syncthreads();
        if (t > k && t < N)
            for (int j = k + 1; j <= t; j++) a[t][j] -= a[t][k] * a[j][k];
        __syncthreads();
    }
    for (int i = t; i < N * N; i += blockDim.x) m[i] = i / N >= i % N ? a[i / N][i % N] : 0.0;
    if (t == 0) info[blockIdx.x] = 0;
}

struct Gelu {
    __device__ float operator()(float x) const { return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f)); }
};
struct GeluTanh {
    __device__ float operator()(float x) const
    {
        const float c = 0.7978845608028654f;
        return 0.5f * x * (1.0f + tanhf(c * (x + 0.044715f * x * x * x)));
    }
};
struct Silu {
    __device__ float operator()(float x) const { return x / (1.f + expf(-x)); }
};
struct Softplus {
    __device__ float operator()(float x) const { return x > 20.f ? x : log1pf(expf(x)); }
};

// Activations as functors, four elements a thread.
template <class F>
__global__ void activate(float *x, int n)
{
    F f;
    const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        float4 v = *reinterpret_cast<float4 *>(x + i);
        v.x = f(v.x); v.y = f(v.y); v.z = f(v.z); v.w = f(v.w);
        *reinterpret_cast<float4 *>(x + i) = v;
    } else {
        for (int j = i; j < n; j++) x[j] = f(x[j]);
    }
}

// y += a x, for any type of number.
template <typename T>
__global__ void axpy(T a, const T *x, T *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

// Horner's rule over a parameter pack of coefficients.
template <typename T>
__device__ constexpr T horner(T, T last) { return last; }
template <typename T, typename... Rest>
__device__ constexpr T horner(T x, T first, Rest... rest) { return first + x * horner(x, rest...); }

template <typename T>
__global__ void polynomial(const T *x, T *y, int n)
{
    const int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < n) y[i] = horner(x[i], T(1), T(-0.5), T(0.25), T(2), T(-3));
}

// Integer division and remainder by variables, all signs and widths.
template <typename T>
__global__ void division(const T *a, const T *b, T *quotient, T *remainder, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        quotient[i] = a[i] / b[i];
        remainder[i] = a[i] % b[i];
    }
}
