// Calls whose target is known only at run time, recursion, memory from the device's heap.

typedef float (*Function)(float);
__device__ float twice(float x) { return 2.f * x; }
__device__ float square(float x) { return x * x; }
__device__ float negate(float x) { return -x; }
__device__ Function table[] = {twice, square, negate};

extern "C" __global__ void by_table(const float *x, const int *which, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = table[which[i]](x[i]);
}

// Virtual functions.
struct Shape {
    __device__ virtual float area() const = 0;
};
struct Square : Shape {
    float a;
    __device__ Square(float a) : a(a) {}
    __device__ float area() const override { return a * a; }
};
struct Disc : Shape {
    float r;
    __device__ Disc(float r) : r(r) {}
    __device__ float area() const override { return 3.0f * r * r; }
};

extern "C" __global__ void virtual_calls(const float *x, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Square s(x[i]);
    Disc d(x[i]);
    const Shape *which = i % 3 ? (const Shape *)&s : &d;
    y[i] = which->area();
}
