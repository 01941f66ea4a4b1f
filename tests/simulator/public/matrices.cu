// Dense and sparse linear algebra.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// C = alpha A B + beta C, an 8 x 8 patch a thread (64 accumulators), A stored transposed in shared memory,
// two buffers so that the next tile is under way while this one is used.
#define BM 64
#define BN 64
#define BK 8
#define TM 8
#define TN 8

extern "C" __global__ void __launch_bounds__(64)
sgemm_double_buffered(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ __align__(16) float As[2][BK][BM];
    __shared__ __align__(16) float Bs[2][BK][BN];
    const int tx = threadIdx.x % (BN / TN), ty = threadIdx.x / (BN / TN);
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;

    float acc[TM][TN] = {};
    float4 regA[2], regB[2];

    auto fetch = [&](int k0) {
#pragma unroll
        for (int s = 0; s < 2; s++) {
            const int id = threadIdx.x + s * 64;
            regA[s] = *reinterpret_cast<const float4 *>(&A[(id / 2) * K + k0 + (id % 2) * 4]);
            regB[s] = *reinterpret_cast<const float4 *>(&B[(k0 + id / 16) * N + (id % 16) * 4]);
        }
    };
    auto stash = [&](int buf) {
#pragma unroll
        for (int s = 0; s < 2; s++) {
            const int id = threadIdx.x + s * 64;
            As[buf][(id % 2) * 4 + 0][id / 2] = regA[s].x;
            As[buf][(id % 2) * 4 + 1][id / 2] = regA[s].y;
            As[buf][(id % 2) * 4 + 2][id / 2] = regA[s].z;
            As[buf][(id % 2) * 4 + 3][id / 2] = regA[s].w;
            *reinterpret_cast<float4 *>(&Bs[buf][id / 16][(id % 16) * 4]) = regB[s];
        }
    };

    fetch(0);
    stash(0);
    __syncthreads();
    int buf = 0;
    for (int k0 = BK; k0 <= K; k0 += BK) {
        if (k0 < K) fetch(k0);
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float a[TM], b[TN];
            *(float4 *)&a[0] = *(float4 *)&As[buf][k][ty * TM];
            *(float4 *)&a[4] = *(float4 *)&As[buf][k][ty * TM + 4];
            *(float4 *)&b[0] = *(float4 *)&Bs[buf][k][tx * TN];
            *(float4 *)&b[4] = *(float4 *)&Bs[buf][k][tx * TN + 4];
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++) acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
        }
        if (k0 < K) {
            buf ^= 1;
            stash(buf);
            __syncthreads();
        }
    }
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j += 4) {
            float4 *at = reinterpret_cast<float4 *>(&C[(ty * TM + i) * N + tx * TN + j]);
            float4 c = *at;
            c.x = alpha * acc[i][j + 0] + beta * c.x;
            c.y = alpha * acc[i][j + 1] + beta * c.y;
            c.z = alpha * acc[i][j + 2] + beta * c.z;
            c.w = alpha * acc[i][j + 3] + beta * c.w;
            *at = c;
        }
}

// Half precision in pairs: two columns a thread, __hfma2.
extern "C" __global__ void hgemm_half2(const __half *A, const __half2 *B, __half2 *C, int m, int n2, int k)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= m || c >= n2) return;
    __half2 acc = __float2half2_rn(0.f);
    for (int i = 0; i < k; i++) acc = __hfma2(__half2half2(A[r * k + i]), B[i * n2 + c], acc);
    C[r * n2 + c] = acc;
}

// bfloat16 in, float sums, bfloat16 out with a ReLU.
extern "C" __global__ void bf16_gemm_relu(const __nv_bfloat16 *A, const __nv_bfloat16 *B, __nv_bfloat16 *C, int m, int n, int k)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= m || c >= n) return;
    float acc = 0.f;
    for (int i = 0; i < k; i++) acc += __bfloat162float(A[r * k + i]) * __bfloat162float(B[i * n + c]);
    C[r * n + c] = __float2bfloat16(fmaxf(acc, 0.f));
}

// int8: four products at once with __dp4a, B transposed, scales a row and a column.
extern "C" __global__ void int8_gemm(const int *A, const int *Bt, const float *row_scale, const float *col_scale, float *C,
                                     int m, int n, int k4)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= m || c >= n) return;
    int acc = 0;
    for (int i = 0; i < k4; i++) acc = __dp4a(A[r * k4 + i], Bt[c * k4 + i], acc);
    C[r * n + c] = acc * row_scale[r] * col_scale[c];
}

// Tensor cores by inline PTX: one 16 x 8 tile a warp, K in steps of 16.
extern "C" __global__ void mma_gemm(const __half *A, const __half *B, float *C, int n, int k)
{
    const int lane = threadIdx.x, group = lane >> 2, quad = lane & 3;
    const int row = blockIdx.y * 16, col = blockIdx.x * 8;
    float d[4] = {0.f, 0.f, 0.f, 0.f};
    for (int k0 = 0; k0 < k; k0 += 16) {
        unsigned a[4], b[2];
        a[0] = *(const unsigned *)&A[(row + group) * k + k0 + quad * 2];
        a[1] = *(const unsigned *)&A[(row + group + 8) * k + k0 + quad * 2];
        a[2] = *(const unsigned *)&A[(row + group) * k + k0 + quad * 2 + 8];
        a[3] = *(const unsigned *)&A[(row + group + 8) * k + k0 + quad * 2 + 8];
        for (int h = 0; h < 2; h++) {
            const __half2 pair = __halves2half2(B[(k0 + quad * 2 + h * 8) * n + col + group],
                                                B[(k0 + quad * 2 + h * 8 + 1) * n + col + group]);
            b[h] = *reinterpret_cast<const unsigned *>(&pair);
        }
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
    *(float2 *)&C[(row + group) * n + col + quad * 2] = make_float2(d[0], d[1]);
    *(float2 *)&C[(row + group + 8) * n + col + quad * 2] = make_float2(d[2], d[3]);
}

// A row a warp, vectors of four.
extern "C" __global__ void gemv_warp(const float4 *__restrict__ A, const float4 *__restrict__ x, float *__restrict__ y,
                                     int rows, int cols4)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0.f;
    for (int c = lane; c < cols4; c += 32) {
        const float4 a = A[row * cols4 + c], b = __ldg(&x[c]);
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    for (int m = 16; m; m >>= 1) sum += __shfl_xor_sync(~0u, sum, m);
    if (!lane) y[row] = sum;
}

// Sparse times dense: compressed rows (a warp a row), ELLPACK, jagged diagonals.
extern "C" __global__ void spmv_csr(int rows, const int *ptr, const int *col, const double *val, const double *x, double *y)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (row < rows) {
        double sum = 0;
        for (int j = ptr[row] + lane; j < ptr[row + 1]; j += 32) sum += val[j] * x[col[j]];
#pragma unroll
        for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
        if (lane == 0) y[row] = sum;
    }
}

extern "C" __global__ void spmv_ell(int rows, int width, const int *col, const double *val, const double *x, double *y)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    double dot = 0;
    for (int j = 0; j < width; j++) {
        const int c = col[j * rows + row];
        if (c == -1) break;
        dot += val[j * rows + row] * x[c];
    }
    y[row] = dot;
}

extern "C" __global__ void spmv_jds(int rows, const int *perm, const int *lengths, const int *starts, const int *col,
                                    const double *val, const double *x, double *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        double dot = 0;
        for (int j = 0, count = lengths[i]; j < count; ++j) {
            const int at = starts[j] + i;
            dot += val[at] * x[col[at]];
        }
        y[perm[i]] = dot;
    }
}

// Solve A x = b by elimination with row exchanges; a thread a row, the pivot found by one warp.
extern "C" __global__ void solve_pivoted(const float *A, const float *b, float *x, int n)
{
    extern __shared__ float lu[];  // n rows of n + 1
    __shared__ int pivot;
    const int t = threadIdx.x, w = n + 1;
    A += blockIdx.x * n * n;
    if (t < n) {
        for (int j = 0; j < n; j++) lu[t * w + j] = A[t * n + j];
        lu[t * w + n] = b[blockIdx.x * n + t];
    }
    __syncthreads();
    for (int k = 0; k < n; k++) {
        if (t < 32) {
            float most = t >= k && t < n ? fabsf(lu[t * w + k]) : -1.f;
            int which = t;
            for (int d = 16; d; d >>= 1) {
                const float o = __shfl_down_sync(0xffffffffu, most, d);
                const int ow = __shfl_down_sync(0xffffffffu, which, d);
                if (o > most) { most = o; which = ow; }
            }
            if (t == 0) pivot = which;
        }
        __syncthreads();
        if (pivot != k && t <= n) {
            const float s = lu[k * w + t];
            lu[k * w + t] = lu[pivot * w + t];
            lu[pivot * w + t] = s;
        }
        __syncthreads();
        if (t < n && t != k) {
            const float f = lu[t * w + k] / lu[k * w + k];
            for (int j = k; j <= n; j++) lu[t * w + j] -= f * lu[k * w + j];
        }
        __syncthreads();
    }
    if (t < n) x[blockIdx.x * n + t] = lu[t * w + n] / lu[t * w + t];
}

// QR by Givens rotations, a matrix a thread, kept in local memory because it is indexed at run time.
extern "C" __global__ void givens_qr(const double *A, double *R, int batch, int n)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= batch) return;
    double m[6][6];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) m[i][j] = A[(i * n + j) * batch + id];
    for (int j = 0; j < n; j++)
        for (int i = n - 1; i > j; i--) {
            const double a = m[i - 1][j], b = m[i][j];
            if (b == 0.0) continue;
            const double r = hypot(a, b), c = a / r, s = b / r;
            for (int k = j; k < n; k++) {
                const double u = m[i - 1][k], v = m[i][k];
                m[i - 1][k] = c * u + s * v;
                m[i][k] = c * v - s * u;
            }
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) R[(i * n + j) * batch + id] = m[i][j];
}

// Tridiagonal systems by parallel cyclic reduction.
extern "C" __global__ void tridiagonal_pcr(const float *a, const float *b, const float *c, const float *d, float *x, int n)
{
    __shared__ float4 row[128];
    const int i = threadIdx.x, base = blockIdx.x * n;
    if (i < n) row[i] = make_float4(a[base + i], b[base + i], c[base + i], d[base + i]);
    __syncthreads();
    for (int s = 1; s < n; s *= 2) {
        float4 r = make_float4(0.f, 1.f, 0.f, 0.f);
        if (i < n) {
            r = row[i];
            const float4 l = i - s >= 0 ? row[i - s] : make_float4(0.f, 1.f, 0.f, 0.f);
            const float4 u = i + s < n ? row[i + s] : make_float4(0.f, 1.f, 0.f, 0.f);
            const float k1 = r.x / l.y, k2 = r.z / u.y;
            r = make_float4(-l.x * k1, r.y - l.z * k1 - u.x * k2, -u.z * k2, r.w - l.w * k1 - u.w * k2);
        }
        __syncthreads();
        if (i < n) row[i] = r;
        __syncthreads();
    }
    if (i < n) x[base + i] = row[i].w / row[i].y;
}
