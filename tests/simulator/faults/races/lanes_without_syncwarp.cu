// Each group of eight lanes adds its values in three steps, in shared memory.
extern "C" __global__ void eights(const float *x, float *sums)
{
    __shared__ float levels[32];
    int lane = threadIdx.x;
    levels[lane] = x[blockIdx.x * 32 + lane]; // fault: also
    if (lane % 2 == 0)
        levels[lane] += levels[lane + 1]; // fault
    if (lane % 4 == 0)
        levels[lane] += levels[lane + 2]; // fault
    if (lane % 8 == 0)
        sums[blockIdx.x * 4 + lane / 8] = levels[lane] + levels[lane + 4]; // fault
}
