"""The PTX instructions of a source line, as the compiler wrote them."""

from __future__ import annotations

from functools import lru_cache

from ..simulator import ptx


def instructions_of(text: str, line: int) -> tuple[str, ...]:
    """The instructions of a module's text that belong to a line of the kernel's own file, in their order."""
    return _by_line(text).get(line, ())


def lines_with_instructions(text: str) -> tuple[int, ...]:
    """The lines of the kernel's own file that have any, ascending."""
    return tuple(sorted(_by_line(text)))


@lru_cache(maxsize=16)
def _by_line(text: str) -> dict[int, tuple[str, ...]]:
    code = text.splitlines()
    found: dict[int, list[str]] = {}
    for function in ptx.parse(text).functions.values():
        for instruction in function.instructions:
            location = instruction.location
            if location.file == 1 and location.line:
                written = " ".join(code[instruction.ptx_line - 1].split())
                found.setdefault(location.line, []).append(written)
    return {line: tuple(instructions) for line, instructions in found.items()}
