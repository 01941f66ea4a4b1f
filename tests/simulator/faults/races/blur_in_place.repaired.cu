// Each pixel becomes the mean of itself and its four neighbours; the border stays.
extern "C" __global__ void blur(const float *image, float *blurred, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    int i = y * width + x;
    float sum = image[i - 1] + image[i] + image[i + 1] + image[i - width] + image[i + width];
    blurred[i] = sum / 5.0f;
}
