"""Which files a source may pull in through the compiler.

NVRTC opens files by itself, by absolute path as well, and quotes their lines in its errors. So every source
is scanned before NVRTC sees it, and refused where an include is not a plain relative name. What is
guaranteed:

- `#include` takes a literal "name" or <name>: relative, forward slashes, no `..`. NVRTC is given no search
  folder but the stand-ins for the standard headers (standard/, beside this file), the CUDA headers and the
  repository's kernels/. It also looks beside the source, where its name
  puts it; a file found there is refused unless it is under kernels/. A name that is nowhere is left to NVRTC,
  which says so on its line (or skips it, where a condition does).
- Includes whose name a macro computes, `#include_next`, `#import`, `#embed`, trigraphs (which could
  hide a directive) and `__has_include` of anything but a plain name are refused.
- A header under kernels/ obeys the same rules, and a link that leads out of kernels/ is refused. CUDA's own
  headers and the stand-ins are trusted.

The scan is textual and deliberately blind to comments and conditions: an include inside a block comment
counts as well. That can only refuse too much, never too little. On Linux the worker also gives up the right
to read any other file (Landlock), so the guarantee does not rest on the scan alone there. Whether a file
exists can be learnt through a pasted `__has_include`; what is in it cannot.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NoReturn

from .errors import CompileError

# White space and comments, without backtracking. A comment longer than this is refused below rather than
# followed, so that the scan stays linear.
_SPACE = r"(?:[\s\ufeff\x00-\x20]|/\*(?:[^*]|\*(?!/)){0,200}+\*/)*+"
_NAME = r"\"[^\"\n\r]*\"|<[^>\n\r]*>"
_DIRECTIVE = re.compile(
    rf"(?:\#|%:){_SPACE}"
    rf"(?:(?P<word>include_next|include|import|embed)\b{_SPACE}(?P<operand>{_NAME})?|(?P<comment>/\*))"
)
_HAS = re.compile(rf"\b__has_(?:include_next|include|embed)\b{_SPACE}(?:\({_SPACE}(?P<operand>{_NAME}))?")
_ONLY_ASKED = re.compile(r"(?:\bdefined\s*\(?\s*|#\s*(?:el)?ifn?def\s+)$")
# Macros that CCCL's Thrust headers use as include names; a source that sets one could name any file.
HEADER_MACROS = re.compile(r"THRUST_\w*(?:HEADER|SYSTEM|ROOT)")
_TRIGRAPH = re.compile(r"\?\?[=/]")
_SPLICE = re.compile(r"\\\r?\n")


def scan(source: str, name: str, kernels: Path, working_folder: str = "/") -> dict[str, bytes]:
    """Check the includes of `source` and of the headers that it names under `kernels`. Raises CompileError.

    `name` is the source's file name as NVRTC gets it, in `working_folder` where it is relative. Returns those
    headers, path within `kernels` -> content; they belong to the key of whatever is compiled.
    """
    beside = Path(working_folder, name).parent
    found = _Headers(kernels.resolve(), beside)
    found.scan(_Text(source, name), beside)
    return found.content


class _Text:
    """A source with its spliced lines joined, which still knows the line of each place."""

    def __init__(self, source: str, name: str) -> None:
        parts = _SPLICE.split(source)
        self.text = "".join(parts)
        self._name = name
        self._splices = list(itertools.accumulate(len(part) for part in parts[:-1]))

    def refuse(self, at: int, sentence: str) -> NoReturn:
        line = 1 + self.text.count("\n", 0, at) + sum(splice <= at for splice in self._splices)
        raise CompileError.at(self._name, line, sentence)


class _Headers:
    """The headers under `root` that a source pulls in; its own name puts it in the folder `beside`."""

    def __init__(self, root: Path, beside: Path) -> None:
        self.content: dict[str, bytes] = {}
        self._root = root
        self._beside = beside

    def scan(self, source: _Text, folder: Path) -> None:
        for at, operand in _operands(source):
            # NVRTC looks beside the file first, then in its search folders.
            for path in {folder / operand, self._beside / operand, self._root / operand}:
                if _is_file(path):
                    self._add(source, at, operand, path)

    def _add(self, source: _Text, at: int, operand: str, path: Path) -> None:
        real = path.resolve()
        if not real.is_relative_to(self._root):
            source.refuse(at, f"#include of {operand!r} is not allowed: it is a file outside kernels/")
        key = real.relative_to(self._root).as_posix()
        if key not in self.content:
            self.content[key] = real.read_bytes()
            text = self.content[key].decode("utf-8", "replace")
            self.scan(_Text(text, f"kernels/{key}"), path.parent)


def _operands(source: _Text) -> Iterator[tuple[int, str]]:
    """Each include's place and operand. Refuses every directive that could open a file elsewhere."""
    text, refuse = source.text, source.refuse
    if trigraph := _TRIGRAPH.search(text):
        refuse(trigraph.start(), "trigraphs are not allowed here; write the character itself")
    if macro := HEADER_MACROS.search(text):
        refuse(macro.start(), f"the macro {macro[0]} names headers of Thrust and is not allowed here")
    for match in _HAS.finditer(text):
        if match["operand"] is not None:
            _plain(source, match.start(), match["operand"][1:-1])
        elif not _ONLY_ASKED.search(text, max(0, match.start() - 200), match.start()):
            refuse(match.start(), f'{match[0].strip()} needs a literal "name" or <name> here')
    for match in _DIRECTIVE.finditer(text):
        if not _starts_a_line(text, match.start()):
            continue
        if match["comment"]:
            refuse(match.start(), "the comment after # is too long; put it on a line of its own")
        at = match.start("word")
        if match["word"] != "include":
            refuse(at, f"#{match['word']} is not allowed here; write #include with a plain name")
        if match["operand"] is None:
            refuse(at, '#include needs a literal "name" or <name> here; a macro cannot name the file')
        yield at, _plain(source, at, match["operand"][1:-1])


def _starts_a_line(text: str, at: int) -> bool:
    """Whether only white space, or the end of a comment, stands between the line's start and `at`."""
    while at > 0 and text[at - 1] not in "\n\r":
        at -= 1
        if not (text[at].isspace() or text[at] <= " " or text[at] == "\ufeff"):
            return text[at] == "/" and at > 0 and text[at - 1] == "*"
    return True


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a folder that may not be entered, which NVRTC may not either
        return False


def _plain(source: _Text, at: int, operand: str) -> str:
    outside = operand.startswith("/") or ".." in PurePosixPath(operand).parts
    if not 0 < len(operand) <= 200 or outside or re.search(r"[\\:\x00-\x1f]", operand):
        source.refuse(
            at,
            f"#include of {operand[:80]!r} is not allowed: give a short path inside the CUDA headers or "
            "kernels/, with forward slashes, no leading / and no ..",
        )
    return operand
