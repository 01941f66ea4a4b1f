"""What a cubin says about its kernels: registers, shared, local and constant memory, launch bounds.

A cubin is an ELF64 file. Kernel K has the sections `.text.K`, `.nv.info.K`, `.nv.shared.K`; `.nv.info` and
`.nv.info.K` are lists of attributes: a byte of format, a byte of name, two bytes of size or value, then the
value (NVIDIA documents the file in "CUDA Binary Utilities", and the attributes only by their names, which
`cuobjdump -elf` prints).
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_MAX_THREADS, _REQNTID, _MIN_STACK_SIZE, _REGCOUNT = 0x05, 0x10, 0x12, 0x2F
_HAS_VALUE = 4  # the format whose value follows with a size; the others hold it in the two bytes
_UNKNOWN = 0xFFFFFFFF
INSTRUCTION_BYTES = 16
"""Of a machine instruction, from compute capability 7.0 on."""
# From sm_90 on the first KB of a block's shared memory is the driver's; a kernel's section counts it in.
_DRIVER_SHARED = 1024


@dataclass(frozen=True)
class Resources:
    """One kernel's needs, as the assembler recorded them; cuFuncGetAttribute reports the same on an H200.

    Bytes of static shared memory a block, of local memory (the stack, callees included) a thread, of
    `__constant__` variables in the module. `max_threads_per_block` is what `__launch_bounds__` says, `block`
    the exact block that `__block_size__` (.reqntid) asks for; None where the source says nothing.
    `spill_*_bytes` is None where the assembler did not say (a -G compile). `code_bytes` is the machine
    code, INSTRUCTION_BYTES an instruction, those at its end that only fill up included.
    """

    registers_per_thread: int
    static_shared_bytes: int
    local_bytes_per_thread: int
    constant_bytes: int
    max_threads_per_block: int | None = None
    block: tuple[int, int, int] | None = None
    spill_store_bytes: int | None = None
    spill_load_bytes: int | None = None
    code_bytes: int = 0

    @property
    def launch_registers_per_thread(self) -> int:
        """Nsight Compute's launch__registers_per_thread: no thread is launched with fewer than 16."""
        return max(16, self.registers_per_thread)


@dataclass(frozen=True)
class _Section:
    name: str
    kind: int
    offset: int
    size: int
    link: int


def read(cubin: bytes, ptxas: str = "") -> dict[str, Resources]:
    """Kernel name (as in the PTX) -> Resources. `ptxas`: what `-Xptxas=-v` says, for the spills."""
    sections = _sections(cubin)
    by_name = {section.name: section for section in sections}
    names = _symbols(cubin, sections)
    registers, stacks = {}, {}
    for attribute, value in _attributes(cubin, by_name.get(".nv.info")):
        if attribute in (_REGCOUNT, _MIN_STACK_SIZE):
            symbol, amount = struct.unpack_from("<II", value)
            # The driver, too, reports no stack where recursion leaves its size unknown.
            (registers if attribute == _REGCOUNT else stacks)[names[symbol]] = (
                0 if amount == _UNKNOWN else amount
            )
    constant = by_name.get(".nv.constant3")
    reserved = _DRIVER_SHARED if _architecture(cubin) >= 90 else 0
    spills = _spills(ptxas)
    kernels = {}
    for section in sections:
        if not section.name.startswith(".nv.info."):
            continue
        kernel = section.name.removeprefix(".nv.info.")
        # A device function that is called, not inlined, has a section of its own but is no entry point.
        if kernel not in registers or f".nv.constant0.{kernel}" not in by_name:
            continue
        shared = by_name.get(f".nv.shared.{kernel}")
        bounds = block = None
        for attribute, value in _attributes(cubin, section):
            if attribute == _MAX_THREADS:
                bounds = math.prod(struct.unpack_from("<III", value))
            elif attribute == _REQNTID:
                block = struct.unpack_from("<III", value)
        kernels[kernel] = Resources(
            registers_per_thread=registers[kernel],
            static_shared_bytes=max(shared.size - reserved, 0) if shared else 0,
            local_bytes_per_thread=stacks.get(kernel, 0),
            constant_bytes=constant.size if constant else 0,
            max_threads_per_block=bounds,
            block=block,
            spill_store_bytes=spills.get(kernel, (None, None))[0],
            spill_load_bytes=spills.get(kernel, (None, None))[1],
            code_bytes=by_name[f".text.{kernel}"].size,
        )
    return kernels


def _sections(cubin: bytes) -> list[_Section]:
    if cubin[:5] != b"\x7fELF\x02":
        raise ValueError("this is not a cubin: it is no 64-bit ELF file")
    (start,) = struct.unpack_from("<Q", cubin, 0x28)
    entry, count, names = struct.unpack_from("<HHH", cubin, 0x3A)
    headers = [_SECTION.unpack_from(cubin, start + i * entry) for i in range(count)]
    strings = headers[names][4]
    return [_Section(_string(cubin, strings + h[0]), h[1], h[4], h[5], h[6]) for h in headers]


def _architecture(cubin: bytes) -> int:
    """The architecture number, such as 90, from the flags; its place changed with version 8 of the format."""
    (flags,) = struct.unpack_from("<I", cubin, 0x30)
    return flags & 0xFF if cubin[8] < 8 else flags >> 8 & 0xFF


def _symbols(cubin: bytes, sections: list[_Section]) -> list[str]:
    table = next(section for section in sections if section.kind == 2)  # SHT_SYMTAB
    strings = sections[table.link].offset
    offsets = range(table.offset, table.offset + table.size, _SYMBOL.size)
    return [_string(cubin, strings + _SYMBOL.unpack_from(cubin, at)[0]) for at in offsets]


def _attributes(cubin: bytes, section: _Section | None) -> Iterator[tuple[int, bytes]]:
    at, end = (section.offset, section.offset + section.size) if section else (0, 0)
    while at < end:
        form, attribute, size = struct.unpack_from("<BBH", cubin, at)
        at += 4
        if form == _HAS_VALUE:
            yield attribute, cubin[at : at + size]
            at += size


def _string(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode()


_FUNCTION = re.compile(
    r"Function properties for (?P<name>\S+)\n"
    r"ptxas\s+\.\s+\d+ bytes stack frame, (?P<store>\d+) bytes spill stores, (?P<load>\d+) bytes spill loads"
)


def _spills(ptxas: str) -> dict[str, tuple[int, int]]:
    return {found["name"]: (int(found["store"]), int(found["load"])) for found in _FUNCTION.finditer(ptxas)}
