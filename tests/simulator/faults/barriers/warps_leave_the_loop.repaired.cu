// Two rows a block, a warp each, in steps of 32 weights that both warps share. Rows end at different places.
extern "C" __global__ void weighted_sums(const float *rows, const float *weights, const int *lengths, float *out,
                                         int width)
{
    __shared__ float shared_weights[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = blockIdx.x * 2 + warp;
    float sum = 0.0f;
    for (int k = 0; k < width; k += 32) {
        if (warp == 0) shared_weights[lane] = weights[k + lane];
        __syncthreads();
        if (k + lane < lengths[row]) sum += shared_weights[lane] * rows[row * width + k + lane];
        __syncthreads();
    }
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0) out[row] = sum;
}
