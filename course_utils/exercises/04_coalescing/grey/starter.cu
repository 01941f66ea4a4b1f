// Shades of grey: one thread a pixel, which is a struct of three floats.
// As it stands each thread fetches the three floats of its own pixel, one after the other. Let the block fetch
// its pixels together, float by float in the order of their addresses, so that no request fetches in vain.
//
// grey(pixels, grey, n)
//   pixels  n pixels of 3 floats: red, green, blue, red, green, blue, ...
//   grey    n floats, overwritten with red + 2 * green + blue of each pixel
//   n       any number of pixels
//
// block: (256)
// grid: (ceil(n / 256))
// shared: 0

struct Pixel {
    float red, green, blue;
};

extern "C" __global__ void grey(const Pixel* __restrict__ pixels, float* __restrict__ grey, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float red = pixels[i].red;
    float green = pixels[i].green;
    float blue = pixels[i].blue;
    grey[i] = red + 2.0f * green + blue;
}
