"""A block's work between its barriers, one phase after the other, and what its shared memory holds: from a
trace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..simulator.trace import Step, Trace
from .frames import is_barrier


@dataclass(frozen=True)
class Phase:
    """What all warps do between two barriers (`barrier` None), or the barrier at which they then meet.

    `barrier`: its source line, 0 where that is not known.
    """

    steps: tuple[Step, ...]
    barrier: int | None = None

    @property
    def warps(self) -> int:
        return len({step.warp for step in self.steps})

    def touched(self, space: str, *, load: bool) -> dict[str, np.ndarray]:
        """Buffer or array, by name -> the elements that are loaded, or stored, each once, in order."""
        parts: dict[str, list[np.ndarray]] = defaultdict(list)
        for step in self.steps:
            if step.space == space and step.index is not None and (step.load if load else step.store):
                parts[step.buffer or "memory"].append(elements(step))
        return {name: np.unique(np.concatenate(found)) for name, found in sorted(parts.items())}

    def reads(self, array: str, warp: int | None, lane: int | None) -> np.ndarray:
        """The elements of a shared array that are read, as often as they are; by one warp or lane alone."""
        found = [np.zeros(0, np.int64)]
        for step in self.steps:
            if step.space == "shared" and step.load and step.buffer == array and warp in (None, step.warp):
                found.append(elements(step, lane))
        return np.concatenate(found)


def phases(trace: Trace) -> list[Phase]:
    """The phases of a block in their order; at the end none in which nothing touches memory."""
    work: dict[int, list[Step]] = defaultdict(list)
    meetings: dict[int, list[Step]] = defaultdict(list)
    passed: dict[int, int] = defaultdict(int)
    for step in trace.steps:
        number = passed[step.warp]
        if is_barrier(step):
            meetings[number].append(step)
            passed[step.warp] += 1
        else:
            work[number].append(step)
    found = []
    for number in range(max([*work, *meetings], default=-1) + 1):
        found.append(Phase(tuple(work[number])))
        if number in meetings:
            found.append(Phase(tuple(meetings[number]), meetings[number][0].line or 0))
    while found and found[-1].barrier is None and not any(moves(step) for step in found[-1].steps):
        found.pop()
    return found


def moves(step: Step) -> bool:
    """Whether a step loads from, or stores to, global or shared memory."""
    return step.space in ("global", "shared") and step.index is not None


def elements(step: Step, lane: int | None = None) -> np.ndarray:
    """The elements that a step touches, for each active lane in turn, or for one lane."""
    index = step.index if lane is None else step.index[lane : lane + 1]
    first = index[index >= 0]
    return (first[:, None] + np.arange(step.count)).ravel() if step.count > 1 else first


class Contents:
    """What a shared array holds: for each element whether it was `written`, whether `lately` (in the last
    phase), and of which element of which buffer it is a copy (`source`, an index in `buffers`; -1: unknown).
    """

    def __init__(self) -> None:
        self.written = np.zeros(0, bool)
        self.lately = np.zeros(0, bool)
        self.element = np.zeros(0, np.int64)
        self.source = np.zeros(0, np.int64)
        self.buffers: list[str] = []

    def grow(self, size: int) -> None:
        """Make room for `size` elements, nothing written in the new ones."""
        missing = size - len(self.written)
        if missing > 0:
            for name, fill in (("written", False), ("lately", False), ("element", -1), ("source", -1)):
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.full(missing, fill, old.dtype)]))

    def store(self, places: np.ndarray, origin: tuple[str, np.ndarray] | None) -> None:
        """Write elements; `origin`: the buffer and the elements whose copies they become, where known."""
        self.written[places] = self.lately[places] = True
        self.element[places] = self.source[places] = -1
        if origin is not None and len(origin[1]) == len(places):
            if origin[0] not in self.buffers:
                self.buffers.append(origin[0])
            self.source[places] = self.buffers.index(origin[0])
            self.element[places] = origin[1]


def contents(film: Iterable[Phase]) -> dict[str, Contents]:
    """What each shared array holds after some phases, the last of which counts as late.

    A copy is known by how it came there: a lane loads from global memory and stores to shared memory in one
    source line.
    """
    found: dict[str, Contents] = {}
    loaded: dict[tuple[int, int | None], tuple[str, np.ndarray]] = {}  # (warp, line) -> buffer, index a lane
    for phase in film:
        for each in found.values():
            each.lately[:] = False
        for step in phase.steps:
            if step.index is None:
                continue
            if step.space == "global" and step.load:
                loaded[step.warp, step.line] = (step.buffer or "", step.index)
            elif step.space == "shared":
                touched = elements(step)
                held = found.setdefault(step.buffer or "memory", Contents())
                held.grow(int(touched.max(initial=-1)) + 1)
                if step.store:
                    held.store(touched, _origin(step, loaded.pop((step.warp, step.line), None)))
    return found


def _origin(step: Step, held: tuple[str, np.ndarray] | None) -> tuple[str, np.ndarray] | None:
    """The elements that the lanes which store now had loaded; -1 for a lane that had loaded none."""
    return None if held is None or step.count > 1 else (held[0], held[1][step.index >= 0])
