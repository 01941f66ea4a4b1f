"""Instructions by which the lanes of a warp talk to each other (PTX ISA 9.7.9.6 shfl, 9.7.13 vote, match, redux)."""

from __future__ import annotations

from .access import BYTES
from .errors import Unsupported
from .ir import Code, Value, pattern, vector_type
from .kinds import LANES
from .layout import Worker, at
from .ptx import Immediate, Instruction


def shuffle_source(mode: str, lane: int, step: int, clamp: int) -> tuple[int, bool]:
    """(lane read from, was it in range) for one lane, as the PTX ISA's pseudo-code for shfl has it."""
    step &= 0x1F
    segment = clamp >> 8 & 0x1F
    last = (lane & segment) | (clamp & 0x1F & ~segment)
    first = lane & segment
    if mode == "up":
        source, good = lane - step, lane - step >= last
    elif mode == "down":
        source, good = lane + step, lane + step <= last
    elif mode == "bfly":
        source, good = lane ^ step, lane ^ step <= last
    else:
        source = first | (step & ~segment)
        good = source <= last
    return (source if good else lane), good


def shuffle(
    code: Code, instruction: Instruction, value: Value, step: Value, clamp: Value
) -> tuple[Value, Value]:
    """(the values, <32 x i1> whether the source lane was in range)."""
    mode = next(part for part in ("up", "down", "bfly", "idx") if part in instruction.parts)
    text = code.vector(value)
    kind = vector_type(value.type)
    constants = [operand.value for operand in instruction.operands[2:4] if isinstance(operand, Immediate)]
    if len(constants) == 2:
        sources = [shuffle_source(mode, lane, *constants) for lane in range(LANES)]
        indices = ", ".join(f"i32 {source}" for source, _ in sources)
        moved = code.op(f"shufflevector {kind} {text}, {kind} poison, <32 x i32> <{indices}>")
        good = "<" + ", ".join(f"i1 {'true' if good else 'false'}" for _, good in sources) + ">"
        return Value(moved, value.type, None), Value(good, "i1", None)
    source, good = _source_lanes(code, mode, code.vector(step), code.vector(clamp))
    # A vector indexed by a vector: through memory.
    code.store(kind, text, "%worker", at(Worker, "scratch"))
    base = code.pointer("%worker", at(Worker, "scratch"))
    pointers = code.op(f"getelementptr {value.type}, ptr {base}, <32 x i32> {source}")
    suffix = {"float": "f32", "double": "f64", "half": "f16"}.get(value.type, value.type)
    moved = code.op(
        f"call {kind} @llvm.masked.gather.v{LANES}{suffix}.v{LANES}p0(<32 x ptr> align {BYTES[value.type]} {pointers}, "
        f"<32 x i1> splat (i1 true), {kind} zeroinitializer)"
    )
    return Value(moved, value.type, None), Value(good, "i1", None)


def _source_lanes(code: Code, mode: str, step: str, clamp: str) -> tuple[str, str]:
    def op(verb: str, a: str, b: str) -> str:
        return code.op(f"{verb} <32 x i32> {a}, {b}")

    def five(text: str) -> str:
        return op("and", text, "splat (i32 31)")

    lane = pattern(tuple(range(LANES)), "i32")
    step = five(step)
    segment = five(op("lshr", clamp, "splat (i32 8)"))
    outside = op("xor", segment, "splat (i32 -1)")
    last = op("or", op("and", lane, segment), op("and", five(clamp), outside))
    if mode == "up":
        source, order = op("sub", lane, step), "sge"
    elif mode == "down":
        source, order = op("add", lane, step), "sle"
    elif mode == "bfly":
        source, order = op("xor", lane, step), "sle"
    else:
        source, order = op("or", op("and", lane, segment), op("and", step, outside)), "sle"
    good = code.op(f"icmp {order} <32 x i32> {source}, {last}")
    return code.op(f"select <32 x i1> {good}, <32 x i32> {source}, <32 x i32> {lane}"), good


def vote(code: Code, instruction: Instruction, predicate: str, mask: str) -> Value:
    """all, any, uni or ballot over the lanes in `mask` (i32); the result is one for the warp. `predicate` is i32 bits."""
    yes = code.op(f"and i32 {predicate}, {mask}")
    if instruction.has("ballot"):
        return Value(yes, "i32")
    if instruction.has("any"):
        return Value(code.op(f"icmp ne i32 {yes}, 0"), "i1")
    every = code.op(f"icmp eq i32 {yes}, {mask}")
    if instruction.has("all"):
        return Value(every, "i1")
    if instruction.has("uni"):
        none = code.op(f"icmp eq i32 {yes}, 0")
        return Value(code.op(f"or i1 {every}, {none}"), "i1")
    raise Unsupported(
        f"the instruction {instruction.opcode} is not supported",
        instruction.opcode,
        instruction.location.line,
    )
