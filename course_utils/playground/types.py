"""The types of a source: what its names stand for, how its structures lie in memory."""

from __future__ import annotations

import re
from collections.abc import Sequence

from . import kernels
from .elements import Element, Member, find, laid_out, plain
from .expressions import Unknown
from .host import Host
from .macros import Macros, expand
from .parts import Part, Role
from .tokens import Kind, Token, angle_closing, split, text_of, tokens, without_extents

_MOST_STEPS = 8


class Types:
    """The types among the parts of a source."""

    def __init__(self, run: Sequence[Token], parts: Sequence[Part], macros: Macros, source: str) -> None:
        self._run, self._macros = run, macros
        self._structures = {name: part for part in parts if part.role is Role.TYPE for name in part.names}
        self._aliases = dict(alias for part in parts if (alias := _alias(part, run, macros)) is not None)
        self.host = Host(run, parts, macros, source, self._size)
        """The host code, which knows the constants."""

    def element(self, name: str, given: dict[str, str] | None = None, depth: int = 0) -> Element | None:
        """The type of that name; None for one that is not known. `given`: what the parameters of a template
        stand for."""
        text = plain(name)
        if depth > _MOST_STEPS:
            return None
        if given and text in given:
            return self.element(given[text], None, depth + 1)
        if text in self._aliases:
            return self.element(self._aliases[text], given, depth + 1)
        return find(text, lambda inner: self._structure(inner, given or {}, depth))

    def known(self, name: str) -> bool:
        """Whether a type may be meant by that name: not by scalar_t, say, of a library that is not here."""
        simple = re.fullmatch(r"[^\W\d]\w*", name)
        return not simple or name in self._structures or self.element(name) is not None

    def extents(self, piece: Sequence[Token]) -> list[int] | None:
        """The extents of an array's declaration, none for a single value; None where one is not known."""
        found, start = [], None
        for index, token in enumerate(piece):
            if token.text == "[" and start is None:
                start = index + 1
            elif token.text == "]" and start is not None:
                try:
                    found.append(int(self.host.value(piece[start:index])))  # type: ignore[arg-type]
                except (Unknown, TypeError):
                    return None
                start = None
        return found

    def _size(self, name: str) -> int | None:
        found = self.element(name)
        return found.size if found else None

    def _structure(self, text: str, given: dict[str, str], depth: int) -> Element | None:
        """A structure by its name as written, template arguments included."""
        run = tokens(text)
        opened = next((index for index, token in enumerate(run) if token.text == "<"), len(run))
        names = [token.text for token in run[:opened] if token.kind is Kind.NAME]
        part = self._structures.get(names[-1]) if names else None
        if part is None or part.body is None:
            return None
        if "enum" in part.words:
            return find("int")
        close = angle_closing(run, opened) if opened < len(run) else None
        if close is not None:
            arguments = [text_of(piece) for piece in split(run[opened + 1 : close])]
            head = kernels.template_parameters(self._run[part.first : part.begins])
            given = {
                each.name: given.get(argument, argument)
                for each, argument in zip(head, arguments, strict=False)
            }
        members = []
        for member in part.members:
            if member.role is Role.FUNCTION or {"static", "using", "typedef"} & member.words:
                if "virtual" in member.words:
                    return None
                continue
            found = self._fields(member, given, depth) if member.role is Role.VARIABLE else None
            if found is None:
                return None
            members += found
        head_text = text_of(self._run[part.first : part.body[0]])
        if ":" in head_text.replace("::", ""):  # it inherits members
            return None
        align = re.search(r"(?:__align__|alignas)\s*\(\s*(\d+)\s*\)", head_text)
        return laid_out(text, members, int(align[1]) if align else 1)

    def _fields(self, member: Part, given: dict[str, str], depth: int) -> list[Member] | None:
        """The variables of one declaration in a structure, such as `float x, y[3];`."""
        made = []
        run = expand(self._run[member.first : member.last], self._macros)
        pieces = split(run)
        base = ""
        for number, piece in enumerate(pieces):
            if any(token.text == ":" for token in piece):
                return None  # a bit field
            declared = without_extents(piece)
            shown = kernels.parameter(declared, declared, number)
            if number == 0:
                base = shown.base
                name = shown.name
            else:
                names = [token.text for token in declared if token.kind is Kind.NAME]
                name = names[0] if names else ""
            extents = self.extents(piece)
            stars = sum(token.text == "*" for token in declared)
            target = self.element(base, given, depth + 4) if stars == 1 else None
            element = find("void *") if stars else self.element(base, given, depth + 1)
            if element is None or extents is None:
                return None
            count = None
            for extent in extents:
                count = (count or 1) * extent
            made.append((name, element, count, target))
        return made


def _alias(part: Part, run: Sequence[Token], macros: Macros) -> tuple[str, str] | None:
    """(name, type) of `using real = float;` and `typedef float real;`."""
    if part.role is not Role.NAME:
        return None
    piece = expand(run[part.begins : part.last], macros)
    texts = [token.text for token in piece]
    if texts[:1] == ["using"] and "=" in texts:
        return texts[1], text_of(piece[3:])
    if texts[:1] == ["typedef"] and len(texts) > 2 and "(" not in texts and "[" not in texts:
        return texts[-1], text_of(piece[1:-1])
    return None
