// Integers, bits, bytes.

__constant__ unsigned crc_table[256];

// CRC-32 of fixed-length messages: a table in constant memory, indexed differently by every lane.
extern "C" __global__ void crc32(const unsigned char *text, const int *offsets, unsigned *crc, int messages)
{
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= messages) return;
    unsigned c = ~0u;
    for (const unsigned char *p = text + offsets[m], *end = text + offsets[m + 1]; p != end; ++p)
        c = crc_table[(c ^ *p) & 0xff] ^ (c >> 8);
    crc[m] = ~c;
}

// Byte orders and lanes of bytes: __byte_perm and the video instructions.
extern "C" __global__ void byte_tricks(const unsigned *in, unsigned *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned x = in[i], y = in[n - 1 - i];
    out[0 * n + i] = __byte_perm(x, 0, 0x0123);
    out[1 * n + i] = __byte_perm(x, y, 0x5410);
    out[2 * n + i] = __vadd4(x, y);
    out[3 * n + i] = __vmaxu4(x, y);
    out[4 * n + i] = __vabsdiffu4(x, y);
    out[5 * n + i] = __vcmpgtu4(x, y);
    out[6 * n + i] = __vaddus4(x, y);
    out[7 * n + i] = __vsubss2(x, y);
    out[8 * n + i] = __vavgu4(x, y);
    out[9 * n + i] = __usad(x, y, 7u);
}

extern "C" __global__ void bit_tricks(const unsigned *in, const unsigned long long *in64, unsigned *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned x = in[i];
    const unsigned long long y = in64[i];
    unsigned *o = out + i;
    *o = __popc(x); o += n;
    *o = __clz(x); o += n;
    *o = __ffs(x); o += n;
    *o = __brev(x); o += n;
    *o = __popcll(y); o += n;
    *o = __clzll(y); o += n;
    *o = __ffsll(y); o += n;
    *o = (unsigned)(__brevll(y) >> 32); o += n;
    *o = x & -x; o += n;
    *o = __funnelshift_lc(x, (unsigned)y, x & 63); o += n;
    *o = __funnelshift_r(x, (unsigned)y, y & 31); o += n;
    *o = (x >> (y & 31)) | (x << (-(unsigned)y & 31)); o += n;
    *o = __umul24(x, (unsigned)y); o += n;
    *o = __uhadd(x, (unsigned)y); o += n;
    *o = __mulhi((int)x, (int)y);
}

// Interleaved bits of three coordinates and back.
__host__ __device__ inline unsigned spread3(unsigned v)
{
    v = (v | (v << 16)) & 0x030000FF;
    v = (v | (v << 8)) & 0x0300F00F;
    v = (v | (v << 4)) & 0x030C30C3;
    return (v | (v << 2)) & 0x09249249;
}

extern "C" __global__ void morton3(const float3 *p, unsigned *codes, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float3 q = p[i];
    const unsigned x = min(max(q.x * 1024.0f, 0.0f), 1023.0f), y = min(max(q.y * 1024.0f, 0.0f), 1023.0f),
                   z = min(max(q.z * 1024.0f, 0.0f), 1023.0f);
    codes[i] = spread3(x) * 4 + spread3(y) * 2 + spread3(z);
}

__device__ unsigned long long mulmod(unsigned long long a, unsigned long long b, unsigned long long m)
{
    unsigned long long r = 0;
    for (; b; b >>= 1) {
        if (b & 1) r = (m - r > a) ? r + a : a - (m - r);
        a = (m - a > a) ? a + a : a - (m - a);
    }
    return r;
}

// Miller and Rabin's test; powers by squaring, products of 128 bits modulo 64.
extern "C" __global__ void is_prime(const unsigned long long *in, unsigned char *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned long long v = in[i];
    if (v < 2 || (v % 2 == 0 && v != 2)) { out[i] = 0; return; }
    unsigned long long d = v - 1;
    int s = __ffsll(d) - 1;
    d >>= s;
    const unsigned bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
#pragma unroll 1
    for (int k = 0; k < 12; k++) {
        unsigned long long a = bases[k] % v, x = 1;
        if (a == 0) continue;
        for (unsigned long long e = d; e; e >>= 1, a = mulmod(a, a, v))
            if (e & 1) x = mulmod(x, a, v);
        if (x == 1 || x == v - 1) continue;
        int r = 1;
        for (; r < s; r++) {
            x = mulmod(x, x, v);
            if (x == v - 1) goto next_base;
        }
        out[i] = 0;
        return;
    next_base:;
    }
    out[i] = 1;
}

// Products of 256 bits from 64-bit halves, carries by hand and by inline PTX.
extern "C" __global__ void wide_multiply(const ulonglong2 *a, const ulonglong2 *b, ulonglong4 *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned long long a0 = a[i].x, a1 = a[i].y, b0 = b[i].x, b1 = b[i].y;
    unsigned long long r0 = a0 * b0, r1 = __umul64hi(a0, b0), r2 = 0, r3 = 0;
    asm("{\n\t"
        "mad.lo.cc.u64 %0, %3, %4, %0;\n\t"
        "madc.hi.cc.u64 %1, %3, %4, %1;\n\t"
        "addc.u64 %2, %2, 0;\n\t"
        "mad.lo.cc.u64 %0, %5, %6, %0;\n\t"
        "madc.hi.cc.u64 %1, %5, %6, %1;\n\t"
        "addc.u64 %2, %2, 0;\n\t"
        "}"
        : "+l"(r1), "+l"(r2), "+l"(r3) : "l"(a0), "l"(b1), "l"(a1), "l"(b0));
    const unsigned long long low = a1 * b1;
    r2 += low;
    r3 += __umul64hi(a1, b1) + (r2 < low);
    out[i] = make_ulonglong4(r0, r1, r2, r3);
}

// Solutions of n queens below each first row, without recursion: a stack of bit masks in local memory.
extern "C" __global__ void queens(int n, int *solutions)
{
    const int first = threadIdx.x;
    if (first >= n) return;
    unsigned cols[16], left[16], right[16], free_[16];
    const unsigned all = (1u << n) - 1, start = 1u << first;
    int depth = 1, found = 0;
    cols[1] = start; left[1] = start << 1; right[1] = start >> 1;
    free_[1] = all & ~(cols[1] | left[1] | right[1]);
    while (depth > 0) {
        const unsigned options = free_[depth];
        if (!options) { depth--; continue; }
        const unsigned bit = options & (0u - options);
        free_[depth] = options ^ bit;
        if (depth == n - 1) { found++; continue; }
        cols[depth + 1] = cols[depth] | bit;
        left[depth + 1] = (left[depth] | bit) << 1;
        right[depth + 1] = (right[depth] | bit) >> 1;
        depth++;
        free_[depth] = all & ~(cols[depth] | left[depth] | right[depth]);
    }
    solutions[first] = found;
}

// Grey from RGB pixels of three bytes; the weights sum to 256.
extern "C" __global__ void grey(const uchar3 *rgb, unsigned char *out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uchar3 p = rgb[y * width + x];
    out[y * width + x] = (77 * p.x + 150 * p.y + 29 * p.z + 128) >> 8;
}

// Where a pattern occurs in a text; the pattern travels by value.
struct Pattern {
    char text[13];
    unsigned char length;
};

extern "C" __global__ void find_pattern(const char *text, int n, Pattern pattern, int *places, int *count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + pattern.length > n) return;
    for (int k = 0; k < pattern.length; k++)
        if (text[i + k] != pattern.text[k]) return;
    places[atomicAdd(count, 1)] = i;
}

// Letters counted and cases changed through a switch.
extern "C" __global__ void classify(const char *text, char *out, int *kinds, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    char c = text[i];
    int kind;
    switch (c) {
    case 'a': case 'e': case 'i': case 'o': case 'u': kind = 0; c -= 32; break;
    case ' ': case '\t': kind = 1; c = '_'; break;
    case '\n': kind = 2; break;
    case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9': kind = 3; c = '0' + ('9' - c); break;
    default:
        kind = c >= 'A' && c <= 'Z' ? 4 : 5;
        if (kind == 4) c += 32;
    }
    out[i] = c;
    atomicAdd(kinds + kind, 1);
}
