"""What the checks find, as data and as sentences."""

from __future__ import annotations

from dataclasses import dataclass, field

from .errors import Index


@dataclass(frozen=True)
class Access:
    """One side of a finding: which thread of which block did what, where.

    line, text: of the source, None and "" where it is not known. array: the variable's or parameter's name,
    None where none is involved; index: in its elements. action: "reads", "writes", "updates" (an atomic),
    "waits", "calls", "leaves".
    """

    line: int | None
    text: str
    block: Index
    thread: Index
    array: str | None
    index: int | None
    action: str

    @property
    def place(self) -> str:
        """ "array[index]", as the source would write it."""
        if self.array is None:
            return "memory"
        return self.array if self.index is None else f"{self.array}[{self.index}]"


@dataclass(frozen=True)
class Finding:
    """A fault that a check found, the first of its kind and place.

    kind: the check's name. message: complete sentences, the fix included. lines: of the source, the one to
    look at first first. threads: (block, thread) of each access. count: how often it occurred; build:
    "optimised" or "unoptimised", the one that showed it. accesses, fix: the message's parts.
    """

    kind: str
    message: str
    lines: tuple[int, ...]
    threads: tuple[tuple[Index, Index], ...]
    count: int
    build: str
    accesses: tuple[Access, ...] = field(repr=False)
    fix: str = field(repr=False)

    def __str__(self) -> str:
        often = "" if self.count == 1 else f" ({self.count} times)"
        return f"{self.message}{often}"
