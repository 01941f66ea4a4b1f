// Fused attention on half precision: the tensor cores multiply, a warp for 16 queries.
// The steps are those of the float kernel. A warp multiplies 16 queries with 8 keys by mma instructions, and
// its weights with the values likewise. The scores of a tile stay in registers: where an mma leaves its
// result is where the next one wants its first operand.
//
// attention_half(Q, K, V, O, N)
//   Q, K, V   N x HEAD halves, row-major: queries, keys and values, aligned to 16 bytes
//   O         N x HEAD halves, row-major, overwritten with softmax(Q K^T / sqrt(HEAD)) V
//   N         queries, and keys; N * HEAD < 2^31, a multiple of the tiles or not
//
// tunable HEAD: 32, 64         (default 32)  elements of a query, a key and a value
// tunable TILE_Q: 32, 64, 128  (default 64)  queries of a block
// tunable TILE_K: 16, 32       (default 32)  keys of a tile
// tunable CAUSAL: 0, 1         (default 0)   1: a query sees the keys up to its own place only
// block: (2 * TILE_Q)
// grid: (ceil(N / TILE_Q))
// shared: 0                   dynamic; the two tiles are static, 4 * TILE_K * (HEAD + 8) bytes
#include <cuda_fp16.h>

#ifndef HEAD
#define HEAD 32
#endif
#ifndef TILE_Q
#define TILE_Q 64
#endif
#ifndef TILE_K
#define TILE_K 32
#endif
#ifndef CAUSAL
#define CAUSAL 0
#endif

// d += A B for A of 16 x 16 and B of 16 x 8 halves, and d of 16 x 8 floats. Lane l holds of d the columns
// 2 (l % 4) and the next, in row l / 4 (d[0], d[1]) and in row l / 4 + 8 (d[2], d[3]).
__device__ void multiply_add(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Two matrices of 8 x 8 halves from shared memory; lanes 0 to 15 say where their rows are. Lane l gets the
// elements 2 (l % 4) and the next of row l / 4.
__device__ void load_rows(unsigned (&b)[2], const __half* row) {
    unsigned address = __cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(b[0]), "=r"(b[1])
                 : "r"(address)
                 : "memory");
}

// The same, but lane l gets elements 2 (l % 4) and the next of column l / 4.
__device__ void load_columns(unsigned (&b)[2], const __half* row) {
    unsigned address = __cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(b[0]), "=r"(b[1])
                 : "r"(address)
                 : "memory");
}

__device__ unsigned packed(float low, float high) {
    __half2 both = __floats2half2_rn(low, high);
    return *reinterpret_cast<unsigned*>(&both);
}

// The four lanes that hold a row of an mma's result are neighbours.
__device__ float largest_of_four(float x) {
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

__device__ float sum_of_four(float x) {
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

extern "C" __global__ void attention_half(const __half* __restrict__ Q, const __half* __restrict__ K,
                                          const __half* __restrict__ V, __half* __restrict__ O, int N) {
    // Rows are 16 bytes longer than they need be, so that 8 of them lie in different banks.
    __shared__ __align__(16) __half k_tile[TILE_K][HEAD + 8];
    __shared__ __align__(16) __half v_tile[TILE_K][HEAD + 8];

    int lane = threadIdx.x % 32;
    int row = lane / 4, col = lane % 4 * 2;
    int query[2];  // a lane works on two rows
    query[0] = blockIdx.x * TILE_Q + threadIdx.x / 32 * 16 + row;
    query[1] = query[0] + 8;

    unsigned q[HEAD / 16][4];
    for (int k = 0; k < HEAD / 16; ++k)
        for (int part = 0; part < 4; ++part) {
            int place = query[part % 2] * HEAD + 16 * k + part / 2 * 8 + col;
            q[k][part] = query[part % 2] < N ? *reinterpret_cast<const unsigned*>(Q + place) : 0;
        }

    const float scale = rsqrtf(HEAD);
    float total[HEAD / 8][4] = {};
    float largest[2] = {-1e30f, -1e30f}, sum[2] = {};
    int end = CAUSAL ? min(N, (blockIdx.x + 1) * TILE_Q) : N;
    for (int start = 0; start < end; start += TILE_K) {
        for (int i = threadIdx.x; i < TILE_K * HEAD / 8; i += 2 * TILE_Q) {
            int j = i / (HEAD / 8), d = i % (HEAD / 8) * 8, place = (start + j) * HEAD + d;
            uint4 zero = make_uint4(0, 0, 0, 0);  // 16 bytes, 8 halves
            uint4 keys = start + j < N ? *reinterpret_cast<const uint4*>(K + place) : zero;
            uint4 values = start + j < N ? *reinterpret_cast<const uint4*>(V + place) : zero;
            *reinterpret_cast<uint4*>(&k_tile[j][d]) = keys;
            *reinterpret_cast<uint4*>(&v_tile[j][d]) = values;
        }
        __syncthreads();  // both tiles are complete before any thread reads them

        float scores[TILE_K / 8][4] = {};
        for (int n = 0; n < TILE_K / 8; ++n)
            for (int k = 0; k < HEAD / 16; ++k) {
                unsigned keys[2];
                load_rows(keys, &k_tile[8 * n + lane % 8][16 * k + lane / 8 % 2 * 8]);
                multiply_add(scores[n], q[k], keys);
            }

        float larger[2] = {largest[0], largest[1]};
        for (int n = 0; n < TILE_K / 8; ++n)
            for (int part = 0; part < 4; ++part) {
                int key = start + 8 * n + col + part % 2;
                bool seen = key < N && (!CAUSAL || key <= query[part / 2]);
                scores[n][part] = seen ? scores[n][part] * scale : -1e30f;
                larger[part / 2] = fmaxf(larger[part / 2], scores[n][part]);
            }

        for (int half = 0; half < 2; ++half) {
            larger[half] = largest_of_four(larger[half]);
            float rescale = expf(largest[half] - larger[half]);
            largest[half] = larger[half];
            sum[half] *= rescale;
            for (int n = 0; n < HEAD / 8; ++n)
                for (int side = 0; side < 2; ++side) total[n][2 * half + side] *= rescale;
        }
        for (int n = 0; n < TILE_K / 8; ++n)
            for (int part = 0; part < 4; ++part) {
                scores[n][part] = expf(scores[n][part] - largest[part / 2]);
                sum[part / 2] += scores[n][part];
            }

        for (int k = 0; k < TILE_K / 16; ++k) {
            unsigned weights[4];
            for (int part = 0; part < 4; ++part) {
                const float* pair = &scores[2 * k + part / 2][part % 2 * 2];
                weights[part] = packed(pair[0], pair[1]);
            }
            for (int n = 0; n < HEAD / 8; ++n) {
                unsigned values[2];
                load_columns(values, &v_tile[16 * k + lane % 16][8 * n]);
                multiply_add(total[n], weights, values);
            }
        }
        __syncthreads();  // every warp is done with the tiles before the next step overwrites them
    }

    for (int half = 0; half < 2; ++half) {
        float whole = sum_of_four(sum[half]);  // until here each lane has added up its own columns
        for (int n = 0; n < HEAD / 8; ++n) {
            unsigned both = packed(total[n][2 * half] / whole, total[n][2 * half + 1] / whole);
            int place = query[half] * HEAD + 8 * n + col;
            if (query[half] < N) *reinterpret_cast<unsigned*>(O + place) = both;
        }
    }
}
