// Each warp turns its first eight values round; the others are copied.
extern "C" __global__ void reverse_eight(const int *in, int *out)
{
    __shared__ int slots[2][8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, value = in[threadIdx.x];
    if (lane < 8) {
        slots[warp][lane] = value;
        __syncwarp(); // fault
        value = slots[warp][7 - lane];
    }
    out[threadIdx.x] = value;
}
