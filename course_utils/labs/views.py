"""What a lab can show of a run. A view says what it needs and turns a Result into a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from .. import metrics
from ..compiler import disassembly
from ..figures import (
    Figure,
    Point,
    access_map,
    bank_grid,
    counters_table,
    lane_work,
    occupancy_view,
    padding,
    roofline,
    source_view,
    tile_film,
    tile_picture,
    warp_film,
    waves_view,
)
from ..figures.accesses import accesses, warps
from ..figures.counters import SHOWN
from ..figures.frames import frames
from ..figures.numbers import told_sizes
from ..figures.phases import phases
from ..figures.ptx import lines_with_instructions
from ..figures.source import BY_LINE, sorts
from ..figures.times import times_view
from ..simulator.kinds import LANES
from ..simulator.trace import Trace
from .controls import Value, shown
from .engine import Result
from .options import Option
from .timing import named, recorded

Wanted = Mapping[str, Value]


class View(Protocol):
    """Something to show under a `title`; `traced`: it needs the steps of a block; `wide`: the whole width."""

    title: str
    traced: bool
    wide: bool

    def draw(self, result: Result) -> Figure:
        """The figure for a run."""
        ...


@runtime_checkable
class Steerable(Protocol):
    """A view with options of its own, which `draw` gets by name. Moving one redraws this view alone."""

    title: str
    traced: bool
    wide: bool

    def options(self, result: Result, wanted: Wanted) -> Sequence[Option]:
        """What this run has to choose from; `wanted`: what the learner chose so far."""
        ...

    def draw(self, result: Result, **picked: Value) -> Figure:
        """The figure for a run and what is picked of each option."""
        ...


@dataclass(frozen=True)
class TilePicture:
    """Which elements one block loads and how often each is used."""

    title: str = "What one block loads"
    traced: bool = True
    wide: bool = False

    def draw(self, result: Result) -> Figure:
        return tile_picture(result.run.trace, result.shapes, shown(result.kernel.name))


@dataclass(frozen=True)
class Counters:
    """The counters beside the baseline's; `measures` are keys of figures.MEASURES."""

    title: str = "Counters"
    measures: tuple[str, ...] = SHOWN
    traced: bool = False
    wide: bool = False

    def draw(self, result: Result) -> Figure:
        return counters_table(result.sample, result.baseline, self.measures)


_NONE = "none"
_PTX, _MACHINE = "PTX", "machine code"


@dataclass(frozen=True)
class SourceView:
    """The kernel's own lines and what the run spent in each; sorted by a column, with the PTX of a line, or
    its machine code where NVIDIA's disassembler is installed.

    `divergence`: with the lanes that are active in each line on average.
    """

    title: str = "Where the lines spend it"
    divergence: bool = False
    traced: bool = True
    wide: bool = True

    def options(self, result: Result, wanted: Wanted) -> Sequence[Option]:
        inside = range(result.kernel.entry.first, result.kernel.entry.last + 1)
        lines = [line for line in lines_with_instructions(result.ptx) if line in inside]
        return [
            Option("sort", sorts(self.divergence), "sort by"),
            Option("ptx", (_NONE, *lines), "PTX of line"),
            *([Option("code", (_PTX, _MACHINE), "as")] if disassembly.find() else []),
        ]

    def draw(self, result: Result, sort: Value = BY_LINE, ptx: Value = _NONE, code: Value = _PTX) -> Figure:
        line = None if ptx == _NONE else int(ptx)
        machine = result.machine_code(line) if line is not None and code == _MACHINE else None
        longest = max(kernel.entry.last - kernel.entry.first + 1 for kernel in result.kernels)
        return source_view(
            result.kernel,
            result.run,
            longest,
            divergence=self.divergence,
            sort=str(sort),
            ptx=result.ptx,
            ptx_line=line,
            machine=machine,
        )


def _access_options(trace: Trace, space: str, wanted: Wanted, first: str = "") -> list[Option]:
    """Which warp, which of its accesses to a memory, and which time. `first`: how the text of the access ends
    that is chosen at first."""
    there = warps(trace, space)
    if not there:
        return []
    warp = Option("warp", there)
    found = accesses(trace, space, int(warp.settled(wanted.get("warp"))))
    texts = tuple(map(str, found))
    start = next((text for text in texts if text.endswith(first)), None)
    access = Option("access", texts, start=start)
    steps = {str(each): len(times) for each, times in found.items()}
    times = steps[str(access.settled(wanted.get("access")))]
    return [warp, access, Option.steps("occurrence", times, "time")]


@dataclass(frozen=True)
class AccessMap:
    """One request of a warp to global memory: its lanes, and the sectors that they touch."""

    title: str = "Which sectors a warp touches"
    traced: bool = True
    wide: bool = True

    def options(self, result: Result, wanted: Wanted) -> Sequence[Option]:
        return _access_options(result.run.trace, "global", wanted)

    def draw(self, result: Result, **picked: Value) -> Figure:
        return access_map(result.run.trace, **picked)  # type: ignore[arg-type]


@dataclass(frozen=True)
class BankGrid:
    """One request of a warp to shared memory: the banks that it wants, wavefront by wavefront.

    first: the access that is chosen at first, such as "load of tile" (default: the first in the source).
    """

    title: str = "Which banks a warp wants"
    first: str = ""
    traced: bool = True
    wide: bool = True

    def options(self, result: Result, wanted: Wanted) -> Sequence[Option]:
        return _access_options(result.run.trace, "shared", wanted, self.first)

    def draw(self, result: Result, **picked: Value) -> Figure:
        return bank_grid(result.run.trace, **picked)  # type: ignore[arg-type]


_LINES, _INSTRUCTIONS = "lines", "instructions"


@dataclass(frozen=True)
class WarpFilm:
    """A warp step by step: its active lanes, and the source line beside."""

    title: str = "What a warp does, step by step"
    traced: bool = True
    wide: bool = True

    def options(self, result: Result, wanted: Wanted) -> Sequence[Option]:
        there = warps(result.run.trace)
        if not there:
            return []
        warp = Option("warp", there)
        by = Option("by", (_LINES, _INSTRUCTIONS), "step by")
        by_line = by.settled(wanted.get("by")) == _LINES
        film = frames(result.run.trace, int(warp.settled(wanted.get("warp"))), by_line=by_line)
        return [warp, by, Option.steps("step", len(film))]

    def draw(self, result: Result, by: Value = _LINES, **picked: Value) -> Figure:
        trace, by_line = result.run.trace, by == _LINES
        return warp_film(trace, kernel=result.kernel, by_line=by_line, **picked)  # type: ignore[arg-type]


@dataclass(frozen=True)
class LaneWork:
    """How much each lane of a warp has to do, and each warp of the block."""

    title: str = "How the work is spread"
    traced: bool = True
    wide: bool = True

    def options(self, result: Result, wanted: Wanted) -> Sequence[Option]:
        there = warps(result.run.trace)
        return [Option("warp", there)] if there else []

    def draw(self, result: Result, warp: Value | None = None) -> Figure:
        return lane_work(result.run.trace, None if warp is None else int(warp))


@dataclass(frozen=True)
class Padding:
    """How many places the format of a sparse matrix keeps, and for how many values; `buffer` holds them."""

    title: str = "What is stored"
    buffer: str = "values"
    traced: bool = False
    wide: bool = False

    def draw(self, result: Result) -> Figure:
        rows, columns = result.shapes[self.buffer]
        return padding(result.sample.operations or 0, rows * columns, shown(result.kernel.name))


_EVERY = "all"


@dataclass(frozen=True)
class TileFilm:
    """A block phase by phase: what it loads, what its shared memory holds, and who reads it."""

    title: str = "What a block does, phase by phase"
    traced: bool = True
    wide: bool = True

    def options(self, result: Result, wanted: Wanted) -> Sequence[Option]:
        trace = result.run.trace
        return [
            Option.steps("step", len(phases(trace)), "phase"),
            Option("warp", (_EVERY, *warps(trace)), "reads by warp"),
            Option("lane", (_EVERY, *range(LANES))),
        ]

    def draw(self, result: Result, step: Value = 1, warp: Value = _EVERY, lane: Value = _EVERY) -> Figure:
        reader = (None if each == _EVERY else int(each) for each in (warp, lane))
        shared = result.kernel.shared_shapes(result.tunables)
        return tile_film(result.run.trace, result.shapes, shared, int(step), *reader, result.kernel)


@dataclass(frozen=True)
class OccupancyView:
    """Which resource limits the blocks on an SM, for a GPU of the learner's choice."""

    title: str = "What fits on one SM"
    traced: bool = False
    wide: bool = True

    def options(self, result: Result, wanted: Wanted) -> Sequence[Option]:
        return [Option("gpu", tuple(metrics.GPUS), "GPU", metrics.H200.name)]

    def draw(self, result: Result, gpu: Value = metrics.H200.name) -> Figure:
        return occupancy_view(result.sample, metrics.GPUS[str(gpu)])


_AS_RUN = "as run"


@dataclass(frozen=True)
class WavesView:
    """In how many waves a GPU takes a grid, for a GPU and a number of blocks of the learner's choice."""

    title: str = "In how many waves the blocks run"
    blocks: tuple[int, ...] = (20, 132, 264, 1056, 1057, 2000, 10_000, 100_000)
    traced: bool = False
    wide: bool = True

    def options(self, result: Result, wanted: Wanted) -> Sequence[Option]:
        return [
            Option("gpu", tuple(metrics.GPUS), "GPU", metrics.H200.name),
            Option("blocks", (_AS_RUN, *self.blocks), "blocks of the grid"),
        ]

    def draw(self, result: Result, gpu: Value = metrics.H200.name, blocks: Value = _AS_RUN) -> Figure:
        grid = None if blocks == _AS_RUN else int(blocks)
        return waves_view(result.sample, metrics.GPUS[str(gpu)], grid)


@dataclass(frozen=True)
class Roofline:
    """Counted traffic and operations against a GPU's ceilings; `others`: recorded or measured points."""

    title: str = "How much arithmetic a byte"
    others: tuple[Point, ...] = ()
    traced: bool = False
    wide: bool = True

    def options(self, result: Result, wanted: Wanted) -> Sequence[Option]:
        return [Option("gpu", tuple(metrics.GPUS), "GPU", metrics.H200.name)]

    def draw(self, result: Result, gpu: Value = metrics.H200.name) -> Figure:
        samples = [result.sample]
        if result.baseline is not None and result.baseline.name != result.sample.name:
            samples.append(result.baseline)
        counted = [Point.counted(sample, result.least_bytes) for sample in samples]
        return roofline([*counted, *self.others], metrics.GPUS[str(gpu)])


@dataclass(frozen=True)
class Times:
    """How long the chosen kernel took at the largest recorded size, beside the library at that size."""

    title: str = "How long it took"
    traced: bool = False
    wide: bool = True

    def draw(self, result: Result) -> Figure:
        found = recorded(result)
        names = {name for chosen, _ in found for name in chosen.sizes}
        counted_at = {name: size for name, size in result.sizes.items() if name in names}
        return times_view(named(result), found, told_sizes(counted_at))
