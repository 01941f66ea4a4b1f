"""Kernels and calls that misbehave: each ends with a sentence that says why, and the process goes on."""

from __future__ import annotations

import _thread
import re
import threading
import time
from dataclasses import dataclass, field

import numpy as np
import pytest

from course_utils import simulator
from course_utils.simulator import (
    ArgumentError,
    CompileError,
    Error,
    Hang,
    IllegalAccess,
    LaunchError,
    PtxError,
    Trap,
    Unsupported,
)

SMALL = 300_000  # loop rounds


@dataclass(frozen=True)
class Bad:
    """A kernel's body (int *o has 64 zeros) and how it must end."""

    name: str
    body: str
    error: type[Error]
    says: str
    block: int = 32
    before: str = ""
    parameters: str = "int *o"
    options: dict[str, object] = field(default_factory=dict)

    @property
    def source(self) -> str:
        return f'{self.before}\nextern "C" __global__ void kernel({self.parameters})\n{{\n{self.body}\n}}\n'


LOOPS = "the kernel did not end: loops .* ran 300,000 rounds"
KERNELS = [
    Bad("waits_for_ever", "volatile int *v = o; while (v[0] == 0) {}", Hang, LOOPS),
    Bad("loops_without_effect", "for (;;) {}", Hang, LOOPS),
    Bad(
        "half_a_warp_loops",
        "volatile int *v = o; if (threadIdx.x & 1) while (!v[0]) {} o[1] = 1;",
        Hang,
        LOOPS,
    ),
    Bad("loops_over_a_barrier", "volatile int *v = o; while (!v[0]) __syncthreads();", Hang, LOOPS, 96),
    Bad(
        "spins_on_one_that_waits",
        "volatile int *v = o; if (threadIdx.x < 32) while (!v[0]) {} __syncthreads(); v[0] = 1;",
        Hang,
        LOOPS,
        64,
    ),
    Bad(
        "waits_at_two_barriers",
        'if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;"); else asm volatile("bar.sync 2, 64;");',
        Hang,
        r"warp 0 at barrier 1 for 64 threads \(bad\.cu:4\), warp 1 at barrier 2 .* No other thread is left",
        64,
    ),
    Bad(
        "waits_for_the_dead",
        'if (threadIdx.x >= 32) return; asm volatile("bar.sync 1, 64;");',
        Hang,
        r"warp 0 at barrier 1 for 64 threads \(bad\.cu:4\); warp 1 ended",
        64,
    ),
    Bad(
        "traps",
        "if (threadIdx.x == 5) __trap();",
        Trap,
        r"trap at bad\.cu:4, block \(0, 0, 0\), thread \(5, 0, 0\)",
    ),
    Bad("asserts", "assert(threadIdx.x < 7);", Trap, r"bad\.cu:4 in .*threadIdx\.x < 7.*thread \(7, 0, 0\)"),
    Bad(
        "writes_behind",
        "o[3 * threadIdx.x] = 1;",
        IllegalAccess,
        r"store .*bad\.cu:4.*thread \(22, 0, 0\): o\[66\]",
    ),
    Bad("writes_before", "o[(int)threadIdx.x - 3] = 1;", IllegalAccess, r"o\[-3\] is out of bounds"),
    Bad("reads_far_away", "o[0] = o[1LL << 45];", IllegalAccess, "load of 4 bytes .*belongs to no buffer"),
    Bad(
        "adds_behind",
        "atomicAdd(o + 4 * threadIdx.x, 1);",
        IllegalAccess,
        r"atomic access .*thread \(16, 0, 0\): o\[64\]",
    ),
    Bad(
        "uses_null",
        "int *p = (int *)(long long)o[0]; p[3] = 1;",
        IllegalAccess,
        "address 0xc is a null pointer",
    ),
    Bad(
        "is_misaligned",
        "*(int4 *)(o + 1) = make_int4(1, 2, 3, 4);",
        IllegalAccess,
        r"byte 4, no multiple of 16: misaligned",
    ),
    Bad(
        "adds_misaligned",
        "atomicAdd((unsigned long long *)(o + 1), 1ull);",
        IllegalAccess,
        r"atomic access of 8 bytes .*misaligned",
    ),
    Bad(
        "leaves_shared",
        "__shared__ int s[32]; s[threadIdx.x + o[0] + 20] = 1; __syncthreads(); o[0] = s[31];",
        IllegalAccess,
        r"thread \(12, 0, 0\): byte 128 of shared memory, which has 128 bytes",
    ),
    Bad(
        "forgets_dynamic_shared",
        "extern __shared__ int s[]; s[threadIdx.x] = 1; __syncthreads(); o[0] = s[31 - threadIdx.x];",
        IllegalAccess,
        "byte 0 of shared memory, which has 0 bytes",
    ),
    Bad(
        "leaves_local",
        "int a[8]; for (int &each : a) each = o[0]; a[o[9] + threadIdx.x] = 7; o[threadIdx.x] = a[o[3]];",
        IllegalAccess,
        r"thread \(8, 0, 0\): byte 32 of local memory, which has 32 bytes",
    ),
    Bad(
        "keeps_a_pointer",
        "if (o[0] == 0) keep = o + 7000; *keep = 3;",
        IllegalAccess,
        r"o\[7000\] is out of bounds",
        before="__device__ int *keep;",
    ),
    Bad(
        "has_too_much_static",
        "__shared__ int s[20000]; s[threadIdx.x] = o[0]; __syncthreads(); o[0] = s[o[1]];",
        CompileError,
        "too much shared data",
    ),
    Bad(
        "asks_too_much_dynamic",
        "extern __shared__ int s[]; s[o[0]] = 1;",
        LaunchError,
        "60000 dynamic.* more than the 49152 .*allow_large_shared",
        options={"shared_bytes": 60_000},
    ),
    Bad(
        "asks_more_than_there_is",
        "extern __shared__ int s[]; s[o[0]] = 1;",
        LaunchError,
        "more than the 232448",
        options={"shared_bytes": 300_000, "allow_large_shared": True},
    ),
    Bad(
        "has_a_huge_stack",
        "volatile char b[10000000]; b[o[0]] = 1; o[0] = b[o[1]];",
        LaunchError,
        "needs 10000000 bytes of local memory; it may have 524288",
    ),
    Bad(
        "allocates",
        "int *p = new int[o[0] + 4]; p[1] = 3; o[0] = p[1]; delete[] p;",
        Unsupported,
        r"malloc.* not supported \(bad\.cu:4\)",
    ),
    Bad(
        "fetches_a_texture",
        "o[0] = tex1Dfetch<int>(t, 0);",
        Unsupported,
        r"tex\.1d\S* is not supported",
        parameters="int *o, cudaTextureObject_t t",
    ),
    Bad(
        "uses_a_surface",
        "surf1Dwrite(o[0], t, 0);",
        Unsupported,
        r"sust\S* is not supported",
        parameters="int *o, cudaSurfaceObject_t t",
    ),
    Bad(
        "waits_on_an_mbarrier",
        'asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(o[0]));',
        Unsupported,
        r"mbarrier\.init\S* is not supported \(bad\.cu:4\)",
    ),
    Bad(
        "copies_in_bulk",
        'asm volatile("cp.async.bulk.commit_group;"); o[0] = 1;',
        Unsupported,
        r"cp\.async\.bulk\S* is not supported \(bad\.cu:4\)",
    ),
    Bad(
        "asks_for_its_cluster",
        'unsigned r; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); o[0] = r;',
        Unsupported,
        r"%cluster_ctarank is not supported",
    ),
    Bad("is_for_another_chip", 'asm volatile("wgmma.fence.sync.aligned;"); o[0] = 1;', CompileError, "wgmma"),
    Bad("launches_a_kernel", "if (o[0]) kernel<<<1, 1>>>(o);", CompileError, "device-side kernel launch"),
]


@pytest.mark.parametrize("bad", KERNELS, ids=lambda bad: bad.name)
def test_kernel(bad: Bad) -> None:
    args: list[object] = [np.zeros(64, np.int32)]
    if "," in bad.parameters:
        args.append(np.uint64(0))
    with pytest.raises(bad.error) as caught:
        simulator.compile(bad.source, name="bad.cu").launch(
            "kernel", 1, bad.block, args, budget=SMALL, **bad.options
        )
    assert re.search(bad.says, str(caught.value), re.DOTALL), str(caught.value)


def launch(
    body: str, out: np.ndarray, *, block: int = 32, before: str = "", budget: int = SMALL
) -> simulator.Run:
    source = f'{before}\nextern "C" __global__ void kernel(int *o) {{ {body} }}'
    return simulator.compile(source, name="odd.cu").launch("kernel", 1, block, [out], budget=budget)


def test_division_that_traps_a_processor() -> None:
    """A GPU has no exception for these; the host's processor has. The quotient of the least
    number by -1 wraps, and a division by zero gives all ones."""
    out = np.zeros(64, np.int32)
    out[32:34] = -1, -(2**31)
    launch("int d = o[32], m = o[33]; o[threadIdx.x] = threadIdx.x & 1 ? m % d : m / d;", out)
    assert out[:2].tolist() == [-(2**31), 0]
    out[:] = 0
    launch("o[threadIdx.x] = (threadIdx.x + 5) / o[32]; o[40] = 7 / o[50];", out)
    assert set(out[:32].tolist()) == {-1}
    assert out[40] == -1
    out[:] = 0
    launch(
        "long long d = o[32] - 1, n = (1LL << 63) + (threadIdx.x & 1); o[threadIdx.x] = (int)(n / d >> 32);",
        out,
    )
    assert out[:2].tolist() == [-(2**31), 2**31 - 1]


def test_conversions_out_of_range() -> None:
    out = np.zeros(64, np.int32)
    launch(
        "float z = o[32]; o[0] = (int)(z / z); o[1] = (int)(z + 1e30f); o[2] = (int)(z - 1e30f);",
        out,
        block=1,
    )
    assert out[:3].tolist() == [0, 2**31 - 1, -(2**31)]


def test_lanes_that_wait_for_each_other() -> None:
    """Lanes have a program counter each since Volta: one that holds a lock does not stop its warp."""
    out = np.zeros(64, np.int32)
    take = "while (atomicCAS(&m, 0, 1) != 0) {}"
    add = "volatile int *v = o; *v = *v + 1; __threadfence(); atomicExch(&m, 0);"
    launch(take + add, out, before="__device__ int m;", block=50, budget=10_000_000)
    assert out[0] == 50
    out[:] = 0
    wait = "if (threadIdx.x == 0) { while (!v[1]) {} v[0] = 4; } else if (threadIdx.x == 9) v[1] = 1;"
    launch("volatile int *v = o;" + wait, out, budget=10_000_000)
    assert out[0] == 4


def test_launch_bounds() -> None:
    program = simulator.compile(
        'extern "C" __global__ void __launch_bounds__(64) kernel(int *o) { o[0] = 1; }'
    )
    with pytest.raises(LaunchError, match=r"96 threads; __launch_bounds__ allows 64"):
        program.launch("kernel", 1, 96, [np.zeros(1, np.int32)])


def test_printf_is_bounded() -> None:
    run = launch('for (int i = 0; i < 9000; i++) printf("%d\\n", i);', np.zeros(1, np.int32))
    assert 1000 < len(run.output) < 2_000_000
    assert any("calls of printf are left out" in note for note in run.notes)


def test_printf_with_odd_formats() -> None:
    wide = r'printf("%999999999d|%.-3f|%*d|%s|%n%q%", 1, 2.5, -4, 7, (char *)o[0]);'
    empty = r'printf("%d %f\n"); printf("%s|", (char *)o + 99);'
    run = launch(wide + empty, np.zeros(64, np.int32), block=1)
    assert 10 < len(run.output) < 10_000


def test_interrupt() -> None:
    program = simulator.compile('extern "C" __global__ void kernel(volatile int *o) { while (!o[0]) {} }')
    out = np.zeros(1, np.int32)
    with pytest.raises(Hang):
        program.launch("kernel", 1, 32, [out], budget=1000)
    timer = threading.Timer(0.3, _thread.interrupt_main)
    start = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        program.launch("kernel", 64, 64, [out], budget=1 << 60)
    assert time.monotonic() - start < 1.3


NOTHING = 'extern "C" __global__ void kernel(int *o) { }'
Z = np.zeros(64, np.int32)
READ_ONLY = np.zeros(64, np.int32)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("grid", "block", "says"),
    [
        (0, 32, "grid.x is 0; it must be from 1"),
        (-1, 32, "grid.x is -1"),
        (1, 0, "block.x is 0"),
        (1, 1025, "block.x is 1025"),
        ((1, 65536), 32, "grid.y is 65536"),
        ((1, 1, 1, 1), 32, "grid must be one to three whole numbers"),
        (1, (1, 1, 65), "block.z is 65"),
        (1, (32, 32, 2), "2048 threads; a block can have 1024"),
        ("a", 32, "grid must be one to three whole numbers, not 'a'"),
        (None, 32, "grid must be"),
        (1, 1.5, "block must be"),
        (2**40, 32, "grid.x is 1099511627776"),
    ],
)
def test_sizes(grid: object, block: object, says: str) -> None:
    with pytest.raises(LaunchError, match=re.escape(says)):
        simulator.compile(NOTHING).launch("kernel", grid, block, [Z])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ([], "takes 1 argument (o), got 0"),
        ([Z, Z], "got 2"),
        ([Z.astype(np.float32)], "the kernel wants int * (elements of NumPy type int32)"),
        ([3], "o is a pointer (int *): pass a NumPy array"),
        (["x"], "not 'x'"),
        ([[1, 2]], "not [1, 2]"),
        ([object()], "o is a pointer"),
        ([Z[::2]], "not C-contiguous"),
        ([READ_ONLY], "read-only"),
        ([np.array([None])], "Python objects"),
        ([(Z, np.int32(1))], "16 bytes, but the parameter has 8"),
        ([(3,)], "member 1 of o: a int does not tell its size"),
    ],
)
def test_arguments(args: list[object], says: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(says)):
        simulator.compile(NOTHING).launch("kernel", 1, 32, args)


@pytest.mark.parametrize(
    ("kernel", "says"),
    [
        ("colonel", "there is no kernel 'colonel' in this program; there is: kernel"),
        (None, "must be a string, not None"),
    ],
)
def test_names(kernel: object, says: str) -> None:
    with pytest.raises(LaunchError, match=says):
        simulator.compile(NOTHING).launch(kernel, 1, 32, [Z])  # type: ignore[arg-type]


HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel(.param .u64 a)\n"


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("garbage", PtxError, "line 1: cannot read 'garbage'"),
        (HEAD + "{", PtxError, "a closing brace is missing"),
        (HEAD + "{ frob.u32 %r1; ret; }", Unsupported, "frob.u32 is not supported"),
        (HEAD + "{ bra NOWHERE; }", Error, "unknown label"),
        (HEAD + "{ L: bra L; }", Hang, "did not end"),
        (HEAD + "{ .reg .u32 %r<3>; add.u32 %r1, %r2; ret; }", Error, "lacks an operand"),
        (HEAD + "{ add.u32 %r1, %r2, %r3; ret; }", Error, "%r2 is not declared"),
        (HEAD + "{ .reg .u32 %r<3>; ld.global.u32 %r1, [nothing]; ret; }", Error, "nothing has no address"),
        (
            HEAD + "{ .reg .u64 %r<3>; .shared .b8 s[999999999999]; mov.u64 %r1, s; ret; }",
            LaunchError,
            "shared memory",
        ),
        (
            HEAD + "{ .reg .u64 %r<3>; .local .b8 s[999999999999]; mov.u64 %r1, s; ret; }",
            LaunchError,
            "local memory",
        ),
    ],
)
def test_ptx(text: str, error: type[Error], says: str) -> None:
    with pytest.raises(error, match=says):
        simulator.load_ptx(text).launch("kernel", 1, 32, [Z], budget=SMALL)
