"""What a compile can raise, and how NVRTC's log is read."""

from __future__ import annotations

import re
from typing import Self

_AT_LINE = re.compile(
    r"^(?P<file>.+?)\((?P<line>\d+)\): (?P<kind>(?:catastrophic )?error)(?: #[\w-]+)?: (?P<text>.*)$"
)
_ASSEMBLER = re.compile(
    r"^ptxas application ptx input, line (?P<line>\d+); *(?:error|fatal)\s*: (?P<text>.*)$"
)
_ELSEWHERE = re.compile(r"^(?:ptxas (?:error|fatal)\s*:|nvrtc: error:|Command-line error:)\s*(?P<text>.*)$")
_NO_FILE = re.compile(r'(?:cannot|could not) open source file "([^"]*)"')


class Error(Exception):
    """Any refusal or failure of the compiler or of the simulator, which knows it as simulator.Error."""


class CompileError(Error):
    """NVRTC refused the source, or an option or include is not allowed.

    `log` is NVRTC's text. `errors` is a list of (line, message) with the file's own line numbers; line 0
    where the error is on no line of the file (in a header, an option, or a limit found by the assembler).
    """

    def __init__(
        self, log: str, errors: list[tuple[int, str]] | None = None, name: str = "kernel.cu"
    ) -> None:
        log = log.strip()
        super().__init__(log + _advice(log))
        self.log = log
        self.name = name
        self.errors = [] if errors is None else errors

    @classmethod
    def at(cls, name: str, line: int, sentence: str) -> Self:
        """An error of the project's own on one line of a file, in the form of NVRTC's (line 0: on none)."""
        return cls(f"{name}({line}): error: {sentence}" if line else sentence, [(line, sentence)], name)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.log, self.errors, self.name)


class CompilerFailed(CompileError):
    """The compiler itself failed: it crashed, ran out of time or memory, or could not start.

    The next compile starts a new one.
    """


class Cancelled(Exception):
    """The caller's `cancelled` said that the result is no longer wanted."""


def parse(log: str, name: str, ptx: str = "") -> list[tuple[int, str]]:
    """The errors of NVRTC's log as (line, message); line 0 where an error is on no line of the file `name`.

    `ptx` is what the assembler refused: its lines are traced to the source by the `.loc` before them.
    """
    errors = []
    for line in log.splitlines():
        if found := _AT_LINE.match(line):
            here = found["file"] == name
            text = found["text"] if here else f"{found['file']}({found['line']}): {found['text']}"
            errors.append((int(found["line"]) if here else 0, text))
        elif found := _ASSEMBLER.match(line):
            errors.append((_source_line(ptx, int(found["line"])), f"in the PTX: {found['text']}"))
        elif found := _ELSEWHERE.match(line):
            errors.append((0, found["text"]))
    return errors


def _source_line(ptx: str, number: int) -> int:
    """The source line of a line of PTX; 0 where it has none. File 1 is the source itself."""
    for line in reversed(ptx.split("\n")[:number]):
        if found := re.match(r"\s*\.loc\s+(\d+)\s+(\d+)", line):
            return int(found[2]) if found[1] == "1" else 0
    return 0


def _advice(log: str) -> str:
    if found := _NO_FILE.search(log):
        return (
            f"\n\nNo header {found[1]!r} is within reach: includes reach the CUDA headers, kernels/, and "
            "what kernels use of the standard C and C++ headers."
        )
    return ""
