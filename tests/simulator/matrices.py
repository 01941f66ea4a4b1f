"""Matrix products of one warp as CUDA sources, with the fragments as the PTX ISA lays them out (9.7.14.5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

PRODUCTS = 6
"""Products in one launch, a warp each."""

CARRIER = {"f16": np.uint16, "bf16": np.uint16, "tf32": np.uint32, "f32": np.float32, "f64": np.float64,
           "s8": np.int8, "u8": np.uint8, "s32": np.int32}  # fmt: skip
"""PTX type -> NumPy type of an element in memory."""


@dataclass(frozen=True)
class Mma:
    """One mma instruction."""

    m: int
    n: int
    k: int
    d: str
    a: str
    b: str
    c: str
    satfinite: bool = False

    def __str__(self) -> str:
        types = ".".join((self.d, self.a, self.b, self.c))
        return f"mma.sync.aligned.m{self.m}n{self.n}k{self.k}.row.col{'.satfinite' * self.satfinite}.{types}"

    @property
    def source(self) -> str:
        """Kernel `product(a, b, c, d)` over the registers of every lane, lane after lane."""
        counts = {role: self.registers(role) for role in "dabc"}
        kinds = {role: _cpp(getattr(self, role)) for role in "dabc"}
        places, number = [], 0
        for role in "dabc":
            listed = ", ".join(f"%{number + index}" for index in range(counts[role]))
            places.append("{" + listed + "}")
            number += counts[role]
        results = ", ".join(f'"={_letter(self.d)}"(d[at * {counts["d"]} + {i}])' for i in range(counts["d"]))
        sources = ", ".join(
            f'"{_letter(getattr(self, role))}"({role}[at * {counts[role]} + {i}])'
            for role in "abc"
            for i in range(counts[role])
        )
        parameters = ", ".join(f"{kinds[role]}* {role}" for role in "abcd")
        return f"""
        extern "C" __global__ void product({parameters}) {{
            int at = blockIdx.x * 32 + threadIdx.x;
            asm volatile("{self} {", ".join(places)};" : {results} : {sources});
        }}"""

    def size(self, role: str) -> tuple[int, int]:
        return {"a": (self.m, self.k), "b": (self.k, self.n)}.get(role, (self.m, self.n))

    def elements(self, role: str) -> int:
        """Elements of a matrix in one lane."""
        rows, columns = self.size(role)
        return rows * columns // 32

    def registers(self, role: str) -> int:
        width = np.dtype(CARRIER[getattr(self, role)]).itemsize
        return self.elements(role) if width == 8 else self.elements(role) * width // 4

    def place(self, role: str, lane: int, i: int) -> tuple[int, int]:
        """(row, column) of element i of a lane, as the ISA's formulas have it."""
        group, thread = lane // 4, lane % 4
        if role in "cd":
            return (group if i < 2 else group + 8), 2 * thread + (i & 1)
        kind = getattr(self, role)
        if role == "a":
            return _place_a(kind, self.m, self.k, group, thread, i)
        if kind in ("f16", "bf16"):
            return 2 * thread + (i & 1) + (8 if i >= 2 else 0), group
        if kind in ("s8", "u8"):
            return 4 * thread + (i & 3) + (16 if i >= 4 else 0), group
        return thread + 4 * i, group

    def fragments(self, role: str, matrices: np.ndarray) -> np.ndarray:
        """Matrices (PRODUCTS, rows, columns) -> the registers of every lane."""
        found = np.empty((len(matrices), 32, self.elements(role)), matrices.dtype)
        for lane in range(32):
            for i in range(self.elements(role)):
                found[:, lane, i] = matrices[(slice(None), *self.place(role, lane, i))]
        return found.reshape(-1).view(_numpy(getattr(self, role)))

    def matrices(self, role: str, registers: np.ndarray) -> np.ndarray:
        """The other way round."""
        kind = CARRIER[getattr(self, role)]
        lanes = registers.view(kind).reshape(-1, 32, self.elements(role))
        found = np.empty((len(lanes), *self.size(role)), kind)
        for lane in range(32):
            for i in range(self.elements(role)):
                found[(slice(None), *self.place(role, lane, i))] = lanes[:, lane, i]
        return found

    def random(self, role: str, random: np.random.Generator) -> np.ndarray:
        """PRODUCTS matrices in memory's type."""
        kind, shape = getattr(self, role), (PRODUCTS, *self.size(role))
        if kind in ("s8", "u8", "s32"):
            limits = np.iinfo(CARRIER[kind])
            found = random.integers(limits.min, limits.max, shape, CARRIER[kind], endpoint=True)
            found[0] = limits.max  # as far as sums can go
            return found
        numbers = random.standard_normal(shape) * 2.0 ** random.integers(-3, 4, shape)
        return encoded(numbers, kind)

    def exact(self, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(a * b + c, |a| * |b| + |c|), exactly or as good as."""
        wide = np.int64 if self.d == "s32" else np.longdouble
        left, right, start = (
            decoded(matrix, getattr(self, role)).astype(wide)
            for role, matrix in (("a", a), ("b", b), ("c", c))
        )
        return left @ right + start, abs(left) @ abs(right) + abs(start)

    def tolerance(self, result: np.ndarray, size: np.ndarray) -> np.ndarray:
        """How far d may be from the exact result: what course_utils/simulator/tensor.py states."""
        step = 2.0**-51 if self.d == "f64" else 2.0**-22
        allowed = (self.k + 1) * step * size
        return allowed + (2.0**-11 * (abs(result) + allowed) + 2.0**-25 if self.d == "f16" else 0)


def _place_a(kind: str, m: int, k: int, group: int, thread: int, i: int) -> tuple[int, int]:
    if kind in ("f16", "bf16"):
        row = group if i < 2 or 4 <= i < 6 else group + 8
        return row, 2 * thread + (i & 1) + (8 if i >= 4 else 0)
    if kind in ("s8", "u8"):
        row = group if m == 8 or i < 4 or 8 <= i < 12 else group + 8
        return row, 4 * thread + (i & 3) + (16 if i >= 8 else 0)
    return (group if i % 2 == 0 else group + 8), thread + 4 * (i // 2)


def encoded(numbers: np.ndarray, kind: str) -> np.ndarray:
    """Numbers -> the type in which they lie in memory; bf16 and tf32 are cut off."""
    if kind == "f16":
        return numbers.astype(np.float16).view(np.uint16)
    if kind == "bf16":
        return (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if kind == "tf32":  # with low bits, which are to be ignored
        return numbers.astype(np.float32).view(np.uint32)
    return numbers.astype(CARRIER[kind])


def decoded(data: np.ndarray, kind: str) -> np.ndarray:
    """What elements in memory stand for."""
    if kind == "f16":
        return data.view(np.float16).astype(np.float64)
    if kind == "bf16":
        return (data.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if kind == "tf32":
        return (data & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64)
    return data


def _cpp(kind: str) -> str:
    return {"f64": "double", "f32": "float", "s32": "int"}.get(kind, "unsigned")


def _letter(kind: str) -> str:
    return {"f64": "d", "f32": "f"}.get(kind, "r")


def _numpy(kind: str) -> type:
    return {"f64": np.float64, "f32": np.float32, "s32": np.int32}.get(kind, np.uint32)


def products() -> list[Mma]:
    """Every mma that the simulator runs."""
    found = []
    for k in (8, 16):
        found += [Mma(16, 8, k, kind, "f16", "f16", kind) for kind in ("f16", "f32")]
        found.append(Mma(16, 8, k, "f32", "bf16", "bf16", "f32"))
    found += [Mma(16, 8, k, "f32", "tf32", "tf32", "f32") for k in (4, 8)]
    found += [Mma(m, 8, k, "f64", "f64", "f64", "f64") for m, k in ((8, 4), (16, 4), (16, 8), (16, 16))]
    for m, k in ((8, 16), (16, 16), (16, 32)):
        for a, b in (("s8", "s8"), ("u8", "u8"), ("s8", "u8"), ("u8", "s8")):
            found += [Mma(m, 8, k, "s32", a, b, "s32", satfinite) for satfinite in (False, True)]
    return found


MATMUL = r"""
#include <cuda_fp16.h>

// C = A * B^T: A is M x K, B is N x K, both row by row. A block of 128 threads makes 64 x 64 of C.
constexpr int BLOCK = 64, DEPTH = 32, PITCH = DEPTH + 8;  // 80 bytes a row: rows begin in different banks

__device__ unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void copy_tile(half (*tile)[PITCH], const half* matrix, int row, int k, int K) {
    for (int piece = threadIdx.x; piece < BLOCK * DEPTH / 8; piece += 128) {
        int r = piece / (DEPTH / 8), c = piece % (DEPTH / 8) * 8;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                     :: "r"(shared_address(&tile[r][c])), "l"(matrix + (row + r) * K + k + c) : "memory");
    }
}

__device__ void load_matrices(unsigned (&to)[4], const half* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(shared_address(row)) : "memory");
}

extern "C" __global__ void matmul(const half* A, const half* B, float* C, int N, int K) {
    __shared__ __align__(16) half a_tile[2][BLOCK][PITCH], b_tile[2][BLOCK][PITCH];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int row = blockIdx.y * BLOCK, column = blockIdx.x * BLOCK;
    int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
    float sums[2][4][4] = {};
    copy_tile(a_tile[0], A, row, 0, K);
    copy_tile(b_tile[0], B, column, 0, K);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int k = 0; k < K; k += DEPTH) {
        int now = k / DEPTH % 2;
        if (k + DEPTH < K) {
            copy_tile(a_tile[!now], A, row, k + DEPTH, K);
            copy_tile(b_tile[!now], B, column, k + DEPTH, K);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        for (int step = 0; step < DEPTH; step += 16) {
            unsigned a[2][4], b[2][4];
            for (int i = 0; i < 2; i++) {
                load_matrices(a[i], &a_tile[now][warp_row + 16 * i + lane % 16][step + lane / 16 * 8]);
                load_matrices(b[i], &b_tile[now][warp_column + 16 * i + lane % 8 + lane / 16 * 8]
                                                [step + lane / 8 % 2 * 8]);
            }
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(sums[i][j][0]), "+f"(sums[i][j][1]), "+f"(sums[i][j][2]), "+f"(sums[i][j][3])
                                 : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]),
                                   "r"(b[j / 2][j % 2 * 2]), "r"(b[j / 2][j % 2 * 2 + 1]));
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            for (int part = 0; part < 4; part++) {
                int r = row + warp_row + 16 * i + lane / 4 + part / 2 * 8;
                int c = column + warp_column + 8 * j + lane % 4 * 2 + part % 2;
                C[r * N + c] = sums[i][j][part];
            }
}
"""
"""A matrix product as libraries write it: copies ahead of their use, ldmatrix, mma."""


def matmul_arguments(
    m: int, n: int, k: int, seed: int = 1
) -> tuple[list[object], np.ndarray, np.ndarray, tuple[int, int]]:
    """(arguments, where the result comes, the exact result, grid) for MATMUL."""
    random = np.random.default_rng(seed)
    a, b = (random.standard_normal((rows, k)).astype(np.float16) for rows in (m, n))
    c = np.zeros((m, n), np.float32)
    exact = a.astype(np.float64) @ b.astype(np.float64).T
    return [a, b, c, n, k], c, exact, (n // 64, m // 64)
