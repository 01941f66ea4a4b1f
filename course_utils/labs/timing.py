"""Times beside what a lab counts: recorded ones at the largest recorded size, and this GPU's on request."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache
from math import prod
from pathlib import Path

import numpy as np

from .. import devices, problems, recordings
from ..figures.times import Clocked
from ..problems import Maker
from ..recordings import Recording, Timed
from ..recordings.recording import digest
from .controls import shown
from .engine import Result


def recorded(result: Result, same: Collection[str] = ()) -> list[tuple[Clocked, list[Clocked]]]:
    """For each recording that has one the time of a result's kernel, and of libraries at the same size.

    The size is the largest recorded one, and the time tells it. All else is as chosen: tunables, parameters
    on which the grid does not depend (a stride), and the sizes in `same`. A kernel that was edited since has
    no recorded time.
    """
    found, source = [], digest(result.kernel.source)
    for recording in _load(tuple((path, path.stat().st_mtime_ns) for path, _ in recordings.places.files())):
        fitting = [
            timed for timed in recording.times if timed.source in ("", source) and _fits(timed, result, same)
        ]
        if fitting:
            largest = max(fitting, key=lambda timed: prod(timed.sizes[name] for name in _free(result, timed)))
            beside = [
                _clocked(each.name, each, recording)
                for each in recording.libraries.get(result.kernel.topic, ())
                if all(largest.sizes.get(name) == size for name, size in each.sizes.items())
            ]
            chosen = _clocked(named(result), largest, recording)
            sizes = {name: largest.sizes[name] for name in _free(result, largest)}
            found.append((replace(chosen, sizes=sizes), beside))
    return found


def measured(result: Result, make: Maker | None = None, same: Collection[str] = ()) -> Clocked:
    """Time a result's kernel on this machine's GPU, at the largest size that the course times it at.

    same: sizes that stay as they are. make: as in Lab. Raises RuntimeError where the GPU gives no time or a
    wrong result, and what devices.launch raises.
    """
    kernel, sizes = result.kernel, dict(result.sizes)
    try:
        timed = problems.of(kernel).timed
    except problems.KernelError:
        timed = ()
    if timed:
        largest = max(timed, key=lambda each: prod(each.values()))
        free = set(kernel.sizes or largest) - set(same)
        sizes |= {name: size for name, size in largest.items() if name in free or name not in sizes}
    geometry = problems.geometry(kernel, result.tunables, sizes)
    maker = make or problems.of(kernel).make
    problem = maker({**sizes, **result.tunables}, np.random.default_rng(0))
    run = devices.launch(
        kernel, None, *geometry[:2], problem.arguments(kernel.entry), geometry.shared_bytes,
        defines=result.tunables, device="gpu",
    )  # fmt: skip
    right, verdict = problem.verdict()
    if not right or run.time is None:
        raise RuntimeError(verdict if not right else "; ".join(run.notes) or "the GPU gave no time")
    time, where = run.time, f"measured on {run.time.gpu}"
    told = {name: size for name, size in sizes.items() if name in kernel.sizes} or sizes
    return Clocked(named(result), time.median, time.spread, time.repeats, told, where)


@lru_cache(maxsize=1)
def _load(files: tuple[tuple[Path, int], ...]) -> tuple[Recording, ...]:
    """All recordings, read anew where a file has changed: reading takes long for a lab."""
    return recordings.load()


def named(result: Result) -> str:
    """tiled, TILE 8: the kernel with all of its tunables."""
    values = result.kernel.values(result.tunables)
    return ", ".join([shown(result.kernel.name), *(f"{name} {value}" for name, value in values.items())])


def _free(result: Result, timed: Timed) -> Sequence[str]:
    """The sizes that may differ: those that the grid depends on, all where it depends on none."""
    return [name for name in timed.sizes if name in result.kernel.sizes] or list(timed.sizes)


def _fits(timed: Timed, result: Result, same: Collection[str]) -> bool:
    kernel = result.kernel
    if timed.name != kernel.name or timed.tunables != kernel.values(result.tunables):
        return False
    fixed = {name for name in timed.sizes if name not in _free(result, timed)} | set(same)
    return all(result.sizes.get(name) == timed.sizes[name] for name in fixed & timed.sizes.keys())


def _clocked(name: str, timed: Timed, recording: Recording) -> Clocked:
    seconds = timed.seconds
    return Clocked(name, seconds.median, seconds.spread, seconds.launches, timed.sizes, recording.label)
