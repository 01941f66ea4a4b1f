"""Vectors, a matrix and a volume: element by element, by warp, and by segment."""

from __future__ import annotations

import numpy as np

from .problem import Problem, Setting, Sizes, empty, floats, powers


def vector_add(sizes: Sizes, random: np.random.Generator) -> Problem:
    """out = a + b for n floats."""
    n = sizes["n"]
    a, b = floats(random, n), floats(random, n)
    expected = {"out": np.add(a, b, dtype=np.float64)}
    return Problem({"a": a, "b": b, "out": empty(n)}, {"n": np.int32(n)}, expected, "a + b", moved=12 * n)


def scale(sizes: Sizes, random: np.random.Generator) -> Problem:
    """out = factor x for n floats."""
    n, factor = sizes["n"], np.float32(1.7)
    x = floats(random, n)
    expected = {"out": np.multiply(x, factor, dtype=np.float64)}
    scalars = {"factor": factor, "n": np.int32(n)}
    return Problem({"x": x, "out": empty(n)}, scalars, expected, "factor * x", moved=8 * n)


def warp_sum(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The sum of every 32 of n floats."""
    n = sizes["n"]
    x = floats(random, n)
    whole = np.zeros(-(-n // 32) * 32, np.float32)
    whole[:n] = x
    sums = whole.reshape(-1, 32).sum(axis=1, dtype=np.float64)
    arrays = {"x": x, "sums": empty(sums.size)}
    told = "sums of 32"
    return Problem(arrays, {"n": np.int32(n)}, {"sums": sums}, told, moved=4 * (n + sums.size))


def reverse(sizes: Sizes, random: np.random.Generator) -> Problem:
    """Every segment of 128 of n floats back to front; 128 is the kernel's default BLOCK."""
    n, segment = sizes["n"], sizes.get("BLOCK", 128)
    x = floats(random, n)
    whole = n // segment * segment
    out = np.empty(n)
    out[:whole] = x[:whole].reshape(-1, segment)[:, ::-1].reshape(-1)
    out[whole:] = x[whole:][::-1]
    arrays = {"in": x, "out": empty(n)}
    return Problem(arrays, {"n": np.int32(n)}, {"out": out}, "reversed segments", moved=8 * n)


def reverse_odd(sizes: Sizes, random: np.random.Generator) -> Problem:
    """Every second segment of 128 of n floats back to front; 128 is the kernel's default BLOCK."""
    made = reverse(sizes, random)
    n, segment = sizes["n"], sizes.get("BLOCK", 128)
    odd = np.arange(n) // segment % 2 == 1
    out = np.where(odd, made.expected["out"], made.arrays["in"])
    return Problem(made.arrays, made.scalars, {"out": out}, "every second segment reversed", moved=8 * n)


def matrix_add(sizes: Sizes, random: np.random.Generator) -> Problem:
    """out = a + b for two matrices of rows x cols floats."""
    rows, cols = sizes["rows"], sizes["cols"]
    a, b = floats(random, rows, cols), floats(random, rows, cols)
    arrays = {"a": a, "b": b, "out": empty(rows, cols)}
    scalars = {"rows": np.int32(rows), "cols": np.int32(cols)}
    expected = {"out": np.add(a, b, dtype=np.float64)}
    return Problem(arrays, scalars, expected, "a + b", moved=12 * rows * cols)


def thread_numbers(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The number that each element's thread has in its block of BLOCK_X x BLOCK_Y x BLOCK_Z threads, by
    default 8 x 4 x 2 as in the kernel."""
    nx, ny, nz = (sizes[name] for name in ("nx", "ny", "nz"))
    across, down, deep = (sizes.get(f"BLOCK_{axis}", least) for axis, least in (("X", 8), ("Y", 4), ("Z", 2)))
    z, y, x = np.indices((nz, ny, nx))
    number = (z % deep * down + y % down) * across + x % across
    out = np.full((nz, ny, nx), np.iinfo(np.int32).max, np.int32)
    scalars = {"nx": np.int32(nx), "ny": np.int32(ny), "nz": np.int32(nz)}
    expected = {"out": number.astype(np.float64)}
    return Problem({"out": out}, scalars, expected, "numbers of the threads", moved=out.nbytes)


def two_paths(sizes: Sizes, random: np.random.Generator) -> Problem:
    """`length` rounds of one of two recurrences; groups of `span` neighbours have the same. By default 8
    rounds and a span of 32.

    x -> a x + b comes to p + a^length (x - p), where p = b / (1 - a) is the number that it leaves alone.
    """
    n, span, length = sizes["n"], sizes.get("span", 32), sizes.get("length", 8)
    x = floats(random, n)
    first = np.arange(n) // span % 2 == 0
    wide = x.astype(np.float64)
    out = np.where(first, 2 + 0.5**length * (wide - 2), 0.8 + (-0.25) ** length * (wide - 0.8))
    scalars = {"span": np.int32(span), "length": np.int32(length), "n": np.int32(n)}
    return Problem({"x": x, "out": empty(n)}, scalars, {"out": out}, "two recurrences", n * length)


LONGEST = 64
"""Rounds of the longest of the unequal loops."""


def unequal_loops(sizes: Sizes, random: np.random.Generator) -> Problem:
    """x halved and increased by 1, rounds times: 1 to 64 times, each as often as the others, in random order,
    or by length where `sorted` is 1."""
    n = sizes["n"]
    rounds = (np.arange(n) % LONGEST + 1).astype(np.int32)
    rounds = np.sort(rounds) if sizes.get("sorted") else random.permutation(rounds)
    x = floats(random, n)
    arrays = {"rounds": rounds, "x": x, "out": empty(n)}
    out = 2 + (x.astype(np.float64) - 2) * 0.5 ** rounds.astype(np.float64)
    return Problem(arrays, {"n": np.int32(n)}, {"out": out}, "2 + (x - 2) / 2**rounds", int(rounds.sum()))


def lane_sums(sizes: Sizes, random: np.random.Generator) -> Problem:
    """What the lanes hold after five steps of shuffles over n whole numbers from 0 to 9, down or by xor."""
    n = sizes["n"]
    x = random.integers(0, 10, n).astype(np.float32)
    lanes = np.zeros(-(-n // 32) * 32)
    lanes[:n] = x
    lanes = lanes.reshape(-1, 32)
    lane = np.arange(32)
    for offset in (16, 8, 4, 2, 1):
        down = np.where(lane + offset < 32, lane + offset, lane)
        lanes = lanes + lanes[:, lane ^ offset if sizes.get("XOR") else down]
    out = lanes.reshape(-1)[:n]
    return Problem({"x": x, "out": empty(n)}, {"n": np.int32(n)}, {"out": out}, "sums of lanes", moved=8 * n)


def held_values(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The variance of each of n columns of HELD values, 4 by default as in the kernel."""
    n, held = sizes["n"], sizes.get("HELD", 4)
    x = floats(random, held, n)
    arrays = {"x": x, "out": empty(n)}
    expected = {"out": x.var(axis=0, dtype=np.float64)}
    return Problem(arrays, {"n": np.int32(n)}, expected, "x.var(axis=0)", moved=4 * n * (held + 1))


SMALL: tuple[Sizes, ...] = ({"n": 5000}, {"n": 4096}, {"n": 777})
SETTINGS = {
    "execution_model/vector_add": Setting(vector_add, powers(*range(10, 27, 2)), SMALL),
    "execution_model/scale": Setting(
        scale, powers(*range(10, 27, 2)), SMALL, best={"BLOCK": 256, "BLOCKS": 1024}
    ),
    "execution_model/warp_sum": Setting(warp_sum, powers(14, 20, 26), SMALL),
    "execution_model/reverse": Setting(reverse, powers(14, 20, 26), SMALL, by_tunables=True),
    "execution_model/reverse_odd": Setting(reverse_odd, powers(26), SMALL, by_tunables=True),
    "execution_model/matrix_add": Setting(
        matrix_add,
        ({"rows": 8192, "cols": 8191}, {"rows": 8192, "cols": 8192}),
        ({"rows": 70, "cols": 100}, {"rows": 64, "cols": 64}),
    ),
    "execution_model/thread_numbers": Setting(
        thread_numbers,
        ({"nx": 512, "ny": 512, "nz": 256},),
        ({"nx": 19, "ny": 9, "nz": 5}, {"nx": 32, "ny": 8, "nz": 4}),
        by_tunables=True,
    ),
    "execution_model/two_paths": Setting(
        two_paths,
        tuple({"n": 1 << 22, "length": 1000, "span": span} for span in (1, 2, 4, 8, 16, 64, 32)),
        ({"n": 5000, "span": 1, "length": 8}, {"n": 4096, "span": 32, "length": 8}),
    ),
    "execution_model/unequal_loops": Setting(
        unequal_loops,
        ({"n": 1 << 22, "sorted": 0}, {"n": 1 << 22, "sorted": 1}),
        ({"n": 5000, "sorted": 0}, {"n": 5000, "sorted": 1}),
        shaping=frozenset({"sorted"}),
    ),
    "execution_model/lane_sums": Setting(lane_sums, powers(26), SMALL, by_tunables=True),
    "execution_model/held_values": Setting(
        held_values, powers(20), ({"n": 5000}, {"n": 777}), by_tunables=True
    ),
    "execution_model/faulty/reverse_guarded": Setting(reverse, by_tunables=True),
    "execution_model/faulty/reverse_in_turn": Setting(reverse, by_tunables=True),
}
