"""Cases of the kernels of the execution model."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .case import GUARD, LENGTHS, POISON, Case, Maker, floats, out_of


def _vector_add(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        a, b, (out, whole) = floats(rng, n), floats(rng, n), out_of(n)
        yield Case([a, b, out, n], {"n": n}, out, whole, a + b)


def _scale(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        x, (out, whole) = floats(rng, n), out_of(n)
        yield Case([x, out, np.float32(1.7), n], {"n": n}, out, whole, np.float32(1.7) * x)
    out, whole = out_of(500)
    out[:] = floats(rng, 500)
    yield Case([out, out, np.float32(1.7), 500], {"n": 500}, out, whole, np.float32(1.7) * out)


def _warp_sum(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        warps = -(-n // 32)
        x, (out, whole) = floats(rng, n), out_of(warps)
        lanes = np.zeros((warps, 32), np.float32)
        lanes.reshape(-1)[:n] = x
        for offset in (16, 8, 4, 2, 1):  # the order in which the lanes add
            lanes = lanes[:, :offset] + lanes[:, offset : 2 * offset]
        yield Case([x, out, n], {"n": n}, out, whole, lanes[:, 0])


def _reverse(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        x, (out, whole) = floats(rng, n), out_of(n)
        size = values["BLOCK"]
        expected = np.concatenate([x[start : start + size][::-1] for start in range(0, n, size)])
        yield Case([x, out, n], {"n": n}, out, whole, expected)


def _reverse_odd(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        x, (out, whole) = floats(rng, n), out_of(n)
        size = values["BLOCK"]
        segments = [x[start : start + size] for start in range(0, n, size)]
        expected = [part[::-1] if number % 2 else part for number, part in enumerate(segments)]
        yield Case([x, out, n], {"n": n}, out, whole, np.concatenate(expected))


def _matrix_add(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for rows, cols in ((1, 1), (8, 32), (9, 33), (40, 7), (17, 130)):
        a, b, (out, whole) = floats(rng, rows * cols), floats(rng, rows * cols), out_of(rows * cols)
        yield Case([a, b, out, rows, cols], {"rows": rows, "cols": cols}, out, whole, a + b)


def _thread_numbers(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    x, y, z = (values[f"BLOCK_{axis}"] for axis in "XYZ")
    block = np.arange(x * y * z, dtype=np.int32).reshape(z, y, x)
    for nx, ny, nz in ((1, 1, 1), (8, 4, 2), (9, 5, 3), (33, 2, 7), (5, 30, 1)):
        count = nx * ny * nz
        whole = np.full(count + 2 * GUARD, POISON, np.int32)
        out = whole[GUARD:-GUARD]
        expected = np.tile(block, (-(-nz // z), -(-ny // y), -(-nx // x)))[:nz, :ny, :nx].reshape(-1)
        yield Case([out, nx, ny, nz], {"nx": nx, "ny": ny, "nz": nz}, out, whole, expected)


def _two_paths(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n, span, length in ((1, 1, 3), (257, 1, 4), (257, 2, 0), (1000, 32, 5), (1000, 48, 7)):
        x, (out, whole) = floats(rng, n), out_of(n)
        right = x.astype(np.float64)
        for i in range(n):
            for _ in range(length):
                right[i] = 1 - right[i] / 4 if i // span % 2 else right[i] / 2 + 1
        args = [x, out, span, length, n]
        yield Case(args, {"n": n}, out, whole, right, 1e-6 * np.maximum(abs(right), 1))


def _unequal_loops(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        x, (out, whole) = floats(rng, n), out_of(n)
        rounds = rng.integers(0, 40, n, np.int32)
        right = x.copy()
        for k in range(40):
            right = np.where(k < rounds, np.float32(0.5) * right + np.float32(1), right)
        yield Case([rounds, x, out, n], {"n": n}, out, whole, right, np.full(n, 1e-5))


def _lane_sums(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in LENGTHS:
        x, (out, whole) = floats(rng, n), out_of(n)
        lanes = np.zeros((-(-n // 32), 32), np.float32)
        lanes.reshape(-1)[:n] = x
        for offset in (16, 8, 4, 2, 1):  # the order in which the lanes add
            taken = lanes.copy()
            for lane in range(32):
                other = lane ^ offset if values["XOR"] else lane + offset
                taken[:, lane] = lanes[:, other if other < 32 else lane]
            lanes = lanes + taken
        yield Case([x, out, n], {"n": n}, out, whole, lanes.reshape(-1)[:n])


def _held_values(values: dict[str, int], rng: np.random.Generator) -> Iterator[Case]:
    for n in (1, 33, 257, 1000):
        x, (out, whole) = floats(rng, values["HELD"] * n), out_of(n)
        right = x.reshape(-1, n).var(axis=0, dtype=np.float64)
        yield Case([x, out, n], {"n": n}, out, whole, right, 1e-5 * np.maximum(right, 1))


MAKERS: dict[str, Maker] = {
    "execution_model/held_values": _held_values,
    "execution_model/lane_sums": _lane_sums,
    "execution_model/matrix_add": _matrix_add,
    "execution_model/reverse": _reverse,
    "execution_model/reverse_odd": _reverse_odd,
    "execution_model/scale": _scale,
    "execution_model/thread_numbers": _thread_numbers,
    "execution_model/two_paths": _two_paths,
    "execution_model/unequal_loops": _unequal_loops,
    "execution_model/vector_add": _vector_add,
    "execution_model/warp_sum": _warp_sum,
}
