// Reverses each group of 64 elements. The last group may be shorter.
extern "C" __global__ void reverse_groups(const short *in, short *out, int n)
{
    __shared__ short group[64];
    int t = threadIdx.x;
    for (int i = t; i < n; i += 64) {
        int length = min(64, n - (i - t));
        group[t] = in[i];
        __syncthreads(); // fault
        out[i] = group[length - 1 - t];
        __syncthreads(); // fault
    }
}
