"""What the preprocessor would do: which lines count, what macros stand for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from .errors import PasteError
from .expressions import Unknown, evaluate
from .tokens import Kind, Token, closing, split, tokens

# What NVRTC defines itself, compiling for compute capability 9.0, as far as sources ask for it.
PREDEFINED = {
    "__CUDACC__": "1",
    "__CUDACC_RTC__": "1",
    "__NVCC__": "1",
    "__CUDA_ARCH__": "900",
    "__cplusplus": "201703",
    "__CUDACC_VER_MAJOR__": "12",
    "__CUDACC_VER_MINOR__": "9",
    "__linux__": "1",
    "__LP64__": "1",
    "__x86_64__": "1",
}


MOST_TOKENS = 30_000
"""That one piece of source may become by its macros."""


@dataclass(frozen=True)
class Macro:
    """`parameters` is None for a macro without brackets."""

    name: str
    parameters: tuple[str, ...] | None
    body: tuple[Token, ...]


Macros = dict[str, Macro]


_DEFINE = re.compile(r"#\s*define\s+([^\W\d]\w*)(\(([^)]*)\))?\s*(.*)", re.DOTALL)
_UNDEFINE = re.compile(r"#\s*undef\s+(\w+)")
_CONDITION = re.compile(r"#\s*(ifdef|ifndef|if|elif|else|endif)\b\s*(.*)", re.DOTALL)


def preprocess(run: Iterable[Token]) -> tuple[list[Token], Macros]:
    """The tokens that count, without directives, and the macros as they are at the end.

    Conditions ask for the source's own macros and for what NVRTC defines; any other name is undefined.
    Raises PasteError for an #else or #endif without #if, and for an #if that never ends.
    """
    macros = {name: Macro(name, None, tuple(tokens(text))) for name, text in PREDEFINED.items()}
    kept: list[Token] = []
    branches: list[
        tuple[Token, bool, bool]
    ] = []  # (its #if, whether it counts, whether a branch has counted)
    for token in run:
        counts = all(active for _, active, _ in branches)
        if token.kind is not Kind.DIRECTIVE:
            if counts:
                kept.append(token)
        elif condition := _CONDITION.match(token.text):
            _branch(branches, token, condition[1], condition[2], macros, counts)
        elif counts:
            _define(token, macros)
    if branches:
        raise PasteError(branches[-1][0].line, "this condition never ends: #endif is missing")
    return kept, macros


def _branch(
    branches: list[tuple[Token, bool, bool]],
    token: Token,
    word: str,
    operand: str,
    macros: Macros,
    counts: bool,
) -> None:
    if word in ("if", "ifdef", "ifndef"):
        holds = counts and _holds(word, operand, macros)
        branches.append((token, holds, holds))
        return
    if not branches:
        raise PasteError(token.line, f"this #{word} belongs to no #if")
    opened, _, had = branches.pop()
    if word == "endif":
        return
    outer = all(active for _, active, _ in branches)
    holds = outer and not had and (word == "else" or _holds("if", operand, macros))
    branches.append((opened, holds, had or holds))


def _holds(word: str, operand: str, macros: Macros) -> bool:
    if word != "if":
        name = operand.split()[0] if operand.split() else ""
        return (name in macros) == (word == "ifdef")
    asked = re.sub(
        r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))",
        lambda found: str(int((found[1] or found[2]) in macros)),
        re.sub(r"\b__has_include\s*\([^)]*\)", "1", operand),
    )
    try:
        return bool(evaluate(expand(tokens(asked), macros), lambda name: 0))
    except (Unknown, PasteError):
        return False


def _define(token: Token, macros: Macros) -> None:
    if found := _DEFINE.match(token.text):
        name, brackets, parameters, body = found.groups()
        names = None
        if brackets:
            names = tuple(part.strip() for part in parameters.split(",") if part.strip())
        placed = tuple(
            replace(each, start=token.start, end=token.end, line=token.line) for each in tokens(body)
        )
        macros[name] = Macro(name, names, placed)
    elif found := _UNDEFINE.match(token.text):
        macros.pop(found[1], None)


def expand(run: Sequence[Token], macros: Macros, inside: frozenset[str] = frozenset()) -> list[Token]:
    """The tokens with macros replaced by what they stand for, each at the place of its use."""
    made: list[Token] = []
    index = 0
    while index < len(run):
        token = run[index]
        macro = macros.get(token.text) if token.kind is Kind.NAME and token.text not in inside else None
        index += 1
        if macro is None:
            made.append(token)
            continue
        place: Callable[[Token], Token] = lambda each, at=token: replace(  # noqa: E731
            each, start=at.start, end=at.end, line=at.line
        )
        if macro.parameters is None:
            body = list(macro.body)
        elif index < len(run) and run[index].text == "(":
            end = closing(run, index)
            given = split(run[index + 1 : end], angles=False)
            body = _filled(macro, [expand(each, macros, inside) for each in given])
            index = end + 1
        else:
            made.append(token)
            continue
        made += [place(each) for each in expand(body, macros, inside | {macro.name})]
        if len(made) > MOST_TOKENS:
            raise PasteError(token.line, f"the macro {macro.name} grows without end")
    return made


def _filled(macro: Macro, given: list[list[Token]]) -> list[Token]:
    """A macro's body with its arguments in place, and ## applied."""
    names = list(macro.parameters or ())
    values: dict[str, list[Token]] = {}
    for number, name in enumerate(names):
        if name == "...":
            rest = given[number:]
            comma = [replace(rest[0][0], kind=Kind.MARK, text=",")] if rest and rest[0] else []
            values["__VA_ARGS__"] = [
                token for place, each in enumerate(rest) for token in (*(comma if place else ()), *each)
            ]
        else:
            values[name] = given[number] if number < len(given) else []
    made: list[Token] = []
    paste = False
    for token in macro.body:
        if token.text == "##":
            paste = True
            continue
        piece = values.get(token.text, [token]) if token.kind is Kind.NAME else [token]
        if paste and made and piece:
            joined = replace(made[-1], text=made[-1].text + piece[0].text)
            made[-1:] = [joined, *piece[1:]]
        else:
            made += piece
        paste = False
    return made
