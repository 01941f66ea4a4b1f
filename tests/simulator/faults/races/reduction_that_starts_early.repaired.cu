// The largest value of a block; each thread first looks at several.
template <typename T>
__global__ void block_max(const T *x, T *out, int n)
{
    extern __shared__ unsigned char memory[];
    T *best = reinterpret_cast<T *>(memory);
    T mine = x[threadIdx.x];
    for (int i = threadIdx.x + blockDim.x; i < n; i += blockDim.x) mine = max(mine, x[i]);
    best[threadIdx.x] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            best[threadIdx.x] = max(best[threadIdx.x], best[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = best[0];
}
