"""PTX text -> instructions.

Reads modules as NVRTC, nvcc, clang and Triton write them. The grammar follows the PTX ISA, chapters 4
(syntax) and 5 (state spaces and types). Nothing is interpreted here: an instruction keeps its opcode text and
its operands.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from .errors import PtxError

TYPE_BITS = {
    "pred": 1,
    **{f"{kind}{bits}": bits for kind in "bsu" for bits in (8, 16, 32, 64)},
    "b128": 128,
    "f16": 16,
    "bf16": 16,
    "f16x2": 32,
    "bf16x2": 32,
    "s16x2": 32,
    "u16x2": 32,
    "e4m3x2": 16,
    "e5m2x2": 16,
    "f32": 32,
    "tf32": 32,
    "f64": 64,
}


# Operands -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Register:
    name: str
    negated: bool = False  # "!%p1"


@dataclass(frozen=True, slots=True)
class Special:
    """A read-only register such as %tid.x."""

    name: str


@dataclass(frozen=True, slots=True)
class Immediate:
    """A constant: an int, or for floating point its bits with `bits` telling how wide they are (32 or 64)."""

    value: int
    bits: int = 0  # 0: an integer literal


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable, function, label or parameter by name."""

    name: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Address:
    """[base + offset]; base is a register, a symbol or None for an absolute address."""

    base: Register | Symbol | None
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """{a, b, c, d}: a vector operand; or a|b: a value and a predicate; or (a, b): call arguments."""

    items: tuple[Operand, ...]


Operand = Register | Special | Immediate | Symbol | Address | Group


# Instructions and declarations ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Location:
    """A source position: index of the .file, line (0: none known). `outer`: the line of the first file into
    which code of a header was written out, where that is known."""

    file: int
    line: int
    outer: int = field(default=0, compare=False)

    @property
    def own_line(self) -> int | None:
        """The line of the kernel's own file, which is file 1."""
        return (self.line if self.file == 1 else self.outer) or None


@dataclass(slots=True)
class Instruction:
    opcode: str  # the whole of it: "ld.global.v4.f32"
    parts: tuple[str, ...]  # ("ld", "global", "v4", "f32")
    operands: tuple[Operand, ...]
    guard: Register | None
    location: Location
    ptx_line: int

    @property
    def name(self) -> str:
        return self.parts[0]

    @property
    def type(self) -> str:
        """The last part that is a type, without its dot ('' where there is none)."""
        for part in reversed(self.parts):
            if part in TYPE_BITS:
                return part
        return ""

    def has(self, *parts: str) -> bool:
        return any(part in self.parts for part in parts)

    def text(self) -> str:
        return self.opcode


@dataclass(slots=True)
class Variable:
    """A variable or parameter. `count` is the number of elements, 0 for the open end of `extern
    __shared__`."""

    name: str
    space: str  # global, const, shared, local, param
    type: str
    align: int
    count: int
    initial: bytes | list[tuple[int, str]] | None = None
    array: bool = False

    @property
    def size(self) -> int:
        """Bytes."""
        return self.count * (TYPE_BITS[self.type] // 8)


@dataclass(slots=True)
class Function:
    name: str
    entry: bool
    parameters: list[Variable]
    returns: list[Variable]
    registers: dict[str, str] = field(default_factory=dict)  # name -> type
    variables: dict[str, Variable] = field(default_factory=dict)
    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)  # label -> index of the instruction it stands before
    tables: dict[str, list[str]] = field(default_factory=dict)  # .branchtargets
    directives: dict[str, tuple[int, ...]] = field(default_factory=dict)  # maxntid, reqntid, ...


@dataclass(slots=True)
class Module:
    functions: dict[str, Function]
    variables: dict[str, Variable]
    files: dict[int, str]
    target: str
    locals: dict[str, dict[int, str]] = field(default_factory=dict)
    """Block of local memory of a function -> where in it each variable begins -> the variable's name; known
    for builds without optimisation only, see local_variables."""


# Reading --------------------------------------------------------------------------------------------------

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ITEM = re.compile(
    r"""
    (?P<line>\.(?:loc|file|version|target|address_size)\b[^\n]*)
  | (?P<section>\.section\b[^{]*\{[^}]*\})
  | (?P<label>[A-Za-z_$%][\w$]*)\s*:(?!:)
  | (?P<head>\.[^;{}]*?\.?(?:entry|func)\b[^;{}]*)(?=\{)
  | (?P<open>\{)
  | (?P<close>\})
  | (?P<statement>[^;{}\s][^;{}]*(?:\{[^{};]*\}[^;{}]*)*;)
  | (?P<space>\s+)
    """,
    re.VERBOSE,
)
_SPLIT = re.compile(r"[\[{(]|[\]})]|,")
_INTEGER = re.compile(r"(-?)(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?$")
_DECIMAL = re.compile(r"-?(\d+\.\d*|\.\d+|\d+)([eE][-+]?\d+)?$")
_REGISTERS = re.compile(r"([%\w$]+)(?:<(\d+)>)?")
_VARIABLE = re.compile(
    r"""
    (?:\.(?:visible|extern|weak|common)\s+)*
    \.(?P<space>global|const|shared|local|param|reg)\b
    (?P<attributes>(?:\s*\.(?:align\s+\d+|ptr\b|attribute\([^)]*\)|v2\b|v4\b|const\b|global\b|shared\b|local\b))*)
    \s*\.(?P<type>\w+)\s*
    (?P<attributes2>(?:\s*\.(?:align\s+\d+|ptr\b|const\b|global\b|shared\b|local\b))*)
    \s*(?P<name>[\w$%]+)?\s*(?P<dims>(?:\[\s*\w*\s*\])*)
    (?:\s*=\s*(?P<init>.*))?$
    """,
    re.VERBOSE | re.DOTALL,
)
SPECIAL_REGISTERS = frozenset(
    [
        "%tid",
        "%ntid",
        "%ctaid",
        "%nctaid",
        "%laneid",
        "%warpid",
        "%nwarpid",
        "%gridid",
        "%smid",
        "%nsmid",
        "%clock",
        "%clock_hi",
        "%clock64",
        "%globaltimer",
        "%globaltimer_lo",
        "%globaltimer_hi",
        "%lanemask_eq",
        "%lanemask_le",
        "%lanemask_lt",
        "%lanemask_ge",
        "%lanemask_gt",
        "%dynamic_smem_size",
        "%total_smem_size",
        "%clusterid",
        "%nclusterid",
        "%cluster_ctaid",
        "%cluster_nctaid",
        "%cluster_ctarank",
        "%cluster_nctarank",
        "%is_explicit_cluster",
        "%aggr_smem_size",
        "%envreg0",
        "%envreg1",
        "%envreg2",
        "%current_graph_exec",
        "%reserved_smem_offset_begin",
        "%reserved_smem_offset_end",
        "%reserved_smem_offset_cap",
        "%reserved_smem_offset_0",
        "%reserved_smem_offset_1",
    ]
)


def parse(text: str) -> Module:
    """Read a PTX module. Raises PtxError with the line of the text that could not be read."""
    return _Reader(text).module()


def own_file_first(module: Module, name: str) -> None:
    """Let the kernel's own file, called `name`, be file 1. The compiler numbers files as it meets them, and
    without optimisation a header may come first."""
    plain = name.rsplit("/", 1)[-1]
    own = [number for number, path in module.files.items() if path.rsplit("/", 1)[-1] == plain]
    if not own or own[0] == 1:
        return
    numbers = {own[0]: 1, 1: own[0]}
    for function in module.functions.values():
        for instruction in function.instructions:
            place = instruction.location
            if place.file in numbers:
                instruction.location = Location(numbers[place.file], place.line, place.outer)
    module.files = {numbers.get(number, number): path for number, path in module.files.items()}


_LOCAL = re.compile(r"\.b64 (__local_depot\d+)\s+\.b8 35\s+((?:\.b8 \d+\s+)+)")


def local_variables(text: str) -> dict[str, dict[int, str]]:
    """What Module.locals holds, from the debugging information in a module's text: each variable's location
    is the address of the block plus a constant (DW_OP_plus_uconst, 35), and its name follows."""
    found: dict[str, dict[int, str]] = {}
    for depot, rest in _LOCAL.findall(text):
        data = [int(number) for number in re.findall(r"\d+", rest.replace(".b8", ""))]
        offset = shift = 0
        while data and data[0] >= 128:  # LEB128: seven bits a byte, the lowest first
            offset |= (data.pop(0) & 127) << shift
            shift += 7
        offset |= (data.pop(0) if data else 0) << shift
        name = bytes(data).split(b"\0")[0].decode("ascii", "replace")
        found.setdefault(depot, {})[offset] = name
    return found


def plain_name(symbol: str) -> str:
    """The name in the source of a variable inside a function: _ZZ12matmul_tiledE6a_tile -> a_tile."""
    match = re.match(r"_ZZ.*?E(\d+)(\w+)$", symbol)
    return match.group(2)[: int(match.group(1))] if match else symbol


def place_header_code(module: Module) -> None:
    """Without optimisation the compiler still writes some functions of headers out in place, and does not
    say where: it is the line of the kernel's own file before them."""
    for function in module.functions.values():
        line = 0
        for instruction in function.instructions:
            place = instruction.location
            if place.file == 1:
                line = place.line
            elif line and not place.outer:
                instruction.location = Location(place.file, place.line, line)


def split_operands(text: str) -> list[str]:
    """Split at commas that are in no bracket."""
    pieces, depth, start = [], 0, 0
    for match in _SPLIT.finditer(text):
        character = match.group()
        if character == ",":
            if depth == 0:
                pieces.append(text[start : match.start()].strip())
                start = match.end()
        else:
            depth += 1 if character in "[{(" else -1
    last = text[start:].strip()
    if last or pieces:
        pieces.append(last)
    return pieces


@lru_cache(maxsize=65536)
def operand(text: str) -> Operand:
    """One operand. Cached: the same few thousand texts recur in every module."""
    if text[0] == "[":
        return _address(text[1:-1].strip())
    if text[0] in "{(":
        return Group(tuple(operand(piece) for piece in split_operands(text[1:-1])))
    if "|" in text:
        return Group(tuple(operand(piece.strip()) for piece in text.split("|")))
    if text[0] == "!":
        return Register(text[1:].strip(), negated=True)
    if text[0] == "%":
        return Special(text) if text.split(".")[0] in SPECIAL_REGISTERS else Register(text)
    if text[:2] in ("0f", "0F") and len(text) == 10:
        return Immediate(int(text[2:], 16), 32)
    if text[:2] in ("0d", "0D") and len(text) == 18:
        return Immediate(int(text[2:], 16), 64)
    if match := _INTEGER.match(text):
        return Immediate(_integer(match.group(2)) * (-1 if match.group(1) else 1))
    if _DECIMAL.match(text):
        return Immediate(int.from_bytes(struct.pack("<d", float(text)), "little"), 64)
    if text == "WARP_SZ":
        return Immediate(32)
    if "+" in text:
        name, offset = text.split("+", 1)
        return Symbol(name.strip(), _offset(offset))
    return Symbol(text)


CARRY = Register("%cc")
"""The condition code register, which add.cc writes and addc reads (PTX ISA 9.7.2)."""
_WITH_CARRY = ("add.cc", "sub.cc", "mad.lo.cc", "mad.hi.cc", "addc.", "subc.", "madc.")


def _with_carry(opcode: str, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
    """The carry as an operand like the others: a second result, a last source."""
    parts = opcode.split(".")
    if "cc" in parts:
        operands = (Group((operands[0], CARRY)), *operands[1:])
    return (*operands, CARRY) if parts[0] in ("addc", "subc", "madc") else operands


def _integer(text: str) -> int:
    if len(text) > 1 and text[0] == "0" and text[1] not in "xXbB":
        return int(text, 8)
    return int(text, 0)


def _offset(text: str) -> int:
    match = _INTEGER.match(text.replace(" ", ""))
    if not match:
        raise ValueError(text)
    return _integer(match.group(2)) * (-1 if match.group(1) else 1)


def _address(text: str) -> Operand:
    if "," in text:  # textures and the like: kept whole, refused later by name
        return Group(tuple(operand(piece) for piece in split_operands(text)))
    base, plus, offset = text.partition("+")
    if not plus and (match := re.match(r"([%\w$]+)\s*-\s*(\w+)$", text)):
        base, offset = match.group(1), "-" + match.group(2)
    base = base.strip()
    amount = _offset(offset) if offset else 0
    if _INTEGER.match(base):
        return Address(None, _offset(base) + amount)
    return Address(Register(base) if base[0] == "%" else Symbol(base), amount)


class _Reader:
    def __init__(self, text: str) -> None:
        blank = lambda m: "\n" * m.group().count("\n") or " "  # noqa: E731 - keeps the line numbers
        self.text = _COMMENT.sub(blank, text)
        self.functions: dict[str, Function] = {}
        self.variables: dict[str, Variable] = {}
        self.files: dict[int, str] = {}
        self.target = ""
        self.location = Location(0, 0)
        self._outers: dict[tuple[int, ...], int] = {}  # place of inlined code -> line of the first file

    def module(self) -> Module:
        function: Function | None = None
        scopes: list[dict[str, str]] = []
        starts: list[int] = []  # of each open scope: its first instruction
        scope_count = 0
        try:
            for kind, text, position in self._items():
                if kind == "line":
                    self._line(text)
                elif kind == "head":
                    function = self._head(text)
                elif kind == "open":
                    scopes.append({})
                    starts.append(len(function.instructions) if function else 0)
                    scope_count += 1
                elif kind == "close":
                    _branch_within(function, scopes.pop(), starts.pop())
                    if not scopes and function is not None:
                        self._declare(function)
                        function = None
                elif function is None:
                    if kind == "statement":
                        self._module_statement(text[:-1].strip())
                elif kind == "label":
                    label = text if len(scopes) == 1 else f"{text}@{scope_count}"
                    if len(scopes) > 1:
                        scopes[-1][text] = label
                    function.labels[label] = len(function.instructions)
                else:
                    self._statement(function, text[:-1].strip(), scopes, scope_count, position)
        except PtxError:
            raise
        except (ValueError, KeyError, IndexError) as problem:
            raise PtxError(
                f"PTX line {self._ptx_line(position)}: cannot read {text.strip()[:120]!r}"
            ) from problem
        if scopes:
            raise PtxError("the PTX text ends inside a function: a closing brace is missing")
        return Module(self.functions, self.variables, self.files, self.target)

    def _items(self) -> Iterator[tuple[str, str, int]]:
        position, end = 0, len(self.text)
        while position < end:
            match = _ITEM.match(self.text, position)
            if match is None:
                rest = self.text[position : position + 60].strip()
                raise PtxError(f"PTX line {self._ptx_line(position)}: cannot read {rest!r}")
            if match.lastgroup not in ("space", "section"):
                yield match.lastgroup or "", match.group(match.lastgroup or 0), position
            position = match.end()

    def _ptx_line(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1

    def _line(self, text: str) -> None:
        words = text.split()
        if words[0] == ".loc":
            line = int(words[2])
            # Line 0 means "made by the compiler": such instructions stay with the line before them.
            if line:
                self.location = Location(int(words[1]), line, self._outer(text))
        elif words[0] == ".file":
            self.files[int(words[1])] = text.split('"')[1]
        elif words[0] == ".target":
            self.target = words[1].rstrip(",")

    def _outer(self, text: str) -> int:
        """The line of the first file at which a chain of inlined calls begins, 0 where none is named."""
        here = re.match(r"\.loc\s+(\d+)\s+(\d+)\s+(\d+)", text)
        called = re.search(r"inlined_at\s+(\d+)\s+(\d+)\s+(\d+)", text)
        if not called:
            return 0
        place = tuple(int(number) for number in called.groups())
        outer = place[1] if place[0] == 1 else self._outers.get(place, 0)
        if here:
            self._outers[tuple(int(number) for number in here.groups())] = outer
        return outer

    def _head(self, text: str) -> Function:
        self.location = Location(0, 0)
        return _function(text)

    def _declare(self, function: Function) -> None:
        self.functions[function.name] = function

    def _module_statement(self, text: str) -> None:
        if re.search(r"\.(func|entry)\b", text):
            declared = _function(text)
            self.functions.setdefault(declared.name, declared)
        elif not text.startswith((".alias", ".pragma")):
            variable = _variable(text)
            self.variables[variable.name] = variable

    def _statement(
        self, function: Function, text: str, scopes: list[dict[str, str]], scope: int, position: int
    ) -> None:
        if text[0] == ".":
            self._directive(function, text, scopes, scope)
            return
        guard = None
        if text[0] == "@":
            guard_text, text = text[1:].split(None, 1)
            guard = operand(guard_text)
            text = text.strip()
        opcode, _, rest = text.partition(" ") if " " in text else text.partition("\t")
        opcode = opcode.strip()
        if "\t" in opcode:
            opcode, _, more = opcode.partition("\t")
            rest = more + " " + rest
        operands = tuple(operand(piece) for piece in split_operands(rest))
        if opcode.startswith(_WITH_CARRY):
            operands = _with_carry(opcode, operands)
            function.registers[CARRY.name] = "pred"
        names = {old: new for names in scopes for old, new in names.items()}
        if names:
            operands = tuple(renamed(item, names) for item in operands)
            guard = renamed(guard, names) if guard else None
        function.instructions.append(
            Instruction(
                opcode, tuple(opcode.split(".")), operands, guard, self.location, self._last_line(position)
            )
        )

    def _last_line(self, position: int) -> int:
        # Incremental, as counting from the start for every instruction would be quadratic.
        known_position, known_line = getattr(self, "_known", (0, 1))
        line = known_line + self.text.count("\n", known_position, position)
        self._known = (position, line)
        return line

    def _directive(self, function: Function, text: str, scopes: list[dict[str, str]], scope: int) -> None:
        text = re.sub(r"^\.reg\.", ".reg .", text)
        word = text.split(None, 1)[0]
        if word == ".reg":
            _, kind, names = text.split(None, 2)
            vector = re.match(r"\.(v2|v4)$", kind)
            if vector:
                raise PtxError(f"vector registers are not supported: {text!r}")
            for name, count in _REGISTERS.findall(names):
                for each in [f"{name}{i}" for i in range(int(count))] if count else [name]:
                    unique = each if each[0] == "%" else f"%{each}"  # told from a symbol by its %
                    if len(scopes) > 1:
                        unique += f"@{scope}"
                    if unique != each:
                        scopes[-1][each] = unique
                    function.registers[unique] = kind[1:]
        elif word in (".local", ".shared", ".param", ".const", ".global"):
            variable = _variable(text)
            if len(scopes) > 1:
                unique = f"{variable.name}@{scope}"
                scopes[-1][variable.name] = unique
                variable.name = unique
            function.variables[variable.name] = variable
        elif word == ".branchtargets":
            label = next(reversed(function.labels))
            function.tables[label] = [name.strip() for name in text[len(word) :].split(",")]
        elif word in (".callprototype", ".calltargets"):
            function.tables[next(reversed(function.labels))] = [text]


def _branch_within(function: Function | None, names: dict[str, str], start: int) -> None:
    """Branches of a scope that stand before the label which they go to."""
    labels = {old: new for old, new in names.items() if function and new in function.labels}
    if function and labels:
        for instruction in function.instructions[start:]:
            if instruction.name == "bra":
                instruction.operands = tuple(renamed(item, labels) for item in instruction.operands)


def renamed(item: Operand, names: dict[str, str]) -> Operand:
    """An operand with registers and symbols under other names."""
    if isinstance(item, Register):
        return Register(names[item.name], item.negated) if item.name in names else item
    if isinstance(item, Symbol):
        name = names.get(item.name, item.name)
        return Register(name) if name[0] == "%" else Symbol(name, item.offset)
    if isinstance(item, Address) and item.base is not None:
        return Address(renamed(item.base, names), item.offset)
    if isinstance(item, Group):
        return Group(tuple(renamed(each, names) for each in item.items))
    return item


def _function(text: str) -> Function:
    match = re.search(
        r"\.(entry|func)\b\s*(\((?P<returns>[^)]*)\))?\s*(?P<name>[\w$]+)\s*(?P<rest>.*)$", text, re.DOTALL
    )
    if not match:
        raise PtxError(f"cannot read the function head {text.strip()[:120]!r}")
    rest = match.group("rest")
    parameters = ""
    if rest.startswith("("):
        parameters, rest = rest[1:].split(")", 1)
    directives = {
        name: tuple(int(number) for number in re.findall(r"\d+", numbers))
        for name, numbers in re.findall(r"\.(\w+)([\s\d,]*)", rest)
    }
    listed = lambda part: [_variable(piece) for piece in split_operands(part or "") if piece]  # noqa: E731
    return Function(
        match.group("name"),
        match.group(1) == "entry",
        listed(parameters),
        listed(match.group("returns")),
        directives=directives,
    )


def _variable(text: str) -> Variable:
    match = _VARIABLE.match(text.strip())
    if not match:
        raise PtxError(f"cannot read the declaration {text.strip()[:120]!r}")
    attributes = match.group("attributes") + match.group("attributes2")
    kind = match.group("type")
    if kind not in TYPE_BITS:
        raise PtxError(f"the type .{kind} is not supported: {text.strip()[:120]!r}")
    width = max(TYPE_BITS[kind] // 8, 1)
    vector = 4 if ".v4" in attributes else 2 if ".v2" in attributes else 1
    aligned = re.search(r"\.align\s+(\d+)", attributes)
    count = vector
    dims = re.findall(r"\[\s*(\w*)\s*\]", match.group("dims"))
    for size in dims:
        count *= _integer(size) if size else 0
    variable = Variable(
        match.group("name") or "",
        match.group("space"),
        kind,
        int(aligned.group(1)) if aligned else width * vector,
        count,
        array=bool(dims),
    )
    if match.group("init"):
        variable.initial = _initial(match.group("init").strip(), variable)
    return variable


def _initial(text: str, variable: Variable) -> list[tuple[int, str]]:
    """Initial values in order: (number, '') or (offset, symbol). Missing ones are zero (PTX ISA 5.4.4)."""
    values: list[tuple[int, str]] = []
    for piece in split_operands(text.replace("{", " ").replace("}", " ")):
        item = operand(piece.strip()) if piece.strip() else Immediate(0)
        if isinstance(item, Immediate):
            values.append((item.value, ""))
        else:
            name = re.sub(r"^generic\((.*)\)$", r"\1", piece.strip())
            symbol = operand(name)
            values.append((symbol.offset, symbol.name) if isinstance(symbol, Symbol) else (0, name))
    return values
