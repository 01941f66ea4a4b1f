"""The kernels of a source: names, template parameters, parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .macros import Macros, expand
from .parts import Part
from .tokens import Kind, Token, angle_closing, closing, split, text_of

_QUALIFIERS = {"const", "volatile", "__restrict__", "__restrict", "restrict", "__grid_constant__", "register"}
_ELABORATED = {"struct", "class", "enum", "union", "typename"}


@dataclass(frozen=True)
class Parameter:
    """One parameter. `type` is as written; `base` is what it points to, or its own type, without const and
    with macros replaced; `pointers` is the number of stars; `constant`: the kernel may not write to what it
    points to."""

    name: str
    type: str
    base: str
    pointers: int
    constant: bool


@dataclass(frozen=True)
class TemplateParameter:
    """`kind` is "type" or "value"; `default` is as written, empty where there is none."""

    name: str
    kind: str
    default: str


@dataclass(frozen=True)
class PastedKernel:
    """A `__global__` function. `name` has its namespaces before it; lines are counted from 1; `used` are the
    tokens of its body, macros replaced."""

    name: str
    parameters: tuple[Parameter, ...]
    template: tuple[TemplateParameter, ...]
    first: int
    last: int
    used: tuple[Token, ...]

    @property
    def plain(self) -> str:
        """The name without namespaces."""
        return self.name.rsplit("::", 1)[-1]


def of(part: Part, run: Sequence[Token], macros: Macros) -> PastedKernel | None:
    """The kernel that a part defines; None where it defines none."""
    if "__global__" not in part.words or part.body is None or part.parameters is None:
        return None
    opened, close = part.parameters
    listed = expand(run[opened + 1 : close], macros)
    written = run[opened + 1 : close]
    pieces = [piece for piece in split(listed) if [each.text for each in piece] != ["void"]]
    shown = [piece for piece in split(written) if piece]
    if len(shown) != len(pieces):
        shown = pieces
    found = [parameter(piece, other, number) for number, (piece, other) in enumerate(zip(pieces, shown))]  # noqa: B905
    name = expand(run[opened - 1 : opened], macros)
    return PastedKernel(
        "::".join([*part.scope, text_of(name)]),
        tuple(found),
        template_parameters(run[part.first : part.begins]),
        run[part.first].line,
        run[part.last].line,
        tuple(expand(run[part.body[0] : part.body[1] + 1], macros)),
    )


def parameter(piece: Sequence[Token], shown: Sequence[Token], number: int) -> Parameter:
    """A parameter from its tokens: `piece` with macros replaced, `shown` as written."""
    piece, shown = _without_default(piece), _without_default(shown)
    at, name = _name(piece, number)
    rest = [token for index, token in enumerate(piece) if index != at]
    stars = sum(token.text == "*" for token in rest)
    arrays = sum(token.text == "[" for token in rest) > 0
    if any(token.text == "(" for token in rest):  # float (*x)[N]
        stars, arrays = 1, False
    first_star = next((i for i, token in enumerate(rest) if token.text in ("*", "[", "(")), len(rest))
    constant = any(token.text == "const" for token in rest[:first_star])
    base = [token for token in rest[:first_star] if token.text not in _QUALIFIERS | _ELABORATED | {"&"}]
    written = [token for token in shown if token.text != name or token.kind is not Kind.NAME]
    return Parameter(name, text_of(written), text_of(base), stars + arrays, constant)


def _without_default(piece: Sequence[Token]) -> list[Token]:
    cut = next((index for index, token in enumerate(piece) if token.text in ("=", "{")), len(piece))
    return list(piece[:cut])


def _name(piece: Sequence[Token], number: int) -> tuple[int, str]:
    """(index, name) of a parameter; index -1 where it has no name."""
    index, end = 0, len(piece)
    names: list[int] = []
    while index < end:
        text = piece[index].text
        if text == "[":
            break
        if text == "(":  # float (*x)[N]
            inner = range(index + 1, closing(piece, index))
            names = [i for i in inner if piece[i].kind is Kind.NAME] or names
            break
        if text == "<" and (close := angle_closing(piece, index)) is not None:
            index = close
        elif piece[index].kind is Kind.NAME and text not in _QUALIFIERS:
            names.append(index)
        index += 1
    words = [i for i in names if piece[i].text not in _ELABORATED]
    last = words[-1] if words else -1
    follows = last >= 0 and (len(words) > 1 or (last > 0 and piece[last - 1].text in ("*", "&", ">")))
    part_of_type = last > 0 and piece[last - 1].text == "::"
    if not follows or part_of_type or piece[last].text in _TYPE_NAMES:
        return -1, f"parameter {number + 1}"
    return last, piece[last].text


_TYPE_NAMES = {"int", "float", "double", "char", "short", "long", "unsigned", "signed", "bool", "half"}


def template_parameters(head: Sequence[Token]) -> tuple[TemplateParameter, ...]:
    """Those of `template <typename T, int N = 4>`; none for no tokens."""
    opened = next((index for index, token in enumerate(head) if token.text == "<"), None)
    if opened is None or (close := angle_closing(head, opened)) is None:
        return ()
    found = []
    for number, piece in enumerate(split(head[opened + 1 : close])):
        texts = [token.text for token in piece]
        cut = texts.index("=") if "=" in texts else len(texts)
        names = [token.text for token in piece[:cut] if token.kind is Kind.NAME]
        kind = "type" if texts[:1] in (["typename"], ["class"], ["template"]) else "value"
        name = names[-1] if len(names) > 1 else f"parameter {number + 1}"
        found.append(TemplateParameter(name, kind, text_of(piece[cut + 1 :])))
    return tuple(found)
