#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include "helper_cuda.h"
#include "../common/image.h"

#define FILTER_RADIUS 2
#define FILTER_SIZE (2 * FILTER_RADIUS + 1)
#define IN_TILE 16
#define OUT_TILE ((IN_TILE) - 2 * (FILTER_RADIUS))

__constant__ float d_filter[FILTER_SIZE][FILTER_SIZE];

// Faltung mit Kacheln im Shared Memory; die Ränder werden mit Nullen aufgefüllt
__global__ void conv2d_tiled(const float *in, float *out, int width, int height)
{
    __shared__ float tile[IN_TILE][IN_TILE];
    int col = blockIdx.x * OUT_TILE + threadIdx.x - FILTER_RADIUS;
    int row = blockIdx.y * OUT_TILE + threadIdx.y - FILTER_RADIUS;

    if (row >= 0 && row < height && col >= 0 && col < width)
        tile[threadIdx.y][threadIdx.x] = in[row * width + col];
    else
        tile[threadIdx.y][threadIdx.x] = 0.0f;
    __syncthreads();

    int tc = threadIdx.x - FILTER_RADIUS;
    int tr = threadIdx.y - FILTER_RADIUS;
    if (row >= 0 && row < height && col >= 0 && col < width) {
        if (tc >= 0 && tc < OUT_TILE && tr >= 0 && tr < OUT_TILE) {
            float sum = 0.f;
            for (int r = 0; r < FILTER_SIZE; ++r)
                for (int c = 0; c < FILTER_SIZE; ++c)
                    sum += d_filter[r][c] * tile[tr + r][tc + c];
            out[row * width + col] = sum;
        }
    }
}

static void fill(float *p, int n) { for (int i = 0; i < n; ++i) p[i] = (float)(rand() % 100) / 100.f; }

int main()
{
    const int W = 120, H = 90;
    float h_filter[FILTER_SIZE * FILTER_SIZE];
    float *h_in = (float *)malloc(W * H * sizeof(float));
    float *d_in, *d_out;
    fill(h_in, W * H);
    fill(h_filter, FILTER_SIZE * FILTER_SIZE);
    checkCudaErrors(cudaMalloc(&d_in, W * H * sizeof(float)));
    checkCudaErrors(cudaMalloc(&d_out, W * H * sizeof(float)));
    checkCudaErrors(cudaMemcpyToSymbol(d_filter, h_filter, sizeof(h_filter)));
    checkCudaErrors(cudaMemcpy(d_in, h_in, W * H * sizeof(float), cudaMemcpyHostToDevice));
    dim3 block(IN_TILE, IN_TILE);
    dim3 grid((int)ceil((float)W / OUT_TILE), (int)ceil((float)H / OUT_TILE));
    for (int rep = 0; rep < 10; rep++) {
        conv2d_tiled<<<grid, block>>>(d_in, d_out, W, H);
    }
    checkCudaErrors(cudaDeviceSynchronize());
    image_write("out.pgm", h_in, W, H);
    return 0;
}
