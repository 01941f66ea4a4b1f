// Every element times a factor; the grid is rounded up to whole blocks.
template <typename T>
__global__ void scale(T *x, T factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
