// What C++ and CUDA offer beside arithmetic.
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/complex>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

// A structure of pointers and sizes, passed by value.
struct Particles {
    float *x, *v;
    const int *kind;
    int count;
    __device__ float energy(int i) const { return 0.5f * v[i] * v[i] + 9.81f * x[i]; }
};

__constant__ float mass_of[3] = {1.0f, 2.5f, 0.25f};
__device__ unsigned long long moved = 0;
__device__ float total_energy[2];
static __device__ const int powers[] = {1, 10, 100, 1000};

extern "C" __global__ void push(Particles p, const float dt)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < p.count; i += gridDim.x * blockDim.x) {
        p.v[i] -= 9.81f * dt;
        p.x[i] += p.v[i] * dt;
        if (p.x[i] < 0.f) {
            p.x[i] = -p.x[i];
            p.v[i] = -p.v[i];
            atomicAdd(&moved, 1ULL);
        }
        atomicAdd(&total_energy[p.kind[i] & 1], mass_of[p.kind[i]] * p.energy(i));
    }
}

// Functions that stay functions.
__device__ __noinline__ int collatz(unsigned long long n)
{
    int steps = 0;
    while (n != 1) {
        n = (n & 1) ? 3 * n + 1 : n / 2;
        if (++steps > 1000) return -1;
    }
    return steps;
}

__device__ __noinline__ void divide(int a, int b, int &quotient, int *remainder)
{
    quotient = a / b;
    *remainder = a % b;
}

extern "C" __global__ void noinline_calls(const int *in, int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int q, r;
    divide(in[i] + 1000, 7, q, &r);
    out[i] = i % 3 == 0 ? collatz(i + 1) : (i % 3 == 1 ? q : powers[r & 3]);
}

// A small stack machine: a switch in a loop.
enum Op : unsigned char { PUSH, ADD, MUL, SUB, DUP, SWAP, JNZ, HALT, INDEX, DROP };

extern "C" __global__ void interpreter(const unsigned char *code, int *results, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int stack[16], sp = 0, pc = 0;
    for (bool running = true; running;) {
        switch (static_cast<Op>(code[pc++])) {
        case PUSH: stack[sp++] = (signed char)code[pc++]; break;
        case ADD: sp--; stack[sp - 1] += stack[sp]; break;
        case MUL: sp--; stack[sp - 1] *= stack[sp]; break;
        case SUB: sp--; stack[sp - 1] -= stack[sp]; break;
        case DUP: stack[sp] = stack[sp - 1]; sp++; break;
        case SWAP: { const int t = stack[sp - 1]; stack[sp - 1] = stack[sp - 2]; stack[sp - 2] = t; break; }
        case JNZ: { const int to = code[pc++]; if (stack[sp - 1] != 0) pc = to; break; }
        case INDEX: stack[sp++] = i; break;
        case DROP: sp--; break;
        case HALT: running = false; break;
        default: __trap();
        }
    }
    results[i] = stack[sp - 1];
}

// Dynamic shared memory carved by hand: doubles, then ints, then bytes.
extern "C" __global__ void carved(const double *in, double *out, int *order, int n)
{
    extern __shared__ __align__(16) unsigned char arena[];
    double *values = reinterpret_cast<double *>(arena);
    int *ranks = reinterpret_cast<int *>(values + n);
    unsigned char *seen = reinterpret_cast<unsigned char *>(ranks + n);
    const int t = threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z * blockDim.x * blockDim.y;
    if (t < n) {
        values[t] = in[t];
        ranks[t] = 0;
        seen[t] = 0;
    }
    __syncthreads();
    if (t < n) {
        for (int j = 0; j < n; j++) ranks[t] += values[j] < values[t] || (values[j] == values[t] && j < t);
        seen[ranks[t]] = 1;
    }
    __syncthreads();
    if (t < n) {
        out[ranks[t]] = values[t];
        order[t] = seen[t] ? ranks[t] : -1;
    }
}

// Type punning: unions, memcpy, bit fields, reinterpret_cast.
union Pun {
    float f;
    unsigned u;
    struct { unsigned mantissa : 23, exponent : 8, sign : 1; } parts;
    unsigned char bytes[4];
};

extern "C" __global__ void punning(const float *in, int *exponents, float *rebuilt, unsigned char *first, double *halves, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Pun p;
    p.f = in[i];
    exponents[i] = (int)p.parts.exponent - 127;
    first[i] = p.bytes[i & 3];
    p.parts.sign ^= 1;
    p.parts.exponent += 1;
    rebuilt[i] = p.f;
    long long bits;
    const double d = in[i];
    memcpy(&bits, &d, sizeof bits);
    bits -= 1LL << 52;
    halves[i] = *reinterpret_cast<double *>(&bits);
}

// Templates: if constexpr, specialisation, tuples, fold expressions, a policy with a static member.
template <typename T> struct Name { static constexpr int value = 0; };
template <> struct Name<float> { static constexpr int value = 1; };
template <> struct Name<cuda::std::int64_t> { static constexpr int value = 2; };

template <typename... Ts>
__device__ int sum_of(Ts... values) { return (0 + ... + (int)values); }

template <typename T, int... Offsets>
__global__ void templated(const T *in, T *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const auto pick = cuda::std::make_tuple(in[i], cuda::std::numeric_limits<T>::max(), (int)sizeof...(Offsets));
    T r = cuda::std::get<0>(pick);
    if constexpr (cuda::std::is_floating_point<T>::value) r = r * T(0.5);
    else r = r < 0 ? cuda::std::get<1>(pick) : r >> 1;
    ((r += in[(i + Offsets) % n]), ...);
    cuda::std::array<T, 3> trio{r, T(Name<T>::value), T(sum_of(1, 2.9, 'A'))};
    T total = 0;
    for (const T &each : trio) total += each;
    out[i] = total;
}

// libcu++'s atomics, in shared and global memory.
extern "C" __global__ void standard_atomics(const int *in, int *most, unsigned *count, int n)
{
    __shared__ cuda::std::atomic<int> top;
    if (threadIdx.x == 0) top.store(-2147483647, cuda::std::memory_order_relaxed);
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int seen = top.load();
        while (seen < in[i] && !top.compare_exchange_weak(seen, in[i])) { }
        cuda::std::atomic_ref<unsigned>(*count).fetch_add(1, cuda::std::memory_order_acq_rel);
    }
    __syncthreads();
    if (threadIdx.x == 0) most[blockIdx.x] = top.load();
}

// Registers by name, clocks, predicates: inline PTX.
extern "C" __global__ void inline_ptx(const unsigned *in, unsigned *out, long long *ticks, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const long long start = clock64();
    unsigned lane, below, field, chosen;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    if (i < n) {
        asm("bfe.u32 %0, %1, 4, 9;" : "=r"(field) : "r"(in[i]));
        asm("{ .reg .pred p;\n setp.gt.u32 p, %1, %2;\n selp.u32 %0, %1, %2, p;\n }" : "=r"(chosen) : "r"(field), "r"(lane));
        unsigned lop;
        asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(lop) : "r"(in[i]), "r"(below), "r"(chosen));
        out[i] = lop;
    }
    const long long stop = clock64();
    if (i < n) ticks[i] = stop - start;
}

// What a kernel says.
extern "C" __global__ void speak(const float *x, const char *word, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 2 == 0)
        printf("[%2d] x=%8.3f %s %#x %5.1f%% %c %lld %-4u|\n", i, x[i], word, 255 + i, 50.0, 'a' + i, -5000000000LL * i, 7u);
    if (i == n) printf("done, %s\n", n > 3 ? "many" : "few");
}

extern "C" __global__ void checked_sqrt(const float *x, float *y, int n)
{
    const int i = threadIdx.x;
    assert(i < n);
    assert(x[i] >= 0.0f && "negative input");
    y[i] = sqrtf(x[i]);
}

// Escape times by cuda::std::complex.
extern "C" __global__ void mandelbrot(unsigned short *iterations, int width, int height, double x0, double y0, double step, int most)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    const cuda::std::complex<double> c(x0 + px * step, y0 + py * step);
    cuda::std::complex<double> z(0.0, 0.0);
    int i = 0;
    while (i < most && z.real() * z.real() + z.imag() * z.imag() <= 4.0) {
        z = cuda::std::complex<double>(z.real() * z.real() - z.imag() * z.imag(), 2.0 * z.real() * z.imag()) + c;
        ++i;
    }
    iterations[py * width + px] = i;
}
