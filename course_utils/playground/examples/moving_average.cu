// The mean of each element and its two neighbours. It has a mistake.
#include <iostream>
#include <cuda_runtime.h>

__global__ void moving_average(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3.0f;
    }
}

int main() {
    const int n = 1000;
    float *x, *y;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    for (int i = 0; i < n; ++i) x[i] = i % 10;
    moving_average<<<(n + 255) / 256, 256>>>(x, y, n);
    cudaDeviceSynchronize();
    std::cout << "y[1] is " << y[1] << std::endl;
    return 0;
}
