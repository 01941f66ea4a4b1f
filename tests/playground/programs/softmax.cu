#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

// On-line softmax over rows, one warp per row.  Онлайн-софтмакс: один варп на строку.
namespace nn {
namespace detail {

template <typename T> struct Convert;
template <> struct Convert<float> {
  static __device__ __forceinline__ float load(float v) { return v; }
  static __device__ __forceinline__ float store(float v) { return v; }
};
template <> struct Convert<__half> {
  static __device__ __forceinline__ float load(__half v) { return __half2float(v); }
  static __device__ __forceinline__ __half store(float v) { return __float2half(v); }
};
template <> struct Convert<__nv_bfloat16> {
  static __device__ __forceinline__ float load(__nv_bfloat16 v) { return __bfloat162float(v); }
  static __device__ __forceinline__ __nv_bfloat16 store(float v) { return __float2bfloat16(v); }
};

__device__ __forceinline__ float warp_max(float v) {
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
  return v;
}
__device__ __forceinline__ float warp_sum(float v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  return v;
}
}  // namespace detail

template <typename T, int WARPS = 4>
__global__ void softmax_rows(T* __restrict__ out, const T* __restrict__ in, int rows, int cols) {
  using C = detail::Convert<T>;
  const int row = blockIdx.x * WARPS + threadIdx.y;
  if (row >= rows) return;
  const T* x = in + (int64_t)row * cols;
  T* y = out + (int64_t)row * cols;
  float m = -FLT_MAX;
  for (int c = threadIdx.x; c < cols; c += 32) m = fmaxf(m, C::load(x[c]));
  m = detail::warp_max(m);
  if (m == -INFINITY) m = 0.0f;
  float s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 32) s += expf(C::load(x[c]) - m);
  s = detail::warp_sum(s);
  for (int c = threadIdx.x; c < cols; c += 32) y[c] = C::store(expf(C::load(x[c]) - m) / s);
}

template <typename T>
void softmax(T* out, const T* in, int rows, int cols, cudaStream_t stream) {
  constexpr int kWarps = 4;
  dim3 block(32, kWarps);
  int grid = (rows + kWarps - 1) / kWarps;
  softmax_rows<T, kWarps><<<grid, block, 0, stream>>>(out, in, rows, cols);
}
}  // namespace nn

int main() {
  const int rows = 37, cols = 100;
  half *in, *out;
  cudaMalloc(&in, rows * cols * sizeof(half));
  cudaMalloc(&out, rows * cols * sizeof(half));
  nn::softmax<half>(out, in, rows, cols, 0);
  float *fin, *fout;
  cudaMalloc(&fin, rows * cols * sizeof(float));
  cudaMalloc(&fout, rows * cols * sizeof(float));
  nn::softmax_rows<float><<<(rows + 3) / 4, dim3(32, 4)>>>(fout, fin, rows, cols);
  __nv_bfloat16 *bin, *bout;
  cudaMalloc(&bin, rows * cols * 2);
  cudaMalloc(&bout, rows * cols * 2);
  nn::softmax_rows<__nv_bfloat16, 4><<<(rows + 3) / 4, dim3(32, 4)>>>(bout, bin, rows, cols);
  return cudaDeviceSynchronize();
}
