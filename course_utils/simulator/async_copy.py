"""Asynchronous copies from global to shared memory: cp.async and its waits (PTX ISA 9.7.9.25.3).

A copy is carried out at once, so that commit_group, wait_group and wait_all have nothing to do: a kernel
that reads before it waits gets the new data here, and may get the old on a GPU. What lies behind src-size, or
all of it under ignore-src, becomes zero and is not read from global memory. Both addresses are checked.

The hardware counts these copies under metrics of their own (..._op_ldgsts), by rules that are not stated;
they are not counted here, and not among the loads (see `Counts.notes`). Copies that signal an mbarrier, and
cp.async.bulk, are refused.
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from . import helpers
from .access import Site
from .errors import Unsupported
from .ir import Value
from .layout import SITE_NUMBERS, Worker, at
from .ptx import Address, Immediate, Instruction, Operand

if TYPE_CHECKING:
    from .codegen import Emitter

NAME = "cp"
_SIGNATURE = "i32 (ptr, ptr, i64, <32 x i64>, <32 x i64>, <32 x i32>, i32, i64, ptr)"


def is_copy(instruction: Instruction) -> bool:
    """Is it a cp.async that moves data, as opposed to one that waits?"""
    return instruction.parts[:2] == (NAME, "async") and instruction.has("ca", "cg")


def moved_bytes(instruction: Instruction) -> int:
    """Bytes a lane."""
    size = instruction.operands[2] if len(instruction.operands) > 2 else None
    if not isinstance(size, Immediate) or size.value not in (4, 8, 16):
        raise refused(instruction)
    return size.value


def refused(instruction: Instruction) -> Unsupported:
    return Unsupported(
        f"the instruction {instruction.opcode} is not supported",
        instruction.opcode,
        instruction.location.line,
    )


def second(block: int, position: int) -> tuple[int, int]:
    """Key in Plan.sites of a copy's load; under (block, position) stands its store."""
    return block, -1 - position


def write(emitter: Emitter, instruction: Instruction, store: Site | None, load: Site | None) -> None:
    """Write a cp.async. `store` is its place in shared memory, `load` the one in global memory."""
    if store is None or load is None:
        if instruction.parts[1:] in (
            ("async", "commit_group"),
            ("async", "wait_group"),
            ("async", "wait_all"),
        ):
            return
        raise refused(instruction)
    code = emitter.code
    size = moved_bytes(instruction)
    emitter.trace_access(store, instruction)
    target, source = (code.vector(emitter.address(item)) for item in instruction.operands[:2])
    amounts = code.vector(_amounts(emitter, instruction, size))
    counter = code.pointer("%counters", 8 * (emitter.counter_base + SITE_NUMBERS * load.number))
    name = f"simulator_cp_async_{size}"
    helpers.provide(name, _SIGNATURE, lambda: copy_text(name, size))
    result = code.op(
        f"call i32 @{name}(ptr %worker, ptr %warp, i64 %shared_bytes, <32 x i64> {target}, "
        f"<32 x i64> {source}, <32 x i32> {amounts}, i32 {emitter.mask}, "
        f"i64 {emitter.local_bytes}, ptr {counter})"
    )
    emitter.require(store, code.op(f"icmp ne i32 {result}, 1"))
    emitter.require(load, code.op(f"icmp ne i32 {result}, 2"))
    if emitter.checker:
        whole = code.mask_bits(code.op(f"icmp eq <32 x i32> {amounts}, splat (i32 {size})"))
        emitter.checker.touch(store, target, emitter.mask, size)
        emitter.checker.touch(load, source, code.op(f"and i32 {whole}, {emitter.mask}"), size)


def _amounts(emitter: Emitter, instruction: Instruction, size: int) -> Value:
    """Bytes that each lane reads, the rest being zero: src-size, or none where ignore-src holds."""
    rest: list[Operand] = list(instruction.operands[3:])
    if any(part.endswith("cache_hint") for part in instruction.parts):
        rest = rest[:-1]
    if not rest:
        return Value(str(size), "i32")
    if len(rest) > 1 or isinstance(rest[0], Address):
        raise refused(instruction)
    code = emitter.code
    value = emitter.operand(rest[0], "i32")
    if value.type == "i1":
        vector = code.vector(value)
        text = code.op(
            f"select <32 x i1> {vector}, <32 x i32> zeroinitializer, <32 x i32> splat (i32 {size})"
        )
        return Value(text, "i32", None)
    return code.resize(value, "i32")


def copy_text(name: str, size: int) -> str:
    """The helper for one size, as async_copy.ll has it."""
    text = resources.files(__package__).joinpath("async_copy.ll").read_text(encoding="utf-8")
    fields = {f"Worker.{field}": at(Worker, field) for field in ("hosts", "shared", "addresses", "mask")}
    values = {"NAME": name, "SIZE": size, "ALIGN": size - 1, "KIND": f"<{size // 4} x i32>"}
    for key, value in (fields | values).items():
        text = text.replace("{" + key + "}", str(value))
    return text
