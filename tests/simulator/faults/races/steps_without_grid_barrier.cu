// Heat spreads along a rod, several steps in one launch, from one array to the other and back.
extern "C" __global__ void heat(float *now, float *next, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int step = 0; step < steps; step++) {
        if (i > 0 && i < n - 1)
            next[i] = now[i] + 0.25f * (now[i - 1] - 2.0f * now[i] + now[i + 1]); // fault
        float *other = now;
        now = next;
        next = other;
        __syncthreads();
    }
}
