"""Instructions by which the lanes of a warp talk to each other (PTX ISA 9.7.9.6 shfl, 9.7.13 vote, match,
redux)."""

from __future__ import annotations

from collections.abc import Callable

from .access import BYTES
from .errors import Unsupported
from .ir import Code, Value, pattern, vector_type
from .kinds import LANES, ZERO
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
        f"call {kind} @llvm.masked.gather.v{LANES}{suffix}.v{LANES}p0("
        f"<32 x ptr> align {BYTES[value.type]} {pointers}, "
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


def vote(code: Code, instruction: Instruction, predicate: str, active: str, members: Value) -> Value:
    """all, any, uni or ballot over the active lanes named by `members`; `predicate` and `active` are i32
    bits. One result for the warp, or one a lane where lanes name different members."""
    if members.uniform:
        mask = code.op(f"and i32 {members.text}, {active}")
        yes = code.op(f"and i32 {predicate}, {mask}")
        return _verdict(code, instruction, "i32", "i1", yes, mask, lanes=ZERO)
    mask = code.op(f"and <32 x i32> {code.vector(members)}, {code.splat(active, 'i32')}")
    yes = code.op(f"and <32 x i32> {mask}, {code.splat(predicate, 'i32')}")
    return _verdict(code, instruction, "<32 x i32>", "<32 x i1>", yes, mask, lanes=None)


def _verdict(
    code: Code,
    instruction: Instruction,
    bits: str,
    truth: str,
    yes: str,
    mask: str,
    lanes: tuple[int, ...] | None,
) -> Value:
    zero = "0" if lanes is not None else "zeroinitializer"
    if instruction.has("ballot"):
        return Value(yes, "i32", lanes)
    if instruction.has("any"):
        return Value(code.op(f"icmp ne {bits} {yes}, {zero}"), "i1", lanes)
    every = code.op(f"icmp eq {bits} {yes}, {mask}")
    if instruction.has("all"):
        return Value(every, "i1", lanes)
    if instruction.has("uni"):
        none = code.op(f"icmp eq {bits} {yes}, {zero}")
        return Value(code.op(f"or {truth} {every}, {none}"), "i1", lanes)
    raise _refused(instruction)


def _refused(instruction: Instruction) -> Unsupported:
    return Unsupported(
        f"the instruction {instruction.opcode} is not supported",
        instruction.opcode,
        instruction.location.line,
    )


_REDUCTIONS = {  # operation -> (LLVM's reduction, what changes nothing, for signed and unsigned)
    "add": ("add", "add", 0, 0),
    "and": ("and", "and", -1, -1),
    "or": ("or", "or", 0, 0),
    "xor": ("xor", "xor", 0, 0),
    "min": ("smin", "umin", (1 << 31) - 1, -1),
    "max": ("smax", "umax", -(1 << 31), 0),
}


def reduce(code: Code, instruction: Instruction, value: Value, active: str, members: Value) -> Value:
    """redux.sync: the sum (or and, or, xor, minimum, maximum) over the lanes named by `members`."""
    name = next((part for part in instruction.parts if part in _REDUCTIONS), None)
    if name is None or instruction.type == "f32":
        raise _refused(instruction)
    signed_verb, unsigned_verb, signed_neutral, unsigned_neutral = _REDUCTIONS[name]
    signed = instruction.type == "s32"
    verb, neutral = (signed_verb, signed_neutral) if signed else (unsigned_verb, unsigned_neutral)
    vector = code.vector(value)

    def over(mask: str) -> str:
        chosen = code.mask_vector(code.op(f"and i32 {mask}, {active}"))
        kept = code.op(f"select <32 x i1> {chosen}, <32 x i32> {vector}, <32 x i32> splat (i32 {neutral})")
        return code.op(f"call i32 @llvm.vector.reduce.{verb}.v32i32(<32 x i32> {kept})")

    if members.uniform:
        return Value(over(members.text), "i32")
    return Value(_lane_by_lane(code, members, over), "i32", None)


def match(
    code: Code, instruction: Instruction, value: Value, active: str, members: Value
) -> tuple[Value, Value]:
    """match.any: for each lane the lanes with the same value. match.all: all members or none, and whether
    so."""
    kind = vector_type(value.type)
    vector = code.vector(value)
    masks = code.vector(members)

    def equals(lane: int) -> str:
        own = code.op(f"extractelement {kind} {vector}, i64 {lane}")
        bits = code.mask_bits(code.op(f"icmp eq {kind} {vector}, {code.splat(own, value.type)}"))
        member = code.op(f"extractelement <32 x i32> {masks}, i64 {lane}")
        return code.op(f"and i32 {bits}, {code.op(f'and i32 {member}, {active}')}")

    found = "poison"
    for lane in range(LANES):
        found = code.op(f"insertelement <32 x i32> {found}, i32 {equals(lane)}, i64 {lane}")
    if instruction.has("any"):
        return Value(found, "i32", None), Value("splat (i1 true)", "i1", None)
    wanted = code.op(f"and <32 x i32> {masks}, {code.splat(active, 'i32')}")
    same = code.op(f"icmp eq <32 x i32> {found}, {wanted}")
    result = code.op(f"select <32 x i1> {same}, <32 x i32> {found}, <32 x i32> zeroinitializer")
    return Value(result, "i32", None), Value(same, "i1", None)


def elect(code: Code, active: str, members: Value) -> tuple[Value, Value]:
    """elect.sync: the lowest lane of the members, and for each lane whether it is the one."""
    masks = code.op(f"and <32 x i32> {code.vector(members)}, {code.splat(active, 'i32')}")
    leader = code.op(f"call <32 x i32> @llvm.cttz.v32i32(<32 x i32> {masks}, i1 false)")
    own = pattern(tuple(range(LANES)), "i32")
    return Value(leader, "i32", None), Value(code.op(f"icmp eq <32 x i32> {leader}, {own}"), "i1", None)


def _lane_by_lane(code: Code, members: Value, over: Callable[[str], str]) -> str:
    masks, found = code.vector(members), "poison"
    for lane in range(LANES):
        own = code.op(f"extractelement <32 x i32> {masks}, i64 {lane}")
        found = code.op(f"insertelement <32 x i32> {found}, i32 {over(own)}, i64 {lane}")
    return found
