"""What lessons call besides labs and exercises: a counted run, tables of counts, the lessons, this machine.

naive = notebook.count("tiling/naive", N=256, TILE=32)
naive.sectors, naive.bytes_per_multiply_add
notebook.first_loads(naive)
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from IPython.display import Markdown

from . import devices, kernels, metrics, problems, recordings
from .exercises import manifest
from .figures import MEASURES, Figure, Sample, Table, counters_table, ladder, source_view
from .figures.sample import COUNTED
from .figures.style import scoped
from .recordings.launches import combinations
from .simulator.kinds import LANES
from .simulator.sectors import BANKS
from .simulator.trace import Step

WORD = 4
"""Bytes that a bank of shared memory gives in a pass."""


@dataclass(frozen=True, repr=False)
class Counted:
    """A kernel's run in the simulator on random inputs, traced for the first warp of its first block.

    `settings`: sizes and tunables. `verdict`: whether the result is right, in words.
    """

    kernel: kernels.Kernel
    settings: dict[str, int]
    run: devices.Run
    operations: int | None
    verdict: str

    @property
    def requests(self) -> int:
        """Global load requests: one for each load that a warp executes."""
        return self.run.metrics[metrics.names.GLOBAL_LOAD_REQUESTS]

    @property
    def sectors(self) -> int:
        """Global load sectors, of 32 bytes."""
        return self.run.metrics[metrics.names.GLOBAL_LOAD_SECTORS]

    @property
    def wavefronts(self) -> int:
        """Shared load wavefronts."""
        return self.run.metrics[metrics.names.SHARED_LOAD_WAVEFRONTS]

    @property
    def bytes_per_multiply_add(self) -> float:
        """Bytes of global load sectors for one multiply-add. Raises ValueError for a kernel that has none."""
        found = metrics.ratios.bytes_per_multiply_add(self.run.metrics, self.operations or 0)
        if found is None:
            raise ValueError(f"{self.kernel.name} has no multiply-adds to divide by")
        return found

    def sample(self, told: Sequence[str] = ()) -> Sample:
        """What figures are made from, under the kernel's name and the settings to be told."""
        settings = ", ".join(f"{name} {self.settings[name]}" for name in told if name in self.settings)
        name = self.kernel.path.stem
        return Sample(f"{name} ({settings})" if settings else name, self.run, self.operations)

    def __repr__(self) -> str:
        settings = ", ".join(f"{name} = {value}" for name, value in self.settings.items())
        grid, block = (" x ".join(map(str, shape[:2])) for shape in (self.run.grid, self.run.block))
        return f"{self.kernel.name}, {settings}: {grid} blocks of {block} threads.\n{self.verdict}"


@dataclass(frozen=True, repr=False)
class Shown:
    """A table in a notebook, below the sentence that says what it shows.

    Its style is that of the labs and questions on the page. The output itself holds none, or each change of
    style would change the stored outputs that the tests compare.
    """

    content: Figure | Table

    def __repr__(self) -> str:
        return repr(self.content)

    def _repr_html_(self) -> str:
        sentence = self.content.sentence if isinstance(self.content, Figure) else ""
        told = f"<p>{html.escape(sentence)}</p>" if sentence else ""
        return scoped(told + self.content.html)


def count(kernel: str, **settings: int) -> Counted:
    """Run a kernel of the course in the simulator, on any machine, and compare its result with NumPy's.

    `settings`: the kernel's sizes, and its tunables, else as in the file. Raises KernelError for others.
    """
    loaded = kernels.load(kernel)
    tunables = {name: value for name, value in settings.items() if name in loaded.tunables}
    sizes = {name: value for name, value in settings.items() if name not in loaded.tunables}
    geometry = problems.geometry(loaded, tunables, sizes)
    problem = problems.of(loaded).make({**sizes, **loaded.values(tunables)}, np.random.default_rng(0))
    run = devices.launch(
        loaded,
        None,
        geometry.grid,
        geometry.block,
        problem.arguments(loaded.entry),
        geometry.shared_bytes,
        defines=tunables,
        device=devices.SIMULATOR,
        trace={"block": (0, 0), "warp": 0},
    )
    _, verdict = problem.verdict()
    return Counted(loaded, sizes | loaded.values(tunables), run, problem.operations, verdict)


def first_loads(counted: Counted, most: int = 2) -> Shown:
    """The first loads from global memory of the traced warp, one a row."""
    loads = [step for step in counted.run.trace.steps if step.space == "global" and step.load]
    rows = []
    for step in loads[:most]:
        wanted = step.index[step.index >= 0]
        numbers = (step.line, step.buffer, len(wanted), len(np.unique(wanted)), step.sectors)
        rows.append(tuple(map(str, numbers)))
    head = ("line", "matrix", "threads that load", "different elements", "sectors")
    return Shown(Table(f"{counted.kernel.path.name}, first warp, {COUNTED}", head, tuple(rows)))


def beside(chosen: Counted, baseline: Counted) -> Shown:
    """The counters of one run beside those of another, named by what sets them apart."""
    apart = [name for name, value in chosen.settings.items() if baseline.settings.get(name) != value]
    return Shown(counters_table(chosen.sample(apart), baseline.sample(apart)))


def lines(counted: Counted) -> Shown:
    """The lines of the kernel, with what the run spent in each."""
    return Shown(source_view(counted.kernel, counted.run))


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


def times(*names: str, **sizes: int) -> Shown:
    """Recorded times of kernels, with each of their tunables at one size, beside those of libraries: the
    course's own recording, and the learner's where there is one."""
    recorded = recordings.load()
    loaded = {name: kernels.load(name) for name in names}
    topics = {kernel.topic for kernel in loaded.values()}
    found = (
        each for recording in recorded for topic in topics for each in recording.libraries.get(topic, ())
    )
    libraries = dict.fromkeys(each.name for each in found if each.sizes == sizes)
    tunables = {name: combinations(kernel) for name, kernel in loaded.items()}
    try:
        return Shown(ladder(recorded, tunables, tuple(libraries), **sizes))
    except ValueError as error:
        return Shown(_not_recorded(error))


def _not_recorded(what: object) -> Figure:
    """A sentence in place of numbers that no recording has."""
    told = f"{what}."
    return Figure(told[:1].upper() + told[1:], "")


def measure(*names: str, **settings: int) -> None:
    """Time kernels on this machine's GPU and print the times; without a GPU, say so."""
    if devices.current() == devices.SIMULATOR:
        print(devices.describe())
        return
    for name in names:
        print(f"{kernels.load(name).path.stem:<10}{_measured(name, settings)}")


def measure_over(name: str, over: str, values: Sequence[int], **settings: int) -> None:
    """As `measure`, for one kernel and each value of one of its settings."""
    if devices.current() == devices.SIMULATOR:
        print(devices.describe())
        return
    for value in values:
        print(f"{over} {value:<10}{_measured(name, {**settings, over: value})}")


def _measured(name: str, settings: Mapping[str, int]) -> str:
    """The time of a launch on this machine's GPU, or why there is none."""
    kernel = kernels.load(name)
    tunables = {key: value for key, value in settings.items() if key in kernel.tunables}
    sizes = {key: value for key, value in settings.items() if key not in kernel.tunables}
    geometry = problems.geometry(kernel, tunables, sizes)
    problem = problems.of(kernel).make({**sizes, **kernel.values(tunables)}, np.random.default_rng(0))
    arguments = problem.arguments(kernel.entry)
    run = devices.launch(
        kernel, None, geometry.grid, geometry.block, arguments, geometry.shared_bytes, defines=tunables
    )
    return str(run.time or "; ".join(run.notes))


# Banks of shared memory


def banks(kernel: str, over: str, values: Sequence[int], **settings: int) -> Shown:
    """A row for each value of one setting: the banks that the first warp wants in its last read of shared
    memory, and the wavefronts that this takes."""
    rows = []
    for value in values:
        step = _last_shared_load(count(kernel, **settings, **{over: value}))
        words = _words(step)
        fullest = max(np.bincount(words % BANKS))
        numbers = (len(words), len(np.unique(words % BANKS)), fullest, step.wavefronts)
        rows.append((str(value), *map(str, numbers), str(step.wavefronts - step.ideal)))
    told = ", ".join(f"{name} {value}" for name, value in settings.items())
    name = f"{kernels.load(kernel).path.name}{f' ({told})' if told else ''}"
    head = (
        over,
        "different words",
        "banks that hold them",
        "words in the fullest",
        "wavefronts",
        "bank conflicts",
    )
    return Shown(Table(f"the read of one warp, {name}, {COUNTED}", head, tuple(rows)))


def wavefronts(kernel: str, over: str, values: Sequence[int], **settings: int) -> list[int]:
    """The wavefronts of the first warp's last read of shared memory, for each value of one setting."""
    return [_last_shared_load(count(kernel, **settings, **{over: value})).wavefronts for value in values]


def _last_shared_load(counted: Counted) -> Step:
    return [step for step in counted.run.trace.steps if step.space == "shared" and step.load][-1]


def _words(step: Step) -> np.ndarray:
    """The different 4-byte words that the active lanes of a step want."""
    lanes = [lane for lane in range(LANES) if step.active >> lane & 1]
    first = np.array([int(step.address[lane]) // WORD for lane in lanes])
    return np.unique(first[:, None] + np.arange(max(step.size // WORD, 1)))


def compared(*counted: Counted, measures: Sequence[str], told: Sequence[str] = ()) -> Shown:
    """A row for each run, and a column for each of `measures`, which are keys of figures.MEASURES. `told`:
    the settings that are named."""
    shown = [MEASURES[key] for key in measures]
    samples = [run.sample(told) for run in counted]
    rows = tuple((sample.name, *(measure.of(sample) for measure in shown)) for sample in samples)
    head = ("kernel", *(f"{each.label} {each.note}".strip() for each in shown))
    return Shown(Table(COUNTED, head, rows))


def swizzled(edge: int) -> Shown:
    """Which column's element lies at each place of a tile's rows, where row y keeps column x at x ^ y."""
    rows = tuple((f"row {y}", *(str(place ^ y) for place in range(edge))) for y in range(edge))
    head = ("", *(f"place {place}" for place in range(edge)))
    return Shown(Table("the column whose element lies at each place, computed", head, rows))


def times_over(kernel: str, over: str, values: Sequence[int], **sizes: int) -> Shown:
    """Recorded times of a kernel with its default tunables, a row for each value of one of its sizes; beside
    each how many times that of the first value it is."""
    tunables = kernels.load(kernel).values()
    rows: list[tuple[str, ...]] = []
    for recording in recordings.load():
        found = {value: recording.time(kernel, tunables, **{over: value}, **sizes) for value in values}
        known = {value: timed.seconds.median for value, timed in found.items() if timed}
        first = known.get(values[0])
        for value, seconds in known.items():
            times = f"{seconds / first:.2f}" if first else ""
            rows.append((str(value), f"{seconds * 1e3:.3g}", times, recording.label))
    if not rows:
        return Shown(_not_recorded(f"no recording has times of {kernel} yet"))
    told = ", ".join(f"{name} {value:,}" for name, value in sizes.items())
    head = (over, "time [ms]", f"times that of {over} {values[0]}", "where")
    return Shown(Table(f"{kernels.load(kernel).path.name}, {told}", head, tuple(rows)))


def recorded_curve(name: str) -> Shown:
    """The points of a recorded curve, such as "shared latency"."""
    found = [(each.label, each.curves[name]) for each in recordings.load() if name in each.curves]
    if not found:
        return Shown(_not_recorded(f"no recording has the curve {name}"))
    rows = tuple((f"{x:,}", f"{y:g}", label) for label, curve in found for x, y in curve.points)
    return Shown(Table(name, (found[0][1].x, found[0][1].y, "where"), rows))


def lessons() -> Markdown:
    """The lessons in order, with links to those that are written."""
    return Markdown("\n".join(map(_item, manifest.lessons()[1:])))


def _item(lesson: manifest.Lesson) -> str:
    number = lesson.file.split("_")[0]
    item = f"{int(number)}." if number.isdigit() else "-"
    name = f"{lesson.title} (to come)" if lesson.to_come else f"[{lesson.title}]({lesson.file})"
    return f"{item} {name}: {lesson.topics}"


def machine() -> None:
    """Print what this machine can do."""
    print(devices.describe())
