"""Attention: the steps of an online softmax, three launches that hand on a score matrix, traffic over N."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from .. import devices, kernels, problems
from ..figures import Table
from ..figures.numbers import count as counted_number
from ..figures.numbers import milliseconds, told_sizes
from ..figures.sample import COUNTED
from ..problems import Problem
from ..recordings.jobs import TimeLibrary
from ..recordings.libraries import LIBRARIES, LibraryMissing
from .counted import Counted, Shown, count
from .tables import column

_TOPIC = "flash_attention"

LAUNCHES = ("scores", "softmax", "weighted")
"""The three launches of attention with a score matrix, in order."""


def online_steps(scores: Sequence[float]) -> Shown:
    """The online softmax of some scores, a row for each step, as a kernel on the simulator computes it.

    Raises ValueError where there is no score, or one that is not finite.
    """
    given = np.array(scores, np.float32)
    if given.ndim != 1 or not given.size or not np.isfinite(given).all():
        raise ValueError(f"online_steps needs one finite score or more, not {scores!r}")
    kernel = kernels.load(f"{_TOPIC}/online_steps")
    largest, rescale, sums = (np.full_like(given, np.nan) for _ in range(3))
    arguments = [given, largest, rescale, sums, np.int32(given.size)]
    geometry = kernel.geometry()
    devices.launch(kernel, None, geometry.grid, geometry.block, arguments, device=devices.SIMULATOR)
    rows = tuple(
        (str(step), f"{score:g}", f"{most:g}", f"{factor:.4f}", f"{total:.4f}")
        for step, (score, most, factor, total) in enumerate(
            zip(given, largest, rescale, sums, strict=True), 1
        )
    )
    head = ("step", "score", "largest so far", "factor for\nwhat was there", "sum of weights")
    return Shown(Table(f"{kernel.path.name}, run in the simulator", head, rows))


def materialised(N: int, HEAD: int = 32) -> dict[str, Counted]:
    """Attention by three launches, each of which takes what the one before wrote: by the name of the kernel.

    The verdict of the last one compares O with attention as a whole. Raises KernelError for a HEAD that the
    kernels do not have.
    """
    whole = problems.flash_attention.attention({"N": N, "HEAD": HEAD}, np.random.default_rng(0))
    between = {name: np.full((N, N), np.nan, np.float32) for name in ("S", "P")}
    return {name: _launched(name, whole, between, N, HEAD) for name in LAUNCHES}


def _launched(name: str, whole: Problem, between: Mapping[str, np.ndarray], N: int, HEAD: int) -> Counted:
    kernel = kernels.load(f"{_TOPIC}/{name}")
    tunables = {"HEAD": HEAD} if "HEAD" in kernel.tunables else {}
    arrays = {
        parameter.name: (whole.arrays | between)[parameter.name]
        for parameter in kernel.entry.parameters
        if parameter.is_pointer
    }
    operations = N * N * HEAD if tunables else None
    expected = whole.expected if "O" in arrays else {}
    problem = Problem(arrays, whole.scalars, expected, whole.told, operations)
    geometry = problems.geometry(kernel, tunables, {"N": N})
    run = devices.launch(
        kernel,
        None,
        geometry.grid,
        geometry.block,
        problem.arguments(kernel.entry),
        defines=tunables,
        device=devices.SIMULATOR,
    )
    verdict = problem.verdict()[1] if expected else f"{', '.join(arrays)} handed on"
    return Counted(kernel, {"N": N, **tunables}, run, operations, verdict, arrays=arrays)


def traffic_over(N: Sequence[int], HEAD: int = 32, **tunables: int) -> Shown:
    """A row for each N: the bytes of the matrices in global memory, and the global sectors loaded and stored,
    of the three launches and of the fused kernel with these tunables."""
    rows = []
    for n in N:
        apart = materialised(n, HEAD).values()
        fused = count(f"{_TOPIC}/fused", N=n, HEAD=HEAD, **tunables)
        sizes = {name: array.nbytes for each in apart for name, array in each.arrays.items()}
        numbers = (
            sum(sizes[name] for name in "SP"),
            sum(sizes[name] for name in "QKVO"),
            sum(sectors_of(each, "SP") for each in apart),
            sum(sectors_of(each, "QKVO") for each in apart),
            sectors_of(fused, "KV"),
            sectors_of(fused, "QO"),
        )
        rows.append((f"{n:,}", *map(counted_number, numbers)))
    heads = (
        *(f"bytes of {matrices}" for matrices in ("S and P", "Q, K, V, O")),
        *(f"three launches: sectors of {matrices}" for matrices in ("S and P", "Q, K, V, O")),
        *(f"fused: sectors of {matrices}" for matrices in ("K and V", "Q and O")),
    )
    told = told_sizes({"HEAD": HEAD, **tunables})
    return Shown(Table(f"{told}, {COUNTED}", ("N", *map(column, heads)), tuple(rows)))


def sectors_of(counted: Counted, buffers: Iterable[str]) -> int:
    """Global sectors that a run loads from and stores to some of the kernel's buffers: those of the source
    lines that name them.

    Raises ValueError where such a line names another buffer as well, and its sectors cannot be told apart.
    """
    wanted = set(buffers)
    known = {parameter.name for parameter in counted.kernel.entry.parameters if parameter.is_pointer}
    total = 0
    for number, line in enumerate(counted.kernel.source.splitlines(), 1):
        named = known & set(re.findall(r"\b(\w+)\[", line))
        found = counted.run.by_line.get(number, {}).get("global_sectors", 0)
        if named & wanted and named - wanted and found:
            told = ", ".join(sorted(named))
            raise ValueError(f"line {number} of {counted.kernel.name} names {told}: count them together")
        total += found if named & wanted else 0
    return total


def measure_libraries(N: int) -> None:
    """Print how long attention takes on this machine's GPU by each library that is recorded, or what is
    missing for it.

    Without a GPU nothing is printed, since `measure` says so.
    """
    if devices.current() == devices.SIMULATOR:
        return
    for name, library in LIBRARIES.items():
        if library.topic == _TOPIC:
            try:
                median = TimeLibrary(name, {"N": N}).run()["seconds"]["median"]
            except LibraryMissing as missing:
                print(f"{name}: {missing}")
            else:
                print(f"{name}: {milliseconds(median)}")
