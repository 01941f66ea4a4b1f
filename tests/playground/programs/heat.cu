#include <cuda_runtime.h>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define cudaCall(x) do { auto e = (x); if (e != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(e)); } while (0)

template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t n) : n_(n) { cudaCall(cudaMalloc(&ptr_, n * sizeof(T))); }
  ~DeviceBuffer() { cudaFree(ptr_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  T* get() { return ptr_; }
  const T* get() const noexcept { return ptr_; }
  size_t size() const { return n_; }
  void upload(const std::vector<T>& v) { cudaCall(cudaMemcpy(ptr_, v.data(), n_ * sizeof(T), cudaMemcpyHostToDevice)); }
 private:
  T* ptr_ = nullptr;
  size_t n_ = 0;
};

struct GridInfo {
  int nx, ny, nz;
  float dx, dt;
  int size() const { return nx * ny * nz; }
  __host__ __device__ int index(int x, int y, int z) const { return (z * ny + y) * nx + x; }
};

struct __align__(16) Coefficients {
  float centre;
  float neighbour;
  double extra[2];
};

__global__ void heat3d(GridInfo g, Coefficients c, const float* __restrict__ u, float* __restrict__ un) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= g.nx || y >= g.ny || z >= g.nz) return;
  int i = g.index(x, y, z);
  if (x == 0 || y == 0 || z == 0 || x == g.nx - 1 || y == g.ny - 1 || z == g.nz - 1) { un[i] = u[i]; return; }
  un[i] = c.centre * u[i] + c.neighbour * (u[i - 1] + u[i + 1] + u[i - g.nx] + u[i + g.nx] +
                                           u[i - g.nx * g.ny] + u[i + g.nx * g.ny]);
}

class Solver {
 public:
  Solver(GridInfo info) : info_(info), a_(info.size()), b_(info.size()) {}
  void step() {
    dim3 block(8, 8, 4);
    dim3 grid((info_.nx + 7) / 8, (info_.ny + 7) / 8, (info_.nz + 3) / 4);
    Coefficients c{0.4f, 0.1f, {0.0, 0.0}};
    heat3d<<<grid, block>>>(info_, c, a_.get(), b_.get());
    cudaCall(cudaGetLastError());
  }
 private:
  GridInfo info_;
  DeviceBuffer<float> a_, b_;
};

int main() try {
  GridInfo info{32, 32, 16, 0.1f, 0.001f};
  Solver s(info);
  for (int i = 0; i < 5; ++i) s.step();
  cudaCall(cudaDeviceSynchronize());
  return 0;
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
