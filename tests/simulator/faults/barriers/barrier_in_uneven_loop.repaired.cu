// Reverses each group of 64 elements. The last group may be shorter.
extern "C" __global__ void reverse_groups(const short *in, short *out, int n)
{
    __shared__ short group[64];
    int t = threadIdx.x;
    for (int first = 0; first < n; first += 64) {
        int i = first + t, length = min(64, n - first);
        if (i < n) group[t] = in[i];
        __syncthreads();
        if (i < n) out[i] = group[length - 1 - t];
        __syncthreads();
    }
}
