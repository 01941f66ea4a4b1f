// Removes the first element: everything moves down by one.
extern "C" __global__ void drop_first(short *x, int n)
{
    int i = threadIdx.x;
    if (i + 1 < n)
        x[i] = x[i + 1]; // fault
}
