"""Tensor-core instructions: mma, wmma, ldmatrix, stmatrix, movmatrix (PTX ISA 9.7.14, warp-level matrices).

All of them work on tiles of 8 rows, and in every tile a lane l holds part of row l / 4, at the columns that
begin with l % 4: so one register of 32 lanes, read lane after lane, is a tile row after row. A register of A
holds 8 rows of M by 4 times its elements of K; one of B holds 8 columns of N, again by K; C and D come as
8 by 8, in one register of f16x2 or in two registers of even and odd columns.

    A    tiles down M first, then along K            {rows 0-7, rows 8-15} of the first k, then of the next
    B    tiles along K first, then along N (wmma)
    C    tiles down M first, then along N (wmma)

The fragments are put in memory and a helper multiplies the tiles; it is compiled once for a shape and types.

Precision: products of f16, bf16 and tf32 are exact in f32. Sums are made in f32, from c on, in the order of
ascending k, each rounded to nearest; an f16 result is rounded once at the end. The hardware adds in an order
and with roundings of its own, which NVIDIA does not state. Either differs from the exact sum by less than
(k + 1) * 2**-22 * (|c| + sum |a*b|), for f64 2**-51, before an f16 result is rounded. Of tf32 inputs the low
13 bits are left out. Integers are exact: they wrap around, or with .satfinite the sum with c is clamped.

These instructions belong to the whole warp (.sync.aligned). Run by fewer than 32 lanes they end the launch
with `Trap`. Which lane holds what in a wmma fragment is left open by the ISA; here it is as for mma. A wmma
pointer must be aligned to 32 bytes on a GPU; here only to its elements.

How the hardware counts the shared memory that they move is not stated, so it is not counted (`Counts.notes`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import helpers
from .access import Site
from .errors import Unsupported
from .ir import BITS, Value, pattern, vector_type
from .kinds import LANES
from .layout import Status, Worker, at
from .ptx import Address, Group, Instruction, Operand, Register

if TYPE_CHECKING:
    from .codegen import Emitter

NAMES = frozenset(("mma", "wmma", "ldmatrix", "stmatrix", "movmatrix"))
MATRIX_ROW = 16
"""Bytes of a row of 8 elements of 16 bits, to which ldmatrix and stmatrix have an address a lane."""

_MMA = {
    "f16": ("m16n8k8", "m16n8k16"),
    "bf16": ("m16n8k8", "m16n8k16"),
    "tf32": ("m16n8k4", "m16n8k8"),
    "f64": ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"),
    "s8": ("m8n8k16", "m16n8k16", "m16n8k32"),
}
_WMMA = {
    "f16": ("m16n16k16", "m32n8k16", "m8n32k16"),
    "bf16": ("m16n16k16", "m32n8k16", "m8n32k16"),
    "tf32": ("m16n16k8",),
    "f64": ("m8n8k4",),
    "s8": ("m16n16k16", "m32n8k16", "m8n32k16"),
}
_ACCUMULATORS = {"f16": ("f16", "f32"), "bf16": ("f32",), "tf32": ("f32",), "f64": ("f64",), "s8": ("s32",)}
_FAMILY = {"u8": "s8"}  # types that go together
_PACKED = {"f16": 2, "bf16": 2, "tf32": 1, "f64": 1, "s8": 4, "u8": 4}
"""Elements in one register of A or B."""
_SUM = {"f16": "float", "bf16": "float", "tf32": "float", "f64": "double", "s8": "i32"}
_ELEMENT_BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "f64": 8, "s8": 1, "u8": 1, "f32": 4, "s32": 4}

# Where the operands lie in the emitter's stack variable: at most 16 registers of 32 lanes each.
_ROOM = 2048
_D, _A, _B, _C = 0, _ROOM, 2 * _ROOM, 3 * _ROOM
FRAGMENTS = "%fragments"


@dataclass(frozen=True, slots=True)
class Product:
    """d = a * b + c over whole matrices: sizes and PTX types."""

    m: int
    n: int
    k: int
    a: str
    b: str
    c: str
    d: str
    saturate: bool = False

    @property
    def family(self) -> str:
        return _FAMILY.get(self.a, self.a)

    @property
    def sum(self) -> str:
        """LLVM type in which sums are made."""
        return _SUM[self.family]

    @property
    def depth(self) -> int:
        """Elements along K in one tile."""
        return 4 * _PACKED[self.a]

    @property
    def tiles(self) -> tuple[int, int, int]:
        """Tiles along M, N and K."""
        return self.m // 8, self.n // 8, self.k // self.depth

    @property
    def name(self) -> str:
        types = "_".join((self.d, self.a, self.b, self.c))
        return f"simulator_mma_m{self.m}n{self.n}k{self.k}_{types}" + "_satfinite" * self.saturate


def product(instruction: Instruction) -> Product:
    """What an mma or a wmma.mma computes. Raises Unsupported for shapes and types that are not built."""
    parts = instruction.parts
    shape = next((part for part in parts if re.fullmatch(r"m\d+n\d+k\d+", part)), "")
    types = [part for part in parts if part in _ELEMENT_BYTES]
    wmma = instruction.name == "wmma"
    if wmma and len(types) == 2 and types[0] in ("f16", "f32"):
        types = [types[0], "f16", "f16", types[1]]  # wmma names only d and c where a and b are f16
    families = {_FAMILY.get(kind, kind) for kind in types[1:3]}
    family = families.pop() if len(families) == 1 else ""
    table = _WMMA if wmma else _MMA
    sums = _ACCUMULATORS.get(family, ())
    if (
        len(types) != 4
        or shape not in table.get(family, ())
        or types[0] not in sums
        or types[3] not in sums
        or (not wmma and tuple(part for part in parts if part in ("row", "col")) != ("row", "col"))
        or instruction.has("sp", "b1", "xor", "and", "popc")
        or any(part.startswith(("sp::", "kind::")) for part in parts)
    ):
        raise refused(instruction)
    m, n, k = (int(size) for size in re.findall(r"\d+", shape))
    return Product(m, n, k, types[1], types[2], types[3], types[0], instruction.has("satfinite"))


def refused(instruction: Instruction) -> Unsupported:
    return Unsupported(
        f"the instruction {instruction.opcode} is not supported",
        instruction.opcode,
        instruction.location.line,
    )


def moved_bytes(instruction: Instruction) -> int:
    """Bytes of one access of a lane by ldmatrix, stmatrix, wmma.load or wmma.store; it is aligned to them."""
    if instruction.name != "wmma":
        return MATRIX_ROW
    return _ELEMENT_BYTES[_element(instruction)]


def is_load(instruction: Instruction) -> bool:
    return instruction.name == "ldmatrix" or instruction.parts[1] == "load"


def has_address(instruction: Instruction) -> bool:
    return any(isinstance(item, Address) for item in instruction.operands)


def _element(instruction: Instruction) -> str:
    kinds = [part for part in instruction.parts if part in _ELEMENT_BYTES]
    if not kinds:
        raise refused(instruction)
    return kinds[-1]


# Instructions -> LLVM -----------------------------------------------------------------------------------


def write(emitter: Emitter, instruction: Instruction, site: Site | None) -> None:
    """Write one of the instructions of `NAMES`. `site` is its place in memory, where it has one."""
    if "aligned" not in instruction.parts:
        raise refused(instruction)
    _require_whole_warp(emitter, instruction)
    if instruction.name == "mma" or (instruction.name == "wmma" and instruction.parts[1] == "mma"):
        _multiply(emitter, instruction)
    elif instruction.name == "movmatrix":
        _transpose_registers(emitter, instruction)
    elif site is None:
        raise refused(instruction)
    elif instruction.name == "wmma":
        _move_fragment(emitter, instruction, site)
    elif instruction.name == "ldmatrix":
        _load_matrices(emitter, instruction, site)
    else:
        _store_matrices(emitter, instruction, site)


def _require_whole_warp(emitter: Emitter, instruction: Instruction) -> None:
    if emitter.active == LANES:
        return
    code = emitter.code
    whole, parted = code.name("whole"), code.name("parted")
    code.branch(code.op(f"icmp eq i32 {emitter.mask}, -1"), whole, parted, likely=True)
    code.label(parted)
    code.store("i32", str(instruction.location.line), "%worker", at(Worker, "site"))
    code.store("i32", emitter.mask, "%worker", at(Worker, "mask"))
    code.do(f"ret i32 {Status.PARTED}")
    code.label(whole)


def fragments(emitter: Emitter) -> str:
    """A stack variable for operands on their way to a helper."""
    line = f"  {FRAGMENTS} = alloca [{4 * _ROOM} x i8], align 64"
    if line not in emitter.allocas:
        emitter.allocas.append(line)
    return FRAGMENTS


def _items(operand: Operand) -> tuple[Operand, ...]:
    return operand.items if isinstance(operand, Group) else (operand,)


def _spill(emitter: Emitter, operand: Operand, element: str, place: int) -> None:
    code = emitter.code
    for index, item in enumerate(_items(operand)):
        value = emitter.as_stored(emitter.operand(item, element), element)
        pointer = code.pointer(fragments(emitter), place + index * LANES * BITS[element] // 8)
        code.do(f"store {vector_type(element)} {code.vector(value)}, ptr {pointer}, align 64")


def _reload(emitter: Emitter, operand: Operand, element: str, place: int) -> None:
    code = emitter.code
    for index, item in enumerate(_items(operand)):
        if isinstance(item, Register):
            pointer = code.pointer(fragments(emitter), place + index * LANES * BITS[element] // 8)
            text = code.op(f"load {vector_type(element)}, ptr {pointer}, align 64")
            emitter.write(item.name, Value(text, element, None))


def _register(kind: str) -> str:
    """LLVM type of one lane of a register that holds elements of a PTX type."""
    return {"f64": "double", "f32": "float"}.get(kind, "i32")


def _multiply(emitter: Emitter, instruction: Instruction) -> None:
    asked = product(instruction)
    d, a, b, c = instruction.operands[:4]
    helpers.provide(asked.name, "void (ptr)", lambda: multiply_text(asked))
    down, across, along = asked.tiles
    per_tile = {kind: 1 if kind == "f16" else 2 for kind in (asked.c, asked.d)}
    if instruction.name == "mma":
        wanted = (down * across * per_tile[asked.d], down * along, across * along)
        if tuple(len(_items(each)) for each in (d, a, b)) != wanted:
            raise refused(instruction)
    for operand, kind, place in ((a, asked.a, _A), (b, asked.b, _B), (c, asked.c, _C)):
        _spill(emitter, operand, _register(kind), place)
    emitter.code.do(f"call void @{asked.name}(ptr {fragments(emitter)})")
    _reload(emitter, d, _register(asked.d), _D)


def _transpose_registers(emitter: Emitter, instruction: Instruction) -> None:
    if not instruction.has("m8n8") or not instruction.has("b16"):
        raise refused(instruction)
    helpers.provide("simulator_transpose", "void (ptr)", transpose_text)
    _spill(emitter, instruction.operands[1], "i32", _A)
    place = emitter.code.pointer(fragments(emitter), _A)
    emitter.code.do(f"call void @simulator_transpose(ptr {place})")
    _reload(emitter, instruction.operands[0], "i32", _A)


def _matrices(instruction: Instruction, registers: Operand) -> int:
    """How many 8x8 matrices an ldmatrix or stmatrix moves."""
    count = next((int(part[1:]) for part in instruction.parts if part in ("x1", "x2", "x4")), 0)
    if not instruction.has("m8n8") or not instruction.has("b16") or count != len(_items(registers)):
        raise refused(instruction)
    return count


def _rows(emitter: Emitter, site: Site, address: Operand, count: int) -> str:
    """Check the row addresses that the first lanes hold; pointer to the host addresses."""
    code = emitter.code
    lanes = code.vector(emitter.address(address))
    mask = str((1 << 8 * count) - 1 if count < 4 else -1)
    emitter.require(site, code.op(f"call i1 {emitter.check_call(site, lanes, mask, MATRIX_ROW)}"))
    if emitter.checker:
        emitter.checker.touch(site, lanes, mask, MATRIX_ROW)
    return code.pointer("%worker", at(Worker, "hosts"))


def _count_rows(emitter: Emitter, site: Site, address: Operand, count: int) -> None:
    """Wavefronts of an ldmatrix, as an H200 counts them: eight rows of 16 bytes at a time, and a row wanted
    twice is no cheaper, as with 16-byte stores."""
    code = emitter.code
    lanes = code.op(f"trunc <32 x i64> {code.vector(emitter.address(address))} to <32 x i32>")
    mask = str((1 << 8 * count) - 1 if count < 4 else -1)
    both = code.op(f"call i32 @simulator_wavefronts(<32 x i32> {lanes}, i32 {mask}, i32 4, i1 false)")
    for which, text in enumerate((code.op(f"and i32 {both}, 65535"), code.op(f"lshr i32 {both}, 16"))):
        emitter.add_to_site(site, which, code.op(f"zext i32 {text} to i64"))


def _load_matrices(emitter: Emitter, instruction: Instruction, site: Site) -> None:
    registers, address = instruction.operands
    count = _matrices(instruction, registers)
    emitter.trace_access(site, instruction)
    hosts = _rows(emitter, site, address, count)
    if site.space == "shared":
        _count_rows(emitter, site, address, count)
    name = "simulator_ldmatrix" + "_trans" * instruction.has("trans")
    helpers.provide(name, "void (ptr, ptr, i32)", lambda: rows_text(name, load=True))
    emitter.code.do(f"call void @{name}(ptr {hosts}, ptr {fragments(emitter)}, i32 {count})")
    _reload(emitter, registers, "i32", 0)


def _store_matrices(emitter: Emitter, instruction: Instruction, site: Site) -> None:
    address, registers = instruction.operands
    count = _matrices(instruction, registers)
    emitter.trace_access(site, instruction)
    hosts = _rows(emitter, site, address, count)
    _spill(emitter, registers, "i32", 0)
    name = "simulator_stmatrix" + "_trans" * instruction.has("trans")
    helpers.provide(name, "void (ptr, ptr, i32)", lambda: rows_text(name, load=False))
    emitter.code.do(f"call void @{name}(ptr {hosts}, ptr {fragments(emitter)}, i32 {count})")


# wmma: fragments to and from memory ---------------------------------------------------------------------


def _move_fragment(emitter: Emitter, instruction: Instruction, site: Site) -> None:
    """wmma.load and wmma.store. The ISA leaves open which lane holds what; here it is as for mma."""
    parts, code = instruction.parts, emitter.code
    role = parts[2] if site.load else "d"
    kind = _element(instruction)
    shape = next((part for part in parts if re.fullmatch(r"m\d+n\d+k\d+", part)), "")
    layout = [part for part in parts if part in ("row", "col")]
    if role not in ("a", "b", "c", "d") or len(layout) != 1 or shape not in sum(_WMMA.values(), ()):
        raise refused(instruction)
    registers, address = instruction.operands[:2] if site.load else instruction.operands[1::-1]
    m, n, k = (int(size) for size in re.findall(r"\d+", shape))
    places = _places(role, kind, (m, n, k))
    rows, columns = {"a": (m, k), "b": (k, n)}.get(role, (m, n))
    by_row = layout[0] == "row"
    step = columns if by_row else rows
    if len(instruction.operands) > 2:
        stride = code.resize(emitter.operand(instruction.operands[2], "i32"), "i64")
    else:
        stride = Value(str(step), "i64")
    base = emitter.address(address)
    emitter.trace_access(site, instruction)
    size = _ELEMENT_BYTES[kind]
    strides = code.op(f"mul <32 x i64> {code.vector(stride)}, splat (i64 {size})")

    def hosts(part: Sequence[tuple[int, int]]) -> str:
        major = tuple(row if by_row else column for row, column in part)
        minor = tuple(size * (column if by_row else row) for row, column in part)
        far = code.op(f"mul <32 x i64> {strides}, {pattern(major, 'i64')}")
        near = code.op(f"add <32 x i64> {code.vector(base)}, {pattern(minor, 'i64')}")
        lanes = code.op(f"add <32 x i64> {far}, {near}")
        emitter.require(site, code.op(f"call i1 {emitter.check_call(site, lanes, '-1', size)}"))
        found = code.load("<32 x i64>", "%worker", at(Worker, "hosts"))
        if emitter.checker:
            emitter.checker.touch(site, lanes, "-1", size)
        return code.op(f"inttoptr <32 x i64> {found} to <32 x ptr>")

    whole = _register(kind)
    narrow = f"i{8 * size}"
    yes = "<32 x i1> splat (i1 true)"
    wide = f"i{BITS[whole]}"
    for index, item in enumerate(_items(registers)):
        if site.load:
            total = ""
            for part, lanes in enumerate(places[index % len(places)]):
                text = code.op(
                    f"call <32 x {narrow}> @llvm.masked.gather.v32{narrow}.v32p0(<32 x ptr> align 1 "
                    f"{hosts(lanes)}, {yes}, <32 x {narrow}> zeroinitializer)"
                )
                value = code.resize(Value(text, narrow, None), wide).text
                if part:
                    value = code.op(f"shl <32 x {wide}> {value}, splat ({wide} {8 * size * part})")
                    value = code.op(f"or <32 x {wide}> {total}, {value}")
                total = value
            if isinstance(item, Register):
                emitter.write(item.name, code.bitcast(Value(total, wide, None), whole))
            continue
        value = emitter.as_stored(emitter.operand(item, wide), wide)
        for part, lanes in enumerate(places[index % len(places)]):
            moved = code.vector(value)
            if part:
                moved = code.op(f"lshr <32 x {wide}> {moved}, splat ({wide} {8 * size * part})")
            text = code.vector(code.resize(Value(moved, wide, None), narrow))
            code.do(
                f"call void @llvm.masked.scatter.v32{narrow}.v32p0(<32 x {narrow}> {text}, "
                f"<32 x ptr> align 1 {hosts(lanes)}, {yes})"
            )


def _places(role: str, kind: str, shape: tuple[int, int, int]) -> list[list[list[tuple[int, int]]]]:
    """[register][element in it][lane] -> (row, column) of the whole matrix."""
    m, n, k = shape
    lanes = [(lane // 4, lane % 4) for lane in range(LANES)]
    found = []
    if role in ("a", "b"):
        packed = _PACKED[kind]
        depth = 4 * packed
        across = [(8 * tile, depth * along) for along in range(k // depth) for tile in range(m // 8)]
        if role == "b":
            across = [(8 * tile, depth * along) for tile in range(n // 8) for along in range(k // depth)]
        for first, start in across:
            parts = [
                [(first + group, start + packed * thread + part) for group, thread in lanes]
                for part in range(packed)
            ]
            if role == "b":
                parts = [[(along, column) for column, along in part] for part in parts]
            found.append(parts)
        return found
    for column in range(0, n, 8):
        for row in range(0, m, 8):
            even, odd = ([(row + g, column + 2 * t + part) for g, t in lanes] for part in (0, 1))
            found += [[even, odd]] if kind == "f16" else [[even], [odd]]
    return found


# Helpers ------------------------------------------------------------------------------------------------


class _Lines:
    """Lines of a helper."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def op(self, text: str) -> str:
        self._count += 1
        self.lines.append(f"  %v{self._count} = {text}")
        return f"%v{self._count}"

    def do(self, text: str) -> None:
        self.lines.append("  " + text)

    def at(self, base: str, offset: int) -> str:
        return self.op(f"getelementptr i8, ptr {base}, i64 {offset}") if offset else base

    def function(self, head: str) -> str:
        return "\n".join([head + " {", "start:", *self.lines, "  ret void", "}", ""])


def multiply_text(asked: Product) -> str:
    """The helper of one product: unpack the operands' registers, multiply tile by tile, pack the result."""
    lines, kind, depth = _Lines(), asked.sum, asked.depth
    width = BITS[kind] // 8
    down, across, along = asked.tiles
    tile = 8 * depth * width  # bytes of a tile of A or B
    square = 64 * width  # of a tile of C
    lines.do(f"%a = alloca [{down * along * tile} x i8], align 64")
    lines.do(f"%b = alloca [{across * along * tile} x i8], align 64")
    lines.do(f"%c = alloca [{down * across * square} x i8], align 64")
    for number in range(down * along):
        values = _unpacked(lines, asked.a, _A, number)
        lines.do(f"store <{8 * depth} x {kind}> {values}, ptr {lines.at('%a', number * tile)}, align 64")
    for number in range(across * along):
        values = _unpacked(lines, asked.b, _B, number)
        place = lines.at("%b", number * tile)
        if depth == 4:
            indices = _indices([4 * column + k for k in range(4) for column in range(8)])
            values = lines.op(f"shufflevector <32 x {kind}> {values}, <32 x {kind}> poison, {indices}")
        lines.do(f"store <{8 * depth} x {kind}> {values}, ptr {place}, align 64")
        if depth > 4:
            _transpose_tile(lines, kind, depth, place)
    integer = kind == "i32"
    for number in range(down * across):
        values = "zeroinitializer" if integer else _unpacked_sum(lines, asked.c, number)
        lines.do(f"store <64 x {kind}> {values}, ptr {lines.at('%c', number * square)}, align 64")
    for column in range(across):
        for row in range(down):
            sums = lines.at("%c", (column * down + row) * square)
            for step in range(along):
                left = lines.at("%a", (step * down + row) * tile)
                right = lines.at("%b", (column * along + step) * tile)
                lines.do(f"call void @tile(ptr {sums}, ptr {left}, ptr {right})")
    for number in range(down * across):
        values = lines.op(f"load <64 x {kind}>, ptr {lines.at('%c', number * square)}, align 64")
        if integer:
            start = _unpacked_sum(lines, asked.c, number)
            verb = "call <64 x i32> @llvm.sadd.sat.v64i32(" if asked.saturate else "add "
            arguments = f"<64 x i32> {values}, " + ("<64 x i32> " if asked.saturate else "") + start
            values = lines.op(verb + arguments + ")" * asked.saturate)
        _pack_sum(lines, asked.d, number, values)
    return _tile_text(kind, depth) + lines.function(f"define void @{asked.name}(ptr %fragments)")


def _indices(values: Sequence[int]) -> str:
    return f"<{len(values)} x i32> <" + ", ".join(f"i32 {value}" for value in values) + ">"


def _unpacked(lines: _Lines, kind: str, place: int, number: int) -> str:
    """A register of A or B as numbers, lane after lane."""
    register = "double" if kind == "f64" else "i32"
    pointer = lines.at("%fragments", place + number * LANES * BITS[register] // 8)
    text = lines.op(f"load <32 x {register}>, ptr {pointer}, align 64")
    if kind == "f64":
        return text
    if kind == "tf32":
        text = lines.op(f"and <32 x i32> {text}, splat (i32 -8192)")
        return lines.op(f"bitcast <32 x i32> {text} to <32 x float>")
    if kind == "f16":
        text = lines.op(f"bitcast <32 x i32> {text} to <64 x half>")
        return lines.op(f"fpext <64 x half> {text} to <64 x float>")
    if kind == "bf16":
        text = lines.op(f"bitcast <32 x i32> {text} to <64 x i16>")
        text = lines.op(f"zext <64 x i16> {text} to <64 x i32>")
        text = lines.op(f"shl <64 x i32> {text}, splat (i32 16)")
        return lines.op(f"bitcast <64 x i32> {text} to <64 x float>")
    text = lines.op(f"bitcast <32 x i32> {text} to <128 x i8>")
    return lines.op(f"{'sext' if kind == 's8' else 'zext'} <128 x i8> {text} to <128 x i32>")


def _unpacked_sum(lines: _Lines, kind: str, number: int) -> str:
    """An 8x8 tile of C, row after row."""
    if kind == "f16":
        return _unpacked(lines, "f16", _C, number)
    element = {"f32": "float", "f64": "double", "s32": "i32"}[kind]
    bytes_ = LANES * BITS[element] // 8
    even, odd = (
        lines.op(f"load <32 x {element}>, ptr {lines.at('%fragments', _C + place * bytes_)}, align 64")
        for place in (2 * number, 2 * number + 1)
    )
    mixed = _indices([lane + 32 * part for lane in range(32) for part in (0, 1)])
    return lines.op(f"shufflevector <32 x {element}> {even}, <32 x {element}> {odd}, {mixed}")


def _pack_sum(lines: _Lines, kind: str, number: int, values: str) -> None:
    """An 8x8 tile of sums into the registers of D."""
    if kind == "f16":
        half = lines.op(f"fptrunc <64 x float> {values} to <64 x half>")
        text = lines.op(f"bitcast <64 x half> {half} to <32 x i32>")
        lines.do(f"store <32 x i32> {text}, ptr {lines.at('%fragments', _D + 128 * number)}, align 64")
        return
    element = {"f32": "float", "f64": "double", "s32": "i32"}[kind]
    bytes_ = LANES * BITS[element] // 8
    for part in (0, 1):
        picked = _indices(range(part, 64, 2))
        text = lines.op(f"shufflevector <64 x {element}> {values}, <64 x {element}> poison, {picked}")
        place = lines.at("%fragments", _D + (2 * number + part) * bytes_)
        lines.do(f"store <32 x {element}> {text}, ptr {place}, align 64")


def _transpose_tile(lines: _Lines, kind: str, depth: int, place: str) -> None:
    """A tile of B in place, from 8 columns of `depth` to `depth` rows of 8."""
    row = 8 * BITS[kind] // 8
    pieces = [
        lines.op(f"load <8 x {kind}>, ptr {lines.at(place, (column * depth // 8 + block) * row)}, align 32")
        for block in range(depth // 8)
        for column in range(8)
    ]
    for block in range(depth // 8):
        turned = _transposed(lines, kind, pieces[8 * block : 8 * block + 8])
        for k, text in enumerate(turned):
            lines.do(f"store <8 x {kind}> {text}, ptr {lines.at(place, (8 * block + k) * row)}, align 32")


def _transposed(lines: _Lines, kind: str, rows: list[str]) -> list[str]:
    """Eight vectors of eight, transposed: bit by bit, rows and columns change places."""
    rows = list(rows)
    for bit in (4, 2, 1):
        for row in range(8):
            if row & bit:
                continue
            upper, lower = rows[row], rows[row + bit]
            first = [j if not j & bit else 8 + j - bit for j in range(8)]
            second = [j + bit if not j & bit else 8 + j for j in range(8)]
            rows[row], rows[row + bit] = (
                lines.op(f"shufflevector <8 x {kind}> {upper}, <8 x {kind}> {lower}, {_indices(picks)}")
                for picks in (first, second)
            )
    return rows


def _tile_text(kind: str, depth: int) -> str:
    """sums (8x8) += left (8 x depth) * right (depth x 8), all row after row."""
    lines, width = _Lines(), BITS[kind] // 8
    sums = [
        lines.op(f"load <8 x {kind}>, ptr {lines.at('%sums', 8 * row * width)}, align 32") for row in range(8)
    ]
    for k in range(depth):
        right = lines.op(f"load <8 x {kind}>, ptr {lines.at('%right', 8 * k * width)}, align 32")
        for row in range(8):
            one = lines.op(f"load {kind}, ptr {lines.at('%left', (row * depth + k) * width)}, align {width}")
            one = lines.op(f"insertelement <8 x {kind}> poison, {kind} {one}, i64 0")
            one = lines.op(
                f"shufflevector <8 x {kind}> {one}, <8 x {kind}> poison, <8 x i32> zeroinitializer"
            )
            if kind == "i32":
                part = lines.op(f"mul <8 x i32> {one}, {right}")
                sums[row] = lines.op(f"add <8 x i32> {sums[row]}, {part}")
            else:
                fma = f"@llvm.fma.v8{'f32' if kind == 'float' else 'f64'}"
                vector = f"<8 x {kind}>"
                sums[row] = lines.op(
                    f"call {vector} {fma}({vector} {one}, {vector} {right}, {vector} {sums[row]})"
                )
    for row in range(8):
        lines.do(f"store <8 x {kind}> {sums[row]}, ptr {lines.at('%sums', 8 * row * width)}, align 32")
    return lines.function(
        "define internal void @tile(ptr noalias %sums, ptr noalias %left, ptr noalias %right)"
    )


def transpose_text(name: str = "simulator_transpose", linkage: str = "") -> str:
    """An 8x8 matrix of 16-bit elements, transposed in place."""
    lines = _Lines()
    rows = [lines.op(f"load <8 x i16>, ptr {lines.at('%matrix', 16 * row)}, align 16") for row in range(8)]
    for row, text in enumerate(_transposed(lines, "i16", rows)):
        lines.do(f"store <8 x i16> {text}, ptr {lines.at('%matrix', 16 * row)}, align 16")
    return lines.function(f"define {linkage}void @{name}(ptr %matrix)")


def rows_text(name: str, *, load: bool) -> str:
    """Rows of 16 bytes between %count 8x8 matrices in %registers and the host addresses at %hosts."""
    turned = name.endswith("_trans")
    move = ("%place", "%register") if load else ("%register", "%place")  # from, to
    turn = "  call void @turn(ptr %matrix)" if turned else ""
    return (
        (transpose_text("turn", "internal ") if turned else "")
        + f"""
define void @{name}(ptr %hosts, ptr %registers, i32 %count) {{
start:
  %bytes = shl i32 %count, 7
  br label %next.matrix

next.matrix:
  %first = phi i32 [ 0, %start ], [ %first.next, %matrix.done ]
  %over = icmp uge i32 %first, %bytes
  br i1 %over, label %end, label %matrix.start

matrix.start:
  %matrix = getelementptr i8, ptr %registers, i32 %first
{"" if load else turn}
  br label %next.row

next.row:
  %offset = phi i32 [ %first, %matrix.start ], [ %offset.next, %next.row ]
  %number = lshr i32 %offset, 4
  %host.at = getelementptr i64, ptr %hosts, i32 %number
  %host = load i64, ptr %host.at
  %place = inttoptr i64 %host to ptr
  %register = getelementptr i8, ptr %registers, i32 %offset
  %row = load <4 x i32>, ptr {move[0]}, align 1
  store <4 x i32> %row, ptr {move[1]}, align 1
  %offset.next = add i32 %offset, 16
  %first.next = add i32 %first, 128
  %more = icmp ult i32 %offset.next, %first.next
  br i1 %more, label %next.row, label %matrix.done

matrix.done:
{turn if load else ""}
  br label %next.matrix

end:
  ret void
}}
"""
    )
