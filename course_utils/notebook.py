"""What lessons call besides labs and exercises: a counted run, tables of counts, the lessons, this machine.

naive = notebook.count("tiling/naive", N=256, TILE=32)
naive.sectors, naive.bytes_per_multiply_add
notebook.first_loads(naive)
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from IPython.display import Markdown

from . import devices, kernels, metrics, problems, recordings
from .exercises import manifest
from .exercises import progress as progressing
from .figures import MEASURES, Figure, Sample, Table, counters_table, ladder, over_sizes, source_view
from .figures.accesses import lane_addresses
from .figures.numbers import TIMES, decimal, told_sizes
from .figures.sample import COUNTED
from .figures.style import scoped
from .labs import Counters
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
    def sectors_per_request(self) -> float:
        """Global load sectors that a request touches on average."""
        return self.sectors / self.requests

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
    return _count(kernel, settings, {"block": (0, 0), "warp": 0})


def _count(kernel: str, settings: Mapping[str, int], trace: dict[str, object]) -> Counted:
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
        trace=trace,
    )
    _, verdict = problem.verdict()
    return Counted(loaded, sizes | loaded.values(tunables), run, problem.operations, verdict)


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


Settings = Mapping[str, int]

COPIED = Counters(measures=("requests", "sectors", "sectors_per_request", "store_sectors"))
TURNED = Counters(
    measures=("sectors_per_request", "store_sectors_per_request", "store_sectors", "wavefronts", "conflicts")
)
"""The counters that matter where data are only moved, and where they are turned on the way."""

ORDERS: dict[str, Settings] = {
    "sorted": {"run": 1 << 30},
    "shuffled in groups of 32": {"run": 1, "group": 32},
    "runs of 8": {"run": 8},
    "runs of 4": {"run": 4},
    "runs of 2": {"run": 2},
    "shuffled": {"run": 1},
}
"""Orders of an index array, as problems.coalescing.gather makes them."""

TIMED_ORDERS: dict[str, Settings] = {
    "sorted": {"run": 1 << 25, "group": 1 << 25},
    "shuffled in groups of 32": {"run": 1, "group": 32},
    "runs of 8": {"run": 8, "group": 1 << 25},
    "runs of 2": {"run": 2, "group": 1 << 25},
    "shuffled in groups of 65,536": {"run": 1, "group": 1 << 16},
    "shuffled": {"run": 1, "group": 1 << 25},
}
"""Those of an array of 2^25 that were timed; smaller arrays are one group at most."""

MATRICES: dict[str, Settings] = {
    "128 x 128": {"rows": 128, "cols": 128},
    "100 x 70": {"rows": 100, "cols": 70},
}
"""Shapes of a matrix to transpose: of whole tiles, and not."""


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
        counted = _count(kernel, {**others, **chosen}, {"block": (0, 0)})
        cells = [_touched(counted.run.trace.steps, name) for name in names]
        rows.append((called, *(cell for pair in cells for cell in pair)))
    columns = (f"{name}:\n{told}" for name in names for told in ("sectors a request", "bytes used of 32"))
    caption = f"{kernels.load(kernel).path.name}, {told_sizes(others)}, block 0, {COUNTED}"
    return Shown(Table(caption, (head, *columns), tuple(rows)))


def _touched(steps: Sequence[Step], buffer: str) -> tuple[str, str]:
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
    columns = (f"{_column(MEASURES[key].label)}\n{stem}" for key in measures for stem in stems)
    return Shown(Table(f"{told_sizes(settings)}, {COUNTED}", (name, *columns), tuple(rows)))


def runs(counted: Mapping[str, Counted], measures: Sequence[str]) -> Shown:
    """A row for each run under its name, a column for each measure, a key of figures.MEASURES."""
    rows = ((name, *(MEASURES[key].of(run.sample()) for key in measures)) for name, run in counted.items())
    shown = (MEASURES[key] for key in measures)
    columns = (_column(f"{measure.label} {measure.note}".strip()) for measure in shown)
    return Shown(Table(COUNTED, ("kernel", *columns), tuple(rows)))


def _column(head: str) -> str:
    """The head of a column in several lines, as narrow as its numbers can be."""
    return textwrap.fill(head, 20)


def recorded(
    kernel: str,
    settings: Mapping[str, Settings],
    buffer: str,
    *,
    head: str,
    counted: Settings,
    timed: Settings,
) -> Shown:
    """Counted sectors beside recorded times: for each of several settings the sectors a request for `buffer`
    and the time of a launch, each also as a multiple of the first one's.

    settings: what the row is called -> sizes and tunables; the sizes to count and to time at differ, since a
    simulator is slower than a GPU. Raises ValueError where no recording has the times.
    """
    loaded = kernels.load(kernel)
    sectors = [
        float(_touched(_count(kernel, {**counted, **chosen}, {"block": (0, 0)}).run.trace.steps, buffer)[0])
        for chosen in settings.values()
    ]
    columns = [[decimal(each) for each in sectors], _multiples(sectors)]
    multiple = _column(f"{TIMES} that of the first row")
    heads = [_column(f"{buffer}: sectors a request, {COUNTED}"), multiple]
    for recording in recordings.load():
        found = [_time(recording, loaded, {**timed, **chosen}) for chosen in settings.values()]
        if None in found:
            continue
        medians = [time.seconds.median for time in found]
        columns += [[f"{median * 1e6:.1f}" for median in medians], _multiples(medians)]
        heads += [_column(f"time [us], {recording.label}"), multiple]
    if len(columns) == 2:
        raise ValueError(f"no recording has these times of {kernel}")
    caption = f"{loaded.path.name}, counted at {told_sizes(counted)}, timed at {told_sizes(timed)}"
    rows = zip(settings, *columns, strict=True)
    return Shown(Table(caption, (head, *heads), tuple(rows)))


def _time(
    recording: recordings.Recording, kernel: kernels.Kernel, settings: Settings
) -> recordings.Timed | None:
    tunables = kernel.values({name: value for name, value in settings.items() if name in kernel.tunables})
    sizes = {name: value for name, value in settings.items() if name not in kernel.tunables}
    return recording.time(kernel.name, tunables, **sizes)


def _multiples(values: Sequence[float]) -> list[str]:
    return [decimal(value / values[0], 2) for value in values]


def curve(kernel: str, size: str, **others: int) -> Shown:
    """The recorded useful bandwidth of a kernel, with its best tunables, over one of its sizes; `others` hold
    the other sizes."""
    loaded = kernels.load(kernel)
    tunables = loaded.values(problems.of(loaded).best)
    return Shown(over_sizes(recordings.load(), size, [(kernel, tunables)], quantity="bandwidth", **others))


def copy_time(bytes: int) -> None:
    """Print how long the driver's own copy of so many bytes took, as recorded."""
    n = bytes // 4
    for recording in recordings.load():
        for timed in recording.libraries.get("coalescing", ()):
            if timed.sizes == {"n": n}:
                milliseconds = timed.seconds.median * 1e3
                print(f"{timed.name} of {bytes:,} bytes: {milliseconds:.3g} ms, {recording.label}")


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
    return runs({run.sample(told).name: run for run in counted}, measures)


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


def progress() -> Shown:
    """The exercises of each lesson, and which of them the learner has solved."""
    solved, rows = progressing.solved(), []
    for lesson in manifest.lessons():
        still = [name for name in lesson.exercises if name not in solved]
        if all_ := len(lesson.exercises):
            rows.append((lesson.title, f"{all_ - len(still)} of {all_}", ", ".join(still) or "none"))
    return Shown(Table("Your exercises", ("lesson", "solved", "still open"), tuple(rows)))


def machine() -> None:
    """Print what this machine can do."""
    print(devices.describe())
