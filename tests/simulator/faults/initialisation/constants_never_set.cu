// A polynomial whose coefficients the host puts into constant memory before the launch.
#define DEGREE 3

__constant__ float coefficients[DEGREE + 1];

extern "C" __global__ void polynomial(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = DEGREE; k >= 0; k--)
        sum = sum * x[i] + coefficients[k]; // fault
    y[i] = sum;
}
