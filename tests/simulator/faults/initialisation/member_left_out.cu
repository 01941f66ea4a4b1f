// The brightest pixel of each warp's part; the winner's place is reported with its value.
struct Best {
    float value;
    short x, y;
};

extern "C" __global__ void brightest(const float *image, Best *out, int width)
{
    __shared__ Best best[2];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x * 2 + warp;
    float value = -1.0f;
    int place = 0;
    for (int x = lane; x < width; x += 32)
        if (image[row * width + x] > value) {
            value = image[row * width + x];
            place = x;
        }
    float most = value;
    for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, step));
    unsigned int winners = __ballot_sync(0xffffffff, value == most);
    if (lane == __ffs(winners) - 1) {
        best[warp].value = value;
        best[warp].x = place;
    }
    __syncthreads();
    if (threadIdx.x < 2) out[blockIdx.x * 2 + threadIdx.x] = best[threadIdx.x]; // fault
}
