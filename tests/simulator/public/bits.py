"""Integers, bits and bytes against NumPy and Python's integers."""

from __future__ import annotations

import itertools
import zlib

import numpy as np
from numpy.testing import assert_array_equal

from course_utils.simulator import Program

from .family import Family, rng

family = Family("bits")
TEXT = b"The quick brown fox jumps over 13 lazy dogs.\n\tAnd 2 foxes more: a fox, the fox.\n" * 5


def words(n: int, seed: int = 1) -> np.ndarray:
    values = rng(seed).integers(0, 1 << 32, n, dtype=np.uint32)
    values[:4] = 0, 1, 0x80000000, 0xFFFFFFFF
    return values


@family.case("constant memory that each lane indexes differently, set_symbol, a loop over pointers")
def crc32(program: Program) -> None:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(0xEDB88320), table >> 1)
    program.set_symbol("crc_table", table.astype(np.uint32))
    offsets = np.array([0, 0, 5, 40, 41, 300, len(TEXT)], np.int32)
    out = np.zeros(6, np.uint32)
    program.launch("crc32", 1, 32, [np.frombuffer(TEXT, np.uint8).copy(), offsets, out, 6])
    parts = itertools.pairwise(offsets)
    assert_array_equal(out, [zlib.crc32(TEXT[start:end]) for start, end in parts])


@family.case(
    "__byte_perm, __vadd4, __vmaxu4, __vabsdiffu4, __vcmpgtu4, __vaddus4, __vsubss2, __vavgu4, __usad"
)
def byte_tricks(program: Program) -> None:
    n = 75
    x = words(n)
    y = x[::-1].copy()
    out = np.zeros((10, n), np.uint32)
    program.launch("byte_tricks", 3, 32, [x, out, n])
    a, b = (each.view(np.uint8).astype(int) for each in (x, y))
    low, high = (each.view(np.int16).astype(int) for each in (x, y))

    def packed(values: np.ndarray, kind: type = np.uint8) -> np.ndarray:
        return values.astype(kind).view(np.uint32)

    expected = [
        x.byteswap(), (x & 0xFFFF) | (y << np.uint32(16)), packed(a + b), packed(np.maximum(a, b)),
        packed(abs(a - b)), packed(np.where(a > b, 255, 0)), packed(np.minimum(a + b, 255)),
        packed(np.clip(low - high, -32768, 32767), np.int16), packed((a + b + 1) // 2),
        (abs(x.astype(int) - y.astype(int)) + 7).astype(np.uint32),
    ]  # fmt: skip
    for number, (found, wanted) in enumerate(zip(out, expected, strict=True)):
        assert_array_equal(found, wanted, err_msg=f"row {number}")


@family.case("popc, clz, ffs, brev in both widths; funnel shifts, rotation, mul24, hadd, mulhi")
def bit_tricks(program: Program) -> None:
    n = 70
    x, y = words(n), rng(2).integers(0, 1 << 63, n).astype(np.uint64) << np.uint64(1)
    y[5] = 1
    out = np.zeros((15, n), np.uint32)
    program.launch("bit_tricks", 3, 32, [x, y, out, n])

    def signed(v: int) -> int:
        return (v & 0xFFFFFFFF) - ((v & 0x80000000) << 1)

    for i in range(n):
        a, b = int(x[i]), int(y[i])
        c = b & 0xFFFFFFFF
        expected = [
            a.bit_count(), 32 - a.bit_length(), (a & -a).bit_length(), int(f"{a:032b}"[::-1], 2),
            b.bit_count(), 64 - b.bit_length(), (b & -b).bit_length(), int(f"{b:064b}"[::-1], 2) >> 32,
            a & -a, ((c << 32 | a) << min(a & 63, 32)) >> 32, (c << 32 | a) >> (b & 31),
            (a << 32 | a) >> (b & 31), (a & 0xFFFFFF) * (c & 0xFFFFFF), (a + c) >> 1,
            signed(a) * signed(c) >> 32,
        ]  # fmt: skip
        assert out[:, i].tolist() == [v & 0xFFFFFFFF for v in expected], i


@family.case("float3 loads, float to unsigned, __host__ __device__ functions")
def morton3(program: Program) -> None:
    p = rng().uniform(-0.1, 1.1, (60, 3)).astype(np.float32)
    codes = np.zeros(60, np.uint32)
    program.launch("morton3", 2, 40, [p, codes, 60])
    whole = np.clip(p * np.float32(1024), 0, 1023).astype(int)
    for (x, y, z), code in zip(whole.tolist(), codes.tolist(), strict=True):
        bits = [
            (x >> k & 1) << 3 * k + 2 | (y >> k & 1) << 3 * k + 1 | (z >> k & 1) << 3 * k for k in range(10)
        ]
        assert code == sum(bits)


@family.case("goto out of a nested loop, continue, 64-bit remainders, an initialised local array")
def is_prime(program: Program) -> None:
    numbers = [*range(64), 2**31 - 1, 2**61 - 1, 2**61 + 1, 3215031751, 341550071728321, 18446744073709551557]
    composite = {n for n in range(64) if n < 2 or any(n % k == 0 for k in range(2, n))}
    composite |= {2**61 + 1, 3215031751, 341550071728321}
    out = np.full(len(numbers), 9, np.uint8)
    program.launch("is_prime", 3, 32, [np.array(numbers, np.uint64), out, len(numbers)])
    assert_array_equal(out, [n not in composite for n in numbers])


@family.case("carries by inline PTX: mad.lo.cc, madc.hi.cc, addc; ulonglong2 and ulonglong4")
def wide_multiply(program: Program) -> None:
    n = 40
    a, b = (
        rng(i).integers(0, 1 << 63, (n, 2)).astype(np.uint64) * np.uint64(2) + np.uint64(1) for i in (1, 2)
    )
    a[0] = b[0] = 0xFFFFFFFFFFFFFFFF
    out = np.zeros((n, 4), np.uint64)
    program.launch("wide_multiply", 2, 32, [a, b, out, n])
    for i in range(n):
        product = (int(a[i, 0]) | int(a[i, 1]) << 64) * (int(b[i, 0]) | int(b[i, 1]) << 64)
        assert out[i].tolist() == [product >> 64 * k & 0xFFFFFFFFFFFFFFFF for k in range(4)]


@family.case("stacks in local memory, one search a lane")
def queens(program: Program) -> None:
    for n, total in ((5, 10), (7, 40)):
        found = np.zeros(n, np.int32)
        program.launch("queens", 1, 32, [n, found])
        assert found.sum() == total
        assert_array_equal(found, found[::-1])


@family.case("pixels of three bytes, 2-D blocks of odd shape")
def grey(program: Program) -> None:
    image = rng().integers(0, 256, (17, 23, 3), dtype=np.uint8)
    out = np.zeros((17, 23), np.uint8)
    program.launch("grey", (2, 4), (13, 5), [image, out, 23, 17])
    assert_array_equal(out, (image.astype(int) @ [77, 150, 29] + 128) >> 8)


@family.case("an array of char inside a structure by value, indexed at run time; byte loads")
def find_pattern(program: Program) -> None:
    text = np.frombuffer(TEXT, np.int8).copy()
    places, count = np.zeros(50, np.int32), np.zeros(1, np.int32)
    pattern = np.array((b"fox", 3), [("text", "S13"), ("length", np.uint8)])[()]
    program.launch("find_pattern", 4, 128, [text, text.size, pattern, places, count])
    expected = [i for i in range(len(TEXT)) if TEXT.startswith(b"fox", i)]
    assert sorted(places[: count[0]].tolist()) == expected


@family.case("a switch over characters, as jumps or as a table")
def classify(program: Program) -> None:
    text = np.frombuffer(TEXT, np.int8).copy()
    out, kinds = np.zeros_like(text), np.zeros(6, np.int32)
    program.launch("classify", 4, 128, [text, out, kinds, text.size])

    def one(c: str) -> tuple[str, int]:
        if c in "aeiou":
            return c.upper(), 0
        if c in " \t":
            return "_", 1
        if c == "\n":
            return c, 2
        if c.isdigit():
            return str(9 - int(c)), 3
        return (c.lower(), 4) if c.isupper() else (c, 5)

    expected = [one(c) for c in TEXT.decode()]
    assert out.tobytes().decode() == "".join(c for c, _ in expected)
    assert_array_equal(kinds, np.bincount([kind for _, kind in expected], minlength=6))
