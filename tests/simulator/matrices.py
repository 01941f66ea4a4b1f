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
    """The mma that the simulator runs: every shape with every type."""
    found = []
    for k in (8, 16):
        found += [Mma(16, 8, k, kind, "f16", "f16", kind) for kind in ("f16", "f32")]
        found.append(Mma(16, 8, k, "f32", "bf16", "bf16", "f32"))
    found += [Mma(16, 8, k, "f32", "tf32", "tf32", "f32") for k in (4, 8)]
    found += [Mma(m, 8, k, "f64", "f64", "f64", "f64") for m, k in ((8, 4), (16, 4), (16, 8), (16, 16))]
    for a, b in (("s8", "s8"), ("u8", "u8"), ("s8", "u8"), ("u8", "s8")):
        found += [Mma(16, 8, 32, "s32", a, b, "s32", satfinite) for satfinite in (False, True)]
        found.append(Mma(16, 8, 16, "s32", a, b, "s32", a == b))
    found += [Mma(8, 8, 16, "s32", "s8", "s8", "s32"), Mma(8, 8, 16, "s32", "u8", "u8", "s32", True)]
    return found


@dataclass(frozen=True)
class Wmma:
    """wmma.load of a, b and c, wmma.mma and wmma.store of d; layouts: "row" or "col" of a, b, and c and d."""

    m: int
    n: int
    k: int
    d: str
    a: str
    c: str
    layouts: tuple[str, str, str]
    padding: int = 0  # elements between rows (or columns) that belong to no matrix

    def __str__(self) -> str:
        return (
            f"m{self.m}n{self.n}k{self.k}.{self.d}.{self.a}.{self.c}.{'.'.join(self.layouts)}.{self.padding}"
        )

    @property
    def product(self) -> Mma:
        return Mma(self.m, self.n, self.k, self.d, self.a, self.a, self.c)

    def stride(self, role: str) -> int:
        rows, columns = self.product.size(role)
        layout = self.layouts["abcd".index(role) if role != "d" else 2]
        return (columns if layout == "row" else rows) + self.padding

    def memory(self, role: str, matrix: np.ndarray) -> np.ndarray:
        """One matrix as it lies in memory, (rows or columns, stride)."""
        layout = self.layouts["abcd".index(role) if role != "d" else 2]
        lines = matrix if layout == "row" else matrix.T
        found = np.zeros((len(lines), self.stride(role)), matrix.dtype)
        found[:, : lines.shape[1]] = lines
        return found

    def matrix(self, memory: np.ndarray) -> np.ndarray:
        """The other way round, for d."""
        lines = memory[:, : memory.shape[1] - self.padding]
        return lines if self.layouts[2] == "row" else lines.T

    @property
    def source(self) -> str:
        """Kernel `product(a, b, c, d)`; b comes by way of shared memory."""
        shape, (la, lb, lc) = f"m{self.m}n{self.n}k{self.k}", self.layouts
        counts = {role: self._registers(role) for role in "abcd"}
        regs = {role: "{" + ", ".join(f"{role}{i}" for i in range(counts[role])) + "}" for role in "abcd"}
        steps = {role: self.stride(role) for role in "abcd"}
        width = "f64" if self.a == "f64" else "b32"
        declared = " ".join(f".reg .{width} {role}<{counts[role]}>;" for role in "abcd")
        types = f"{self.d}.{self.c}" if self.a == "f16" else f"{self.d}.{self.a}.{self.a}.{self.c}"
        rounding = ".rn" if self.a == "f64" else ""
        size = np.dtype(CARRIER[self.a]).itemsize
        lines = self.product.size("b")[0 if lb == "row" else 1]
        return f"""
        extern "C" __global__ void product(const char* a, const char* b, const char* c, char* d) {{
            constexpr int BYTES = {lines * self.stride("b") * size};
            __shared__ __align__(32) char tile[BYTES];
            for (int i = threadIdx.x; i < BYTES; i += 32) tile[i] = b[i];
            __syncwarp();
            asm volatile("{{ {declared} "
                "wmma.load.a.sync.aligned.{la}.{shape}.global.{self.a} {regs["a"]}, [%0], {steps["a"]}; "
                "wmma.load.b.sync.aligned.{lb}.{shape}.shared.{self.a} {regs["b"]}, [%1], {steps["b"]}; "
                "wmma.load.c.sync.aligned.{lc}.{shape}.global.{self.c} {regs["c"]}, [%2], {steps["c"]}; "
                "wmma.mma.sync.aligned.{la}.{lb}.{shape}{rounding}.{types} "
                "{regs["d"]}, {regs["a"]}, {regs["b"]}, {regs["c"]}; "
                "wmma.store.d.sync.aligned.{lc}.{shape}.global.{self.d} [%3], {regs["d"]}, {steps["d"]}; }}"
                :: "l"(a), "r"((unsigned)__cvta_generic_to_shared(tile)), "l"(c), "l"(d) : "memory");
        }}"""

    def _registers(self, role: str) -> int:
        if role in "ab" and self.a == "f16":
            return 8  # for any shape
        return self.product.registers(role)


def wmma_products() -> list[Wmma]:
    """Every shape and type of wmma that the simulator runs, in two layouts each."""
    kinds = [("f32", "f16", "f32"), ("f16", "f16", "f16"), ("f32", "f16", "f16"), ("f32", "bf16", "f32"),
             ("s32", "s8", "s32"), ("s32", "u8", "s32")]  # fmt: skip
    kinds_of_shape = dict.fromkeys(((16, 16, 16), (32, 8, 16), (8, 32, 16)), kinds)
    kinds_of_shape |= {(16, 16, 8): [("f32", "tf32", "f32")], (8, 8, 4): [("f64", "f64", "f64")]}
    return [
        Wmma(*shape, *types, layouts, padding)
        for shape, listed in kinds_of_shape.items()
        for types in listed
        for layouts, padding in ((("row", "col", "row"), 0), (("col", "row", "col"), 16))
    ]


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
                                 : "+f"(sums[i][j][0]), "+f"(sums[i][j][1]),
                                   "+f"(sums[i][j][2]), "+f"(sums[i][j][3])
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
