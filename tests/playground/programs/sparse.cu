#include <cstdio>
#include <random>
#include <vector>
#include <cuda_runtime.h>

struct CSR {
  int rows, cols, nnz;
  std::vector<int> row_ptr, col_idx;
  std::vector<double> val;
};

static CSR make_random(int rows, int cols, int per_row) {
  std::mt19937 gen(42);
  std::uniform_int_distribution<int> pick(0, cols - 1);
  CSR m{rows, cols, rows * per_row, {}, {}, {}};
  for (int r = 0; r <= rows; ++r) m.row_ptr.push_back(r * per_row);
  for (int i = 0; i < m.nnz; ++i) { m.col_idx.push_back(pick(gen)); m.val.push_back(1.0); }
  return m;
}

__global__ void spmv_csr_scalar(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col_idx,
                                const double* __restrict__ values, const double* __restrict__ x, double* y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    double dot = 0;
    for (int j = row_ptr[row]; j < row_ptr[row + 1]; ++j) dot += values[j] * x[col_idx[j]];
    y[row] = dot;
  }
}

__global__ void spmv_csr_vector(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col_idx,
                                const double* __restrict__ values, const double* __restrict__ x, double* y) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x & 31;
  if (warp < rows) {
    double dot = 0;
    for (int j = row_ptr[warp] + lane; j < row_ptr[warp + 1]; j += 32) dot += values[j] * x[col_idx[j]];
    for (int o = 16; o; o >>= 1) dot += __shfl_down_sync(0xffffffffu, dot, o);
    if (lane == 0) y[warp] = dot;
  }
}

int main() {
  const int rows = 1000, cols = 800, per_row = 12;
  CSR m = make_random(rows, cols, per_row);
  int nnz = rows * per_row;
  int *d_row_ptr, *d_col_idx;
  double *d_val, *d_x, *d_y;
  cudaMalloc(&d_row_ptr, (rows + 1) * sizeof(int));
  cudaMalloc(&d_col_idx, nnz * sizeof(int));
  cudaMalloc(&d_val, nnz * sizeof(double));
  cudaMalloc(&d_x, cols * sizeof(double));
  cudaMalloc(&d_y, rows * sizeof(double));
  cudaMemcpy(d_row_ptr, m.row_ptr.data(), (rows + 1) * sizeof(int), cudaMemcpyHostToDevice);
  spmv_csr_scalar<<<(rows + 127) / 128, 128>>>(rows, d_row_ptr, d_col_idx, d_val, d_x, d_y);
  spmv_csr_vector<<<(rows * 32 + 127) / 128, 128>>>(rows, d_row_ptr, d_col_idx, d_val, d_x, d_y);
  cudaDeviceSynchronize();
  return 0;
}
