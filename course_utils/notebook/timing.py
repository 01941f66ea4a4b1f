"""Times: those of recordings, and those that this machine's GPU takes now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from .. import devices, kernels, problems, recordings
from ..figures import Figure, Table, ladder, over_sizes
from ..figures.numbers import TIMES, decimal, told_sizes
from ..figures.sample import COUNTED
from ..recordings.launches import combinations
from .counted import Shown, traced
from .tables import Settings, column, touched


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
        float(touched(traced(kernel, {**counted, **chosen}, {"block": (0, 0)}).run.trace.steps, buffer)[0])
        for chosen in settings.values()
    ]
    columns = [[decimal(each) for each in sectors], _multiples(sectors)]
    multiple = column(f"{TIMES} that of the first row")
    heads = [column(f"{buffer}: sectors a request, {COUNTED}"), multiple]
    for recording in recordings.load():
        found = [_time(recording, loaded, {**timed, **chosen}) for chosen in settings.values()]
        if None in found:
            continue
        medians = [time.seconds.median for time in found]
        columns += [[f"{median * 1e6:.1f}" for median in medians], _multiples(medians)]
        heads += [column(f"time [us], {recording.label}"), multiple]
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
        return Shown(not_recorded(error))


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
        return Shown(not_recorded(f"no recording has times of {kernel} yet"))
    told = ", ".join(f"{name} {value:,}" for name, value in sizes.items())
    head = (over, "time [ms]", f"times that of {over} {values[0]}", "where")
    return Shown(Table(f"{kernels.load(kernel).path.name}, {told}", head, tuple(rows)))


def recorded_curve(name: str) -> Shown:
    """The points of a recorded curve, such as "shared latency"."""
    found = [(each.label, each.curves[name]) for each in recordings.load() if name in each.curves]
    if not found:
        return Shown(not_recorded(f"no recording has the curve {name}"))
    rows = tuple((f"{x:,}", f"{y:g}", label) for label, curve in found for x, y in curve.points)
    return Shown(Table(name, (found[0][1].x, found[0][1].y, "where"), rows))


def not_recorded(what: object) -> Figure:
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
