// Records of seven bytes: a kind in one byte, then a number in four, then two that are not used.
#define RECORD 7

extern "C" __global__ void numbers(const unsigned char *records, unsigned int *out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const unsigned char *place = records + i * RECORD + 1;
    out[i] = *(const unsigned int *)place; // fault
}
