#pragma once
// nvcuda::wmma for half (three shapes), bfloat16 (16 x 16 x 16) and TF32 (16 x 16 x 8), by the PTX instructions wmma.
// CUDA's own mma.h needs a part of the compiler's package, and takes its place where that is installed.
#if __has_include(<crt/mma.h>)
#include <crt/mma.h>
#else
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

template <class Use, int M, int N, int K, class Element, class Layout = void>
struct fragment;  // no definition: this shape and type is not among those that are built here

namespace detail {

template <class Value, int COUNT>
struct registers {
    enum { num_elements = COUNT };
    static constexpr int num_storage_elements = COUNT;
    using element_type = Value;
    Value x[COUNT];
};

}  // namespace detail

__device__ inline float __float_to_tf32(float value) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return __uint_as_float(bits);
}

template <class Fragment, class Value>
__device__ inline void fill_fragment(Fragment& fragment, const Value& value) {
    for (int i = 0; i < Fragment::num_elements; ++i) fragment.x[i] = value;
}

#define LK_WORDS(f) reinterpret_cast<unsigned*>((f).x)
#define LK_CONST_WORDS(f) reinterpret_cast<const unsigned*>((f).x)
#define LK_OUT4(c, r) c(r[0]), c(r[1]), c(r[2]), c(r[3])
#define LK_OUT8(c, r) LK_OUT4(c, r), c(r[4]), c(r[5]), c(r[6]), c(r[7])

// Loads of A and B: `letter` is a or b, `count` the 32-bit registers, `list` their operands.
#define LK_LOAD(use, letter, M, N, K, Element, Pointed, type, Layout, layout, count, list, next, after)             \
    __device__ inline void load_matrix_sync(                                                                        \
        fragment<use, M, N, K, Element, Layout>& f, const Pointed* from, unsigned step) {                           \
        unsigned* r = LK_WORDS(f);                                                                                  \
        asm volatile("wmma.load." letter ".sync.aligned." layout ".m" #M "n" #N "k" #K "." type " {" list "}, [%"   \
                     next "], %" after ";"                                                                          \
                     : LK_OUT##count("=r", r) : "l"(from), "r"(step) : "memory");                                   \
    }

#define LK_LOADS(use, letter, M, N, K, Element, Pointed, type, elements, Value, count, list, next, after)           \
    template <class Layout>                                                                                         \
    struct fragment<use, M, N, K, Element, Layout> : detail::registers<Value, elements> {};                         \
    LK_LOAD(use, letter, M, N, K, Element, Pointed, type, row_major, "row", count, list, next, after)               \
    LK_LOAD(use, letter, M, N, K, Element, Pointed, type, col_major, "col", count, list, next, after)

#define LK_LIST4 "%0, %1, %2, %3"
#define LK_LIST8 LK_LIST4 ", %4, %5, %6, %7"

// Accumulators: loads, stores, and the product for one pair of layouts and of types of D and C.
#define LK_SUMS(M, N, K, Value, type, c, Carrier, count, list, next, after)                                         \
    template <>                                                                                                     \
    struct fragment<accumulator, M, N, K, Value> : detail::registers<Value, 8> {};                                  \
    __device__ inline void load_matrix_sync(                                                                        \
        fragment<accumulator, M, N, K, Value>& f, const Value* from, unsigned step, layout_t layout) {              \
        Carrier* r = reinterpret_cast<Carrier*>(f.x);                                                               \
        if (layout == mem_row_major)                                                                                \
            asm volatile("wmma.load.c.sync.aligned.row.m" #M "n" #N "k" #K "." type " {" list "}, [%" next "], %"   \
                         after ";" : LK_OUT##count("=" c, r) : "l"(from), "r"(step) : "memory");                    \
        else                                                                                                        \
            asm volatile("wmma.load.c.sync.aligned.col.m" #M "n" #N "k" #K "." type " {" list "}, [%" next "], %"   \
                         after ";" : LK_OUT##count("=" c, r) : "l"(from), "r"(step) : "memory");                    \
    }                                                                                                               \
    __device__ inline void store_matrix_sync(                                                                       \
        Value* to, const fragment<accumulator, M, N, K, Value>& f, unsigned step, layout_t layout) {                \
        const Carrier* r = reinterpret_cast<const Carrier*>(f.x);                                                   \
        if (layout == mem_row_major)                                                                                \
            asm volatile("wmma.store.d.sync.aligned.row.m" #M "n" #N "k" #K "." type " [%" next "], {" list "}, %"  \
                         after ";" ::LK_OUT##count(c, r), "l"(to), "r"(step) : "memory");                           \
        else                                                                                                        \
            asm volatile("wmma.store.d.sync.aligned.col.m" #M "n" #N "k" #K "." type " [%" next "], {" list "}, %"  \
                         after ";" ::LK_OUT##count(c, r), "l"(to), "r"(step) : "memory");                           \
    }

#define LK_PRODUCT(M, N, K, Element, LA, la, LB, lb, Value, types, c, Carrier, sums, parts, text)                   \
    __device__ inline void mma_sync(                                                                                \
        fragment<accumulator, M, N, K, Value>& d, const fragment<matrix_a, M, N, K, Element, LA>& a,                \
        const fragment<matrix_b, M, N, K, Element, LB>& b, const fragment<accumulator, M, N, K, Value>& s) {        \
        Carrier* rd = reinterpret_cast<Carrier*>(d.x);                                                              \
        const Carrier* rs = reinterpret_cast<const Carrier*>(s.x);                                                  \
        const unsigned *ra = LK_CONST_WORDS(a), *rb = LK_CONST_WORDS(b);                                            \
        asm volatile("wmma.mma.sync.aligned." la "." lb ".m" #M "n" #N "k" #K "." types " " text ";"                \
                     : LK_OUT##sums("=" c, rd)                                                                      \
                     : LK_OUT##parts("r", ra), LK_OUT##parts("r", rb), LK_OUT##sums(c, rs));                        \
    }

#define LK_PRODUCTS(M, N, K, Element, Value, types, c, Carrier, sums, parts, text)                                  \
    LK_PRODUCT(M, N, K, Element, row_major, "row", row_major, "row", Value, types, c, Carrier, sums, parts, text)   \
    LK_PRODUCT(M, N, K, Element, row_major, "row", col_major, "col", Value, types, c, Carrier, sums, parts, text)   \
    LK_PRODUCT(M, N, K, Element, col_major, "col", row_major, "row", Value, types, c, Carrier, sums, parts, text)   \
    LK_PRODUCT(M, N, K, Element, col_major, "col", col_major, "col", Value, types, c, Carrier, sums, parts, text)

// The operands of a product, by the registers of D and C and of A and B.
#define LK_8_8                                                                                                      \
    "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, "                                    \
    "{%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31}"
#define LK_4_8                                                                                                      \
    "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, "              \
    "{%20, %21, %22, %23}"
#define LK_8_4                                                                                                      \
    "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, "                                  \
    "{%16, %17, %18, %19, %20, %21, %22, %23}"

#define LK_HALF(M, N, K)                                                                                            \
    LK_LOADS(matrix_a, "a", M, N, K, __half, __half, "f16", 16, __half, 8, LK_LIST8, "8", "9")                      \
    LK_LOADS(matrix_b, "b", M, N, K, __half, __half, "f16", 16, __half, 8, LK_LIST8, "8", "9")                      \
    LK_SUMS(M, N, K, float, "f32", "f", float, 8, LK_LIST8, "8", "9")                                               \
    LK_SUMS(M, N, K, __half, "f16", "r", unsigned, 4, LK_LIST4, "4", "5")                                           \
    LK_PRODUCTS(M, N, K, __half, float, "f32.f32", "f", float, 8, 8, LK_8_8)                                        \
    LK_PRODUCTS(M, N, K, __half, __half, "f16.f16", "r", unsigned, 4, 8, LK_4_8)

LK_HALF(16, 16, 16)
LK_HALF(32, 8, 16)
LK_HALF(8, 32, 16)

LK_LOADS(matrix_a, "a", 16, 16, 16, __nv_bfloat16, __nv_bfloat16, "bf16", 8, __nv_bfloat16, 4, LK_LIST4, "4", "5")
LK_LOADS(matrix_b, "b", 16, 16, 16, __nv_bfloat16, __nv_bfloat16, "bf16", 8, __nv_bfloat16, 4, LK_LIST4, "4", "5")
LK_PRODUCTS(16, 16, 16, __nv_bfloat16, float, "f32.bf16.bf16.f32", "f", float, 8, 4, LK_8_4)

LK_LOADS(matrix_a, "a", 16, 16, 8, precision::tf32, float, "tf32", 4, float, 4, LK_LIST4, "4", "5")
LK_LOADS(matrix_b, "b", 16, 16, 8, precision::tf32, float, "tf32", 4, float, 4, LK_LIST4, "4", "5")
LK_SUMS(16, 16, 8, float, "f32", "f", float, 8, LK_LIST8, "8", "9")
LK_PRODUCTS(16, 16, 8, precision::tf32, float, "f32.tf32.tf32.f32", "f", float, 8, 4, LK_8_4)

#undef LK_WORDS
#undef LK_CONST_WORDS
#undef LK_OUT4
#undef LK_OUT8
#undef LK_LOAD
#undef LK_LOADS
#undef LK_LIST4
#undef LK_LIST8
#undef LK_SUMS
#undef LK_PRODUCT
#undef LK_PRODUCTS
#undef LK_8_8
#undef LK_4_8
#undef LK_8_4
#undef LK_HALF

}  // namespace wmma
}  // namespace nvcuda
#endif
