// Marks which values exceed a limit. Neighbouring bytes of one word are no conflict, bits of one byte are.
extern "C" __global__ void mark(const float *x, unsigned char *marks, float limit, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > limit)
        marks[i] = 1;
}
