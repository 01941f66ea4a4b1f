"""Inputs for the course's kernels, and what NumPy says the result is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ..kernels import EntryPoint, Kernel

TOLERANCE = 1e-5
"""Of the largest element of the right result; sums of a few hundred float32 products stay far below it."""


@dataclass(frozen=True)
class Problem:
    """Values by parameter name.

    `arrays`: buffers, vectors or matrices, changed by a launch. `expected`: the right content of those that
    the kernel writes, in float64. `told`: how NumPy computes it. `operations`: multiply-adds, None where
    there are none.
    """

    arrays: dict[str, np.ndarray]
    scalars: dict[str, np.generic]
    expected: dict[str, np.ndarray]
    told: str
    operations: int | None = None

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


_TOLD_TOLERANCE = f"{TOLERANCE:g}".replace("e-0", "e-")


def _value(value: np.floating) -> str:
    return "not written" if np.isnan(value) else f"{value:.6g}"


def matmul(values: Mapping[str, int], random: np.random.Generator) -> Problem:
    """C = A B for N x N matrices, values from -1 to 1."""
    edge = values["N"]
    a, b = (random.uniform(-1, 1, (edge, edge)).astype(np.float32) for _ in range(2))
    return Problem(
        arrays={"A": a, "B": b, "C": np.full((edge, edge), np.nan, np.float32)},
        scalars={"N": np.int32(edge)},
        expected={"C": a.astype(np.float64) @ b.astype(np.float64)},
        told="A @ B",
        operations=edge**3,
    )


def strided_copy(values: Mapping[str, int], random: np.random.Generator) -> Problem:
    """out[i] = in[offset + i * stride]."""
    n, stride, offset = values["n"], values["stride"], values["offset"]
    given = random.uniform(-1, 1, offset + (n - 1) * stride + 1).astype(np.float32)
    right = given[offset + stride * np.arange(n)]
    return _copying(given, right, "in[offset + stride * arange(n)]", stride=stride, offset=offset, n=n)


def transpose(values: Mapping[str, int], random: np.random.Generator) -> Problem:
    """out is in with rows and columns exchanged."""
    rows, cols = values["rows"], values["cols"]
    given = random.uniform(-1, 1, (rows, cols)).astype(np.float32)
    return _copying(given, given.T, "in.T", rows=rows, cols=cols)


def vector_add(values: Mapping[str, int], random: np.random.Generator) -> Problem:
    """out = a + b."""
    n = values["n"]
    a, b = (random.uniform(-1, 1, n).astype(np.float32) for _ in range(2))
    return _vectors({"a": a, "b": b}, {"out": a + b}, "a + b", n=np.int32(n))


def scale(values: Mapping[str, int], random: np.random.Generator) -> Problem:
    """out = 1.5 x."""
    n = values["n"]
    x = random.uniform(-1, 1, n).astype(np.float32)
    return _vectors({"x": x}, {"out": 1.5 * x}, "1.5 * x", factor=np.float32(1.5), n=np.int32(n))


def warp_sum(values: Mapping[str, int], random: np.random.Generator) -> Problem:
    """sums[w] is the sum of the w-th 32 elements of x."""
    n = values["n"]
    x = random.uniform(-1, 1, n).astype(np.float32)
    right = np.add.reduceat(x.astype(np.float64), np.arange(0, n, 32))
    return _vectors({"x": x}, {"sums": right}, "add.reduceat(x, arange(0, n, 32))", n=np.int32(n))


def reverse(values: Mapping[str, int], random: np.random.Generator) -> Problem:
    """Each segment of BLOCK elements back to front."""
    n, block = values["n"], values["BLOCK"]
    given = random.uniform(-1, 1, n).astype(np.float32)
    right = np.concatenate([given[start : start + block][::-1] for start in range(0, n, block)])
    return _copying(given, right, "segments, each [::-1]", n=n)


def _copying(given: np.ndarray, right: np.ndarray, told: str, **scalars: int) -> Problem:
    return _vectors(
        {"in": given}, {"out": right}, told, **{name: np.int32(value) for name, value in scalars.items()}
    )


def _vectors(
    given: dict[str, np.ndarray], right: dict[str, np.ndarray], told: str, **scalars: np.generic
) -> Problem:
    """Inputs, and outputs that count as not written."""
    outputs = {name: np.full(array.shape, np.nan, np.float32) for name, array in right.items()}
    expected = {name: array.astype(np.float64) for name, array in right.items()}
    return Problem({**given, **outputs}, scalars, expected, told)


Maker = Callable[[Mapping[str, int], np.random.Generator], Problem]

PROBLEMS: dict[str, Maker] = {
    "tiling": matmul,
    "coalescing/strided_copy": strided_copy,
    "coalescing/transpose_naive": transpose,
    "coalescing/transpose_shared": transpose,
    "execution_model/vector_add": vector_add,
    "execution_model/scale": scale,
    "execution_model/warp_sum": warp_sum,
    "execution_model/reverse": reverse,
}
"""A kernel, or the topic of kernels, -> what makes their problem from sizes and tunables."""


def problem_of(kernel: Kernel) -> Maker:
    """What makes a kernel's problem. Raises ValueError where none is known."""
    found = PROBLEMS.get(kernel.name) or PROBLEMS.get(kernel.topic)
    if found is None:
        raise ValueError(f"no inputs are known for {kernel.name}: give the lab a problem")
    return found
