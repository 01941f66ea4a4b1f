"""Copies by all kinds of index, records, and transposes."""

from __future__ import annotations

import numpy as np

from .problem import Problem, Setting, Sizes, empty, floats, powers


def strided_copy(sizes: Sizes, random: np.random.Generator) -> Problem:
    """out[i] = in[offset + i stride] for n floats."""
    n, stride, offset = sizes["n"], sizes.get("stride", 1), sizes.get("offset", 0)
    source = floats(random, offset + (n - 1) * stride + 1)
    wanted = source[offset::stride] if stride else np.full(n, source[offset])
    scalars = {"stride": np.int32(stride), "offset": np.int32(offset), "n": np.int32(n)}
    arrays = {"in": source, "out": empty(n)}
    told = "in[offset::stride]"
    return Problem(arrays, scalars, {"out": wanted.astype(np.float64)}, told, moved=8 * n)


def transpose(sizes: Sizes, random: np.random.Generator) -> Problem:
    """out = in transposed, a matrix of rows x cols floats."""
    rows, cols = sizes["rows"], sizes["cols"]
    matrix = floats(random, rows, cols)
    arrays = {"in": matrix, "out": empty(cols, rows)}
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
        source = floats(random, sizes["bytes"] // element, element // 4)
        out = empty(*source.shape)
    expected = {"out": source.astype(np.float64)}
    scalars = {"bytes": np.int32(sizes["bytes"])}
    return Problem({"in": source, "out": out}, scalars, expected, "in", moved=2 * source.nbytes)


READINGS = 8
"""Of a station."""


def array_of_structs(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The sum of the first FIELDS of 8 readings, for n stations; those of a station lie side by side."""
    stations = floats(random, sizes["n"], READINGS)
    return _stations(sizes, "stations", stations, stations.T)


def struct_of_arrays(sizes: Sizes, random: np.random.Generator) -> Problem:
    """The same sums, where one reading of all stations lies side by side."""
    readings = floats(random, READINGS, sizes["n"])
    return _stations(sizes, "readings", readings, readings)


def _stations(sizes: Sizes, name: str, array: np.ndarray, by_field: np.ndarray) -> Problem:
    """`by_field`: the array as (8, n). FIELDS is 1 by default, as in the kernels."""
    fields = sizes.get("FIELDS", 1)
    sums = by_field[:fields].sum(axis=0, dtype=np.float64)
    told = "sums of the readings"
    moved = 4 * (fields + 1) * sums.size
    arrays = {name: array, "sums": empty(sums.size)}
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
    source = floats(random, n)
    arrays = {"in": source, "index": index, "out": empty(n)}
    expected = {"out": source[index].astype(np.float64)}
    return Problem(arrays, {"n": np.int32(n)}, expected, "in[index]", moved=12 * n)


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


SQUARES = tuple({"rows": edge, "cols": edge} for edge in (512, 1024, 2048, 4096, 8192))


MATRICES: tuple[Sizes, ...] = (
    {"rows": 100, "cols": 70},
    {"rows": 128, "cols": 128},
    {"rows": 33, "cols": 97},
)


_BYTES: tuple[Sizes, ...] = tuple({"bytes": 1 << exponent} for exponent in (20, 23, 26))


_STATIONS = powers(20, 22, 24)


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


SETTINGS = {
    "coalescing/strided_copy": Setting(strided_copy, _STRIDES, _SMALL_STRIDES),
    "coalescing/transpose_naive": Setting(transpose, SQUARES, MATRICES),
    "coalescing/transpose_shared": Setting(transpose, SQUARES, MATRICES),
    "coalescing/element_copy": Setting(
        element_copy, _BYTES, ({"bytes": 10000}, {"bytes": 8192}), by_tunables=True
    ),
    "coalescing/array_of_structs": Setting(
        array_of_structs, _STATIONS, ({"n": 1000}, {"n": 2048}), by_tunables=True
    ),
    "coalescing/struct_of_arrays": Setting(
        struct_of_arrays, _STATIONS, ({"n": 1000}, {"n": 2048}), by_tunables=True
    ),
    "coalescing/gather": Setting(gather, _ORDERS, _SMALL_ORDERS, shaping=frozenset({"run", "group"})),
}
