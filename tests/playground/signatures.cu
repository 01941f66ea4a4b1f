// Kernels without any host code, each a source of its own.

// add
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

// scale
__global__ void scale(float* x, float alpha, int size) {
    if (threadIdx.x < size) x[threadIdx.x] *= alpha;
}

// plain
__global__ void plain(const int* in, int* out) {
    out[threadIdx.x] = in[threadIdx.x];
}

// sum
__global__ void sum(const double* x, double* total, int n) {
    if (threadIdx.x < n) atomicAdd(total, x[threadIdx.x]);
}

// gather
__global__ void gather(const float* x, const int* idx, float* y, int n) {
    if (threadIdx.x < n) y[threadIdx.x] = x[idx[threadIdx.x]];
}

// gemm
__global__ void gemm(const half* A, const half* B, float* C, int M, int N, int K) {
    C[blockIdx.y * threadIdx.y] = A[0] * B[0];
}

// t
#define TILE 8
__global__ void t(float* out, const float* in, int width, int height) {
    __shared__ float s[TILE][TILE + 1];
    s[threadIdx.y][0] = in[0];
    out[0] = s[0][0];
}

// r
template <typename T, int B> __global__ void r(T* out, const T* in, int n) {
    __shared__ T s[B];
    s[threadIdx.x] = in[n];
    out[0] = s[0];
}

// logs
__global__ void logs(const float* x, float* y, float eps, int n) {
    for (int i = 0; i < n; ++i) y[i] = logf(x[i] + eps);
}

// text
__global__ void text(const char* s, int* counts, bool fold, int len) {
    if (threadIdx.x < len) atomicAdd(&counts[s[threadIdx.x]], fold);
}

// vectors
__global__ void vectors(const float4* p, double2* q, uchar3 c, int n) {
    if (threadIdx.x < n) q[threadIdx.x].x = p[threadIdx.x].w + c.x;
}
