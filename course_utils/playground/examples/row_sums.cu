// The sums of the rows of a matrix, by two kernels. A whole program, as one would give it to nvcc.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                  \
    do {                                                                             \
        cudaError_t status = (call);                                                 \
        if (status != cudaSuccess) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            exit(EXIT_FAILURE);                                                      \
        }                                                                            \
    } while (0)

constexpr int WARP = 32;

// One thread for each row.
__global__ void row_sums_by_thread(const float* matrix, float* sums, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int column = 0; column < columns; ++column)
        sum += matrix[row * columns + column];
    sums[row] = sum;
}

// Adds up what the lanes of a warp hold; lane 0 gets the sum.
__device__ float warp_sum(float value) {
    for (int distance = WARP / 2; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffff, value, distance);
    return value;
}

// One warp for each row.
__global__ void row_sums_by_warp(const float* matrix, float* sums, int rows, int columns) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    int lane = threadIdx.x % WARP;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int column = lane; column < columns; column += WARP)
        sum += matrix[row * columns + column];
    sum = warp_sum(sum);
    if (lane == 0) sums[row] = sum;
}

int main(int argc, char** argv) {
    int rows = argc > 1 ? atoi(argv[1]) : 512;
    int columns = 128;
    size_t bytes = rows * columns * sizeof(float);
    std::vector<float> host(rows * columns, 1.0f);

    float *matrix, *sums;
    CHECK(cudaMalloc(&matrix, bytes));
    CHECK(cudaMalloc(&sums, rows * sizeof(float)));
    CHECK(cudaMemcpy(matrix, host.data(), bytes, cudaMemcpyHostToDevice));

    int threads = 128;
    row_sums_by_thread<<<(rows + threads - 1) / threads, threads>>>(matrix, sums, rows, columns);
    CHECK(cudaGetLastError());
    row_sums_by_warp<<<(rows * WARP + threads - 1) / threads, threads>>>(matrix, sums, rows, columns);
    CHECK(cudaDeviceSynchronize());

    std::vector<float> result(rows);
    CHECK(cudaMemcpy(result.data(), sums, rows * sizeof(float), cudaMemcpyDeviceToHost));
    printf("the first sum is %f\n", result[0]);
    CHECK(cudaFree(matrix));
    CHECK(cudaFree(sums));
    return 0;
}
