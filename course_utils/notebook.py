"""What lessons call besides labs and exercises: a counted run, tables of counts, the lessons, this machine.

naive = notebook.count("tiling/naive", N=256, TILE=32)
naive.sectors, naive.bytes_per_multiply_add
notebook.first_loads(naive)
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from IPython.display import Markdown

from . import devices, kernels, metrics, problems, recordings
from .exercises import manifest
from .exercises import progress as progressing
from .figures import Figure, Sample, Table, counters_table, ladder, source_view
from .figures.sample import COUNTED
from .figures.style import scoped
from .recordings.launches import combinations


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
    return Shown(ladder(recorded, tunables, tuple(libraries), **sizes))


def measure(*names: str, **settings: int) -> None:
    """Time kernels on this machine's GPU and print the times; without a GPU, say so."""
    if devices.current() == devices.SIMULATOR:
        print(devices.describe())
        return
    for name in names:
        kernel = kernels.load(name)
        tunables = {key: value for key, value in settings.items() if key in kernel.tunables}
        sizes = {key: value for key, value in settings.items() if key not in kernel.tunables}
        geometry = problems.geometry(kernel, tunables, sizes)
        problem = problems.of(kernel).make({**sizes, **kernel.values(tunables)}, np.random.default_rng(0))
        arguments = problem.arguments(kernel.entry)
        run = devices.launch(
            kernel, None, geometry.grid, geometry.block, arguments, geometry.shared_bytes, defines=tunables
        )
        print(f"{kernel.path.stem:<10}{run.time or '; '.join(run.notes)}")


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
