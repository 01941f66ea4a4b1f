"""The steps of one warp as the frames of a film: what it does one after the other, with which lanes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..simulator.kinds import LANES
from ..simulator.ptx import Group, Immediate, Operand, Register
from ..simulator.trace import Step, Trace
from .accesses import Access

_TOGETHER = ("shfl", "vote", "match", "redux", "activemask", "bar", "barrier", "elect")
MEMORY = ("global", "shared", "local", "generic")
"""Spaces in which the lanes have elements of their own."""
_UP_DOWN = {"up": -1, "down": 1}


@dataclass(frozen=True)
class Frame:
    """Consecutive steps of a warp in one line and with the same lanes, up to one that deals with others.

    `deed`: what the last of them does, in a few words. `sources`: for a shuffle by a distance that the code
    states, the lane from which each lane gets its value, itself where there is none.
    """

    steps: tuple[Step, ...]
    deed: str
    sources: tuple[int, ...] | None = None

    @property
    def line(self) -> int | None:
        return self.steps[-1].line

    @property
    def last(self) -> Step:
        return self.steps[-1]

    @property
    def lanes(self) -> list[int]:
        """The active lanes."""
        return [lane for lane in range(LANES) if self.last.active >> lane & 1]


def is_barrier(step: Step) -> bool:
    """Whether the warp waits here for others of its block."""
    if not step.opcode.startswith(("bar.", "barrier.")):
        return False
    return step.instruction is None or not step.instruction.has("warp", "arrive", "cluster")


def frames(trace: Trace, warp: int, *, by_line: bool = True) -> list[Frame]:
    """The frames of a warp; with `by_line` false one for each PTX instruction."""
    steps = trace.of(warp)
    groups = list(_groups(steps) if by_line else ((step,) for step in steps))
    known: dict[str, int] = {}
    found = []
    for number, group in enumerate(groups):
        following = groups[number + 1][0].active if number + 1 < len(groups) else None
        sources = None
        for step in group:
            sources = _sources(step, known)
            _learn(step, known)
        found.append(Frame(group, _deed(group[-1], following, sources, known), sources))
    return found


def _groups(steps: Iterable[Step]) -> Iterator[tuple[Step, ...]]:
    group: list[Step] = []
    for step in steps:
        if group and (step.line != group[-1].line or step.active != group[-1].active or _notable(group[-1])):
            yield tuple(group)
            group = []
        group.append(step)
    if group:
        yield tuple(group)


def _notable(step: Step) -> bool:
    return step.space in MEMORY or step.opcode.split(".")[0] in _TOGETHER


def _learn(step: Step, known: dict[str, int]) -> None:
    """Keep which registers hold a constant: those that a `mov` has just set to one."""
    operands = step.instruction.operands if step.instruction else ()
    for register in _registers(operands[:1]):
        known.pop(register, None)
    if step.opcode.startswith("mov.") and len(operands) == 2 and isinstance(operands[1], Immediate):
        for register in _registers(operands[:1]):
            known[register] = operands[1].value


def _registers(operands: Sequence[Operand]) -> Iterator[str]:
    for operand in operands:
        if isinstance(operand, Register):
            yield operand.name
        elif isinstance(operand, Group):
            yield from _registers(operand.items)


def _value(operand: Operand, known: Mapping[str, int]) -> int | None:
    if isinstance(operand, Immediate):
        return operand.value
    return known.get(operand.name) if isinstance(operand, Register) else None


def _distance(step: Step, known: Mapping[str, int]) -> tuple[str, int] | None:
    """(mode, distance or lane) of a shuffle among all 32 lanes, where the code states it."""
    if not step.opcode.startswith("shfl.") or step.instruction is None:
        return None
    mode = next((part for part in step.instruction.parts if part in ("up", "down", "bfly", "idx")), "")
    distance, bounds = (_value(operand, known) for operand in step.instruction.operands[2:4])
    whole = bounds == (0 if mode == "up" else LANES - 1)
    return (mode, distance) if mode and whole and distance is not None else None


def _sources(step: Step, known: Mapping[str, int]) -> tuple[int, ...] | None:
    """PTX ISA, shfl: the lane that each lane reads; one outside the warp leaves a lane its own value."""
    found = _distance(step, known)
    if found is None:
        return None
    mode, distance = found
    if mode in _UP_DOWN:
        wanted = [lane + _UP_DOWN[mode] * distance for lane in range(LANES)]
    else:
        wanted = [lane ^ distance if mode == "bfly" else distance for lane in range(LANES)]
    return tuple(source if 0 <= source < LANES else lane for lane, source in enumerate(wanted))


def _deed(
    step: Step, following: int | None, sources: tuple[int, ...] | None, known: Mapping[str, int]
) -> str:
    name = step.opcode.split(".")[0]
    if step.space in MEMORY:
        return Access.of(step).deed
    if step.space == "param":
        return "read the arguments"
    if name == "shfl":
        found = _distance(step, known)
        if sources is None or found is None:
            return "shuffle"
        mode, distance = found
        return {"bfly": f"shuffle xor {distance}", "idx": f"shuffle from lane {distance}"}.get(
            mode, f"shuffle {mode} by {distance}"
        )
    if is_barrier(step):
        return "barrier"
    if name in _TOGETHER:
        return "wait for the warp" if name in ("bar", "barrier") else name
    if name == "bra":
        parts = following is not None and following != step.active and following & step.active == following
        return "branch: the lanes part" if parts else "branch"
    return "end" if name in ("ret", "exit") else "arithmetic"
