// Even threads take the cosine, odd ones the sine, then neighbours multiply theirs.
extern "C" __global__ void products(const float *angles, float *out)
{
    __shared__ float value[64];
    int t = threadIdx.x;
    if (t % 2 == 0) {
        value[t] = cosf(angles[t]);
        __syncthreads(); // fault
    } else {
        value[t] = sinf(angles[t]);
        __syncthreads(); // fault
    }
    out[t] = value[t] * value[t ^ 1];
}
