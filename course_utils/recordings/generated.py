"""Kernels made at random, one a seed: nobody had them in mind when the simulator was built.

A kernel loads from global memory by one pattern of indices. It may exchange values through shared memory by
another, loop with different numbers of rounds for different lanes, keep an array in local memory, and count
in shared memory. It stores by a third pattern. Patterns are strided, shifted, reversed, gathered, grouped,
exclusive-or; elements have 1 to 16 bytes; some lanes may sit out. Nothing is undefined: indices stay inside,
and each element of the result is written by one thread.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

TYPES: dict[str, tuple[np.dtype, int]] = {
    "signed char": (np.dtype(np.int8), 1),
    "short": (np.dtype(np.int16), 1),
    "int": (np.dtype(np.int32), 1),
    "float": (np.dtype(np.float32), 1),
    "double": (np.dtype(np.float64), 1),
    "float2": (np.dtype(np.float32), 2),
    "float4": (np.dtype(np.float32), 4),
}
"""Element type -> NumPy's type of its components, and how many of them."""

_SPACE = 8192
"""Elements that the inputs hold: more than any pattern reaches."""


@dataclass(frozen=True)
class Generated:
    """A kernel called `random_access`, with its launch. `arguments()` makes new arrays, always the same."""

    seed: int
    source: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    element: str

    @property
    def name(self) -> str:
        return f"generated/{self.seed}"

    @property
    def entry(self) -> str:
        return "random_access"

    def arguments(self) -> list[object]:
        """in, index, out, tally, n: what every generated kernel takes."""
        numbers = np.random.default_rng(self.seed)
        dtype, components = TYPES[self.element]
        count = _SPACE * components
        if dtype.kind == "f":
            values = numbers.standard_normal(count).astype(dtype)
        else:
            values = numbers.integers(-100, 100, count).astype(dtype)
        index = numbers.integers(0, _SPACE, _SPACE).astype(np.int32)
        return [values, index, np.zeros(count, dtype), np.zeros(64, np.uint32), np.int32(_SPACE)]


def make(seed: int) -> Generated:
    """The kernel of a seed."""
    return _Maker(seed).make()


class _Maker:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)

    def make(self) -> Generated:
        pick = self.random.choice
        element = pick(list(TYPES))
        block = pick(
            [(32,), (48,), (64,), (100,), (128,), (256,), (8, 8), (16, 4), (32, 3), (4, 4, 4), (33,)]
        )
        self.threads = int(np.prod(block))
        grid = (self.random.randint(1, 5),)
        self.total = self.threads * grid[0]
        body = [*self._thread(block), *self._load(), *self._loop(), *self._shared(element, block)]
        body += [*self._local(), *self._tally(), *self._store()]
        lines = "\n".join(f"    {line}" for line in body)
        source = _HEAD.replace("ELEMENT", element) + _plus(element) + _ENTRY + lines + "\n}\n"
        return Generated(self.seed, source, grid, block, element)

    def _thread(self, block: tuple[int, ...]) -> list[str]:
        places = ["threadIdx.x", "threadIdx.y * blockDim.x", "threadIdx.z * blockDim.x * blockDim.y"]
        return [
            f"int t = {' + '.join(places[: len(block)])};",
            f"int i = blockIdx.x * {self.threads} + t;",
        ]

    def _pattern(self, index: str) -> str:
        """An index below _SPACE for any index below 1280."""
        whole = self.random.randint
        makers: list[Callable[[], str]] = [
            lambda: index,
            lambda: f"{index} + {whole(1, 40)}",
            lambda: f"{index} * {whole(2, 6)}",
            lambda: f"{whole(1280, 2000)} - {index}",
            lambda: f"index[{index}]",
            lambda: f"{index} / {pick([2, 3, 4, 8, 32])} * {pick([1, 5, 9, 16])}",
            lambda: f"({index} ^ {whole(1, 63)})",
            lambda: f"{index} % {pick([7, 16, 32, 50])} * {pick([1, 8, 33])}",
        ]
        pick = self.random.choice
        return pick(makers)()

    def _guard(self) -> str:
        chance, pick = self.random.random(), self.random.choice
        if chance < 0.55:
            return ""
        if chance < 0.7:
            return f"if (i % {pick([2, 3, 5])} != 1) "
        if chance < 0.85:
            return f"if (i < {self.random.randint(1, self.total)}) "
        return "if (index[i] & 1) "

    def _load(self) -> list[str]:
        lines = ["ELEMENT value = in[0];".replace("ELEMENT", "Element")]
        for _ in range(self.random.randint(1, 2)):
            lines.append(f"{self._guard()}value = plus(value, in[{self._pattern('i')}]);")
        return lines

    def _loop(self) -> list[str]:
        if self.random.random() < 0.5:
            return []
        rounds = self.random.choice(["3", "t % 4", "(index[i] & 7)", "t / 32 + 1"])
        step = self.random.choice([1, 8, 33])
        return [f"for (int k = 0; k < {rounds}; ++k) value = plus(value, in[i + k * {step}]);"]

    def _shared(self, element: str, block: tuple[int, ...]) -> list[str]:
        if self.random.random() < 0.25:
            return []
        stride = self.random.choice([1, 1, 2, 3, 4, 8])
        threads = self.threads
        reads = [
            f"({threads - 1} - t) * {stride}",
            f"(t + {self.random.randint(1, 31)}) % {threads} * {stride}",
            f"t * {self.random.choice([3, 5, 7, 16])} % {threads} * {stride}",
            f"index[i] % {threads} * {stride}",
            "0",
        ]
        return [
            f"__shared__ Element cell[{threads * stride}];",
            f"cell[t * {stride}] = value;",
            "__syncthreads();",
            f"{self._guard()}value = plus(value, cell[{self.random.choice(reads)}]);",
        ]

    def _local(self) -> list[str]:
        """An array that has no place in registers, since its index is known only in the run."""
        if self.random.random() < 0.8:
            return []
        length = self.random.choice([4, 7, 8])
        return [
            f"Element own[{length}];",
            f"for (int k = 0; k < {length}; ++k) own[k] = plus(value, in[k]);",
            f"value = own[{self.random.choice(['t', 'index[i]'])} % {length}];",
        ]

    def _tally(self) -> list[str]:
        if self.random.random() < 0.7:
            return []
        bins = self.random.choice([4, 16, 33])
        return [
            "__shared__ unsigned bins[33];",
            "if (t < 33) bins[t] = 0;",
            *([] if self.threads > 32 else ["if (t == 0) bins[32] = 0;"]),
            "__syncthreads();",
            f"atomicAdd(&bins[index[i] % {bins}], (unsigned)t);",
            "__syncthreads();",
            "if (blockIdx.x == 0 && t < 32) tally[t] = bins[t];",
        ]

    def _store(self) -> list[str]:
        places = [
            "i",
            f"{self.total - 1} - i",
            f"i * {self.random.choice([2, 3, 5])}",
            f"i + {self.random.randint(1, 9)}",
        ]
        return [f"{self._guard()}out[{self.random.choice(places)}] = value;"]


_HEAD = "typedef ELEMENT Element;\n\n"
_ENTRY = """
extern "C" __global__ void random_access(const Element* in, const int* index, Element* out,
                                         unsigned* tally, int n) {
"""


def _plus(element: str) -> str:
    components = TYPES[element][1]
    if components == 1:
        total = "Element(a + b)"
    else:
        total = f"make_{element}({', '.join(f'a.{axis} + b.{axis}' for axis in 'xyzw'[:components])})"
    return f"__device__ Element plus(Element a, Element b) {{ return {total}; }}\n"
