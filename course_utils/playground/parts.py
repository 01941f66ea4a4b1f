"""The declarations of a source: functions, types, variables, each with its tokens.

Only what separates one declaration from the next is read, and the words before a function's body, which tell
whether it is for the device. Anything else is left to the compiler.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from .errors import PasteError
from .macros import Macros, expand
from .tokens import Kind, Token, angle_closing, closing

DEVICE_WORDS = {"__global__", "__device__", "__constant__", "__managed__", "__shared__"}
# What stands before brackets without being a function's name.
ATTRIBUTES = {"__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__block_size__", "__attribute__"}
ATTRIBUTES |= {"__declspec", "__align__", "alignas", "decltype", "noexcept", "throw", "requires", "explicit"}
_TYPE_WORDS = {"struct", "class", "union", "enum"}


class Role(Enum):
    """What a declaration declares."""

    FUNCTION = "function"
    TYPE = "type"
    NAME = "name"  # using, typedef, a namespace by another name
    VARIABLE = "variable"
    MACRO = "macro"  # what a macro of the source makes
    OTHER = "other"


@dataclass(frozen=True)
class Part:
    """One declaration: tokens `first` to `last` of its run, both included.

    `names` are those it declares; `words` all before its body, macros expanded. `parameters` and `body` are
    the indices of the brackets around them. `begins` is the index behind `template <...>`. `scope` names the
    namespaces around it. `members` are those of a type.
    """

    role: Role
    first: int
    last: int
    names: frozenset[str]
    words: frozenset[str]
    begins: int
    scope: tuple[str, ...] = ()
    parameters: tuple[int, int] | None = None
    body: tuple[int, int] | None = None
    members: tuple[Part, ...] = field(default=(), compare=False)

    @property
    def device(self) -> bool:
        """Whether it, or a member of it, is for the device."""
        return bool(self.words & DEVICE_WORDS) or any(member.device for member in self.members)

    @property
    def constant(self) -> bool:
        """Whether its value, or what it returns, may be known to the compiler."""
        return bool(self.words & {"constexpr", "consteval"})

    @property
    def name(self) -> str:
        """The only name of a function."""
        return next(iter(self.names), "")


def parts(run: Sequence[Token], macros: Macros) -> list[Part]:
    """The declarations of a run of tokens, those inside namespaces included. Raises PasteError for brackets
    that do not match."""
    return list(_scope(run, 0, len(run), macros, ()))


def _scope(
    run: Sequence[Token], at: int, end: int, macros: Macros, scope: tuple[str, ...], inside_type: bool = False
) -> Iterator[Part]:
    while at < end:
        text = run[at].text
        if text == ";" or (inside_type and text in ("public", "private", "protected", ":")):
            at += 1
            continue
        if text == "}":
            raise PasteError(run[at].line, "this } closes nothing: there is one too many, or a { is missing")
        opened = _opens_scope(run, at, end)
        if opened is not None:
            brace, names = opened
            close = closing(run, brace)
            yield from _scope(run, brace + 1, close, macros, (*scope, *names))
            at = close + 1
            continue
        part = _Reader(run, at, end, macros, scope, inside_type).part()
        yield part
        at = part.last + 1


def _opens_scope(run: Sequence[Token], at: int, end: int) -> tuple[int, list[str]] | None:
    """(the index of its brace, names) where `namespace a {` or `extern "C" {` begins."""
    if run[at].text == "extern" and at + 2 < end and run[at + 1].kind is Kind.STRING:
        return (at + 2, []) if run[at + 2].text == "{" else None
    index = at + (run[at].text == "inline")
    if index >= end or run[index].text != "namespace":
        return None
    names = []
    for position in range(index + 1, end):
        token = run[position]
        if token.text == "{":
            return position, names
        if token.text in ("=", ";"):
            return None
        if token.kind is Kind.NAME:
            names.append(token.text)
    return None


class _Reader:
    """Reads one declaration from index `at`."""

    def __init__(
        self,
        run: Sequence[Token],
        at: int,
        end: int,
        macros: Macros,
        scope: tuple[str, ...],
        inside_type: bool,
    ) -> None:
        self.run, self.first, self.end, self.macros = run, at, end, macros
        self.scope, self.inside_type = scope, inside_type
        self.begins = at
        self.type_word = self.assigned = self.initialised = False
        self.parameters: tuple[int, int] | None = None
        self.body: tuple[int, int] | None = None
        self.function = False

    def part(self) -> Part:
        invocation = self._macro()
        if invocation is not None:
            return invocation
        last = self._last()
        head = self.run[self.first : self.body[0] if self.body else last + 1]
        words = frozenset(each.text for each in expand(head, self.macros) if each.kind is Kind.NAME)
        role = self._role(words)
        members: tuple[Part, ...] = ()
        if role is Role.TYPE and self.body and "enum" not in words:
            inner = _scope(self.run, self.body[0] + 1, self.body[1], self.macros, self.scope, True)
            members = tuple(inner)
        parameters = self.parameters if role is Role.FUNCTION else None
        names = frozenset(self._names(role, last))
        return Part(
            role, self.first, last, names, words, self.begins, self.scope, parameters, self.body, members
        )

    def _macro(self) -> Part | None:
        """`NAME(...)` of a macro that makes whole declarations, with or without a semicolon."""
        token = self.run[self.first]
        macro = self.macros.get(token.text)
        brackets = self.first + 1 < self.end and self.run[self.first + 1].text == "("
        if macro is None or macro.parameters is None or not brackets:
            return None
        last = closing(self.run, self.first + 1)
        behind = self.run[last + 1].text if last + 1 < self.end else ";"
        made = expand(self.run[self.first : last + 1], self.macros)
        if not made or made[-1].text not in ("}", ";"):
            return None
        if behind == ";" and last + 1 < self.end:
            last += 1
        words = frozenset(each.text for each in made if each.kind is Kind.NAME)
        return Part(Role.MACRO, self.first, last, words, words, self.first, self.scope)

    def _last(self) -> int:
        """The index of the declaration's last token."""
        index, before = self.first, None
        while index < self.end:
            token = self.run[index]
            text = token.text if token.kind is not Kind.STRING else ""
            if text == "template" and index + 1 < self.end and self.run[index + 1].text == "<":
                close = angle_closing(self.run, index + 1)
                if close is None:
                    raise PasteError(token.line, "the template <...> here is never closed: > is missing")
                index = self.begins = close + 1
                continue
            if text == ";":
                return index
            if text == "operator" and not self.assigned:
                index, before = self._operator(index), token
                continue
            if text in ("(", "["):
                close = closing(self.run, index)
                if text == "(":
                    self._bracket(before, index, close)
                index, before = close + 1, self.run[close]
                continue
            if text == "{":
                close = closing(self.run, index)
                if self._is_body(before):
                    self.body = (index, close)
                    if self.parameters:
                        self.function = True
                        return close
                index, before = close + 1, self.run[close]
                continue
            if text == "}":
                raise PasteError(
                    token.line, "this } closes nothing: there is one too many, or a { is missing"
                )
            self.type_word |= text in _TYPE_WORDS and self.parameters is None
            self.assigned |= text == "="
            self.initialised |= text == ":" and self.parameters is not None
            index, before = index + 1, token
        return self.end - 1

    def _operator(self, index: int) -> int:
        """The index of the bracket with an operator's parameters."""
        index += 1
        if self.run[index].text == "(":
            return index + 2
        while index < self.end and self.run[index].text not in ("(", ";"):
            index += 1
        return index

    def _bracket(self, before: Token | None, opened: int, close: int) -> None:
        if self.assigned or self.initialised or self.body or before is None:
            return
        named = before.kind is Kind.NAME and before.text not in ATTRIBUTES
        if named or before.text in (")", ">"):
            self.parameters = (opened, close)

    def _is_body(self, before: Token | None) -> bool:
        if self.assigned or self.body:
            return False
        if self.parameters is None:
            return self.type_word
        member = before is not None and (before.kind is Kind.NAME or before.text == ">")
        return not (self.initialised and member)  # else P(float a) : x{a}

    def _role(self, words: frozenset[str]) -> Role:
        start = self.run[self.begins].text if self.begins < self.end else ""
        if start in ("using", "typedef", "namespace") and not (start == "typedef" and self.body):
            return Role.NAME
        if start == "static_assert":
            return Role.OTHER
        if self.type_word and self.parameters is None and (self.body or not self.assigned):
            return Role.TYPE
        if self.parameters is not None and not (self.assigned and not self._defaulted()):
            return Role.FUNCTION
        return Role.VARIABLE

    def _defaulted(self) -> bool:
        """Whether what is assigned is default, delete or 0, as functions have it."""
        opened = self.parameters[1] if self.parameters else self.first
        rest = [each.text for each in self.run[opened + 1 : opened + 8]]
        return "=" in rest and rest[rest.index("=") + 1 : rest.index("=") + 2][0:1] in (
            ["default"],
            ["delete"],
            ["0"],
        )

    def _names(self, role: Role, last: int) -> Iterator[str]:
        run = self.run
        if role is Role.FUNCTION and self.parameters:
            index = self.parameters[0] - 1
            yield run[index].text if run[index].kind is Kind.NAME else "operator"
        elif role is Role.NAME:
            yield from self._alias(last)
        elif role is Role.TYPE:
            yield from self._type_names(last)
        elif role is Role.VARIABLE:
            yield from _declared(run[self.begins : last + 1])

    def _alias(self, last: int) -> Iterator[str]:
        piece = self.run[self.begins : last + 1]
        texts = [each.text for each in piece]
        if "=" in texts:
            yield texts[1]
        elif texts[0] == "typedef":
            yield from _declared(piece)
            yield from (
                texts[i + 2] for i in range(len(texts) - 2) if texts[i : i + 2] == ["(", "*"]
            )  # a pointer to a function
        else:
            yield texts[-2] if texts[-1] == ";" and len(texts) > 1 else texts[-1]

    def _type_names(self, last: int) -> Iterator[str]:
        run = self.run
        opened, close = self.body or (last, last)
        index = self.begins
        while index < opened and run[index].text not in (":", "<", ";"):  # Convert<float> declares no float
            if run[index].text == "(":
                index = closing(run, index)
            elif run[index].kind is Kind.NAME and run[index].text not in _TYPE_WORDS | ATTRIBUTES:
                yield run[index].text
            index += 1
        if self.body:
            yield from _declared(run[close : last + 1])
            if any(each.text == "enum" for each in run[self.begins : opened]):
                yield from (each.text for each in run[opened:close] if each.kind is Kind.NAME)


def _declared(piece: Sequence[Token]) -> Iterator[str]:
    """The names before = [ { , ; outside of brackets: those that a list of declarators declares."""
    index, value = 0, False
    while index < len(piece):
        token = piece[index]
        behind = piece[index + 1].text if index + 1 < len(piece) else ";"
        if token.text in ("(", "[", "{"):
            index = closing(piece, index)
        elif token.text == "<" and (close := angle_closing(piece, index)) is not None:
            index = close
        elif token.text == "=":
            value = True
        elif token.text == ",":
            value = False
        elif not value and token.kind is Kind.NAME and behind in ("=", "[", "{", "(", ",", ";", ":"):
            yield token.text
        index += 1
