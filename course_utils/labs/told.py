"""For a playground: what a pasted source has and how it was launched, in sentences."""

from __future__ import annotations

from ..figures.numbers import TIMES
from ..figures.sample import COUNTED
from ..playground import Outcome, Pasted

SHOWN_OUTPUT = 4000
"""Characters of what a kernel printed."""


def found(pasted: Pasted) -> str:
    """What was found in a source, and what was set aside."""
    count = len(pasted.kernels)
    told = "One kernel." if count == 1 else f"{count} kernels."
    if pasted.aside:
        names = list(pasted.aside)
        shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        told += f" Host code is set aside: {shown}."
    if pasted.headers:
        shown = ", ".join(f"{name} (line {line})" for line, name in pasted.headers)
        told += f" Headers out of reach are left out: {shown}."
    return told


def launched(outcome: Outcome, label: bool = True) -> str:
    """How a kernel was launched; with `label`, and that this was in the simulator."""
    grid, block = (
        f" {TIMES} ".join(map(str, _short(shape))) for shape in (outcome.run.grid, outcome.run.block)
    )
    blocks = "one block" if grid == "1" else f"a grid of {grid} blocks"
    told = f"{outcome.instance}: {blocks} of {block} thread{'' if block == '1' else 's'}"
    return f"{told}; {COUNTED}" if label else told


def _short(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Without the extents of 1 at the end."""
    while len(shape) > 1 and shape[-1] == 1:
        shape = shape[:-1]
    return shape


def cut(text: str) -> str:
    """What a kernel printed, where it is long its beginning."""
    return (
        text if len(text) <= SHOWN_OUTPUT else f"{text[:SHOWN_OUTPUT]}\n... ({len(text):,} characters in all)"
    )
