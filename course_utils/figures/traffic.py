"""What one block does to each element of its buffers, counted from a trace.

traffic = Traffic.of(run.trace)
traffic.loads["A"].elements, traffic.loads["A"].times   # which were loaded, and how often
traffic.reads["A"]                                      # the same for reads of their copies in shared memory
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..simulator.trace import Step, Trace
from .frames import is_barrier


class Counts(NamedTuple):
    """Indices of `elements`, ascending, and how many `times` each was touched, once by each lane (int64)."""

    elements: np.ndarray
    times: np.ndarray


@dataclass
class Traffic:
    """Counts of one block by buffer; a buffer that was not touched so is left out.

    `loads`, `stores`: of global memory. `reads`: of an element's copy in shared memory. `phases`: for each
    buffer the elements loaded between two barriers, in order. `complete`: whether the trace held all steps.
    """

    loads: dict[str, Counts] = field(default_factory=dict)
    stores: dict[str, Counts] = field(default_factory=dict)
    reads: dict[str, Counts] = field(default_factory=dict)
    phases: dict[str, list[np.ndarray]] = field(default_factory=dict)
    complete: bool = True

    @classmethod
    def of(cls, trace: Trace) -> Traffic:
        """Count a trace of all warps of a block."""
        counter = _Counter()
        for step in trace.steps:
            counter.take(step)
        counter.finish()
        return cls(
            _counted(counter.loads),
            _counted(counter.stores),
            _counted(counter.reads),
            counter.phases(),
            trace.complete,
        )


class _Counter:
    """Takes the steps of a block in their order.

    A copy in shared memory is known by how it came there: a lane loads from global memory and stores to
    shared memory in one source line. Until the next store to that place, whoever reads it reads that element.
    """

    def __init__(self) -> None:
        self.loads: dict[str, list[np.ndarray]] = defaultdict(list)
        self.stores: dict[str, list[np.ndarray]] = defaultdict(list)
        self.reads: dict[str, list[np.ndarray]] = defaultdict(list)
        self._phases: dict[str, dict[int, list[np.ndarray]]] = defaultdict(lambda: defaultdict(list))
        self._barriers: dict[int, int] = defaultdict(int)
        self._held: dict[tuple[int, int | None], tuple[str, np.ndarray]] = {}
        self._copies: dict[str, _Copies] = defaultdict(_Copies)

    def take(self, step: Step) -> None:
        if is_barrier(step):
            self._barriers[step.warp] += 1
        if step.index is None or step.buffer is None:
            return
        if step.space == "global":
            self._global(step)
        elif step.space == "shared":
            self._shared(step)

    def _global(self, step: Step) -> None:
        if step.load:
            self.loads[step.buffer].append(step.index)
            self._phases[step.buffer][self._barriers[step.warp]].append(step.index)
            self._held[step.warp, step.line] = (step.buffer, step.index)
        if step.store:
            self.stores[step.buffer].append(step.index)

    def _shared(self, step: Step) -> None:
        copies = self._copies[step.buffer]
        if step.store:
            self._count(copies)
            buffer, elements = self._held.pop((step.warp, step.line), ("", np.full(32, -1)))
            copies.store(step.index, buffer, elements)
        elif step.load:
            copies.waiting.append(step.index)

    def _count(self, copies: _Copies) -> None:
        for buffer, elements in copies.read():
            self.reads[buffer].append(elements)

    def finish(self) -> None:
        """Count the reads since the last store."""
        for copies in self._copies.values():
            self._count(copies)

    def phases(self) -> dict[str, list[np.ndarray]]:
        return {
            buffer: [_active(np.unique(np.concatenate(parts))) for _, parts in sorted(by_phase.items())]
            for buffer, by_phase in self._phases.items()
        }


class _Copies:
    """What each element of a shared array is a copy of: an element of a buffer, -1 where it is not known.

    Reads wait until the next store, since they are quicker to count together.
    """

    def __init__(self) -> None:
        self.waiting: list[np.ndarray] = []
        self._elements = np.full(0, -1, np.int64)
        self._buffers: list[str] = []
        self._buffer_of = np.full(0, -1, np.int64)

    def store(self, index: np.ndarray, buffer: str, elements: np.ndarray) -> None:
        active = index >= 0
        self._grow(int(index.max(initial=-1)) + 1)
        if buffer not in self._buffers:
            self._buffers.append(buffer)
        self._elements[index[active]] = elements[active]
        self._buffer_of[index[active]] = self._buffers.index(buffer)

    def read(self) -> list[tuple[str, np.ndarray]]:
        """The elements that the waiting reads read, by buffer."""
        if not self.waiting:
            return []
        places = _active(np.concatenate(self.waiting))
        self.waiting.clear()
        self._grow(int(places.max(initial=-1)) + 1)
        elements, owners = self._elements[places], self._buffer_of[places]
        found = [(name, elements[owners == number]) for number, name in enumerate(self._buffers)]
        return [(name, _active(read)) for name, read in found if (read >= 0).any()]

    def _grow(self, size: int) -> None:
        missing = size - len(self._elements)
        if missing > 0:
            self._elements = np.concatenate([self._elements, np.full(missing, -1, np.int64)])
            self._buffer_of = np.concatenate([self._buffer_of, np.full(missing, -1, np.int64)])


def _active(index: np.ndarray) -> np.ndarray:
    """Without the lanes that took no part."""
    return index[index >= 0]


def _counted(parts: dict[str, list[np.ndarray]]) -> dict[str, Counts]:
    found: dict[str, Counts] = {}
    for buffer, arrays in parts.items():
        found[buffer] = Counts(*np.unique(_active(np.concatenate(arrays)), return_counts=True))
    return found
