"""Where in its source a block touches memory, and each time that a warp does so: from a trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..simulator.kinds import LANES
from ..simulator.trace import Step, Trace

_OF = {"load": "load of", "store": "store to", "atomic": "atomic on"}


@dataclass(frozen=True)
class Access:
    """A source `line` (None: of no line) that touches a `buffer`; `what` it does: load, store or atomic."""

    line: int | None
    what: str
    buffer: str

    @classmethod
    def of(cls, step: Step) -> Access:
        what = "atomic" if step.load and step.store else "load" if step.load else "store"
        if step.opcode.startswith(("atom", "red")):
            what = "atomic"
        return cls(step.line, what, step.buffer or "memory")

    @property
    def deed(self) -> str:
        """load of A."""
        return f"{_OF[self.what]} {self.buffer}"

    def __str__(self) -> str:
        return f"{'a header' if self.line is None else f'line {self.line}'}: {self.deed}"


def accesses(trace: Trace, space: str, warp: int | None = None) -> dict[Access, list[Step]]:
    """The accesses of a block, or of one warp, to "global" or "shared" memory, by line; each with its steps.

    A shared access that the hardware moves along with another one, and so is no request of its own, is left
    out.
    """
    found: dict[Access, list[Step]] = {}
    for step in trace.steps if warp is None else trace.of(warp):
        if step.space == space and step.index is not None and step.moved != 0:
            found.setdefault(Access.of(step), []).append(step)
    return dict(sorted(found.items(), key=lambda each: each[0].line or 0))


def warps(trace: Trace, space: str | None = None) -> list[int]:
    """The warps of a trace, in order; those alone that touch a memory, where one is given."""
    return trace.warps(space)


def chosen(
    found: dict[Access, list[Step]], access: Access | str | None, occurrence: int
) -> tuple[Access, int, Step]:
    """(access, occurrence from 1, its step), or the first, or the last time, where there is no such one."""
    by_name = {str(each): each for each in found}
    picked = by_name.get(str(access)) or next(iter(found))
    number = min(max(occurrence, 1), len(found[picked]))
    return picked, number, found[picked][number - 1]


def lane_addresses(step: Step) -> list[int | None]:
    """The address of each of the 32 lanes, None for a lane that takes no part."""
    return [int(step.address[lane]) if step.active >> lane & 1 else None for lane in range(LANES)]


def spans(lanes: Sequence[int]) -> str:
    """Ascending numbers as ranges: 0-3, 8, 12-15."""
    if not lanes:
        return "none"
    breaks = np.flatnonzero(np.diff(lanes) != 1) + 1
    parts = np.split(np.asarray(lanes), breaks)
    return ", ".join(f"{part[0]}" if len(part) == 1 else f"{part[0]}\N{EN DASH}{part[-1]}" for part in parts)
