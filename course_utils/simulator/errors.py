"""What can go wrong, as exceptions with sentences that a learner can act on.

Everything the simulator raises on purpose derives from `Error`. No kernel, PTX text or argument ends the
process.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..compiler.errors import Error


class ArgumentError(Error):
    """An argument does not fit the kernel's parameter."""


class LaunchError(Error):
    """A grid, block or shared-memory size that the GPU compiled for would refuse."""


class PtxError(Error):
    """PTX text that cannot be read; the message names the line of the PTX."""


class Unsupported(Error):
    """An instruction that this simulator does not run, refused before the kernel starts.

    `instruction` is the PTX text and `line` the source line it was made from (None without line information).
    """

    def __init__(self, message: str, instruction: str = "", line: int | None = None) -> None:
        super().__init__(message)
        self.instruction = instruction
        self.line = line


Index = tuple[int, int, int]


@dataclass(frozen=True)
class Place:
    """Where a kernel was when it failed: source line, block and thread index (x, y, z)."""

    file: str
    line: int | None
    block: Index
    thread: Index

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}, block {self.block}, thread {self.thread}"


class IllegalAccess(Error):
    """A load or store outside its buffer, or not aligned to its size.

    Fields: `buffer` (the parameter's or variable's name, None when the address belongs to nothing), `index`
    (in elements of the buffer), `thread` and `block` (x, y, z), `line` (of the source).
    """

    def __init__(self, message: str, *, buffer: str | None, index: int | None, place: Place) -> None:
        super().__init__(message)
        self.buffer = buffer
        self.index = index
        self.line = place.line
        self.thread = place.thread
        self.block = place.block
        self.place = place


class Trap(Error):
    """The kernel ended itself: a failed assert() or a trap instruction."""


class Hang(Error):
    """The kernel would not end: its budget is spent, or threads wait for others that never come."""
