"""read(): what a learner pastes -> kernels that can be compiled and launched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .. import compiler, simulator
from . import kernels, source
from .errors import PasteError
from .host import Launch
from .kernels import PastedKernel
from .macros import Macros, expand, preprocess
from .parts import Part, Role, parts
from .tokens import Token, split, tokens, without_extents
from .types import Types

NAME = "pasted.cu"
_SPACES = {"__constant__", "__device__", "__managed__"}
_FENCE = re.compile(r"^[^\S\n]*(?:```|~~~).*$", re.MULTILINE)


@dataclass(frozen=True)
class Variable:
    """A `__constant__`, `__device__` or `__managed__` variable without an initial value.

    `count` is None for a single value, and the product of its extents for an array.
    """

    name: str
    space: str
    base: str
    count: int | None


@dataclass(frozen=True)
class Pasted:
    """A source as pasted, and what was found in it.

    `source` has "\\n" as line ends. `code` is what the compiler gets: the host code is blank, every line has
    its number. `headers` are the includes that were set aside, (line, name), and `aside` the names of the
    host code with their lines. `launches` are those of the host code. `calls` are all names in device code.
    """

    source: str
    code: str
    kernels: tuple[PastedKernel, ...]
    launches: tuple[Launch, ...]
    variables: tuple[Variable, ...]
    headers: tuple[tuple[int, str], ...]
    aside: dict[str, int]
    calls: frozenset[str]
    types: Types = field(repr=False)

    def kernel(self, name: str) -> PastedKernel:
        """The kernel of that name, with or without its namespaces. Raises PasteError for one that is not
        there."""
        for kernel in self.kernels:
            if name in (kernel.name, kernel.plain):
                return kernel
        known = ", ".join(kernel.name for kernel in self.kernels)
        raise PasteError(None, f"there is no kernel {name!r}; there is: {known}")

    def launches_of(self, kernel: PastedKernel) -> tuple[Launch, ...]:
        """The launches that the host code makes of a kernel."""
        return tuple(
            launch
            for launch in self.launches
            if launch.kernel == kernel.name or launch.kernel.rsplit("::", 1)[-1] == kernel.plain
        )

    def compile(self, cancelled: object = None) -> simulator.Program:
        """The program for the simulator. Raises CompileError with the lines of `source`; where a name is the
        host code's, its sentence says so."""
        try:
            return simulator.compile(
                self.code,
                name=NAME,
                options=[compiler.AS_NVCC],
                cancelled=cancelled,  # type: ignore[arg-type]
            )
        except compiler.CompilerFailed:
            raise
        except compiler.CompileError as error:
            raise self.explained(error) from None

    def explained(self, error: compiler.CompileError) -> compiler.CompileError:
        """The same error, with a word on names that were set aside with the host code."""
        errors = [(line, self._explained(sentence)) for line, sentence in error.errors]
        return compiler.CompileError(error.log, errors, error.name)

    def _explained(self, sentence: str) -> str:
        found = re.match(r'identifier "(\w+)" is undefined', sentence)
        if not found:
            return sentence
        name = found[1]
        if name in self.aside:
            return (
                f"{sentence}: it is host code, of line {self.aside[name]}, which kernels cannot use; "
                "mark a function __device__, a variable __constant__ or __device__"
            )
        if self.headers:
            named = ", ".join(dict.fromkeys(header for _, header in self.headers))
            return f"{sentence}; if it is in one of the headers that are out of reach, paste it too ({named})"
        return sentence


def read(text: str) -> Pasted:
    """Read a kernel or a whole program, in any form that nvcc takes.

    Raises PasteError where brackets, comments, strings or conditions do not match, and where there is no
    kernel.
    """
    if not isinstance(text, str):
        raise TypeError(f"the source must be a string, not {type(text).__name__}")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = _FENCE.sub("", text)
    everything = tokens(text)
    run, macros = preprocess(everything)
    found = parts(run, macros)
    types = Types(run, found, macros, text)
    launches = tuple(types.host.launches())
    also = frozenset(
        name
        for launch in launches
        for argument in launch.template or ()
        for name in re.findall(r"[^\W\d]\w*", argument)
    )
    kept = source.keep(text, everything, run, found, macros, also)
    made = [kernel for part in kept.parts for kernel in _kernels(part, run, macros)]
    if not made:
        raise PasteError(None, _no_kernel(text))
    return Pasted(
        text,
        kept.text,
        tuple(made),
        launches,
        tuple(variable for part in kept.parts for variable in _variables(part, run, macros, types)),
        kept.headers,
        kept.aside,
        frozenset(token.text for part in kept.parts for token in run[part.first : part.last + 1]),
        types,
    )


def _no_kernel(text: str) -> str:
    if not text.strip():
        return "there is nothing here yet: paste a kernel, a function that begins with __global__"
    if "__global__" in text:
        return (
            "there is no kernel: the functions with __global__ have no body here, or a condition hides them"
        )
    return "there is no kernel: a kernel is a function that begins with __global__ void"


def _kernels(part: Part, run: Sequence[Token], macros: Macros) -> list[PastedKernel]:
    if part.role is Role.MACRO:
        made = expand(run[part.first : part.last + 1], macros)
        inner = parts(made, macros)
        return [kernel for each in inner if (kernel := kernels.of(each, made, macros)) is not None]
    kernel = kernels.of(part, run, macros)
    return [] if kernel is None else [kernel]


def _variables(part: Part, run: Sequence[Token], macros: Macros, types: Types) -> list[Variable]:
    spaces = part.words & _SPACES
    if part.role is not Role.VARIABLE or not spaces or part.words & {"extern", "const", "constexpr"}:
        return []
    piece = expand(run[part.begins : part.last], macros)
    if any(token.text in ("=", "{") for token in piece):
        return []
    space = "__constant__" if "__constant__" in spaces else "__device__"
    made = []
    base = ""
    for number, each in enumerate(split(piece)):
        declared = without_extents(each)
        shown = kernels.parameter(declared, declared, number)
        base = shown.base if number == 0 else base
        extents = types.extents(each)
        if extents is None or any(token.text == "*" for token in declared):
            continue
        name = declared[-1].text
        count = None
        for extent in extents:
            count = (count or 1) * extent
        words = [word for word in base.split() if word not in _SPACES]
        made.append(Variable(name, space, " ".join(words), count))
    return made
