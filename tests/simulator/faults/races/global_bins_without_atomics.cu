// How much weight falls on each cell of a grid.
extern "C" __global__ void deposit(const float2 *places, const float *weights, float *grid, int width, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int cell = (int)places[i].y * width + (int)places[i].x;
    grid[cell] += weights[i]; // fault
}
