"""What the course's kernels are run on: inputs, the right result, and at which sizes to time and to count.

problem = problems.of(kernel).make({"N": 256}, np.random.default_rng(0))
devices.launch(kernel, None, *geometry, problem.arguments(kernel.entry))
problem.verdict()
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from .kernels import EntryPoint, Geometry, Kernel, KernelError

TOLERANCE = 1e-5
"""Of the largest element of the right result; sums of a few thousand float32 products stay far below it."""

SETTINGS_FILE = "course_utils/problems.py"

Sizes = Mapping[str, int]
"""Sizes, and other parameters and tunables on which the inputs or the result depend."""


@dataclass(frozen=True)
class Problem:
    """Values by parameter name.

    `arrays`: buffers, changed by a launch. `expected`: the right content of those that the kernel writes, in
    float64. `told`: how NumPy computes it. `operations`: multiply-adds, None where there are none. `moved`:
    bytes that must be moved at least, each element that is used once; None where that says little.
    """

    arrays: dict[str, np.ndarray]
    scalars: dict[str, np.generic]
    expected: dict[str, np.ndarray]
    told: str
    operations: int | None = None
    moved: int | None = None

    def arguments(self, entry: EntryPoint) -> list[object]:
        """The values in the order of an entry point's parameters; ValueError for one that has none."""
        known: dict[str, object] = {**self.arrays, **self.scalars}
        missing = [parameter.name for parameter in entry.parameters if parameter.name not in known]
        if missing:
            raise ValueError(
                f"{entry.name} has the parameter {missing[0]}, for which this problem has no value; it has "
                f"{', '.join(known)}"
            )
        return [known[parameter.name] for parameter in entry.parameters]

    def verdict(self) -> tuple[bool, str]:
        """After a launch: whether its results are right, and a sentence on it."""
        for name, right in self.expected.items():
            found = self.arrays[name]
            close = np.abs(found - right) <= TOLERANCE * max(float(np.abs(right).max()), 1e-30)
            if not close.all():
                place = tuple(int(index) for index in np.argwhere(~close)[0])
                wrong = int((~close).sum())
                return False, (
                    f"wrong: {wrong:,} of {right.size:,} elements of {name} differ from NumPy's {self.told}; "
                    f"{name}{list(place)} is {_value(found[place])}, NumPy has {right[place]:.6g}"
                )
        return True, f"{' and '.join(self.expected)} equals NumPy's {self.told} within {_TOLD_TOLERANCE}"

    def error(self) -> float:
        """After a launch: |found - right| / |right|, Euclidean norms over all that the kernel writes."""
        squares = [
            (np.square(self.arrays[name] - right).sum(), np.square(right).sum())
            for name, right in self.expected.items()
        ]
        wrong, right = (float(sum(column)) for column in zip(*squares, strict=True))
        return float(np.sqrt(wrong / right)) if right else float(np.sqrt(wrong))

    def reset(self) -> None:
        """Forget the results of a launch. (No kernel here writes to its inputs.)"""
        for name in self.expected:
            self.arrays[name].fill(_unwritten(self.arrays[name].dtype))


_TOLD_TOLERANCE = f"{TOLERANCE:g}".replace("e-0", "e-")


def _value(value: np.generic) -> str:
    return "not written" if np.isnan(value) else f"{value:.6g}"


def _unwritten(dtype: np.dtype) -> float:
    return np.nan if dtype.kind == "f" else np.iinfo(dtype).max


Maker = Callable[[Sizes, np.random.Generator], Problem]


@dataclass(frozen=True)
class Setting:
    """What a kernel is run on. `timed`: sizes to time it at on a GPU, the last one with every tunable.
    `counted`: small ones to compare counters at, the first one with every tunable. `best`: the tunables to
    time at all sizes, else the kernel's defaults. `every_size`: every tunable at all of them."""

    make: Maker
    timed: tuple[Sizes, ...] = ()
    counted: tuple[Sizes, ...] = ()
    best: Mapping[str, int] = field(default_factory=dict)
    every_size: bool = False


def of(kernel: Kernel) -> Setting:
    """The setting of a kernel, or else of its topic. Raises KernelError where there is none."""
    for name in (kernel.name, kernel.topic):
        if name in SETTINGS:
            return SETTINGS[name]
    raise KernelError(f"No inputs are known for {kernel.name}: add them to SETTINGS in {SETTINGS_FILE}.")


def geometry(kernel: Kernel, tunables: Mapping[str, int], sizes: Sizes) -> Geometry:
    """The kernel's launch for these sizes, of which its head comment may need only some.

    Raises KernelError for a size that is missing, or that neither the kernel nor its problem knows.
    """
    known = {parameter.name for parameter in kernel.entry.parameters} | meant(kernel)
    needed = {name: size for name, size in sizes.items() if name in kernel.sizes or name not in known}
    return kernel.geometry(tunables, **needed)


def meant(kernel: Kernel) -> frozenset[str]:
    """Sizes that shape the inputs of a kernel and are none of its parameters."""
    return _MEANT.get(kernel.name, frozenset()) | _MEANT.get(kernel.topic, frozenset())


_REDUCTIONS = tuple(
    f"bank_conflicts/reduce_{way}" for way in ("scattered", "interleaved", "sequential", "shuffle")
)


BY_TUNABLES = frozenset(
    {
        "execution_model/reverse",
        "coalescing/element_copy",
        "coalescing/array_of_structs",
        "coalescing/struct_of_arrays",
        "bank_conflicts/strided_read",
        "bank_conflicts/paired_read",
        *_REDUCTIONS,
    }
)
"""Kernels whose inputs or right result depend on their tunables."""

_MEANT = {
    "memory_hierarchy": frozenset({"bytes"}),
    "coalescing/gather": frozenset({"run", "group"}),
}
"""Kernel or topic -> sizes that only its problems have."""


def _floats(random: np.random.Generator, *shape: int) -> np.ndarray:
    """From -1 to 1."""
    values = random.random(shape, np.float32)
    values *= 2
    values -= 1
    return values


def _empty(*shape: int) -> np.ndarray:
    return np.full(shape, np.nan, np.float32)


def matmul(sizes: Sizes, random: np.random.Generator) -> Problem:
    """C = A B for N x N matrices, values from -1 to 1."""
    edge = sizes["N"]
    a, b = (random.uniform(-1, 1, (edge, edge)).astype(np.float32) for _ in range(2))
    return Problem(
        arrays={"A": a, "B": b, "C": _empty(edge, edge)},
        scalars={"N": np.int32(edge)},
        expected={"C": a.astype(np.float64) @ b.astype(np.float64)},
        told="A @ B",
        operations=edge**3,
        moved=12 * edge**2,
    )


def vector_add(sizes: Sizes, random: np.random.Generator) -> Problem:
    """out = a + b for n floats."""
    n = sizes["n"]
    a, b = _floats(random, n), _floats(random, n)
    expected = {"out": np.add(a, b, dtype=np.float64)}
    return Problem({"a": a, "b": b, "out": _empty(n)}, {"n": np.int32(n)}, expected, "a + b", moved=12 * n)


def scale(sizes: Sizes, random: np.random.Generator) -> Problem:
    """out = factor x for n floats."""
    n, factor = sizes["n"], np.float32(1.7)
    x = _floats(random, n)
    expected = {"out": np.multiply(x, factor, dtype=np.float64)}
    scalars = {"factor": factor, "n": np.int32(n)}
    return Problem({"x": x, "out": _empty(n)}, scalars, expected, "factor * x", moved=8 * n)


def warp_sum(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The sum of every 32 of n floats."""
    n = sizes["n"]
    x = _floats(random, n)
    whole = np.zeros(-(-n // 32) * 32, np.float32)
    whole[:n] = x
    sums = whole.reshape(-1, 32).sum(axis=1, dtype=np.float64)
    arrays = {"x": x, "sums": _empty(sums.size)}
    told = "sums of 32"
    return Problem(arrays, {"n": np.int32(n)}, {"sums": sums}, told, moved=4 * (n + sums.size))


def reverse(sizes: Sizes, random: np.random.Generator) -> Problem:
    """Every segment of 128 of n floats back to front; 128 is the kernel's default BLOCK."""
    n, segment = sizes["n"], sizes.get("BLOCK", 128)
    x = _floats(random, n)
    whole = n // segment * segment
    out = np.empty(n)
    out[:whole] = x[:whole].reshape(-1, segment)[:, ::-1].reshape(-1)
    out[whole:] = x[whole:][::-1]
    arrays = {"in": x, "out": _empty(n)}
    return Problem(arrays, {"n": np.int32(n)}, {"out": out}, "reversed segments", moved=8 * n)


def strided_copy(sizes: Sizes, random: np.random.Generator) -> Problem:
    """out[i] = in[offset + i stride] for n floats."""
    n, stride, offset = sizes["n"], sizes.get("stride", 1), sizes.get("offset", 0)
    source = _floats(random, offset + (n - 1) * stride + 1)
    wanted = source[offset::stride] if stride else np.full(n, source[offset])
    scalars = {"stride": np.int32(stride), "offset": np.int32(offset), "n": np.int32(n)}
    arrays = {"in": source, "out": _empty(n)}
    told = "in[offset::stride]"
    return Problem(arrays, scalars, {"out": wanted.astype(np.float64)}, told, moved=8 * n)


def copy(sizes: Sizes, random: np.random.Generator) -> Problem:
    """out = x for n floats."""
    x = _floats(random, sizes["n"])
    return Problem({"x": x, "out": _empty(x.size)}, {}, {"out": x.astype(np.float64)}, "x", moved=8 * x.size)


def total(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The sum of n floats from 0 to 1."""
    x = random.random(sizes["n"], np.float32)
    expected = {"total": np.array([x.sum(dtype=np.float64)])}
    return Problem({"x": x, "total": _empty(1)}, {}, expected, "x.sum()", moved=4 * x.size)


def spmv(sizes: Sizes, random: np.random.Generator) -> Problem:
    """y = A x for a sparse square matrix in rows (CSR) with about `per_row` values in each of `rows` rows.

    `skewed`: the lengths of the rows follow a power law instead of all being alike. Columns are random.
    """
    rows, per_row = sizes["rows"], sizes["per_row"]
    if sizes.get("skewed"):
        lengths = np.minimum(random.pareto(1.2, rows) * per_row * 0.2, rows - 1).astype(np.int64)
    else:
        lengths = np.full(rows, per_row)
    starts = np.zeros(rows + 1, np.int32)
    np.cumsum(lengths, out=starts[1:])
    count = int(starts[-1])
    columns = random.integers(0, rows, count, np.int32)
    values, x = _floats(random, count), _floats(random, rows)
    products = np.concatenate([[0], np.cumsum(values.astype(np.float64) * x[columns])])
    arrays = {"values": values, "columns": columns, "starts": starts, "x": x, "y": _empty(rows)}
    expected = {"y": products[starts[1:]] - products[starts[:-1]]}
    moved = 8 * count + 4 * starts.size + 8 * rows
    return Problem(arrays, {"rows": np.int32(rows)}, expected, "A @ x", count, moved)


def transpose(sizes: Sizes, random: np.random.Generator) -> Problem:
    """out = in transposed, a matrix of rows x cols floats."""
    rows, cols = sizes["rows"], sizes["cols"]
    matrix = _floats(random, rows, cols)
    arrays = {"in": matrix, "out": _empty(cols, rows)}
    scalars = {"rows": np.int32(rows), "cols": np.int32(cols)}
    return Problem(arrays, scalars, {"out": matrix.T.astype(np.float64)}, "in.T", moved=8 * rows * cols)


def element_copy(sizes: Sizes, random: np.random.Generator) -> Problem:
    """out = in for `bytes` bytes, as elements of ELEMENT bytes; 4 is the kernel's default."""
    element = sizes.get("ELEMENT", 4)
    if element < 4:
        dtype = np.dtype(f"u{element}")
        source = random.integers(0, np.iinfo(dtype).max, sizes["bytes"] // element, dtype)
        out = np.full_like(source, np.iinfo(dtype).max)
    else:
        source = _floats(random, sizes["bytes"] // element, element // 4)
        out = _empty(*source.shape)
    expected = {"out": source.astype(np.float64)}
    scalars = {"bytes": np.int32(sizes["bytes"])}
    return Problem({"in": source, "out": out}, scalars, expected, "in", moved=2 * source.nbytes)


READINGS = 8
"""Of a station."""


def array_of_structs(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The sum of the first FIELDS of 8 readings, for n stations; those of a station lie side by side."""
    stations = _floats(random, sizes["n"], READINGS)
    return _stations(sizes, "stations", stations, stations.T)


def struct_of_arrays(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The same sums, where one reading of all stations lies side by side."""
    readings = _floats(random, READINGS, sizes["n"])
    return _stations(sizes, "readings", readings, readings)


def _stations(sizes: Sizes, name: str, array: np.ndarray, by_field: np.ndarray) -> Problem:
    """`by_field`: the array as (8, n). FIELDS is 1 by default, as in the kernels."""
    fields = sizes.get("FIELDS", 1)
    sums = by_field[:fields].sum(axis=0, dtype=np.float64)
    told = "sums of the readings"
    moved = 4 * (fields + 1) * sums.size
    arrays = {name: array, "sums": _empty(sums.size)}
    return Problem(arrays, {"n": np.int32(sums.size)}, {"sums": sums}, told, moved=moved)


def gather(sizes: Sizes, random: np.random.Generator) -> Problem:
    """out = in[index] for n floats, each of which is named once.

    The places 0 to n - 1 are cut into groups of `group` (by default n: one group). In each group, runs of
    `run` places side by side (by default 1) are in random order. Sorted: a run of n. n must be a multiple of
    the group, or smaller, and the group of the run; ValueError otherwise.
    """
    n = sizes["n"]
    group = min(sizes.get("group", n), n)
    run = min(sizes.get("run", 1), group)
    if n % group or group % run:
        raise ValueError(f"n = {n} is no multiple of a group of {group}, or that is none of a run of {run}")
    runs = np.broadcast_to(np.arange(group // run, dtype=np.int32), (n // group, group // run))
    first = random.permuted(runs, axis=1)[:, :, None] * np.int32(run) + np.arange(run, dtype=np.int32)
    index = (first.reshape(n // group, group) + np.arange(0, n, group, dtype=np.int32)[:, None]).reshape(n)
    source = _floats(random, n)
    arrays = {"in": source, "index": index, "out": _empty(n)}
    expected = {"out": source[index].astype(np.float64)}
    return Problem(arrays, {"n": np.int32(n)}, expected, "in[index]", moved=12 * n)


def strided_read(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The 32 of 1024 elements that lie `stride` apart; an element is WORDS floats, 1 by default."""
    stride, words = sizes.get("stride", 1), sizes.get("WORDS", 1)
    source = _floats(random, 1024, words)
    wanted = source[stride * np.arange(32)]
    arrays = {"in": source, "out": _empty(32, words)}
    scalars = {"stride": np.int32(stride)}
    return Problem(arrays, scalars, {"out": wanted.astype(np.float64)}, "in[stride * arange(32)]")


def paired_read(sizes: Sizes, random: np.random.Generator) -> Problem:
    """Each of 16 elements twice, STEP (default 1) places apart; an element is WORDS (default 2) floats."""
    step, words = sizes.get("STEP", 1), sizes.get("WORDS", 2)
    source = _floats(random, 16, words)
    groups = source.reshape(16 // step, 1, step * words)
    wanted = np.tile(groups, (1, 2, 1)).reshape(32, words)
    arrays = {"in": source, "out": _empty(32, words)}
    return Problem(arrays, {}, {"out": wanted.astype(np.float64)}, "tile of in")


def strided_sum(sizes: Sizes, random: np.random.Generator) -> Problem:
    """For each of n threads the sum of `rounds` times 8 of 1280 integers, as the kernel's head says."""
    n, stride, rounds = sizes["n"], sizes.get("stride", 1), sizes.get("rounds", 1)
    words = random.integers(0, 1000, 1280, np.int32)
    eight = sum(words[32 * k : 32 * k + 1024].astype(np.int64) for k in range(8))
    whole, rest = divmod(rounds, 1024)
    before = np.concatenate([[0], np.cumsum(np.tile(eight, 2))])
    first = np.arange(32) * stride % 1024
    lanes = whole * eight.sum() + before[first + rest] - before[first]
    arrays = {"in": words, "sums": np.zeros(n, np.int32)}
    scalars = {"stride": np.int32(stride), "rounds": np.int32(rounds), "n": np.int32(n)}
    return Problem(arrays, scalars, {"sums": np.resize(lanes, n).astype(np.float64)}, "sums of words")


def block_sums(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The sum of every BLOCK of n floats; 256 is the kernels' default BLOCK."""
    n, block = sizes["n"], sizes.get("BLOCK", 256)
    x = _floats(random, n)
    sums = np.add.reduceat(x, np.arange(0, n, block), dtype=np.float64)
    arrays = {"x": x, "sums": _empty(sums.size)}
    told = f"sums of {block}"
    return Problem(arrays, {"n": np.int32(n)}, {"sums": sums}, told, moved=4 * (n + sums.size))


LINE_BYTES = 128
"""Of a cache line: a chase visits one word of each."""


def pointer_chase(sizes: Sizes, random: np.random.Generator) -> Problem:
    """A ring through all lines of `bytes` of memory in random order: next[i] is where to go from word i.

    `warm` hops first and then `hops` that are timed: by default once around, and at most 2^19 and 2^18 hops.
    What the clock says is no result to compare, so `expected` holds only where the chase ends.
    """
    step = LINE_BYTES // 4
    lines = max(sizes["bytes"] // LINE_BYTES, 1)
    order = random.permutation(lines).astype(np.uint32) * step
    ring = np.zeros(lines * step, np.uint32)
    ring[order] = np.roll(order, -1)
    warm = sizes.get("warm", min(lines, 1 << 19))
    hops = sizes.get("hops", min(max(lines, 1 << 12), 1 << 18))
    start = int(np.flatnonzero(order == 0)[0])
    last = order[(start + warm + hops) % lines]
    arrays = {"next": ring, "last": np.zeros(1, np.uint32), "cycles": np.zeros(1, np.int64)}
    scalars = {"words": np.int32(ring.size), "warm": np.int32(warm), "hops": np.int32(hops)}
    return Problem(arrays, scalars, {"last": np.array([last], np.float64)}, "walk along the ring")


def _n(*exponents: int) -> tuple[Sizes, ...]:
    return tuple({"n": 1 << exponent} for exponent in exponents)


_SMALL_N: tuple[Sizes, ...] = ({"n": 5000}, {"n": 4096}, {"n": 777})
_STRIDES: tuple[Sizes, ...] = (
    *({"n": 1 << 24, "stride": 1, "offset": offset} for offset in (1, 2, 4, 8)),
    *({"n": 1 << 24, "stride": stride, "offset": 0} for stride in (2, 3, 4, 5, 6, 7, 8, 16, 32)),
    {"n": 1 << 24, "stride": 1, "offset": 0},
)
_SMALL_STRIDES: tuple[Sizes, ...] = (
    {"n": 5000, "stride": 3, "offset": 5},
    *({"n": 2048, "stride": stride, "offset": 0} for stride in (0, 1, 2, 5, 8, 16, 33)),
    *({"n": 2048, "stride": 1, "offset": offset} for offset in (1, 4, 7)),
)
_SQUARES = tuple({"rows": edge, "cols": edge} for edge in (512, 1024, 2048, 4096, 8192))
_MATRICES: tuple[Sizes, ...] = (
    {"rows": 100, "cols": 70},
    {"rows": 128, "cols": 128},
    {"rows": 33, "cols": 97},
)
_TIMED_STRIDES: tuple[Sizes, ...] = tuple(
    {"stride": stride, "rounds": 1024, "n": 1056 * 256} for stride in (1, 2, 8, 32, 33)
)
"""With 1,056 blocks of 256 threads: 8 blocks, and so 64 warps, for each SM of an H200."""

_BYTES: tuple[Sizes, ...] = tuple({"bytes": 1 << exponent} for exponent in (20, 23, 26))
_STATIONS = _n(20, 22, 24)
_PLACES = 1 << 25
_ORDERS: tuple[Sizes, ...] = (
    {"n": _PLACES, "run": _PLACES, "group": _PLACES},
    {"n": _PLACES, "run": 1, "group": 32},
    {"n": _PLACES, "run": 8, "group": _PLACES},
    {"n": _PLACES, "run": 2, "group": _PLACES},
    {"n": _PLACES, "run": 1, "group": 1 << 16},
    {"n": _PLACES, "run": 1, "group": _PLACES},
)
_SMALL_ORDERS: tuple[Sizes, ...] = (
    {"n": 5000},
    {"n": 4096, "run": 8},
    {"n": 4096, "run": 4096},
    {"n": 4096, "run": 1, "group": 32},
)

SETTINGS: dict[str, Setting] = {
    "tiling": Setting(
        matmul,
        tuple({"N": edge} for edge in (256, 512, 1024, 2048, 4096)),
        ({"N": 100}, {"N": 64}, {"N": 96}, {"N": 33}),
        every_size=True,
    ),
    "execution_model/vector_add": Setting(vector_add, _n(*range(10, 27, 2)), _SMALL_N),
    "execution_model/scale": Setting(scale, _n(*range(10, 27, 2)), _SMALL_N, {"BLOCK": 256, "BLOCKS": 1024}),
    "execution_model/warp_sum": Setting(warp_sum, _n(14, 20, 26), _SMALL_N),
    "execution_model/reverse": Setting(reverse, _n(14, 20, 26), _SMALL_N),
    "coalescing/strided_copy": Setting(strided_copy, _STRIDES, _SMALL_STRIDES),
    "coalescing/transpose_naive": Setting(transpose, _SQUARES, _MATRICES),
    "coalescing/transpose_shared": Setting(transpose, _SQUARES, _MATRICES),
    "coalescing/element_copy": Setting(element_copy, _BYTES, ({"bytes": 10000}, {"bytes": 8192})),
    "coalescing/array_of_structs": Setting(array_of_structs, _STATIONS, ({"n": 1000}, {"n": 2048})),
    "coalescing/struct_of_arrays": Setting(struct_of_arrays, _STATIONS, ({"n": 1000}, {"n": 2048})),
    "coalescing/gather": Setting(gather, _ORDERS, _SMALL_ORDERS),
    "memory_hierarchy/pointer_chase": Setting(
        pointer_chase,
        counted=({"bytes": 8192, "warm": 10, "hops": 100}, {"bytes": 128, "warm": 0, "hops": 7}),
    ),
    "memory_hierarchy/shared_chase": Setting(
        pointer_chase,
        counted=({"bytes": 8192, "warm": 10, "hops": 100}, {"bytes": 128, "warm": 0, "hops": 7}),
    ),
    "bank_conflicts/strided_read": Setting(
        strided_read, counted=tuple({"stride": stride} for stride in (2, 0, 32, 33))
    ),
    "bank_conflicts/paired_read": Setting(paired_read, counted=({},)),
    "bank_conflicts/strided_sum": Setting(
        strided_sum,
        _TIMED_STRIDES,
        tuple({"stride": stride, "rounds": 5, "n": 300} for stride in (3, 32, 0)),
    ),
    "bank_conflicts/transpose_swizzled": Setting(transpose, _SQUARES, _MATRICES),
    **dict.fromkeys(_REDUCTIONS, Setting(block_sums, _n(20, 23, 26), _SMALL_N)),
}
"""Kernel or topic -> what it is run on."""
