// Shades of grey, fetched side by side: the block copies its pixels to shared memory, float by float.
// The structs are for the threads, the floats for the copy. A thread then reads its pixel from shared memory,
// three words from the next one's: as 3 is odd, 32 threads find their words in 32 different banks.
//
// grey(pixels, grey, n)
//   pixels  n pixels of 3 floats: red, green, blue, red, green, blue, ...
//   grey    n floats, overwritten with red + 2 * green + blue of each pixel
//   n       any number of pixels
//
// block: (256)
// grid: (ceil(n / 256))
// shared: 0

extern "C" __global__ void grey(const float* __restrict__ pixels, float* __restrict__ grey, int n) {
    __shared__ float tile[3 * 256];

    int first = blockIdx.x * 256;
    int floats = 3 * min(256, n - first);
    for (int k = threadIdx.x; k < floats; k += 256) tile[k] = pixels[3 * first + k];
    __syncthreads();

    int x = threadIdx.x;
    if (first + x < n) grey[first + x] = tile[3 * x] + 2.0f * tile[3 * x + 1] + tile[3 * x + 2];
}
