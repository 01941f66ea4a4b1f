// Two warps exchange values twice; each exchange has a barrier of its own.
__device__ void first_meeting() { asm volatile("bar.sync 1, 64;" ::: "memory"); }
__device__ void second_meeting() { asm volatile("bar.sync 2, 64;" ::: "memory"); }

extern "C" __global__ void meet_twice(const int *in, int *out)
{
    __shared__ int a[64], b[64];
    int t = threadIdx.x;
    a[t] = in[t];
    b[t] = -in[t];
    if (t < 32) {
        first_meeting();
        out[t] = a[t + 32];
        second_meeting();
        out[t] += 2 * b[t + 32];
    } else {
        first_meeting();
        out[t] = a[t - 32];
        second_meeting();
        out[t] += 2 * b[t - 32];
    }
}
