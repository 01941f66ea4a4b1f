// The sum of the first sixteen values of each warp.
extern "C" __global__ void half_sums(const double *x, double *sums)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane < 16) {
        double sum = x[threadIdx.x];
        for (int step = 8; step > 0; step /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, step); // fault
        if (lane == 0) sums[warp] = sum;
    }
}
