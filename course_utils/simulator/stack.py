"""Functions that cannot be written out in place: those that call themselves and those called through
pointers.

Their code stands once, behind the kernel's. A call saves the registers that are needed afterwards on the
lane's own stack, in its local memory, with the number of the place to come back to; a return is a branch to
that number. Lanes part and meet at such branches like at any other.

Function pointers are numbers: function n of the module is FUNCTION_REGION << REGION_BITS plus 16 n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .access import BYTES
from .controlflow import live_after
from .ir import Value, pattern, vector_type
from .kinds import LANES
from .layout import FUNCTION_REGION, REGION_BITS, Status, Warp, Worker, at
from .own import CALL, ENTER, LEAVE, POP, PUSH, RETURN_ID
from .ptx import Function, Group, Immediate, Instruction, Module, Register, Symbol

if TYPE_CHECKING:
    from .codegen import Emitter

POINTER = Register("$sp")
STACK_BYTES = 4096
_SLOT = 8


def function_addresses(module: Module) -> dict[str, int]:
    """What a pointer to each function of a module holds."""
    return {
        name: (FUNCTION_REGION << REGION_BITS) + 16 * index for index, name in enumerate(module.functions)
    }


def resident(module: Module, entry: Function) -> set[str]:
    """The functions that have to stand once: recursive ones, and those whose address is taken where any is
    called so."""
    reached, indirect = _reached(module, {entry.name})
    taken = _taken(module) if indirect else set()
    reached |= _reached(module, taken)[0]
    recursive = {name for name in reached if name in _reached(module, _callees(module, name))[0]}
    return recursive | taken


def _callees(module: Module, name: str) -> set[str]:
    function = module.functions.get(name)
    calls = [each for each in function.instructions if each.name == "call"] if function else []
    return {item.name for call in calls for item in call.operands if isinstance(item, Symbol)} & set(
        module.functions
    )


def _reached(module: Module, roots: set[str]) -> tuple[set[str], bool]:
    """(functions called from the roots, themselves included; is any call through a pointer?)."""
    seen: set[str] = set()
    queue, indirect = list(roots), False
    while queue:
        name = queue.pop()
        if name in seen:
            continue
        seen.add(name)
        queue += _callees(module, name)
        function = module.functions.get(name)
        for call in function.instructions if function else ():
            indirect |= call.name == "call" and any(isinstance(item, Register) for item in call.operands[:2])
    return seen, indirect


def _taken(module: Module) -> set[str]:
    """Functions whose address is a value somewhere."""
    named = {
        symbol for variable in module.variables.values() for _, symbol in variable.initial or () if symbol
    }
    for function in module.functions.values():
        for instruction in function.instructions:
            if instruction.name != "call":
                named |= {item.name for item in instruction.operands if isinstance(item, Symbol)}
    return {name for name in named & set(module.functions) if module.functions[name].instructions}


# Calls and returns as branches ------------------------------------------------------------------------------


def expand(function: Function, module: Module, entries: dict[str, str]) -> None:
    """Replace the CALL and LEAVE of `function` by pushes, branches and pops. `entries` gives each function's
    label."""
    registers = function.registers
    registers |= {POINTER.name: "b64", "$id": "b32", "$target": "b64", "$number": "b32"}
    results = Group(tuple(Register(name) for name in registers if name.startswith("$ret")))
    arguments = tuple(Register(name) for name in registers if name.startswith("$arg"))
    for position, instruction in enumerate(function.instructions):
        if instruction.name == CALL:
            operands = (
                results,
                *(item for item in instruction.operands if isinstance(item, Register)),
                *arguments,
            )
            function.instructions[position] = replace(instruction, operands=operands, parts=instruction.parts)
        elif instruction.name == LEAVE:
            function.instructions[position] = replace(instruction, operands=results.items)
    saved = live_after(function, CALL)
    made: list[Instruction] = []
    moved: dict[int, int] = {}
    new_labels: dict[str, int] = {}
    backs: list[str] = []

    def add(like: Instruction, opcode: str, *operands: object) -> None:
        made.append(
            replace(like, opcode=opcode, parts=tuple(opcode.split(".")), operands=tuple(operands), guard=None)  # type: ignore[arg-type]
        )

    first = function.instructions[0]
    add(first, "mov.u64", POINTER, Symbol("$stack"))
    for position, instruction in enumerate(function.instructions):
        moved[position] = len(made) if position else 0
        if instruction.name == CALL:
            names = [
                Register(name) for name in sorted(saved[position] - {each.name for each in results.items})
            ]  # type: ignore[union-attr]
            add(instruction, PUSH, POINTER, POINTER, *names, Immediate(len(backs)))
            _branch(instruction, entries, add)
            backs.append(f"$back{len(backs)}")
            new_labels[backs[-1]] = len(made)
            add(instruction, POP, Group((POINTER, *names)), POINTER)
        elif instruction.name == LEAVE:
            add(instruction, RETURN_ID, Register("$id"), POINTER)
            add(instruction, "brx.idx", Register("$id"), Symbol("$returns"))
        else:
            made.append(instruction)
    moved[len(function.instructions)] = len(made)
    function.labels = {label: moved[position] for label, position in function.labels.items()} | new_labels
    new_labels["$no_function"] = function.labels["$no_function"] = len(made)
    add(first, "trap")
    function.tables["$returns"] = backs or ["$no_function"]
    function.tables["$functions"] = [entries.get(name, "$no_function") for name in module.functions]
    function.instructions = made


def _branch(call: Instruction, entries: dict[str, str], add: Callable[..., None]) -> None:
    target = call.parts[1] if len(call.parts) > 1 else ""
    if target:
        add(call, "bra", Symbol(entries[target]))
        return
    pointer = call.operands[1]
    add(call, "shr.u64", Register("$target"), pointer, Immediate(4))
    add(call, "cvt.u32.u64", Register("$number"), Register("$target"))
    add(call, "brx.idx", Register("$number"), Symbol("$functions"))


# Code -------------------------------------------------------------------------------------------------------


def write(emitter: Emitter, instruction: Instruction) -> None:
    """PUSH, POP, RETURN_ID or ENTER."""
    code = emitter.code
    pointer = code.vector(emitter.operand(POINTER, "i64"))
    if instruction.name == RETURN_ID:
        emitter.write("$id", _load(emitter, pointer, -_SLOT, "i32"))
        return
    if instruction.name == ENTER:
        frame, size = instruction.operands[0].items[0], instruction.operands[2].value  # type: ignore[union-attr]
        _require_room(emitter, pointer, size)
        emitter.write(frame.name, Value(pointer, "i64", None))  # type: ignore[union-attr]
        emitter.write(POINTER.name, _moved(emitter, pointer, size))
        return
    if instruction.name == PUSH:
        *names, number = instruction.operands[2:]
        size = _frame(names)
        _require_room(emitter, pointer, size)
        for index, item in enumerate(names):
            _store(emitter, pointer, _SLOT * index, emitter.operand(item, "i64"))
        _store(emitter, pointer, size - _SLOT, Value(str(number.value), "i32"))  # type: ignore[union-attr]
        emitter.write(POINTER.name, _moved(emitter, pointer, size))
        return
    names = instruction.operands[0].items[1:]  # type: ignore[union-attr]
    start = _moved(emitter, pointer, -_frame(names))
    for index, item in enumerate(names):
        storage = emitter.plan.storage(item.name)  # type: ignore[union-attr]
        emitter.write(item.name, _load(emitter, start.text, _SLOT * index, storage))  # type: ignore[union-attr]
    emitter.write(POINTER.name, start)


def _frame(saved: Sequence[object]) -> int:
    """Bytes that a call takes: the registers saved and the number of the place to come back to."""
    return (_SLOT * (len(saved) + 1) + 15) // 16 * 16


def _moved(emitter: Emitter, pointer: str, amount: int) -> Value:
    return Value(emitter.code.op(f"add <32 x i64> {pointer}, splat (i64 {amount})"), "i64", None)


def _places(emitter: Emitter, pointer: str, offset: int) -> str:
    """Host pointers into each lane's own local memory."""
    code = emitter.code
    start = code.op("ptrtoint ptr %local to i64")
    own = pattern(tuple(lane * emitter.local_bytes + offset for lane in range(LANES)), "i64")
    base = code.op(f"add <32 x i64> {code.splat(start, 'i64')}, {own}")
    return code.op(f"inttoptr <32 x i64> {code.op(f'add <32 x i64> {base}, {pointer}')} to <32 x ptr>")


def _store(emitter: Emitter, pointer: str, offset: int, value: Value) -> None:
    code = emitter.code
    if value.type == "i1":
        value = code.resize(Value(code.vector(value), "i1", None), "i8")
    kind, suffix = vector_type(value.type), {"float": "f32", "double": "f64"}.get(value.type, value.type)
    code.do(
        f"call void @llvm.masked.scatter.v{LANES}{suffix}.v{LANES}p0({kind} {code.vector(value)}, <32 x ptr> "
        f"align {BYTES[value.type]} {_places(emitter, pointer, offset)}, <32 x i1> {emitter.mask_vector})"
    )


def _load(emitter: Emitter, pointer: str, offset: int, element: str) -> Value:
    code = emitter.code
    stored = "i8" if element == "i1" else element
    kind, suffix = vector_type(stored), {"float": "f32", "double": "f64"}.get(stored, stored)
    text = code.op(
        f"call {kind} @llvm.masked.gather.v{LANES}{suffix}.v{LANES}p0(<32 x ptr> align {BYTES[stored]} "
        f"{_places(emitter, pointer, offset)}, <32 x i1> {emitter.mask_vector}, {kind} zeroinitializer)"
    )
    value = Value(text, stored, None)
    return code.resize(value, "i1") if element == "i1" else value


def _require_room(emitter: Emitter, pointer: str, size: int) -> None:
    """Leave with OVERFLOW when a lane's stack is full."""
    code = emitter.code
    last = emitter.local_bytes - size
    full = code.mask_bits(code.op(f"icmp ugt <32 x i64> {pointer}, splat (i64 {last})"))
    full = code.op(f"and i32 {full}, {emitter.mask}")
    over, fits = code.name("overflow"), code.name("fits")
    code.branch(code.op(f"icmp ne i32 {full}, 0"), over, fits, likely=False)
    code.label(over)
    code.store("i32", full, "%worker", at(Worker, "mask"))
    code.store("i32", str(emitter.block_now), "%warp", at(Warp, "barrier_block"))
    code.do(f"ret i32 {Status.OVERFLOW}")
    code.label(fits)


def names() -> Iterable[str]:
    """The instructions that `write` knows."""
    return (PUSH, POP, RETURN_ID, ENTER)
