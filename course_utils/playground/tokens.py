"""CUDA C++ as tokens: comments and white space gone, every token with its place.

Good enough to find where functions begin and end in any text, whatever its strings and comments hold. What is
not C++ at all becomes marks of one character; the compiler says what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from .errors import PasteError


class Kind(Enum):
    """What a token is. A directive is a whole preprocessor line, its continuation lines included."""

    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    MARK = "mark"
    DIRECTIVE = "directive"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of source from `start` to `end`, on `line` (counted from 1).

    A directive's `text` is its line without comments and continuations, such as "#define N 4".
    """

    kind: Kind
    text: str
    start: int
    end: int
    line: int


_SPACE = re.compile(r"(?:[^\S\n]|\\[^\S\n]*\n|\n)+")
_NAME = re.compile(r"[^\W\d][\w$]*")
_NUMBER = re.compile(r"\.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*")
_RAW = re.compile(r'(?:u8|[uUL])?R"([^ ()\\\t\v\f\n]{0,16})\(')
_STRING = re.compile(r'(?:u8|[uUL])?"(?:\\[\s\S]|[^"\\\n])*"?')
_CHARACTER = re.compile(r"(?:u8|[uUL])?'(?:\\.|[^'\\\n])+'")
# A closing angle bracket always stands alone, since it may end one template argument list or several.
_MARK = re.compile(r"<<<|<<=|\.\.\.|::|->|<<|<=|==|!=|&&|\|\||\+\+|--|[-+*/%&|^]=|##|>=(?!=)|.", re.DOTALL)


def tokens(source: str) -> list[Token]:
    """All tokens of a source, whose lines end with "\\n". Raises PasteError for a comment or a raw string
    that never ends."""
    return list(_scan(source))


def _scan(source: str) -> Iterator[Token]:
    at, line, size, begins_line = 0, 1, len(source), True
    while at < size:
        if space := _SPACE.match(source, at):
            begins_line |= _ends_a_line(space[0])
            line += space[0].count("\n")
            at = space.end()
        elif source.startswith(("//", "/*"), at):
            end = _comment(source, at, line)
            line += source.count("\n", at, end)
            at = end
        else:
            if source[at] == "#" and begins_line:
                end, text = _directive(source, at, line)
                found = Token(Kind.DIRECTIVE, text, at, end, line)
            else:
                found = _token(source, at, line)
            yield found
            line += source.count("\n", at, found.end)
            at, begins_line = found.end, False


def _ends_a_line(space: str) -> bool:
    return "\n" in re.sub(r"\\[^\S\n]*\n", "", space)


def _comment(source: str, at: int, line: int) -> int:
    """Where the comment at `at` ends: a line's before its line break."""
    if source[at + 1] == "/":
        end = at
        while (end := source.find("\n", end)) >= 0 and source[end - 1] == "\\":
            end += 1  # a backslash continues a comment as well
        return len(source) if end < 0 else end
    end = source.find("*/", at + 2)
    if end < 0:
        raise PasteError(line, "the comment that begins here with /* never ends: */ is missing")
    return end + 2


def _directive(source: str, at: int, line: int) -> tuple[int, str]:
    """(end, text) of the preprocessor line at `at`."""
    parts, end = [], at
    while end < len(source) and source[end] != "\n":
        if continued := re.compile(r"\\[^\S\n]*\n").match(source, end):
            parts.append(" ")
            end = continued.end()
        elif source.startswith(("//", "/*"), end):
            end = _comment(source, end, line + source.count("\n", at, end))
            parts.append(" ")
        elif quoted := (_STRING.match(source, end) or _CHARACTER.match(source, end)):
            parts.append(quoted[0])
            end = quoted.end()
        else:
            parts.append(source[end])
            end += 1
    return end, "".join(parts).strip()


def _token(source: str, at: int, line: int) -> Token:
    if raw := _RAW.match(source, at):
        end = source.find(f'){raw[1]}"', raw.end())
        if end < 0:
            raise PasteError(line, f'the raw string that begins here never ends: ){raw[1]}" is missing')
        end += len(raw[1]) + 2
        return Token(Kind.STRING, source[at:end], at, end, line)
    for kind, pattern in (
        (Kind.STRING, _STRING),
        (Kind.STRING, _CHARACTER),
        (Kind.NAME, _NAME),
        (Kind.NUMBER, _NUMBER),
    ):
        if found := pattern.match(source, at):
            return Token(kind, found[0], at, found.end(), line)
    found = _MARK.match(source, at)
    assert found is not None
    return Token(Kind.MARK, found[0], at, found.end(), line)


OPENING = {"(": ")", "[": "]", "{": "}"}


def closing(run: Sequence[Token], at: int) -> int:
    """The index of the bracket that closes the one at index `at`; PasteError where there is none."""
    opened: list[Token] = []
    for index in range(at, len(run)):
        token = run[index]
        if token.kind is not Kind.MARK:
            continue
        if token.text in OPENING:
            opened.append(token)
        elif token.text in ")]}":
            last = opened.pop()
            if token.text != OPENING[last.text]:
                raise PasteError(
                    token.line,
                    f"this {token.text} closes nothing: the {last.text} of line {last.line} is still open, "
                    f"and {OPENING[last.text]} is wanted",
                )
            if not opened:
                return index
    last = opened[-1]
    raise PasteError(last.line, f"the {last.text} here is never closed: {OPENING[last.text]} is missing")


def angle_closing(run: Sequence[Token], at: int) -> int | None:
    """The index of the > that closes the < at index `at`; None where that is a comparison."""
    depth, index = 0, at
    while index < len(run):
        text = run[index].text if run[index].kind is Kind.MARK else ""
        if text == "<":
            depth += 1
        elif text == ">":
            depth -= 1
            if depth == 0:
                return index
        elif text in OPENING:
            index = closing(run, index)
        elif text in (";", ")", "]", "}"):
            return None
        index += 1
    return None


def split(run: Sequence[Token], separator: str = ",", angles: bool = True) -> list[list[Token]]:
    """The pieces between separators that stand in no bracket; none for nothing. `angles`: brackets of
    templates count as well."""
    pieces: list[list[Token]] = [[]]
    index = 0
    while index < len(run):
        token = run[index]
        end = index
        if token.kind is Kind.MARK and token.text in OPENING:
            end = closing(run, index)
        elif angles and token.text == "<" and pieces[-1] and pieces[-1][-1].kind is Kind.NAME:
            end = angle_closing(run, index) or index
        elif token.text == separator and token.kind is Kind.MARK:
            pieces.append([])
            index += 1
            continue
        pieces[-1] += run[index : end + 1]
        index = end + 1
    return pieces if len(pieces) > 1 or pieces[0] else []


def without_extents(run: Sequence[Token]) -> list[Token]:
    """The tokens that stand in no square brackets, nor are some."""
    made, index = [], 0
    while index < len(run):
        if run[index].text == "[":
            index = closing(run, index)
        else:
            made.append(run[index])
        index += 1
    return made


def text_of(run: Sequence[Token]) -> str:
    """Tokens as readable C++: `const float *x` becomes const float* x."""
    made = ""
    for before, token in zip([None, *run], run, strict=False):
        if before is not None and _spaced(before, token):
            made += " "
        made += token.text
    return made


def _spaced(before: Token, token: Token) -> bool:
    words = (Kind.NAME, Kind.NUMBER, Kind.STRING)
    if token.kind in words:
        return before.kind in words or before.text in (",", "*", "&", ">", "+", "-", "/", "%", "=", "]")
    return (
        token.text in ("+", "-", "/", "%", "=", "?", ":", "<<", "==", "&&", "||") and before.text not in "(,"
    )
