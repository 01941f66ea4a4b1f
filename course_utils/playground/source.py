"""A pasted source -> what the compiler is given of it.

NVRTC compiles device code alone: it refuses every function that is not for the device. Of a whole program the
host code is therefore set aside: blanked in place, so that every line keeps its number. Kept are

- functions with `__global__` or `__device__` and variables with `__device__`, `__constant__` and the like;
- types, constants, `constexpr` functions, `using` and `typedef` that those name, also by way of others;
- macros, conditions, and the includes that are within reach.

The other way round, to keep what NVRTC accepts, would need its verdict on each declaration; and a rule that
needs no compiler is one that a learner can check by eye. The members of a kept type are treated alike: a
member function without `__device__`, which no kernel could call, is set aside. A `constexpr` function becomes
`__host__ __device__`, as nvcc's option --expt-relaxed-constexpr makes it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .. import compiler
from .macros import Macros, expand
from .parts import Part, Role
from .tokens import Kind, Token

_INCLUDE = re.compile(r'#\s*include\s*(?:<([^>]*)>|"([^"]*)")')
_PRAGMA = re.compile(r"#\s*(?:pragma|warning)\b")
_ALWAYS = re.compile(r"#\s*(?:if|ifdef|ifndef|elif|else|endif|define|undef|error)\b")
_KNOWN_NAMESPACES = {"std", "cuda", "cooperative_groups", "nvcuda", "wmma", "cub", "cg"}
# Headers of libraries that live on the host, or that NVRTC cannot read.
_HOST_LIBRARIES = (
    "thrust/",
    "cub/cub.cuh",
    "cub/device/",
    "cub/util_allocator",
    "cudnn",
    "cublas",
    "cufft",
    "cusparse",
    "cusolver",
    "nccl",
    "mpi",
)
# They take half a second to compile, and are left out where device code says std nowhere.
_SLOW = {
    "type_traits",
    "utility",
    "tuple",
    "array",
    "functional",
    "complex",
    "numeric",
    "optional",
    "variant",
}
_SLOW |= {"bit", "span", "ratio"}
_ANNOTATION = "__host__ __device__ "
_ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff"


@dataclass(frozen=True)
class Kept:
    """`text` is for the compiler. `headers` are the includes that were set aside, (line, name). `aside` maps
    each name of the host code to the line where it is declared."""

    text: str
    headers: tuple[tuple[int, str], ...]
    aside: dict[str, int]
    parts: tuple[Part, ...]


def keep(
    source: str,
    everything: Sequence[Token],
    run: Sequence[Token],
    parts: Sequence[Part],
    macros: Macros,
    also: frozenset[str],
) -> Kept:
    """Set the host code aside. `everything` are all tokens, `run` those that count and `parts` their
    declarations; `also` are names that are needed besides those that device code uses."""
    kept = _needed(run, parts, macros, also)
    edit = _Edit(source)
    edit.clean(everything)
    aside: dict[str, int] = {}
    for part in parts:
        if part not in kept:
            edit.blank(run[part.first].start, run[part.last].end)
            aside |= dict.fromkeys(part.names, run[part.first].line)
        else:
            _annotate(edit, run, part)
    headers = []
    library = any(token.text == "std" for part in kept for token in run[part.first : part.last])
    for token in everything:
        if token.kind is not Kind.DIRECTIVE:
            continue
        inside = any(run[part.first].start < token.start < run[part.last].end for part in kept)
        if found := _INCLUDE.match(token.text):
            name = found[1] or found[2] or ""
            stays = within_reach(name)
            if not stays:
                headers.append((token.line, name))
            stays = stays and (library or name not in _SLOW)
        else:
            stays = bool(_ALWAYS.match(token.text) or (inside and _PRAGMA.match(token.text)))
        if stays:
            edit.restore(token)
            continue
        edit.blank(token.start, token.end)
    return Kept(edit.text(), tuple(headers), aside, tuple(part for part in parts if part in kept))


def within_reach(header: str) -> bool:
    """Whether the compiler finds a header, and it is for device code."""
    if header.startswith(_HOST_LIBRARIES) or not re.fullmatch(r"\w[\w./+-]*", header) or ".." in header:
        return False
    return any((folder / header).is_file() for folder in compiler.include_folders())


def _needed(run: Sequence[Token], parts: Sequence[Part], macros: Macros, also: frozenset[str]) -> set[Part]:
    """The parts that device code is made of."""
    declared: dict[str, list[Part]] = {}
    for part in parts:
        for name in part.names:
            declared.setdefault(name, []).append(part)
    namespaces = _KNOWN_NAMESPACES.union(*(part.scope for part in parts))
    kept: set[Part] = set()
    waiting = [part for part in parts if part.device or _opens_namespace(part, run, namespaces)]
    named = set(also)
    for name in also:
        waiting += declared.get(name, [])
    while waiting:
        part = waiting.pop()
        if part in kept or not _may_stay(part):
            continue
        kept.add(part)
        for name in _names(part, run, macros):
            named.add(name)
            waiting += declared.get(name, [])
    for part in parts:  # static_assert, where all that it speaks of is there
        if part.role is Role.OTHER:
            used = {token.text for token in run[part.first : part.last] if token.kind is Kind.NAME}
            if all(each in kept for name in used for each in declared.get(name, [])):
                kept.add(part)
    return kept


def _may_stay(part: Part) -> bool:
    """Whether NVRTC takes a part: host functions and host variables it refuses."""
    if part.device or part.role in (Role.TYPE, Role.NAME):
        return True
    if part.role is Role.FUNCTION:
        return part.constant
    if part.role is Role.VARIABLE:
        return part.constant or "const" in part.words
    return False


def _opens_namespace(part: Part, run: Sequence[Token], namespaces: set[str]) -> bool:
    """`using namespace std;`, `namespace cg = cooperative_groups;` and their like, where the namespace is
    within reach."""
    texts = [token.text for token in run[part.first : part.last]]
    if texts[:2] == ["using", "namespace"] or (texts[:1] == ["namespace"] and "=" in texts):
        named = texts[texts.index("=") + 1 :] if "=" in texts else texts[2:]
        return any(name in namespaces for name in named[:1])
    if texts[:1] == ["using"] and "=" not in texts:  # using std::min;
        return texts[1:2] != ["std"] and any(name in namespaces for name in texts[1:2])
    return False


def _names(part: Part, run: Sequence[Token], macros: Macros) -> set[str]:
    """All names that a part uses, those that macros bring included; of host members none."""
    skipped = [
        range(member.first, member.last + 1) for member in part.members if not _member_stays(member, run)
    ]
    own = [
        token
        for index, token in enumerate(run[part.first : part.last + 1], part.first)
        if token.kind is Kind.NAME and not any(index in each for each in skipped)
    ]
    found = {token.text for token in own}
    waiting = [name for name in found if name in macros]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        more = {token.text for token in macros[name].body if token.kind is Kind.NAME}
        found |= more
        waiting += [each for each in more if each in macros]
    if part.role is Role.MACRO:
        found |= {token.text for token in expand(run[part.first : part.last + 1], macros)}
    return found


def _member_stays(member: Part, run: Sequence[Token]) -> bool:
    if member.role is not Role.FUNCTION or member.device or member.constant:
        return True
    texts = [token.text for token in run[member.first : member.last + 1]]
    return any(texts[i : i + 2] in (["=", "default"], ["=", "delete"]) for i in range(len(texts)))


def _annotate(edit: _Edit, run: Sequence[Token], part: Part) -> None:
    """Make constexpr functions fit for the device, and set host members aside."""
    if part.role is Role.FUNCTION and part.constant and not part.device:
        edit.insert(run[part.begins].start, _ANNOTATION)
    for member in part.members:
        if member.role is Role.FUNCTION and not _member_stays(member, run):
            edit.blank(run[member.first].start, run[member.last].end)
        else:
            _annotate(edit, run, member)


class _Edit:
    """A text of which pieces become blank, in place."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._characters = list(source)
        self._inserted: dict[int, str] = {}

    def clean(self, everything: Sequence[Token]) -> None:
        """White space that web pages and editors for other scripts bring becomes plain; invisible characters
        go."""
        end = 0
        for token in everything:
            self._plain(end, token.start)
            if token.kind is Kind.MARK and token.text in _ZERO_WIDTH:
                self._characters[token.start] = " "
            end = token.end
        self._plain(end, len(self._source))

    def _plain(self, start: int, end: int) -> None:
        for index in range(start, end):
            character = self._source[index]
            if character > "\x7f" and (character.isspace() or character in _ZERO_WIDTH):
                self._characters[index] = " "

    def blank(self, start: int, end: int) -> None:
        for index in range(start, end):
            if self._source[index] != "\n":
                self._characters[index] = " "
                self._inserted.pop(index, None)

    def restore(self, token: Token) -> None:
        self._characters[token.start : token.end] = self._source[token.start : token.end]

    def insert(self, at: int, text: str) -> None:
        self._inserted[at] = text

    def text(self) -> str:
        made = list(self._characters)
        for at, text in self._inserted.items():
            made[at] = text + made[at]
        return "\n".join(line.rstrip() for line in "".join(made).split("\n"))
