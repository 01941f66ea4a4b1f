// How many different labels there are: only the first to see a label counts it.
extern "C" __global__ void different(const unsigned int *labels, int *seen, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int *mark = seen + labels[i];
    if (atomicExch(mark, 1) == 0) atomicAdd(count, 1);
}
