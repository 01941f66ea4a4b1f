// The difference of each element and the next.
extern "C" __global__ void differences(const float *x, float *d, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        d[i] = i + 1 < n ? x[i + 1] - x[i] : 0.0f;
}
