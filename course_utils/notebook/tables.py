"""Tables of what was counted: the first loads, lines, several runs beside each other."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Mapping, Sequence

import numpy as np

from .. import kernels, simulator
from ..figures import MEASURES, Figure, Measure, Table, counters_table, findings_view, source_view
from ..figures.accesses import lane_addresses
from ..figures.numbers import decimal, told_sizes
from ..figures.sample import COUNTED
from ..simulator.trace import Step
from .counted import Counted, Shown, count, traced

Settings = Mapping[str, int]
"""Sizes and tunables by name."""


def first_loads(counted: Counted, most: int = 2, head: str = "matrix") -> Shown:
    """The first loads from global memory of the traced warp, one a row; `head`: what the buffers are."""
    loads = [step for step in counted.run.trace.steps if step.space == "global" and step.load]
    rows = []
    for step in loads[:most]:
        wanted = step.index[step.index >= 0]
        numbers = (step.line, step.buffer, len(wanted), len(np.unique(wanted)), step.sectors)
        rows.append(tuple(map(str, numbers)))
    columns = ("line", head, "threads that load", "different elements", "sectors")
    return Shown(Table(f"{counted.kernel.path.name}, first warp, {COUNTED}", columns, tuple(rows)))


def beside(chosen: Counted, baseline: Counted) -> Shown:
    """The counters of one run beside those of another, named by what sets them apart."""
    apart = [name for name, value in chosen.settings.items() if baseline.settings.get(name) != value]
    return Shown(counters_table(chosen.sample(apart), baseline.sample(apart)))


def lines(counted: Counted) -> Shown:
    """The lines of the kernel, with what the run spent in each."""
    return Shown(source_view(counted.kernel, counted.run))


def checked(kernel: str, *checks: str, **settings: int) -> Shown:
    """Run a kernel with the simulator's checks (by default all of them), and show what they found as cards.

    Below is whether the values came out right, which a fault need not change. Kernels that are wrong on
    purpose are among those that can be run: "<topic>/faulty/<name>".
    """
    counted = traced(kernel, settings, None, checks or simulator.CHECKS)
    told = f"{counted.kernel.path.name}, {told_sizes(settings)}: {counted.verdict}."
    found = findings_view(counted.run.findings, counted.kernel.source, counted.kernel.path.name)
    cards = found.html if counted.run.findings else ""
    below = f'{cards}<p class="lk-sentence">{html.escape(told)}</p>'
    return Shown(Figure(found.sentence, below, f"{found.text}\n\n{told}".strip()))


def fewer(baseline: str, kernel: str, N: int, TILE: Sequence[int] = (4, 8, 16, 32)) -> Shown:
    """How many times fewer load requests and load sectors a kernel has than the baseline, for each TILE."""
    rows = []
    for tile in TILE:
        runs = [count(name, N=N, TILE=tile) for name in (baseline, kernel)]
        first, second = runs
        each = (f"{run.bytes_per_multiply_add:.2f}" for run in runs)
        ratios = (first.requests / second.requests, first.sectors / second.sectors)
        rows.append((str(tile), *each, *(f"{ratio:.1f}" for ratio in ratios)))
    names = (f"bytes a multiply-add: {kernels.load(name).path.stem}" for name in (baseline, kernel))
    head = ("TILE", *names, "times fewer requests", "times fewer sectors")
    return Shown(Table(f"N = {N}, {COUNTED}", head, tuple(rows)))


def buffers(
    kernel: str, settings: Mapping[str, Settings], *names: str, head: str = "", **others: int
) -> Shown:
    """For each of several settings, what the first block's requests for each buffer touch: sectors a request,
    and how many of the 32 bytes of such a sector a thread of the warp wants.

    settings: what the row is called -> sizes and tunables; `head`: what these names are. `others`: sizes and
    tunables that all have. Raises ValueError for a buffer that the block does not touch.
    """
    rows = []
    for called, chosen in settings.items():
        counted = traced(kernel, {**others, **chosen}, {"block": (0, 0)})
        cells = [touched(counted.run.trace.steps, name) for name in names]
        rows.append((called, *(cell for pair in cells for cell in pair)))
    columns = (f"{name}:\n{told}" for name in names for told in ("sectors a request", "bytes used of 32"))
    caption = f"{kernels.load(kernel).path.name}, {told_sizes(others)}, block 0, {COUNTED}"
    return Shown(Table(caption, (head, *columns), tuple(rows)))


def touched(steps: Sequence[Step], buffer: str) -> tuple[str, str]:
    """(sectors a request, wanted bytes a sector) of all requests for a buffer."""
    found = [step for step in steps if step.space == "global" and step.buffer == buffer]
    if not found:
        raise ValueError(f"the first block has no request for {buffer!r}")
    sectors = sum(step.sectors for step in found)
    wanted = sum(_wanted_bytes(step) for step in found)
    return decimal(sectors / len(found)), decimal(wanted / sectors)


def _wanted_bytes(step: Step) -> int:
    """Bytes that at least one lane wants; the elements of a kernel do not overlap in part."""
    return step.size * len({address for address in lane_addresses(step) if address is not None})


def each(name: str, values: Sequence[int]) -> dict[str, Settings]:
    """Settings for `buffers` and `recorded`, one for each value of one name: called "0", "1" and so on."""
    return {str(value): {name: value} for value in values}


def over(name: str, values: Sequence[int], *names: str, measures: Sequence[str], **settings: int) -> Shown:
    """A row for each value of a size or tunable, a column for each measure of each kernel.

    `measures`: keys of figures.MEASURES. `settings`: the other sizes and tunables.
    """
    rows = []
    for value in values:
        samples = [count(kernel, **settings, **{name: value}).sample() for kernel in names]
        rows.append((str(value), *(MEASURES[key].of(sample) for key in measures for sample in samples)))
    stems = [kernels.load(kernel).path.stem for kernel in names]
    columns = (f"{_head(MEASURES[key])}\n{stem}" for key in measures for stem in stems)
    caption = ", ".join(filter(None, (told_sizes(settings), COUNTED)))
    return Shown(Table(caption, (name, *columns), tuple(rows)))


def runs(counted: Mapping[str, Counted], measures: Sequence[str]) -> Shown:
    """A row for each run under its name, a column for each measure, a key of figures.MEASURES."""
    rows = ((name, *(MEASURES[key].of(run.sample()) for key in measures)) for name, run in counted.items())
    columns = (_head(MEASURES[key]) for key in measures)
    return Shown(Table(COUNTED, ("kernel", *columns), tuple(rows)))


def compared(*counted: Counted, measures: Sequence[str], told: Sequence[str] = ()) -> Shown:
    """A row for each run, and a column for each of `measures`, which are keys of figures.MEASURES. `told`:
    the settings that are named."""
    return runs({run.sample(told).name: run for run in counted}, measures)


def _head(measure: Measure) -> str:
    """The head of a measure's column, with its level where that is not the hardware's."""
    return column(f"{measure.label} {measure.note}".strip())


def column(head: str) -> str:
    """The head of a column in several lines, as narrow as its numbers can be."""
    return textwrap.fill(head, 20)
