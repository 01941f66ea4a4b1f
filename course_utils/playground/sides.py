"""The functions of a program: on which side each is, and what it calls."""

from __future__ import annotations

from dataclasses import dataclass

from .macros import expand, preprocess
from .parts import Role, parts
from .tokens import tokens

MARKS = ("__host__", "__global__", "__device__")


@dataclass(frozen=True)
class Function:
    """A function with a body, on lines `first` to `last`. `marks`: those of MARKS that stand before it.
    `named`: every name in its body, macros replaced."""

    name: str
    first: int
    last: int
    marks: tuple[str, ...]
    named: frozenset[str]

    @property
    def on_gpu(self) -> bool:
        """Whether it is compiled for the GPU."""
        return "__global__" in self.marks or "__device__" in self.marks

    @property
    def on_host(self) -> bool:
        """Whether it is compiled for the host: so are functions without a mark."""
        return "__host__" in self.marks or not self.marks


def functions(text: str) -> tuple[Function, ...]:
    """The functions of a source outside its types, in order. Raises PasteError as `read` does."""
    run, macros = preprocess(tokens(text))
    found = []
    for part in parts(run, macros):
        if part.role is Role.FUNCTION and part.body is not None:
            body = expand(run[part.body[0] : part.body[1] + 1], macros)
            named = frozenset(token.text for token in body)
            marks = tuple(mark for mark in MARKS if mark in part.words)
            found.append(Function(part.name, run[part.first].line, run[part.last].line, marks, named))
    return tuple(found)
