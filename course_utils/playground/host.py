"""What the host code of a program says about its launches: grids, blocks, sizes, buffers.

The host code is not run. Its functions are read from top to bottom, once, and the values of simple variables
are followed: `int N = 1 << 20; dim3 block(16, 16);`. Loops and conditions are read as if their bodies ran
once; a value that depends on what only a run knows stays as it was before, or unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .elements import size_of
from .expressions import Dim3, Sizes, Unknown, Value, evaluate
from .kernels import template_parameters
from .macros import Macros, expand
from .parts import Part, Role
from .tokens import OPENING, Kind, Token, angle_closing, closing, split, text_of

_ALLOCATIONS = {"cudaMalloc", "cudaMallocManaged", "cudaMallocAsync", "cudaMallocHost", "cudaHostAlloc"}
_MEMSETS = {"cudaMemset", "cudaMemsetAsync"}
_COPIES = {"cudaMemcpy", "cudaMemcpyAsync"}
_LAUNCHERS = {"cudaLaunchKernel", "cudaLaunchCooperativeKernel"}
_MOST_CALLERS = 4


@dataclass(frozen=True)
class Buffer:
    """Device memory of a host variable: its `bytes`, what it is filled with (`fill`: None if with nothing, 0
    by cudaMemset, "copied" from the host), and the type that the variable points to."""

    bytes: int | None = None
    fill: int | str | None = None
    type: str = ""


@dataclass(frozen=True)
class Launch:
    """A launch that the host code makes, on a line of the source.

    `template` are the template arguments as written, None where there are none. `grid`, `block` and
    `shared_bytes` are None where they are not known; `told` are the expressions for them as written.
    For each kernel argument, `names` has the variable that it is (empty for anything else), `values` and
    `buffers` what is known of it.
    """

    kernel: str
    template: tuple[str, ...] | None
    grid: tuple[int, ...] | None
    block: tuple[int, ...] | None
    shared_bytes: int | None
    told: tuple[str, ...]
    names: tuple[str, ...]
    values: tuple[Value | None, ...]
    buffers: tuple[Buffer, ...]
    cooperative: bool
    line: int


@dataclass
class _Known:
    """What is known at one place of the host code."""

    values: dict[str, Value] = field(default_factory=dict)
    buffers: dict[str, Buffer] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)  # of a template's parameters

    def buffer(self, name: str, **facts: object) -> None:
        before = self.buffers.get(name, Buffer())
        self.buffers[name] = Buffer(**{**before.__dict__, **facts})  # type: ignore[arg-type]


_Argument = tuple[Value | None, Buffer]


@dataclass(frozen=True)
class _Call:
    """A call of one of the source's own functions."""

    template: tuple[str, ...]
    arguments: list[_Argument]


@dataclass(frozen=True)
class _Function:
    name: str
    parameters: tuple[str, ...]
    template: tuple[str, ...]
    body: list[Token]
    result: list[Token] | None  # of `return ...;` where that is all


class Host:
    """The host code among the `parts` of a source, its constants, and what is asked of them."""

    def __init__(
        self, run: Sequence[Token], parts: Sequence[Part], macros: Macros, source: str, sizes: Sizes = size_of
    ) -> None:
        self._macros = macros
        self._source = source
        self._sizes = sizes
        self._functions: dict[str, _Function] = {}
        self._globals = _Known()
        self._assumed: dict[str, Value] = {}
        self._enumerators: set[str] = set()
        self._depth = 0
        for part in parts:
            for function in (part, *part.members):
                if function.role is Role.FUNCTION and function.body and "__global__" not in function.words:
                    self._add(function, run)
        for part in parts:
            if part.role is Role.VARIABLE:
                self._statement(expand(run[part.begins : part.last], macros), self._globals)
            elif part.role is Role.TYPE and "enum" in part.words and part.body:
                self._enumerate(expand(run[part.body[0] + 1 : part.body[1]], macros))

    def value(self, run: Sequence[Token]) -> Value:
        """The value of an expression of the source's constants. Raises Unknown."""
        return self._evaluate(expand(run, self._macros), self._globals)

    def launches(self, assumed: Mapping[str, Value] | None = None) -> list[Launch]:
        """All launches, in the order of the source. `assumed`: values for variables that only a run knows."""
        self._assumed = dict(assumed or {})
        try:
            found = [
                launch
                for function in self._functions.values()
                for launch in self._walk(function, self._start(function))
            ]
        finally:
            self._assumed = {}
        return sorted(found, key=lambda launch: launch.line)

    # Reading

    def _add(self, part: Part, run: Sequence[Token]) -> None:
        assert part.parameters
        assert part.body
        opened, close = part.parameters
        names = tuple(_last_name(piece) for piece in split(run[opened + 1 : close]))
        body = expand(run[part.body[0] + 1 : part.body[1]], self._macros)
        result = None
        if body and body[0].text == "return" and body[-1].text == ";":
            result = body[1:-1] if all(each.text != ";" for each in body[:-1]) else None
        template = tuple(each.name for each in template_parameters(run[part.first : part.begins]))
        self._functions.setdefault(part.name, _Function(part.name, names, template, body, result))

    def _enumerate(self, run: Sequence[Token]) -> None:
        value: Value = -1
        for piece in split(run):
            try:
                value = self._evaluate(piece[2:], self._globals) if len(piece) > 1 else int(value) + 1  # type: ignore[arg-type]
            except Unknown:
                return
            self._globals.values[piece[0].text] = value
            self._enumerators.add(piece[0].text)

    def _start(self, function: _Function) -> _Known:
        """What is known where a function begins: the constants, and its parameters as its first caller gives
        them."""
        known = _Known(dict(self._globals.values), dict(self._globals.buffers))
        if function.name == "main":
            for name in function.parameters[:1]:
                known.values[name] = 1  # argc: the program's name alone
            return known
        if self._depth >= _MOST_CALLERS or not function.parameters:
            return known
        self._depth += 1
        try:
            for caller in self._functions.values():
                if caller is not function and (call := self._call(caller, function)) is not None:
                    for name, (value, buffer) in zip(function.parameters, call.arguments, strict=False):
                        if value is not None:
                            known.values[name] = value
                        known.buffers[name] = buffer
                    for name, argument in zip(function.template, call.template, strict=False):
                        if argument.lstrip("-").isdigit():
                            known.values[name] = int(argument)
                        else:
                            known.types[name] = argument
                    break
        finally:
            self._depth -= 1
        return known

    def _call(self, caller: _Function, wanted: _Function) -> _Call | None:
        """The first call of a function in another one."""
        if not any(token.text == wanted.name for token in caller.body):
            return None
        known = self._start(caller)
        for statement in _statements(caller.body):
            self._statement(statement, known)
            for index, token in enumerate(statement):
                if token.text == wanted.name and (call := self._read_call(statement, index, known)):
                    return call
        return None

    def _read_call(self, run: Sequence[Token], index: int, known: _Known) -> _Call | None:
        index += 1
        template: tuple[str, ...] = ()
        if index < len(run) and run[index].text == "<":
            close = angle_closing(run, index)
            if close is None:
                return None
            template = self._template(split(run[index + 1 : close]), known)
            index = close + 1
        if index >= len(run) or run[index].text != "(":
            return None
        arguments = split(run[index + 1 : closing(run, index)])
        return _Call(template, [self._argument(piece, known) for piece in arguments])

    def _template(self, pieces: list[list[Token]], known: _Known) -> tuple[str, ...]:
        """Template arguments with what is known put in: values as numbers, types by their own names."""
        made = []
        for piece in pieces:
            text = text_of(piece)
            if any(token.text == "::" or token.text in self._enumerators for token in piece):
                made.append(text)  # a number is no value of an enumeration
                continue
            try:
                value = self._evaluate(piece, known)
                made.append(str(value) if isinstance(value, int) else text)
            except Unknown:
                made.append(known.types.get(text, text))
        return tuple(made)

    def _walk(self, function: _Function, known: _Known) -> Iterator[Launch]:
        """The launches of a function's body, with what is known at each."""
        for statement in _statements(function.body):
            self._statement(statement, known)
            for index, token in enumerate(statement):
                launch = None
                if token.text == "<<<":
                    launch = self._launch(statement, index, known)
                elif token.text in _LAUNCHERS:
                    launch = self._launched(statement, index, known)
                if launch is not None:
                    yield launch

    def _argument(self, piece: Sequence[Token], known: _Known) -> _Argument:
        value: Value | None
        try:
            value = self._evaluate(piece, known)
        except Unknown:
            value = None
        names = [token.text for token in piece if token.text in known.buffers]
        return value, known.buffers[names[0]] if names else Buffer()

    # Launches

    def _launch(self, run: Sequence[Token], index: int, known: _Known) -> Launch | None:
        callee = _callee(run, index)
        end = _configuration_end(run, index)
        if callee is None or end is None or end + 1 >= len(run) or run[end + 1].text != "(":
            return None
        name, template, line = callee
        configuration = split(run[index + 1 : end - 2])
        arguments = split(run[end + 2 : closing(run, end + 1)])
        return self._made(name, template, configuration, arguments, known, False, line)

    def _launched(self, run: Sequence[Token], index: int, known: _Known) -> Launch | None:
        """cudaLaunchKernel((void*)kernel, grid, block, arguments, shared bytes, stream)."""
        if index + 1 >= len(run) or run[index + 1].text != "(":
            return None
        given = split(run[index + 2 : closing(run, index + 1)])
        if len(given) < 4:
            return None
        names = [token for token in given[0] if token.kind is Kind.NAME and token.text != "void"]
        if not names:
            return None
        template = None
        name_at = next(i for i, token in enumerate(given[0]) if token is names[0])
        if name_at + 1 < len(given[0]) and given[0][name_at + 1].text == "<":
            close = angle_closing(given[0], name_at + 1)
            if close is not None:
                template = split(given[0][name_at + 2 : close])
        configuration = [given[1], given[2], *given[4:5]]
        cooperative = run[index].text == "cudaLaunchCooperativeKernel"
        arguments: list[list[Token]] = []
        return self._made(
            names[0].text, template, configuration, arguments, known, cooperative, run[index].line
        )

    def _made(
        self,
        name: str,
        template: list[list[Token]] | None,
        configuration: list[list[Token]],
        arguments: list[list[Token]],
        known: _Known,
        cooperative: bool,
        line: int,
    ) -> Launch:
        extents = [self._extent(piece, known) for piece in configuration[:2]]
        extents += [None] * (2 - len(extents))
        shared: int | None = 0
        if len(configuration) > 2:
            sized = self._extent(configuration[2], known, least=0)
            shared = sized[0] if sized else None
        given = [self._argument(piece, known) for piece in arguments]
        told = tuple(self._written(piece) for piece in configuration[:3])
        values, buffers = tuple(value for value, _ in given), tuple(buffer for _, buffer in given)
        named = None if template is None else self._template(template, known)
        names = tuple(
            piece[0].text if len(piece) == 1 and piece[0].kind is Kind.NAME else "" for piece in arguments
        )
        return Launch(
            name, named, extents[0], extents[1], shared, told, names, values, buffers, cooperative, line
        )

    def _written(self, piece: list[Token]) -> str:
        """An expression as the source has it."""
        if len({token.start for token in piece}) < len(piece):  # from a macro
            return text_of(piece)
        return " ".join(self._source[piece[0].start : piece[-1].end].split()) if piece else ""

    def _extent(self, piece: Sequence[Token], known: _Known, least: int = 1) -> tuple[int, ...] | None:
        try:
            if piece and piece[0].text == "{":  # k<<<{4, 4}, {16, 16}>>>
                value: Value = Dim3(*(int(self._evaluate(each, known)) for each in split(piece[1:-1])))  # type: ignore[arg-type]
            else:
                value = self._evaluate(piece, known)
        except (Unknown, TypeError):
            return None
        extents = (value.x, value.y, value.z) if isinstance(value, Dim3) else (int(value), 1, 1)
        if min(extents) < least:
            return None
        return extents[:1] if extents[1:] == (1, 1) else extents[:2] if extents[2] == 1 else extents

    # Statements

    def _statement(self, run: Sequence[Token], known: _Known) -> None:
        """Follow a declaration, an assignment, and what is done to buffers."""
        if not run:
            return
        self._memory(run, known)
        for declaration in _declarations(run):
            name, kind, value, constructed = declaration
            if kind.endswith("*"):
                known.buffer(name, type=kind.rstrip("* "))
                if any(token.text in known.buffers for token in value):
                    known.buffers[name] = self._argument(value, known)[1]
                continue
            known.values.pop(name, None)
            try:
                if kind == "dim3" and (constructed or (value and value[0].text == "{")):
                    inner = value[1:-1] if value and value[0].text == "{" else value
                    extents = [int(self._evaluate(each, known)) for each in split(inner)]  # type: ignore[arg-type]
                    known.values[name] = Dim3(*extents)
                elif value:
                    found = self._evaluate(value, known)
                    known.values[name] = _stored(kind, found)
                elif kind == "dim3":
                    known.values[name] = Dim3()
            except (Unknown, TypeError):
                continue
        self._assignment(run, known)

    def _assignment(self, run: Sequence[Token], known: _Known) -> None:
        texts = [token.text for token in run[:4]]
        try:
            if texts[1:2] == ["="] and run[0].kind is Kind.NAME:
                value = self._evaluate(run[2:], known)
                if isinstance(known.values.get(texts[0]), Dim3) and not isinstance(value, Dim3):
                    value = Dim3(int(value))
                known.values[texts[0]] = value
            elif texts[1:2] == ["."] and texts[3:4] == ["="] and texts[2] in ("x", "y", "z"):
                before = known.values.get(texts[0])
                if isinstance(before, Dim3):
                    extent = int(self._evaluate(run[4:], known))  # type: ignore[arg-type]
                    known.values[texts[0]] = Dim3(**{**before.__dict__, texts[2]: extent})
        except (Unknown, TypeError):
            return

    def _memory(self, run: Sequence[Token], known: _Known) -> None:
        for index, token in enumerate(run[:-1]):
            if token.kind is not Kind.NAME or run[index + 1].text not in ("(", "<"):
                continue
            if token.text not in _ALLOCATIONS | _MEMSETS | _COPIES:
                continue
            opened = index + 1
            if run[opened].text == "<":
                opened = (angle_closing(run, opened) or opened) + 1
            if opened >= len(run) or run[opened].text != "(":
                continue
            given = split(run[opened + 1 : closing(run, opened)])
            name = _last_name(given[0]) if given else ""
            if not name:
                continue
            if token.text in _ALLOCATIONS and len(given) > 1:
                try:
                    known.buffer(name, bytes=int(self._evaluate(given[1], known)))  # type: ignore[arg-type]
                except (Unknown, TypeError):
                    known.buffer(name, bytes=None)
            elif token.text in _MEMSETS and len(given) > 2:
                if text_of(given[1]) == "0":
                    known.buffer(name, fill=0)
            elif token.text in _COPIES and any(each.text == "cudaMemcpyHostToDevice" for each in run):
                known.buffer(name, fill="copied")

    # Values

    def _evaluate(self, run: Sequence[Token], known: _Known) -> Value:
        if len(run) == 1 and run[0].kind is Kind.NAME:
            return self._name(run[0].text, known)

        def size(name: str) -> int | None:
            return self._sizes(known.types.get(name, name))

        return evaluate(run, lambda name: self._name(name, known), self._called, size)

    def _name(self, name: str, known: _Known) -> Value:
        if name in known.values:
            return known.values[name]
        if name in self._assumed:
            return self._assumed[name]
        raise Unknown(name)

    def _called(self, name: str, arguments: list[Value]) -> Value:
        function = self._functions.get(name)
        if function is None or function.result is None or self._depth > 20:
            raise Unknown(name)
        known = _Known(dict(self._globals.values))
        known.values.update(zip(function.parameters, arguments, strict=False))
        self._depth += 1
        try:
            return self._evaluate(function.result, known)
        finally:
            self._depth -= 1


def _stored(kind: str, value: Value) -> Value:
    """A value as a variable of that type holds it."""
    whole = kind.split()[-1:] != [] and kind.split()[-1] in _WHOLE
    return int(value) if whole and isinstance(value, float) else value


_WHOLE = {"int", "long", "short", "unsigned", "size_t", "char", "uint32_t", "int32_t", "int64_t", "uint64_t"}


def _statements(run: Sequence[Token]) -> Iterator[list[Token]]:
    """Pieces between ; { } in order, the brackets of blocks dropped."""
    piece: list[Token] = []
    index = 0
    while index < len(run):
        token = run[index]
        if token.text in (";", "}") or (token.text == "{" and not _initialises(piece)):
            yield piece
            piece = []
        elif token.text == "(" and piece and piece[-1].text == "for":
            close = closing(run, index)
            yield run[index + 1 : close][: _length_to(";", run[index + 1 : close])]
            piece, index = [], close
        elif token.text == "(" and piece and piece[-1].text in ("if", "while", "switch"):
            close = closing(run, index)
            yield list(run[index + 1 : close])
            piece, index = [], close
        elif token.text in OPENING:
            close = closing(run, index)
            piece += run[index : close + 1]
            index = close
        elif token.text == "else" or (token.text == "do" and not piece):
            piece = []
        else:
            piece.append(token)
        index += 1
    yield piece


def _length_to(text: str, run: Sequence[Token]) -> int:
    """The number of tokens before the first of that text, all of them where there is none."""
    return next((index for index, token in enumerate(run) if token.text == text), len(run))


def _initialises(piece: Sequence[Token]) -> bool:
    """Whether a { behind these tokens begins a value: `dim3 block{16}`, `int a[] = {1}`, `k<<<{1}`."""
    if not piece:
        return False
    if any(token.text in ("=", "<<<", "return") for token in piece) or piece[-1].text in (",", "]"):
        return True
    return len(piece) > 1 and piece[-1].kind is Kind.NAME and piece[-2].kind is Kind.NAME


def _declarations(run: Sequence[Token]) -> Iterator[tuple[str, str, list[Token], bool]]:
    """(name, type, value, whether the value is in round brackets) of each variable that a statement
    declares."""
    head, index = [], 0
    while index < len(run):
        token = run[index]
        if token.text == "<" and head and (close := angle_closing(run, index)) is not None:
            index = close
        elif token.kind is Kind.NAME or token.text in ("*", "&", "::"):
            head.append(token)
        else:
            break
        index += 1
    words = [token for token in head if token.kind is Kind.NAME]
    if len(words) < 2 or head[-1].kind is not Kind.NAME or head[0].text in ("return", "delete", "using"):
        return
    if index < len(run) and run[index].text not in ("=", "(", "{", ",", "["):
        return
    base = [token for token in words[:-1] if token.text not in ("const", "constexpr", "static", "std")]
    kind = " ".join(token.text for token in base)
    for number, piece in enumerate(split(run, angles=False)):
        rest = piece
        stars = ""
        if number == 0:
            stars = "*" if any(token.text == "*" for token in head) else ""
            rest = piece[index - 1 :]
        while rest and rest[0].text == "*":
            stars, rest = "*", rest[1:]
        if not rest or rest[0].kind is not Kind.NAME:
            continue
        name, value = rest[0].text, rest[1:]
        constructed = bool(value) and value[0].text == "("
        if constructed:
            value = value[1:-1]
        elif value and value[0].text == "=":
            value = value[1:]
        elif value and value[0].text == "[":
            continue
        yield name, f"{kind} *" if stars else kind, list(value), constructed


def _last_name(piece: Sequence[Token]) -> str:
    """The variable that an argument or a parameter names."""
    piece = list(piece)
    texts = [token.text for token in piece]
    if "=" in texts:
        piece = piece[: texts.index("=")]
    if "[" in texts:
        piece = piece[: texts.index("[")]
    names = [token.text for token in piece if token.kind is Kind.NAME]
    return names[-1] if names else ""


def _callee(run: Sequence[Token], index: int) -> tuple[str, list[list[Token]] | None, int] | None:
    """(name, template arguments, line) of what stands before the <<< at an index."""
    at = index - 1
    template: list[list[Token]] | None = None
    if at >= 0 and run[at].text == ">":
        depth, opened = 0, at
        while opened >= 0:
            depth += {">": 1, "<": -1}.get(run[opened].text, 0)
            if depth == 0:
                break
            opened -= 1
        if opened <= 0:
            return None
        template = split(run[opened + 1 : at])
        at = opened - 1
    if at < 0 or run[at].kind is not Kind.NAME:
        return None
    name, line = run[at].text, run[at].line
    while at >= 2 and run[at - 1].text == "::" and run[at - 2].kind is Kind.NAME:
        at -= 2
        name = f"{run[at].text}::{name}"
    return name, template, line


def _configuration_end(run: Sequence[Token], index: int) -> int | None:
    """The index of the last > of >>>."""
    at = index + 1
    while at + 2 < len(run):
        if run[at].text in OPENING:
            at = closing(run, at)
        elif _three_angles(run[at : at + 3]):
            return at + 2
        at += 1
    return None


def _three_angles(run: Sequence[Token]) -> bool:
    """Whether three tokens are >>>, side by side or all from one macro."""
    return [token.text for token in run] == [">", ">", ">"] and run[2].start - run[0].start in (0, 2)
