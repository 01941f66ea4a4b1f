"""Tiles: barriers left out, bytes that threads ask for and warps fetch, and one number of several kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from .. import kernels, problems, simulator
from ..figures import MEASURES, Figure, Table, findings_view, sweep_bars
from ..figures.numbers import count as told
from ..figures.numbers import decimal, plural, told_sizes
from ..figures.sample import COUNTED
from ..kernels.errors import listed
from ..metrics.operations import fp32_operations
from ..problems import TOLERANCE, Problem
from .counted import Counted, Shown, traced
from .tables import Settings, column


@dataclass(frozen=True, repr=False)
class Checked:
    """A kernel's run in the simulator with the race check, on random inputs.

    `wrong`: how many elements of how many differ from NumPy's; `right_rows`: the rows of the result in which
    none does. Shows a card for each race.
    """

    kernel: kernels.Kernel
    problem: Problem
    run: simulator.Run
    wrong: int
    elements: int
    right_rows: tuple[int, ...]

    @property
    def races(self) -> tuple[simulator.Finding, ...]:
        """What the check found: a finding for each pair of lines that race for an array."""
        return tuple(self.run.findings)

    @property
    def _figure(self) -> Figure:
        found = findings_view(self.races, self.kernel.source, self.kernel.path.name)
        wrong = f"{told(self.wrong)} of {plural(self.elements, 'element')} are wrong."
        return replace(found, sentence=f"{wrong} {found.sentence}")

    def __repr__(self) -> str:
        return repr(Shown(self._figure))

    def _repr_html_(self) -> str:
        return Shown(self._figure)._repr_html_()


def check_races(kernel: str, **settings: int) -> Checked:
    """Run a matrix product of the course in the simulator with the race check, also one that is faulty on
    purpose, and compare its result with NumPy's. `settings`: as `count` takes them."""
    loaded = kernels.load(kernel)
    tunables = {name: value for name, value in settings.items() if name in loaded.tunables}
    sizes = {name: value for name, value in settings.items() if name not in loaded.tunables}
    geometry = problems.geometry(loaded, tunables, sizes)
    problem = problems.of(loaded).make({**sizes, **loaded.values(tunables)}, np.random.default_rng(0))
    program = simulator.compile(loaded.source, defines=loaded.defines(tunables), name=loaded.path.name)
    run = program.launch(
        loaded.entry.name,
        geometry.grid,
        geometry.block,
        problem.arguments(loaded.entry),
        geometry.shared_bytes,
        checks=("races",),
    )
    (name,) = problem.expected
    found, right = problem.arrays[name], problem.expected[name]
    good = np.abs(found - right) <= TOLERANCE * float(np.abs(right).max())
    rows = tuple(map(int, np.flatnonzero(good.all(axis=1))))
    return Checked(loaded, problem, run, int((~good).sum()), right.size, rows)


def races(kernel: str, settings: Mapping[str, Settings], **others: int) -> Shown:
    """A row for each of several settings: wrong elements, rows that are right, and what the race check finds.

    settings: what the row is called -> sizes and tunables. `others`: sizes and tunables that all have.
    """
    rows = []
    for called, chosen in settings.items():
        run = check_races(kernel, **{**others, **chosen})
        arrays = sorted({access.array for race in run.races for access in race.accesses if access.array})
        found = f"{plural(len(run.races), 'race')}: {listed(arrays)}" if arrays else "nothing"
        rows.append((called, f"{told(run.wrong)} of {told(run.elements)}", _rows(run), found))
    caption = f"{kernels.load(kernel).path.name}, {told_sizes(others)}, {COUNTED}"
    head = ("", "wrong elements", "rows that are right", "the race check finds")
    return Shown(Table(caption, head, tuple(rows)))


def _rows(run: Checked) -> str:
    if not run.wrong:
        return "all"
    return listed(list(map(str, run.right_rows))) or "none"


def asked(counted: Counted) -> float:
    """Bytes of global memory that the threads of the first block ask for, by loads and stores together, for
    each FP32 operation.

    All blocks must be alike, so the size a multiple of the tile. Raises ValueError where the block takes more
    steps than a trace holds.
    """
    grid = counted.run.grid
    trace = traced(counted.kernel.name, counted.settings, {"block": (0, 0)}).run.trace
    if not trace.complete:
        raise ValueError(f"the first block of {counted.kernel.name} takes too many steps: use a smaller size")
    bytes = sum(step.size * step.active.bit_count() for step in trace.steps if step.space == "global")
    return bytes * prod(grid) / fp32_operations(counted.run.by_opcode)


def intensity(runs: Mapping[str, Counted]) -> Shown:
    """A row for each run under its name: FP32 operations for each byte that threads ask for, and for each
    byte that their warps fetch or store. As in `asked`, all blocks must be alike."""
    fetched = MEASURES["intensity"]
    rows = ((name, decimal(1 / asked(run), 2), fetched.of(run.sample())) for name, run in runs.items())
    head = ("kernel", column("FP32 operations a byte: asked for by threads"), column("fetched by warps"))
    return Shown(Table(COUNTED, head, tuple(rows)))


def bars(runs: Mapping[str, Counted], measure: str) -> Shown:
    """A bar for each run under its name: one number of each, a key of figures.MEASURES."""
    samples = {name: (replace(run.sample(), name="the product"), None) for name, run in runs.items()}
    return Shown(sweep_bars("kernel", samples, measure))
