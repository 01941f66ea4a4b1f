"""Asynchronous copies from global to shared memory: cp.async and its waits (PTX ISA 9.7.9.25.3).

A copy is carried out at once, so that commit_group, wait_group and wait_all have nothing to do: a kernel that reads
before it waits gets the new data here, and may get the old on a GPU. What lies behind src-size, or all of it under
ignore-src, becomes zero and is not read from global memory. Both addresses are checked.

The hardware counts these copies under metrics of their own (..._op_ldgsts), by rules that are not stated; they are not
counted here, and not among the loads (see `Counts.notes`). Copies that signal an mbarrier, and cp.async.bulk, are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import helpers
from .access import Site
from .errors import Unsupported
from .ir import Value
from .layout import Worker, at
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
    counter = code.pointer("%counters", 8 * (emitter.counter_base + 2 * load.number))
    name = f"simulator_cp_async_{size}"
    helpers.provide(name, _SIGNATURE, lambda: copy_text(name, size))
    result = code.op(
        f"call i32 @{name}(ptr %worker, ptr %warp, i64 %shared_bytes, <32 x i64> {target}, <32 x i64> {source}, "
        f"<32 x i32> {amounts}, i32 {emitter.mask}, i64 {emitter.local_bytes}, ptr {counter})"
    )
    emitter.require(store, code.op(f"icmp ne i32 {result}, 1"))
    emitter.require(load, code.op(f"icmp ne i32 {result}, 2"))


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
    """The helper for one size: 0 when all went well, 1 when a shared address is not legal, 2 for a global one; lanes and
    addresses at fault are then in the worker."""
    kind = f"<{size // 4} x i32>"
    return f"""
define i32 @{name}(ptr %worker, ptr %warp, i64 %shared_bytes, <32 x i64> %to, <32 x i64> %from, <32 x i32> %sizes, i32 %mask, i64 %local_bytes, ptr %counter) {{
start:
  %targets = alloca <32 x i64>, align 64
  %amounts = alloca <32 x i32>, align 64
  %hosts = getelementptr i8, ptr %worker, i64 {at(Worker, "hosts")}
  %shared.at = getelementptr i8, ptr %worker, i64 {at(Worker, "shared")}
  %shared = load ptr, ptr %shared.at
  %to.good = call i1 @simulator_lanes_window(ptr %worker, ptr %shared, i64 %shared_bytes, <32 x i64> %to, i32 %mask, i64 {size})
  br i1 %to.good, label %sources, label %bad.to

bad.to:
  ret i32 1

sources:
  %places = load <32 x i64>, ptr %hosts, align 8
  store <32 x i64> %places, ptr %targets, align 64
  %capped = call <32 x i32> @llvm.umin.v32i32(<32 x i32> %sizes, <32 x i32> splat (i32 {size}))
  store <32 x i32> %capped, ptr %amounts, align 64
  %is.whole = icmp eq <32 x i32> %capped, splat (i32 {size})
  %is.some = icmp ne <32 x i32> %capped, zeroinitializer
  %whole.bits = bitcast <32 x i1> %is.whole to i32
  %some.bits = bitcast <32 x i1> %is.some to i32
  %whole = and i32 %whole.bits, %mask
  %some = and i32 %some.bits, %mask
  %parts = xor i32 %some, %whole
  %no.whole = icmp eq i32 %whole, 0
  br i1 %no.whole, label %look.parts, label %check.whole

check.whole:
  %whole.good = call i1 @simulator_lanes_global(ptr %worker, ptr %warp, <32 x i64> %from, i32 %whole, i64 {size}, i64 %local_bytes, ptr %counter)
  br i1 %whole.good, label %look.parts, label %bad.from

look.parts:
  %no.parts = icmp eq i32 %parts, 0
  br i1 %no.parts, label %next, label %check.parts

check.parts: ; lanes that read less: aligned like the others, and their last and first bytes in a buffer
  %low = and <32 x i64> %from, splat (i64 {size - 1})
  %is.odd = icmp ne <32 x i64> %low, zeroinitializer
  %odd.bits = bitcast <32 x i1> %is.odd to i32
  %odd = and i32 %odd.bits, %parts
  %aligned = icmp eq i32 %odd, 0
  br i1 %aligned, label %check.ends, label %bad.align

bad.align:
  %addresses.at = getelementptr i8, ptr %worker, i64 {at(Worker, "addresses")}
  %mask.at = getelementptr i8, ptr %worker, i64 {at(Worker, "mask")}
  store <32 x i64> %from, ptr %addresses.at, align 8
  store i32 %odd, ptr %mask.at
  ret i32 2

check.ends:
  %wide = zext <32 x i32> %capped to <32 x i64>
  %behind = add <32 x i64> %from, %wide
  %ends = sub <32 x i64> %behind, splat (i64 1)
  %ends.good = call i1 @simulator_lanes_generic(ptr %worker, ptr %warp, <32 x i64> %ends, i32 %parts, i64 1, i64 %local_bytes, i32 0, i1 false, ptr null)
  br i1 %ends.good, label %check.starts, label %bad.from

check.starts:
  %starts.good = call i1 @simulator_lanes_generic(ptr %worker, ptr %warp, <32 x i64> %from, i32 %parts, i64 1, i64 %local_bytes, i32 0, i1 false, ptr null)
  br i1 %starts.good, label %next, label %bad.from

bad.from:
  ret i32 2

next:
  %left = phi i32 [ %mask, %look.parts ], [ %mask, %check.starts ], [ %left.next, %lane.done ]
  %none = icmp eq i32 %left, 0
  br i1 %none, label %end, label %one

one:
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 true)
  %less = sub i32 %left, 1
  %left.next = and i32 %left, %less
  %target.at = getelementptr i64, ptr %targets, i32 %lane
  %target.host = load i64, ptr %target.at
  %target = inttoptr i64 %target.host to ptr
  %source.at = getelementptr i64, ptr %hosts, i32 %lane
  %source.host = load i64, ptr %source.at
  %source = inttoptr i64 %source.host to ptr
  %amount.at = getelementptr i32, ptr %amounts, i32 %lane
  %amount = load i32, ptr %amount.at
  %full = icmp eq i32 %amount, {size}
  br i1 %full, label %copy, label %clear

copy:
  %data = load {kind}, ptr %source, align 1
  store {kind} %data, ptr %target, align 1
  br label %lane.done

clear:
  store {kind} zeroinitializer, ptr %target, align 1
  %empty = icmp eq i32 %amount, 0
  br i1 %empty, label %lane.done, label %byte

byte:
  %index = phi i32 [ 0, %clear ], [ %index.next, %byte ]
  %byte.from = getelementptr i8, ptr %source, i32 %index
  %byte.to = getelementptr i8, ptr %target, i32 %index
  %value = load i8, ptr %byte.from
  store i8 %value, ptr %byte.to
  %index.next = add i32 %index, 1
  %more = icmp ult i32 %index.next, %amount
  br i1 %more, label %byte, label %lane.done

lane.done:
  br label %next

end:
  ret i32 0
}}
"""
