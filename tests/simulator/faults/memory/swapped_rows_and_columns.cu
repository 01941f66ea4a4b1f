// Transpose of a matrix that is wider than high.
extern "C" __global__ void transpose(const int *in, int *out, int height, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[x * width + y] = in[y * width + x]; // fault
}
