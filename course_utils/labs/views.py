"""What a lab can show of a run. A view says what it needs and turns a Result into a figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..figures import Figure, counters_table, source_view, tile_picture
from ..figures.counters import SHOWN
from .controls import shown
from .engine import Result


class View(Protocol):
    """Something to show under a `title`; `traced`: it needs the steps of a block; `wide`: the whole width."""

    title: str
    traced: bool
    wide: bool

    def draw(self, result: Result) -> Figure:
        """The figure for a run. May read options of its own from `result.state`."""
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


@dataclass(frozen=True)
class SourceView:
    """The kernel's own lines and what the run spent in each."""

    title: str = "Where the lines spend it"
    traced: bool = True
    wide: bool = True

    def draw(self, result: Result) -> Figure:
        longest = max(kernel.entry.last - kernel.entry.first + 1 for kernel in result.kernels)
        return source_view(result.kernel, result.run, longest)
