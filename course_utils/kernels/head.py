"""What a kernel's head comment states: its idea, its tunables, its launch.

    // One sentence on the idea. Then a few more, if need be.
    //
    // tunable TILE: 4, 8, 16, 32   (default 16)  edge of the square tile
    // launch BLOCKS: 1, 2, 4   (default 4)  blocks in the grid
    // block: (TILE, TILE)
    // grid: (ceil(N / TILE), ceil(N / TILE))
    // shared: 0   dynamic shared memory in bytes

The value of a ``tunable`` is a macro, with its default under ``#ifndef``; a ``launch`` value enters only the
geometry. Any other name in a formula is a size, given at the launch. Two spaces end a formula; a note may
follow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .errors import KernelError
from .formulas import Formula


@dataclass(frozen=True)
class Tunable:
    """A value to vary: its legal ``values``, its ``default``, and its ``meaning`` in a few words.

    ``compiled`` tells whether it is a macro, so that another value means another compilation.
    """

    name: str
    values: tuple[int, ...]
    default: int
    meaning: str
    compiled: bool


@dataclass(frozen=True)
class Head:
    """The statements of a head comment."""

    summary: str
    tunables: tuple[Tunable, ...]
    block: Formula
    grid: Formula
    shared: Formula


def parse_head(source: str) -> Head:
    """Read the comment lines at the top of a source; ``KernelError`` says what is missing or wrong."""
    lines = _comment_lines(source)
    tunables = tuple(_tunable(line) for line in lines if re.match(r"(tunable|launch) \w+:", line))
    return Head(
        _summary(lines),
        tunables,
        *(_formula(lines, key) for key in ("block", "grid", "shared")),
    )


def _comment_lines(source: str) -> list[str]:
    lines = []
    for line in source.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line.removeprefix("//").strip())
    return lines


def _summary(lines: list[str]) -> str:
    paragraph = " ".join(lines[: lines.index("")] if "" in lines else lines)
    sentence = re.match(r".+?\.(?=\s|$)", paragraph)
    if sentence is None:
        raise KernelError("the head comment must begin with a sentence on the idea.")
    return sentence[0]


_TUNABLE = re.compile(r"(tunable|launch) ([A-Z][A-Z0-9_]*): (\d+(?:, \d+)*) +\(default (\d+)\) +(\S.*)")


def _tunable(line: str) -> Tunable:
    match = _TUNABLE.fullmatch(line)
    if match is None:
        raise KernelError(f"write 'tunable NAME: 1, 2, 4   (default 2)  meaning', not {line!r}.")
    kind, name, values, default, meaning = match.groups()
    tunable = Tunable(
        name,
        tuple(map(int, values.split(", "))),
        int(default),
        meaning,
        kind == "tunable",
    )
    if name == "T":
        raise KernelError("a macro named T breaks the headers that NVRTC brings; call it TILE, say.")
    if tunable.default not in tunable.values:
        raise KernelError(f"the default of {name}, {default}, is none of its values.")
    return tunable


def _formula(lines: list[str], key: str) -> Formula:
    texts = [line.removeprefix(f"{key}:").strip() for line in lines if line.startswith(f"{key}:")]
    if len(texts) != 1:
        raise KernelError(f"the head comment must state '{key}:' once, and does so {len(texts)} times.")
    return Formula(re.split(r"\s{2,}", texts[0])[0])
