// Maximum of a block, then every value divided by it. The function that finds it holds barriers.
__device__ float block_max(float *scratch, float value)
{
    scratch[threadIdx.x] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) scratch[threadIdx.x] = fmaxf(scratch[threadIdx.x], scratch[threadIdx.x + half]);
        __syncthreads();
    }
    return scratch[0];
}

extern "C" __global__ void divide(const float *x, float *out, int heads)
{
    extern __shared__ float scratch[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = x[i], most = 1.0f;
    float found = block_max(scratch, value);
    if (threadIdx.x / 32 < heads) most = found;
    out[i] = value / most;
}
