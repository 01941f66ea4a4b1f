"""The second run of a checked launch: the build without optimisation, on copies of the arguments.

An optimiser may drop a load whose value nobody uses, keep a variable in a register, or fold two accesses into
one, and a fault of the source goes with them. This run shows it, and changes nothing of the caller's. The
other way round, a read that only the optimised build makes is no fault of the source.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..findings import Finding
from ..memory import fresh, is_fresh, owner_of

if TYPE_CHECKING:
    from ..program import Program, Run

BOTH_BUILDS = 300_000
"""Instructions of warps (of the optimised build) up to which a launch runs in both builds."""

TOO_LARGE = "the launch is too large to run the build without optimisation too; checks of a smaller one do"

LONGEST = 2500
"""Instructions of a kernel without optimisation up to which it is made ready: some seconds of compiling."""

SHORTEST = 20
"""Instructions that a warp runs at least, to tell large launches before they run."""

COPIED_BYTES = 16 << 20
"""Bytes of arguments up to which copies are made."""


_TURN = threading.Lock()  # held during a second run, whose program's variables are those of one launch


class Second:
    """A second run that is ready: the program's state and the arguments as they were."""

    def __init__(self, program: Program, kernel: str, args: Sequence[object]) -> None:
        self.program, self.kernel = program, kernel
        self.args = copied(args)
        self.constants = program._constants.copy()
        self.globals = {name: array.copy() for name, (_, array) in program._globals.items()}

    def run(self, first: Run, grid: object, block: object, shared_bytes: int, **options: object) -> None:
        """Add to a run what only the build without optimisation shows."""
        if first.metrics["ptx__warp_inst_executed.sum"] > BOTH_BUILDS:
            first.notes.append(TOO_LARGE)
            return
        assert self.program._plain is not None
        try:
            plain = self.program._plain()
            if plain.instructions(self.kernel) > LONGEST:
                first.notes.append(TOO_LARGE)
                return
            with _TURN:
                self._put_state(plain)
                again = plain.launch(
                    self.kernel, grid, block, self.args, shared_bytes, **options  # type: ignore[arg-type]
                )  # fmt: skip
        except Exception as problem:  # a second opinion must not cost the first
            first.notes.append(f"the build without optimisation did not run: {problem}")
            return
        ended = not any(each.kind == "barriers" for each in again.findings)
        if ended:
            first.findings = [each for each in first.findings if not _made_up(each, again.findings)]
        first.findings += [each for each in again.findings if not _known(each, first.findings)]
        first.notes += [each for each in again.notes if each not in first.notes and "write the same" in each]

    def _put_state(self, plain: Program) -> None:
        for name, (start, size) in self.program._constant_places.items():
            if name in plain._constant_places:
                there, _ = plain._constant_places[name]
                plain._constants[there : there + size] = self.constants[start : start + size]
        plain._set = set(self.program._set)
        for name, array in self.globals.items():
            if name in plain._globals:
                plain._globals[name][1][:] = array


def prepare(program: Program, kernel: str, args: Sequence[object], warps: int) -> Second | None:
    """Copies for a second run; None where the launch is too large. warps: of the whole grid."""
    if warps * SHORTEST > BOTH_BUILDS:
        return None
    if (
        not isinstance(args, (list, tuple))
        or sum(owner_of(each).nbytes for each in _arrays(args)) > COPIED_BYTES
    ):
        return None
    return Second(program, kernel, args)


def _arrays(item: object) -> list[np.ndarray]:
    if isinstance(item, np.ndarray):
        return [item]
    if isinstance(item, (list, tuple)):
        return [array for each in item for array in _arrays(each)]
    return []


def copied(args: Sequence[object]) -> list[object]:
    """The same arguments with memory of their own. Views of one array are views of one copy."""
    owners: dict[int, np.ndarray] = {}

    def one(item: object) -> object:
        if isinstance(item, tuple):
            return tuple(one(each) for each in item)
        if isinstance(item, list):
            return [one(each) for each in item]
        if not isinstance(item, np.ndarray) or item.dtype.hasobject or not item.flags.c_contiguous:
            return item
        owner = owner_of(item)
        if id(owner) not in owners:
            data = np.ascontiguousarray(owner).reshape(-1).view(np.uint8)
            # Fresh memory stays recognisable.
            copy = fresh(data.shape, np.uint8) if is_fresh(owner) else np.empty(data.shape, np.uint8)
            copy[:] = data
            owners[id(owner)] = copy
        start = item.ctypes.data - owner.ctypes.data
        part = owners[id(owner)][start : start + item.nbytes]
        return part.view(item.dtype).reshape(item.shape)

    return [one(each) for each in args]


def _made_up(finding: Finding, plain: Sequence[Finding]) -> bool:
    """Is a read the optimiser's own? It may load ahead of the branch that would have spared the load, which
    the build without optimisation never does."""
    reads = any(access.action == "reads" for access in finding.accesses)
    return reads and all(each.kind != finding.kind for each in plain)


def _known(finding: Finding, others: Sequence[Finding]) -> bool:
    """Is the same kind at the same lines among the others?"""
    return any(each.kind == finding.kind and set(each.lines) == set(finding.lines) for each in others)
