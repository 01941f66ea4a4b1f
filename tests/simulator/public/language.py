"""What C++ and CUDA offer beside arithmetic: structures, calls, templates, inline PTX, output."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from course_utils import simulator
from course_utils.simulator import Program

from .family import Family, rng

family = Family("language")


@family.case("device functions that stay functions: results by value, reference and pointer; a static table")
def noinline_calls(program: Program) -> None:
    n = 100
    data = rng().integers(-1000, 1000, n, dtype=np.int32)
    out = np.zeros(n, np.int32)
    program.launch("noinline_calls", 4, 32, [data, out, n])
    for i, v in enumerate(data.tolist()):
        if i % 3 == 0:
            steps, m = 0, i + 1
            while m != 1:
                m, steps = (3 * m + 1 if m & 1 else m // 2), steps + 1
            assert out[i] == steps
        else:
            assert out[i] == ((v + 1000) // 7 if i % 3 == 1 else 10 ** ((v + 1000) % 7 & 3))


@family.case(
    "an interpreter: a dense switch in a loop, a stack in local memory, lanes at different instructions"
)
def interpreter(program: Program) -> None:
    push, add, mul, sub, dup, swap, jnz, halt, index, drop = range(10)
    # factorial of (i % 4 + 1): the lower of two cells counts down, the upper multiplies
    code = [push, 1, index, push, 3, sub, dup, mul, push, 1, add,  # 1, (i-3)^2+1
            dup, push, 1, sub, swap, push, 0, add, drop, jnz, 26, drop, push, 77, halt,
            push, 2, mul, halt]  # fmt: skip
    n = 40
    results = np.zeros(n, np.int32)
    program.launch("interpreter", 2, 32, [np.array(code, np.uint8), results, n])
    assert_array_equal(results, [77 if (i - 3) ** 2 == 0 else 2 * (i - 3) ** 2 for i in range(n)])
    with pytest.raises(simulator.Trap, match="trap"):
        program.launch("interpreter", 1, 32, [np.array([push, 1, 200], np.uint8), results, n])


@family.case("dynamic shared memory carved into doubles, ints and bytes; a 3-D block of odd shape")
def carved(program: Program) -> None:
    n = 50
    data = rng().permutation(n) / 4 + 0.125
    out, order = np.zeros(n), np.zeros(n, np.int32)
    program.launch("carved", 1, (3, 5, 4), [data, out, order, n], shared_bytes=n * 13)
    assert_array_equal(out, np.sort(data))
    assert_array_equal(order, data.argsort().argsort())


@family.case("unions, bit fields, memcpy, reinterpret_cast of locals")
def punning(program: Program) -> None:
    n = 60
    x = rng().standard_normal(n, dtype=np.float32)
    exponents, first = np.zeros(n, np.int32), np.zeros(n, np.uint8)
    rebuilt, halves = np.zeros(n, np.float32), np.zeros(n)
    program.launch("punning", 2, 32, [x, exponents, rebuilt, first, halves, n])
    assert_array_equal(exponents, np.frexp(x)[1] - 1)
    assert_array_equal(rebuilt, -2 * x)
    assert_array_equal(halves, x.astype(float) / 2)
    assert_array_equal(first, x.view(np.uint8).reshape(n, 4)[np.arange(n), np.arange(n) & 3])


@family.case("if constexpr, specialisation, tuple, array, limits, fold expressions, template packs of ints")
def templated(program: Program) -> None:
    n = 70
    x = rng().random(n, dtype=np.float32)
    y = np.zeros_like(x)
    program.launch("templated<float, 1, 5>", 3, 32, [x, y, n])
    assert_allclose(y, 0.5 * x + np.roll(x, -1) + np.roll(x, -5) + 1 + 68, rtol=1e-6)
    k = rng().integers(-3, 1 << 20, n)
    z = np.zeros_like(k)
    program.launch("templated<long long, 2>", 3, 32, [k, z, n])
    with np.errstate(over="ignore"):
        expected = np.where(k < 0, np.iinfo(np.int64).max, k >> 1) + np.roll(k, -2) + 2 + 68
    assert_array_equal(z, expected)


@family.case("cuda::std::atomic in shared memory, atomic_ref in global, compare_exchange_weak")
def standard_atomics(program: Program) -> None:
    data = rng().integers(-1000, 1000, (3, 64), dtype=np.int32)
    most, count = np.zeros(3, np.int32), np.zeros(1, np.uint32)
    program.launch("standard_atomics", 3, 64, [data, most, count, data.size])
    assert_array_equal(most, data.max(1))
    assert count[0] == data.size


@family.case("inline PTX with scopes and predicates, lane masks, bfe, lop3, clock64")
def inline_ptx(program: Program) -> None:
    n = 75
    data = rng().integers(0, 1 << 32, n, dtype=np.uint32)
    out, ticks = np.zeros(n, np.uint32), np.full(n, -1)
    program.launch("inline_ptx", 3, 32, [data, out, ticks, n])
    lane = np.arange(n) % 32
    chosen = np.maximum(data >> 4 & 0x1FF, lane)
    assert_array_equal(out, data ^ ((1 << lane) - 1) ^ chosen)
    assert (ticks >= 0).all()


@family.case("printf: widths, precision, strings, %#x, %%, %lld; from some lanes only")
def speak(program: Program) -> None:
    x = np.array([1.5, 0, -2.25, 0, 1e4], np.float32)
    word = np.frombuffer(b"ten\0", np.int8).copy()
    run = program.launch("speak", 1, 32, [x, word, 5])
    expected = [
        f"[{i:2d}] x={x[i]:8.3f} ten {255 + i:#x}  50.0% {chr(97 + i)} {-5000000000 * i} {7:<4d}|\n"
        for i in (0, 2, 4)
    ]
    assert sorted(run.output.splitlines(True)) == sorted([*expected, "done, many\n"])


@family.case("assert: silent when it holds, a Trap that quotes it when not")
def checked_sqrt(program: Program) -> None:
    x, y = rng().random(32, dtype=np.float32), np.zeros(32, np.float32)
    program.launch("checked_sqrt", 1, 32, [x, y, 32])
    assert_allclose(y, np.sqrt(x), rtol=1e-6)
    x[7] = -1
    with pytest.raises(simulator.Trap, match=r"language\.cu:\d+.*negative input.*thread \(7, 0, 0\)"):
        program.launch("checked_sqrt", 1, 32, [x, y, 32])


@family.case(
    "a structure of pointers by value, initialised __constant__ and static tables, __device__ state kept"
)
def push(program: Program) -> None:
    n = 90
    x, v = rng(1).random(n, dtype=np.float32), rng(2).standard_normal(n, dtype=np.float32)
    kind = rng(3).integers(0, 3, n, dtype=np.int32)
    moved = program.get_symbol("moved").view(np.uint64)[0]
    program.set_symbol("total_energy", np.zeros(2, np.float32))
    energy = np.zeros(2)
    xs, vs = x.astype(float), v - np.float32(9.81) * np.float32(0.1)
    xs = xs + vs.astype(float) * 0.1
    bounced = xs < 0
    vs = np.where(bounced, -vs, vs)
    np.add.at(energy, kind & 1, np.array([1, 2.5, 0.25])[kind] * (vs**2 / 2 + 9.81 * abs(xs)))
    program.launch("push", 2, 32, [(x, v, kind, np.int32(n)), 0.1])
    assert_allclose(x, abs(xs), atol=1e-5)
    assert_allclose(v, vs, atol=1e-5)
    assert program.get_symbol("moved").view(np.uint64)[0] == moved + bounced.sum()
    assert_allclose(program.get_symbol("total_energy").view(np.float32), energy, rtol=1e-5)
    with pytest.raises(simulator.ArgumentError, match="member 4 of p: a int does not tell its size"):
        program.launch("push", 2, 32, [(x, v, kind, n), 0.1])
    with pytest.raises(simulator.ArgumentError, match="24 bytes, but the parameter has 32"):
        program.launch("push", 2, 32, [(x, v, kind), 0.1])


@family.case("cuda::std::complex, a loop whose lanes leave one by one, 16-bit stores")
def mandelbrot(program: Program) -> None:
    w, h, step = 45, 30, 0.0625
    out = np.zeros((h, w), np.uint16)
    program.launch("mandelbrot", (6, 5), (8, 7), [out, w, h, -2.0, -1.0, step, 60])
    c = -2 + step * np.arange(w) + 1j * (-1 + step * np.arange(h))[:, None]
    z, expected = np.zeros_like(c), np.zeros((h, w), int)
    for _ in range(60):
        going = z.real**2 + z.imag**2 <= 4
        z[going] = z[going] ** 2 + c[going]
        expected += going
    assert (out == expected).mean() > 0.99  # a rounding may move a point on the edge
    assert out.max() == 60
