"""Tensor-core instructions against NumPy: every shape and type, ldmatrix and its kin, what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from course_utils import simulator
from tests.simulator.matrices import (
    CARRIER,
    MATMUL,
    Mma,
    Wmma,
    decoded,
    encoded,
    matmul_arguments,
    products,
    wmma_products,
)

TRITON = Path(__file__).with_name("data") / "triton_matmul.ptx"
HALF = Mma(16, 8, 16, "f32", "f16", "f16", "f32")


def run(asked: Mma, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The products of matrices in memory's types."""
    registers = [asked.fragments(role, matrix) for role, matrix in (("a", a), ("b", b), ("c", c))]
    empty = np.zeros((len(a), asked.m, asked.n), CARRIER[asked.d])
    out = asked.fragments("d", empty)
    simulator.compile(asked.source).launch("product", len(a), 32, [*registers, out])
    return asked.matrices("d", out)


@pytest.mark.parametrize("asked", products(), ids=str)
def test_product(asked: Mma) -> None:
    random = np.random.default_rng(7)
    a, b, c = (asked.random(role, random) for role in "abc")
    result, size = asked.exact(a, b, c)
    found = run(asked, a, b, c)
    if asked.d == "s32":
        if asked.satfinite:
            result = np.clip(result, -(1 << 31), (1 << 31) - 1)
        np.testing.assert_array_equal(found, result.astype(np.int32))
    else:
        error = abs(decoded(found, asked.d).astype(np.longdouble) - result)
        assert (error <= asked.tolerance(result, size)).all()


@pytest.mark.parametrize("asked", wmma_products(), ids=str)
def test_wmma(asked: Wmma) -> None:
    random = np.random.default_rng(11)
    a, b, c = (asked.product.random(role, random)[-1] for role in "abc")
    d = asked.memory("d", np.zeros((asked.m, asked.n), CARRIER[asked.d]))
    arrays = [asked.memory(role, matrix).view(np.int8) for role, matrix in (("a", a), ("b", b), ("c", c))]
    run = simulator.compile(asked.source).launch("product", 1, 32, [*arrays, d.view(np.int8)])
    found = decoded(np.ascontiguousarray(asked.matrix(d)), asked.d)
    result, size = asked.product.exact(a, b, c)
    if asked.d == "s32":
        np.testing.assert_array_equal(found, result.astype(np.int32))
    else:
        assert (abs(found - result) <= asked.product.tolerance(result, size)).all()
    assert run.notes == ["uncounted: the memory traffic of wmma"]


def test_a_wmma_fragment_outside_its_buffer() -> None:
    asked = Wmma(16, 16, 16, "f32", "f16", "f32", ("row", "col", "row"))
    a, b, c = (asked.product.random(role, np.random.default_rng(1))[0] for role in "abc")
    arrays = [a[:15].copy().view(np.int8), b.view(np.int8), c.view(np.int8), np.zeros(1024, np.int8)]
    with pytest.raises(simulator.IllegalAccess, match="illegal load of 2 bytes") as caught:
        simulator.compile(asked.source).launch("product", 1, 32, arrays)
    assert caught.value.buffer == "a"
    assert caught.value.index == 15 * 32


def test_wrapping_and_clamping_differ() -> None:
    """The integer cases reach the ends of s32, else satfinite would go untested."""
    asked = Mma(16, 8, 32, "s32", "s8", "s8", "s32")
    a, b, c = (asked.random(role, np.random.default_rng(7)) for role in "abc")
    assert asked.exact(a, b, c)[0].max() > (1 << 31) - 1


def test_order_of_sums() -> None:
    """From c on, in the order of ascending k, each sum rounded to single precision."""
    a, b, c = (HALF.random(role, np.random.default_rng(3)) for role in "abc")
    left, right, total = decoded(a, "f16"), decoded(b, "f16"), c
    for k in range(16):
        total = (left[:, :, k, None] * right[:, None, k, :] + total).astype(np.float32)
    np.testing.assert_array_equal(run(HALF, a, b, c), total)


def test_special_values() -> None:
    a, b = np.ones((1, 16, 16)), np.ones((1, 16, 8))
    c = np.zeros((1, 16, 8))
    a[0, 0, 3], a[0, 1, 3], a[0, 2, 3] = np.inf, np.nan, 6e-8  # the least f16 there is
    b[0, 3, 1] = 0
    c[0, 3, 2], c[0, 4, 2] = -np.inf, 3e38
    found = run(HALF, encoded(a, "f16"), encoded(b, "f16"), c.astype(np.float32))[0]
    assert found[0, 0] == np.inf
    assert np.isnan(found[0, 1])
    assert np.isnan(found[1]).all()
    assert found[2, 0] == np.float32(15 + 2.0**-24)
    assert found[2, 1] == 15
    assert found[3, 2] == -np.inf
    assert found[4, 2] == np.float32(3e38)


def test_f16_results_overflow() -> None:
    asked = Mma(16, 8, 16, "f16", "f16", "f16", "f16")
    a, b, c = (encoded(np.full((1, *asked.size(role)), 200.0), "f16") for role in "abc")
    assert (decoded(run(asked, a, b, c), "f16") == np.inf).all()


# Matrices in shared memory --------------------------------------------------------------------------------

MOVES = r"""
__device__ unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Each lane names a row of 8 elements by its byte offset in `data`.
extern "C" __global__ void load(const unsigned short* data, const int* offsets, unsigned* out) {
    __shared__ __align__(16) unsigned short tile[512];
    for (int i = threadIdx.x; i < 512; i += 32) tile[i] = data[i];
    __syncwarp();
    unsigned at = shared_address(tile) + offsets[threadIdx.x], r[4] = {};
    asm volatile("ldmatrix.sync.aligned.m8n8.x" COUNT TRANS SPACE ".b16 " REGISTERS ", [%4];"
                 : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3]) : ADDRESS);
    for (int i = 0; i < 4; i++) out[i * 32 + threadIdx.x] = r[i];
}

extern "C" __global__ void store(const unsigned* registers, const int* offsets, unsigned short* out) {
    __shared__ __align__(16) unsigned short tile[512];
    for (int i = threadIdx.x; i < 512; i += 32) tile[i] = 0;
    __syncwarp();
    unsigned at = shared_address(tile) + offsets[threadIdx.x], r[4];
    for (int i = 0; i < 4; i++) r[i] = registers[i * 32 + threadIdx.x];
    asm volatile("stmatrix.sync.aligned.m8n8.x" COUNT TRANS SPACE ".b16 [%4], " REGISTERS ";"
                 :: "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), ADDRESS : "memory");
    __syncwarp();
    for (int i = threadIdx.x; i < 512; i += 32) out[i] = tile[i];
}
"""


def moves_defines(count: int, *, trans: bool = False, generic: bool = False) -> dict[str, object]:
    registers = ", ".join(f"%{index}" for index in range(count))
    return {
        "COUNT": f'"{count}"',
        "TRANS": '".trans"' if trans else '""',
        "SPACE": '""' if generic else '".shared"',
        "REGISTERS": f'"{{{registers}}}"',
        "ADDRESS": '"l"((char*)tile + offsets[threadIdx.x])' if generic else '"r"(at)',
    }


def moves(count: int, *, trans: bool = False, generic: bool = False) -> simulator.Program:
    defines = moves_defines(count, trans=trans, generic=generic)
    return simulator.compile(MOVES, defines=defines, name="moves.cu")


def parts(rows: np.ndarray, *, trans: bool) -> np.ndarray:
    """(matrices, 8, 8) -> (matrices, 32): what the ISA says each lane holds (9.7.14.5.15)."""
    found = np.empty((len(rows), 32, 2), np.uint16)
    for lane in range(32):
        for part in (0, 1):
            row, column = lane // 4, 2 * (lane % 4) + part
            found[:, lane, part] = rows[:, column, row] if trans else rows[:, row, column]
    return found.view(np.uint32)[..., 0]


VARIANTS = pytest.mark.parametrize(
    ("count", "trans", "generic"),
    [(1, False, False), (2, False, False), (4, False, False), (1, True, False), (2, True, True),
     (4, True, False), (4, False, True)],
)  # fmt: skip


@VARIANTS
def test_ldmatrix(count: int, trans: bool, generic: bool) -> None:
    random = np.random.default_rng(5)
    data = random.integers(0, 1 << 16, 512, np.uint16)
    offsets = (16 * random.permutation(64)[:32]).astype(np.int32)
    out = np.zeros((4, 32), np.uint32)
    run = moves(count, trans=trans, generic=generic).launch("load", 1, 32, [data, offsets, out])
    rows = data.reshape(64, 8)[offsets[: 8 * count] // 16].reshape(count, 8, 8)
    np.testing.assert_array_equal(out[:count], parts(rows, trans=trans))
    assert not out[count:].any()
    assert run.notes == (["uncounted: the memory traffic of ldmatrix"] if generic else [])


@VARIANTS
def test_stmatrix(count: int, trans: bool, generic: bool) -> None:
    random = np.random.default_rng(6)
    rows = random.integers(0, 1 << 16, (count, 8, 8), np.uint16)
    offsets = (16 * random.permutation(64)[:32]).astype(np.int32)
    registers = np.zeros((4, 32), np.uint32)
    registers[:count] = parts(rows, trans=trans)
    out = np.zeros(512, np.uint16)
    moves(count, trans=trans, generic=generic).launch("store", 1, 32, [registers, offsets, out])
    expected = np.zeros((64, 8), np.uint16)
    expected[offsets[: 8 * count] // 16] = rows.reshape(-1, 8)
    np.testing.assert_array_equal(out.reshape(64, 8), expected)


def test_rows_are_counted_eight_at_a_time() -> None:
    """Rows side by side: one wavefront a matrix; the stores are those of the loop that fills the tile."""
    out = np.zeros((4, 32), np.uint32)
    offsets = (16 * np.arange(32)).astype(np.int32)
    run = moves(4).launch("load", 1, 32, [np.zeros(512, np.uint16), offsets, out])
    assert run.metrics["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] == 4
    assert run.metrics["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"] == 16


@pytest.mark.parametrize("name", ["load", "store"])
@pytest.mark.parametrize(("lane", "offset"), [(9, 1024), (31, 1 << 20), (3, 24), (0, -16)])
def test_rows_outside_and_misaligned(name: str, lane: int, offset: int) -> None:
    offsets = (16 * np.arange(32)).astype(np.int32)
    offsets[lane] = offset
    arrays = [np.zeros(512, np.uint16), np.zeros((4, 32), np.uint32)]
    first, last = arrays if name == "load" else arrays[::-1]
    with pytest.raises(simulator.IllegalAccess, match=f"illegal {name} of 16 bytes") as caught:
        moves(4).launch(name, 1, 32, [first, offsets, last])
    assert caught.value.thread == (lane, 0, 0)
    assert caught.value.index == offset % (1 << 32) // 16
    last = caught.value.line or 0  # the assembler statement ends here
    statement = "".join(MOVES.split("\n")[last - 2 : last])
    assert ("ldmatrix" if name == "load" else "stmatrix") in statement


def test_addresses_that_nobody_needs_are_not_looked_at() -> None:
    data, out = np.arange(512, dtype=np.uint16), np.zeros((4, 32), np.uint32)
    offsets = np.where(np.arange(32) < 16, 16 * np.arange(32), -7777).astype(np.int32)
    moves(2).launch("load", 1, 32, [data, offsets, out])
    np.testing.assert_array_equal(out[:2], parts(data[:128].reshape(2, 8, 8), trans=False))


# Whole warps ----------------------------------------------------------------------------------------------

MOVMATRIX = """
extern "C" __global__ void transpose(const unsigned* a, unsigned* out, int lanes) {
    unsigned to = 0;
    if (threadIdx.x < lanes)
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(to) : "r"(a[threadIdx.x]));
    out[threadIdx.x] = to;
}
"""


def transpose(threads: int, lanes: int) -> tuple[np.ndarray, np.ndarray]:
    rows = np.random.default_rng(8).integers(0, 1 << 16, (1, 8, 8), np.uint16)
    registers = np.resize(parts(rows, trans=False)[0], threads)
    out = np.zeros(threads, np.uint32)
    program = simulator.compile(MOVMATRIX, name="transpose.cu")
    program.launch("transpose", 1, threads, [registers, out, lanes], workers=1)
    return out, parts(rows, trans=True)[0]


def test_movmatrix() -> None:
    """Behind a branch that all lanes take, or a whole warp does not."""
    found, expected = transpose(64, 32)
    np.testing.assert_array_equal(found[:32], expected)
    assert not found[32:].any()


def test_some_lanes_alone_are_an_error() -> None:
    with pytest.raises(
        simulator.Trap, match=r"only 31 of the 32 lanes.*transpose\.cu:5.*thread \(32, 0, 0\)"
    ):
        transpose(64, 63)


def test_a_warp_that_is_not_whole_is_an_error() -> None:
    with pytest.raises(simulator.Trap, match="only 16 of the 32 lanes"):
        transpose(48, 48)


@pytest.mark.parametrize(
    "instruction",
    [
        "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%0, %0, %0, %0}, {%0, %0}, {%0, %0}, "
        "{%0, %0, %0, %0};",
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%0, %0}, {%0}, {%0}, {%0, %0};",
        "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%0, %0, %0, %0}, {%0, %0, %0, %0}, {%0, %0}, "
        "{%0, %0, %0, %0};",
    ],
)
def test_what_is_not_built_is_refused(instruction: str) -> None:
    source = f"""
    extern "C" __global__ void k(unsigned* x) {{
        unsigned r = x[0];
        asm volatile("{instruction}" : "+r"(r));
        x[0] = r;
    }}"""
    with pytest.raises(simulator.Unsupported, match=r"mma\.sync\.aligned\.m\d+n8k\d+") as caught:
        simulator.compile(source).launch("k", 1, 32, [np.zeros(1, np.uint32)])
    assert caught.value.line == 4


# All together ---------------------------------------------------------------------------------------------


def test_matmul() -> None:
    """Double-buffered cp.async, ldmatrix and mma, over several blocks and steps."""
    args, c, exact, grid = matmul_arguments(128, 192, 160)
    run = simulator.compile(MATMUL).launch("matmul", grid, 128, args)
    size = abs(args[0].astype(float)) @ abs(args[1].astype(float)).T  # type: ignore[attr-defined]
    assert (abs(c - exact) <= 161 * 2.0**-22 * size).all()
    assert run.notes == ["uncounted: the memory traffic of cp.async"]
    # no rule is known for 16 bytes
    assert "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" not in run.metrics
    # A warp stores two neighbouring floats to each of 8 rows in two instructions: 8 sectors each time.
    assert run.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] == 8 * (128 * 192 // 32)


@pytest.mark.parametrize(("m", "n", "k"), [(128, 128, 64), (80, 96, 48), (16, 16, 16)])
def test_matmul_of_triton(m: int, n: int, k: int) -> None:
    """PTX of another compiler: masked copies, addresses made by xor, results by way of shared memory. It
    takes two pointers more than the kernel says."""
    program = simulator.load_ptx(TRITON.read_text(encoding="utf-8"))
    random = np.random.default_rng(9)
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
    c = np.zeros((m, n), np.float16)
    grid = (-(-m // 64), -(-n // 64))
    program.launch("matmul", grid, 128, [a, b, c, m, n, k, None, None], 32768)
    left, right = a.astype(np.float64), b.astype(np.float64)
    allowed = (k + 1) * 2.0**-22 * (abs(left) @ abs(right))
    assert (abs(c - left @ right) <= allowed + 2.0**-11 * (abs(left @ right) + allowed)).all()


def test_a_trace_of_matrices() -> None:
    """A step each, with the row addresses."""
    args, *_ = matmul_arguments(64, 64, 32)
    run = simulator.compile(MATMUL).launch("matmul", 1, 128, args, trace={"block": (0, 0), "warp": 1})
    assert run.trace is not None
    steps = {step.opcode.split(".")[0]: step for step in run.trace.steps if step.active}
    assert steps["mma"].space is None
    assert steps["ldmatrix"].space == "shared"
    assert steps["ldmatrix"].size == 16
    assert steps["ldmatrix"].wavefronts is not None
    rows = steps["ldmatrix"].address
    assert len(set(rows)) == 32
    assert not (rows % 16).any()
