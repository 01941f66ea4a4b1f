// A grey image from one with red, green and blue, a thread a pixel.
extern "C" __global__ void grey(const uchar3 *image, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width) return;
    uchar3 p = image[y * width + x]; // fault
    out[y * width + x] = (p.x + 2 * p.y + p.z) / 4; // fault: also
}
