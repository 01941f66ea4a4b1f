// Physics, finance, signals: floating point in both widths.
// All pairs, tiles of bodies in shared memory; positions and masses in float4.
__device__ float3 interact(float4 bi, float4 bj, float3 ai)
{
    float3 r;
    r.x = bj.x - bi.x;
    r.y = bj.y - bi.y;
    r.z = bj.z - bi.z;
    const float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + 0.01f;
    const float invDist = rsqrtf(distSqr);
    const float s = bj.w * invDist * invDist * invDist;
    ai.x += r.x * s;
    ai.y += r.y * s;
    ai.z += r.z * s;
    return ai;
}

extern "C" __global__ void nbody_tiles(const float4 *__restrict__ pos, float3 *__restrict__ acc, int n)
{
    extern __shared__ float4 sh_pos[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 mine = i < n ? pos[i] : make_float4(0.f, 0.f, 0.f, 0.f);
    float3 a = {0.0f, 0.0f, 0.0f};
    for (int tile = 0; tile < gridDim.x; tile++) {
        const int j = tile * blockDim.x + threadIdx.x;
        sh_pos[threadIdx.x] = j < n ? pos[j] : make_float4(0.f, 0.f, 0.f, 0.f);
        __syncthreads();
#pragma unroll 4
        for (unsigned int k = 0; k < blockDim.x; k++) a = interact(mine, sh_pos[k], a);
        __syncthreads();
    }
    if (i < n) acc[i] = a;
}

// Radix-2 FFT in shared memory: bit reversal by __brev, twiddles by sincosf; a transform a block.
template <int LOG2N>
__global__ void fft_radix2(const float2 *in, float2 *out, bool inverse)
{
    constexpr int N = 1 << LOG2N;
    __shared__ float2 s[N];
    in += blockIdx.x * N;
    out += blockIdx.x * N;
    for (int i = threadIdx.x; i < N; i += blockDim.x) s[__brev(i) >> (32 - LOG2N)] = in[i];
    __syncthreads();
    for (int half = 1; half < N; half <<= 1) {
        for (int t = threadIdx.x; t < N / 2; t += blockDim.x) {
            const int k = t & (half - 1), top = ((t - k) << 1) + k;
            float sn, cs;
            sincosf((inverse ? 3.14159265358979f : -3.14159265358979f) * k / half, &sn, &cs);
            const float2 a = s[top], b = s[top + half];
            const float2 wb = make_float2(b.x * cs - b.y * sn, b.x * sn + b.y * cs);
            s[top] = make_float2(a.x + wb.x, a.y + wb.y);
            s[top + half] = make_float2(a.x - wb.x, a.y - wb.y);
        }
        __syncthreads();
    }
    const float scale = inverse ? 1.f / N : 1.f;
    for (int i = threadIdx.x; i < N; i += blockDim.x) out[i] = make_float2(s[i].x * scale, s[i].y * scale);
}

__device__ inline double cnd(double d) { return 0.5 * erfc(-d * 0.70710678118654752440); }

// Black and Scholes in double: log, sqrt, exp, erfc.
extern "C" __global__ void black_scholes(double *call, double *put, const double *S, const double *X, const double *T,
                                         double r, double vol, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const double sqrtT = sqrt(T[i]);
        const double d1 = (log(S[i] / X[i]) + (r + 0.5 * vol * vol) * T[i]) / (vol * sqrtT);
        const double d2 = d1 - vol * sqrtT, discount = exp(-r * T[i]);
        call[i] = S[i] * cnd(d1) - X[i] * discount * cnd(d2);
        put[i] = X[i] * discount * cnd(-d2) - S[i] * cnd(-d1);
    }
}

__device__ __forceinline__ unsigned xorshift32(unsigned &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

// Pi by darts, a generator a thread.
extern "C" __global__ void monte_carlo_pi(unsigned long long *hits, int throws)
{
    unsigned state = 2463534242u + 7919u * (blockIdx.x * blockDim.x + threadIdx.x);
    unsigned inside = 0;
    for (int t = 0; t < throws; t++) {
        const float x = (xorshift32(state) >> 8) * (1.f / 16777216.f), y = (xorshift32(state) >> 8) * (1.f / 16777216.f);
        inside += x * x + y * y < 1.f;
    }
    for (int d = 16; d; d >>= 1) inside += __shfl_down_sync(~0u, inside, d);
    if (threadIdx.x % 32 == 0) atomicAdd(hits, (unsigned long long)inside);
}

// Counter-based random numbers: Philox 4x32 with ten rounds.
struct Philox {
    uint4 counter;
    uint2 key;
    __device__ static uint4 round(uint4 c, uint2 k)
    {
        const unsigned hi0 = __umulhi(0xD2511F53u, c.x), lo0 = 0xD2511F53u * c.x;
        const unsigned hi1 = __umulhi(0xCD9E8D57u, c.z), lo1 = 0xCD9E8D57u * c.z;
        return make_uint4(hi1 ^ c.y ^ k.x, lo1, hi0 ^ c.w ^ k.y, lo0);
    }
    __device__ uint4 operator()() const
    {
        uint4 c = counter;
        uint2 k = key;
#pragma unroll
        for (int i = 0; i < 9; i++) {
            c = round(c, k);
            k.x += 0x9E3779B9u;
            k.y += 0xBB67AE85u;
        }
        return round(c, k);
    }
};

extern "C" __global__ void philox_bits(uint4 *out, unsigned long long seed, unsigned long long offset, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned long long at = offset + i;
    Philox generator{make_uint4((unsigned)at, (unsigned)(at >> 32), 0u, 0u), make_uint2((unsigned)seed, (unsigned)(seed >> 32))};
    out[i] = generator();
}

struct State {
    double x, v;
    __device__ State operator+(const State &o) const { return {x + o.x, v + o.v}; }
    friend __device__ State operator*(double s, const State &o) { return {s * o.x, s * o.v}; }
};

template <class F>
__device__ State rk4(F f, State y, double t, double h)
{
    const State k1 = f(t, y), k2 = f(t + h / 2, y + (h / 2) * k1), k3 = f(t + h / 2, y + (h / 2) * k2), k4 = f(t + h, y + h * k3);
    return y + (h / 6) * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
}

// Driven oscillators, one a thread: Runge-Kutta with operators and a lambda.
extern "C" __global__ void oscillators(State *states, const double *omega, double h, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double w = omega[i];
    State y = states[i];
    for (int s = 0; s < steps; s++)
        y = rk4([w](double t, State q) { return State{q.v, -w * w * q.x + cos(t)}; }, y, s * h, h);
    states[i] = y;
}

// The double-precision library, one function a row.
extern "C" __global__ void library_f64(const double *x, double *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double v = x[i], a = fabs(v);
    const double r[] = {sin(v), cos(v), asin(v / 20), atan(v), sinh(v / 4), tanh(v), exp2(v), expm1(v), log10(a), log1p(a),
                        cbrt(v), pow(a, 1.7), atan2(v, 2.5), fmod(v, 0.7), floor(v), rint(v), erf(v), lgamma(a),
                        sqrt(a), 1 / v, copysign(a, -v)};
    for (int k = 0; k < sizeof(r) / sizeof(r[0]); k++) out[k * n + i] = r[k];
}

// Roots by Newton with a bisection to fall back on.
extern "C" __global__ void newton_roots(const float *targets, float *roots, int *steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float c = targets[i];
    float lo = 0.f, hi = 10.f, x = 5.f;
    int k = 0;
    for (; k < 60; ++k) {
        const float f = x * x * x + x - c;
        if (fabsf(f) <= 1e-6f * fmaxf(1.f, c)) break;
        if (f > 0) hi = x; else lo = x;
        const float next = x - f / (3.f * x * x + 1.f);
        x = next > lo && next < hi ? next : 0.5f * (lo + hi);
    }
    roots[i] = x;
    steps[i] = k;
}

// Intrinsics and what --use_fast_math makes of the library.
extern "C" __global__ void fast_math(const float *x, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = x[i];
    out[0 * n + i] = __expf(v);
    out[1 * n + i] = __sinf(v);
    out[2 * n + i] = __cosf(v);
    out[3 * n + i] = __fdividef(v, 3.0f + v);
    out[4 * n + i] = __powf(v, 1.5f);
    out[5 * n + i] = __logf(v);
    out[6 * n + i] = __frsqrt_rn(v);
    out[7 * n + i] = __saturatef(v - 1.0f);
    out[8 * n + i] = sinf(v) / cosf(v);
    out[9 * n + i] = sqrtf(v) / (v + 1.0f);
    out[10 * n + i] = __exp10f(v);
    out[11 * n + i] = __log2f(v);
    out[12 * n + i] = __fmul_rz(v, v);
    out[13 * n + i] = __fadd_ru(v, 1e-8f);
}
