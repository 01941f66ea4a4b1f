// Around shared memory: each store of a warp touches twice as many sectors.

extern "C" __global__ void transpose_pixels(const float4* __restrict__ in, float4* __restrict__ out,
                                            int rows, int cols) {
    int row = blockIdx.y * 16 + threadIdx.y;
    int col = blockIdx.x * 16 + threadIdx.x;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
