"""Banks and wavefronts of single reads of shared memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import kernels
from ..figures import Table
from ..figures.sample import COUNTED
from ..simulator.kinds import LANES
from ..simulator.sectors import BANKS
from ..simulator.trace import Step
from .counted import Counted, Shown, count

WORD = 4
"""Bytes that a bank of shared memory gives in a pass."""


def banks(kernel: str, over: str, values: Sequence[int], **settings: int) -> Shown:
    """A row for each value of one setting: the banks that the first warp wants in its last read of shared
    memory, and the wavefronts that this takes."""
    rows = []
    for value in values:
        step = _last_shared_load(count(kernel, **settings, **{over: value}))
        words = _words(step)
        fullest = max(np.bincount(words % BANKS))
        numbers = (len(words), len(np.unique(words % BANKS)), fullest, step.wavefronts)
        rows.append((str(value), *map(str, numbers), str(step.wavefronts - step.ideal)))
    told = ", ".join(f"{name} {value}" for name, value in settings.items())
    name = f"{kernels.load(kernel).path.name}{f' ({told})' if told else ''}"
    head = (
        over,
        "different words",
        "banks that hold them",
        "words in the fullest",
        "wavefronts",
        "bank conflicts",
    )
    return Shown(Table(f"the read of one warp, {name}, {COUNTED}", head, tuple(rows)))


def wavefronts(kernel: str, over: str, values: Sequence[int], **settings: int) -> list[int]:
    """The wavefronts of the first warp's last read of shared memory, for each value of one setting."""
    return [_last_shared_load(count(kernel, **settings, **{over: value})).wavefronts for value in values]


def _last_shared_load(counted: Counted) -> Step:
    return [step for step in counted.run.trace.steps if step.space == "shared" and step.load][-1]


def _words(step: Step) -> np.ndarray:
    """The different 4-byte words that the active lanes of a step want."""
    lanes = [lane for lane in range(LANES) if step.active >> lane & 1]
    first = np.array([int(step.address[lane]) // WORD for lane in lanes])
    return np.unique(first[:, None] + np.arange(max(step.size // WORD, 1)))


def swizzled(edge: int) -> Shown:
    """Which column's element lies at each place of a tile's rows, where row y keeps column x at x ^ y."""
    rows = tuple((f"row {y}", *(str(place ^ y) for place in range(edge))) for y in range(edge))
    head = ("", *(f"place {place}" for place in range(edge)))
    return Shown(Table("the column whose element lies at each place, computed", head, rows))
