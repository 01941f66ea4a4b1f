// All lanes of a warp take the value of its first lane.
extern "C" __global__ void broadcast(const double *in, double *out)
{
    double value = in[threadIdx.x];
    out[threadIdx.x] = __shfl_sync(0x0000ffff, value, 0); // fault
}
