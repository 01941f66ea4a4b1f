// Pointers to functions, to parameters and to pointers; virtual functions; recursion.

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

// A structure by value whose address is taken.
struct Curve {
    float coefficient[6];
    int degree;
};

__device__ __noinline__ float evaluate(const Curve *curve, float x)
{
    float y = 0.f;
    for (int k = curve->degree; k >= 0; k--) y = y * x + curve->coefficient[k];
    return y;
}

extern "C" __global__ void by_address(const float *x, float *y, int n, const __grid_constant__ Curve curve)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = evaluate(&curve, x[i]);
}

// Batches as arrays of pointers, some of them null.
extern "C" __global__ void batched_scale(const float *const *in, float **out, const float *factors, int n)
{
    const float *from = in[blockIdx.x];
    float *to = out[blockIdx.x];
    if (from == nullptr) return;
    for (int i = threadIdx.x; i < n; i += blockDim.x) to[i] = factors[blockIdx.x] * from[i];
}

// Quicksort that calls itself, a segment a thread.
__device__ void quicksort(int *a, int left, int right)
{
    if (left >= right) return;
    const int pivot = a[(left + right) / 2];
    int i = left, j = right;
    while (i <= j) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i <= j) {
            const int t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
    }
    quicksort(a, left, j);
    quicksort(a, i, right);
}

extern "C" __global__ void sort_segments(int *a, int length, int segments)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < segments) quicksort(a + s * length, 0, length - 1);
}
