// Writes each number with its square; the pairs should lie one behind the other.
extern "C" __global__ void squares(float *out)
{
    int i = threadIdx.x;
    float2 pair = make_float2(i, (float)i * i);
    out[i] = pair.x; // fault
    out[i + 1] = pair.y; // fault
}
