"""Planted faults on the simulator."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from course_utils import simulator

from .fault import Fault, Fresh, Launch

CHECKS = ("memory", "races", "initialisation", "barriers")


@functools.cache
def program(fault: Fault, repaired: bool) -> simulator.Program:
    return simulator.compile(fault.source(repaired), name=fault.path(repaired).name)


def run(
    fault: Fault, repaired: bool, checks: Sequence[str] = ()
) -> tuple[simulator.Run, Launch, list[object]]:
    """One launch of the faulty or the repaired kernel, with the arguments as it left them."""
    launch, compiled = fault.launch(repaired), program(fault, repaired)
    for name, value in launch.symbols.items():
        compiled.set_symbol(name, value)
    args = [
        simulator.fresh(each.shape, each.dtype) if isinstance(each, Fresh) else each for each in launch.args
    ]
    done = compiled.launch(
        launch.kernel, launch.grid, launch.block, args, launch.shared_bytes,
        checks=checks, budget=launch.budget, cooperative=launch.cooperative,
    )  # fmt: skip
    return done, launch, args


def right(findings: Sequence[object], fault: Fault) -> list[object]:
    """The findings of the fault's kind whose first line is one of the marked ones."""
    return [each for each in findings if each.kind == fault.kind and each.lines[0] in fault.marked]


def told(findings: Sequence[object]) -> str:
    """All findings as text, for a test's message."""
    return "\n\n".join(f"{each.kind}, lines {each.lines}: {each.message}" for each in findings) or "nothing"
