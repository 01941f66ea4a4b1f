// One warp, one access of each lane at an index from a list: what a GPU counts for it is recorded in
// data/single_warp_h200.json. A negative index: the lane takes no part.

#define GLOBAL(name, type, statement)                                                              \
    extern "C" __global__ void g_##name(type* p, const int* index, type* out, type value) {       \
        int lane = threadIdx.x;                                                                    \
        int i = index[lane];                                                                       \
        if (i >= 0) statement;                                                                     \
    }
#define SHARED(name, type, statement)                                                              \
    extern "C" __global__ void s_##name(type* p, const int* index, type* out, type value) {       \
        __shared__ type words[1024];                                                               \
        int lane = threadIdx.x;                                                                    \
        int i = index[lane];                                                                       \
        if (value == (type)12345) words[lane] = value;                                             \
        __syncwarp();                                                                              \
        if (i >= 0) statement;                                                                     \
    }

GLOBAL(red_add_u32, unsigned, atomicAdd(p + i, value))
GLOBAL(atom_add_u32, unsigned, out[lane] = atomicAdd(p + i, value))
GLOBAL(red_add_f32, float, atomicAdd(p + i, value))
GLOBAL(atom_add_f32, float, out[lane] = atomicAdd(p + i, value))
GLOBAL(red_add_f64, double, atomicAdd(p + i, value))
GLOBAL(red_add_u64, unsigned long long, atomicAdd(p + i, value))
GLOBAL(atom_exch_u32, unsigned, out[lane] = atomicExch(p + i, value))
GLOBAL(atom_cas_u32, unsigned, out[lane] = atomicCAS(p + i, 0u, value))
GLOBAL(red_max_u32, unsigned, atomicMax(p + i, value))
GLOBAL(red_min_s32, int, atomicMin(p + i, value))

SHARED(add_u32, unsigned, atomicAdd(words + i, value))
SHARED(addr_u32, unsigned, out[lane] = atomicAdd(words + i, value))
SHARED(add_f32, float, atomicAdd(words + i, value))
SHARED(add_u64, unsigned long long, atomicAdd(words + i, value))
SHARED(cas_u32, unsigned, out[lane] = atomicCAS(words + i, 0u, value))
SHARED(exch_u32, unsigned, out[lane] = atomicExch(words + i, value))
SHARED(max_u32, unsigned, atomicMax(words + i, value))
SHARED(add_f64, double, atomicAdd(words + i, value))

extern "C" __global__ void ldm(const unsigned* index, unsigned* out) {
    __shared__ __align__(16) unsigned words[2048];
    int lane = threadIdx.x;
    if (index[lane] == 9999999u) words[lane] = 1;
    __syncwarp();
    unsigned row = (unsigned)__cvta_generic_to_shared(words) + index[lane] * 16;
    unsigned a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(row));
    out[lane] = a ^ b ^ c ^ d;
}

extern "C" __global__ void ldm1(const unsigned* index, unsigned* out) {
    __shared__ __align__(16) unsigned words[2048];
    int lane = threadIdx.x;
    if (index[lane] == 9999999u) words[lane] = 1;
    __syncwarp();
    unsigned row = (unsigned)__cvta_generic_to_shared(words) + index[lane] * 16;
    unsigned a;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(row));
    out[lane] = a;
}

extern "C" __global__ void cpa4(const float* from, const int* index, float* out) {
    __shared__ float words[32];
    int lane = threadIdx.x;
    unsigned to = (unsigned)__cvta_generic_to_shared(words + lane);
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], 4;\n"
        "cp.async.wait_all;" ::"r"(to),
        "l"(from + index[lane])
        : "memory");
    __syncwarp();
    out[lane] = words[31 - lane];
}
