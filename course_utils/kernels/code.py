"""The entry points of a CUDA source: enough of C++ to read ``extern "C"`` kernels, and no more."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .errors import KernelError


@dataclass(frozen=True)
class Parameter:
    """One parameter: its ``type`` as written, less ``__restrict__``, and its ``name``."""

    type: str
    name: str

    @property
    def is_pointer(self) -> bool:
        """Whether it is a buffer."""
        return "*" in self.type

    @property
    def is_output(self) -> bool:
        """Whether the kernel may write to it: a buffer whose elements are not const."""
        return self.is_pointer and "const" not in self.type.split("*")[0].split()


@dataclass(frozen=True)
class EntryPoint:
    """A kernel: its ``name``, its ``parameters`` in order, and its lines, ``first`` to ``last``."""

    name: str
    parameters: tuple[Parameter, ...]
    first: int
    last: int


_COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_ENTRY = re.compile(
    r'extern\s+"C"\s+__global__\s+void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\(([^)]*)\)\s*\{'
)


def without_comments(source: str) -> str:
    """The source with its comments blanked; every character that stays keeps its line and column."""

    def blank(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith('"') else re.sub(r"[^\n]", " ", match[0])

    return _COMMENT_OR_STRING.sub(blank, source)


def entry_points(source: str) -> tuple[EntryPoint, ...]:
    """Every ``extern "C" __global__ void`` function of a source, in its order; ``KernelError`` if none."""
    code = without_comments(source)
    entries = []
    for match in _ENTRY.finditer(code):
        first = code.count("\n", 0, match.start()) + 1
        last = code.count("\n", 0, _closing_brace(code, match.end() - 1)) + 1
        parameters = tuple(_parameter(text) for text in match[2].split(",") if text.strip())
        entries.append(EntryPoint(match[1], parameters, first, last))
    if not entries:
        raise KernelError('there is no entry point: declare one with extern "C" __global__ void.')
    return tuple(entries)


def _parameter(text: str) -> Parameter:
    match = re.fullmatch(r"(.*[\s*])(\w+)", re.sub(r"\b__restrict__\b", " ", text).strip(), re.DOTALL)
    if match is None:
        raise KernelError(f"{text.strip()!r} is no parameter of the form 'type name'.")
    return Parameter(re.sub(r"\s*\*\s*", "*", " ".join(match[1].split())), match[2])


def _closing_brace(code: str, opening: int) -> int:
    depth = 0
    for position in range(opening, len(code)):
        depth += {"{": 1, "}": -1}.get(code[position], 0)
        if depth == 0:
            return position
    raise KernelError("a brace is not closed.")


@dataclass(frozen=True)
class SharedArray:
    """An array that a kernel declares `__shared__`: its element's `type` and its `extents`, as written."""

    type: str
    extents: tuple[str, ...]


_SHARED = re.compile(r"__shared__\s+(?:(?:__align__|alignas)\s*\([^)]*\)\s*)?(\w+)\s+([^;=()]*);")
_ARRAY = re.compile(r"(\w+)((?:\s*\[[^\]]+\])+)")


def shared_arrays(source: str) -> dict[str, SharedArray]:
    """The shared arrays of a source whose extents are written there, by name."""
    found = {}
    for declaration in _SHARED.finditer(without_comments(source)):
        for match in _ARRAY.finditer(declaration[2]):
            found[match[1]] = SharedArray(declaration[1], tuple(re.findall(r"\[\s*(.*?)\s*\]", match[2])))
    return found
