"""Calls of device functions: written out in place, so that what follows sees one function.

Arguments travel in .param variables (PTX ISA 7.1). Where each of these is written and read in the same
pieces, as compilers do, its pieces become registers; otherwise it becomes local memory. The few functions of
the driver that kernels call (printf, assert) become instructions of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise

from . import own as own_
from . import stack
from .errors import Unsupported
from .own import ASSERT, BARRIER_RESULT, PRINT
from .ptx import (
    TYPE_BITS,
    Address,
    Function,
    Group,
    Immediate,
    Instruction,
    Module,
    Operand,
    Register,
    Symbol,
    Variable,
    renamed,
)

_DRIVER = {"vprintf": PRINT, "__assertfail": ASSERT}


def inline(module: Module, entry: Function) -> Function:
    """`entry` with the functions that it calls written out, or standing behind it where that cannot be (see
    `stack`). Raises Unsupported for functions that the module does not contain."""
    maker = _Inliner(module, entry, stack.resident(module, entry))
    maker.body(entry, {}, None, (entry.name,))
    maker.residents()
    _keep_arguments_in_registers(maker.made)
    if maker.resident:
        stack.expand(maker.made, module, {name: _entry_label(name) for name in maker.resident})
    return maker.made


def _entry_label(name: str) -> str:
    return f"$enter_{name}"


@dataclass
class _Inliner:
    module: Module
    entry: Function
    resident: set[str]
    made: Function = field(init=False)
    copies: int = 0

    def __post_init__(self) -> None:
        self.made = replace(self.entry, registers={}, variables={}, instructions=[], labels={}, tables={})
        self._frame_bytes: dict[str, int] = {}
        self._aliases: dict[str, str] = {}  # a caller's argument variable -> the one shared

    def body(
        self,
        function: Function,
        names: dict[str, str],
        end: str | None,
        callers: tuple[str, ...],
        outer: int = 0,
    ) -> None:
        """Append a function's instructions under new names; `end` is the label to go on at instead of
        returning. outer: the line of the kernel's own file from which a header's function is called."""
        made = self.made
        made.registers.update({names.get(name, name): kind for name, kind in function.registers.items()})
        for variable in function.variables.values():
            name = names.get(variable.name, variable.name)
            made.variables[name] = replace(variable, name=name)
        for label, targets in function.tables.items():
            made.tables[names.get(label, label)] = [names.get(target, target) for target in targets]
        labels: dict[int, list[str]] = {}
        for label, position in function.labels.items():
            labels.setdefault(position, []).append(names.get(label, label))
        for position, instruction in enumerate(function.instructions):
            for label in labels.get(position, ()):
                made.labels[label] = len(made.instructions)
            if outer and instruction.location.own_line is None:
                instruction = replace(instruction, location=replace(instruction.location, outer=outer))
            self._one(_with_names(instruction, names), end, callers)
        for label in labels.get(len(function.instructions), ()):
            made.labels[label] = len(made.instructions)

    def _one(self, instruction: Instruction, end: str | None, callers: tuple[str, ...]) -> None:
        if instruction.name == "call":
            self._call(instruction, callers)
        elif instruction.name == "ret" and end == own_.LEAVE:
            self._leave(instruction, callers[-1])
        elif instruction.name == "ret" and end is not None:
            self._add(instruction, "bra", (Symbol(end),), instruction.guard)
        elif instruction.name in ("bar", "barrier") and instruction.has("red"):
            # The result is there once all have arrived: read it behind the barrier.
            self.made.instructions.append(replace(instruction, operands=instruction.operands[1:]))
            opcode = f"{BARRIER_RESULT}.{instruction.opcode.split('.', 1)[1]}"
            self._add(instruction, opcode, instruction.operands[:2])
        else:
            if end is not None and "param" in instruction.parts and _register_based(instruction):
                instruction = _in_local_memory(instruction)
            self.made.instructions.append(instruction)

    def _add(
        self, like: Instruction, opcode: str, operands: tuple[Operand, ...], guard: Register | None = None
    ) -> None:
        self.made.instructions.append(
            replace(like, opcode=opcode, parts=tuple(opcode.split(".")), operands=operands, guard=guard)
        )

    def _call(self, call: Instruction, callers: tuple[str, ...]) -> None:
        self.copies += 1
        after = f"$after_call{self.copies}"
        if call.guard is not None:
            skip = Register(call.guard.name, not call.guard.negated)
            self._add(call, "bra", (Symbol(after),), skip)
        results, target, arguments = _call_parts(call)
        if not isinstance(target, Symbol) or target.name in self.resident:
            self._call_resident(call, results, target, arguments)
            self.made.labels[after] = len(self.made.instructions)
            return
        if target.name in _DRIVER:
            pieces = tuple(
                Register(f"{argument.name}+0") for argument in arguments if isinstance(argument, Symbol)
            )
            self._add(call, _DRIVER[target.name], pieces)
        else:
            self._write_out(call, target.name, results, arguments, after, callers)
        self.made.labels[after] = len(self.made.instructions)

    # Functions that stand once

    def residents(self) -> None:
        """Append the code of every function that stands once."""
        if self.resident:
            self._add(self.entry.instructions[0], "exit", ())
        for name in sorted(self.resident):
            self._resident(name)
        if self._aliases:
            made = self.made
            made.instructions = [_with_names(each, self._aliases) for each in made.instructions]
            for name in self._aliases:
                made.variables.pop(name, None)

    def _resident(self, name: str) -> None:
        function = self.module.functions[name]
        mark = f"${name}"
        local = [each for each in function.variables.values() if each.space == "local"]
        own = [*function.registers, *function.variables, *function.labels, *function.tables]
        names = {each: each + mark for each in own}
        for variables, kind in ((function.parameters, "arg"), (function.returns, "ret")):
            for number, variable in enumerate(variables):
                names[variable.name] = self._shared_name(kind, number, variable)
        self.made.labels[_entry_label(name)] = len(self.made.instructions)
        frame = Register(f"$frame{mark}")
        self._frame_bytes[name] = sum((each.size + 15) // 16 * 16 for each in local)
        first = function.instructions[0]
        if local:
            self.made.registers[frame.name] = "b64"
            size = Immediate(self._frame_bytes[name])
            self._add(first, own_.ENTER, (Group((frame, stack.POINTER)), stack.POINTER, size))
        start = len(self.made.instructions)
        self.body(function, names, own_.LEAVE, (name,))
        offset = 0
        for each in local:  # a frame of its own for every call
            symbol = names[each.name]
            del self.made.variables[symbol]
            for position in range(start, len(self.made.instructions)):
                self.made.instructions[position] = _in_frame(
                    self.made.instructions[position], symbol, frame, offset
                )
            offset += (each.size + 15) // 16 * 16

    def _leave(self, like: Instruction, name: str) -> None:
        skip = f"$stay{len(self.made.instructions)}"
        if like.guard is not None:
            self._add(like, "bra", (Symbol(skip),), Register(like.guard.name, not like.guard.negated))
        if self._frame_bytes[name]:
            amount = Immediate(-self._frame_bytes[name])
            self._add(like, "add.s64", (stack.POINTER, stack.POINTER, amount))
        self._add(like, own_.LEAVE, ())
        self.made.labels[skip] = len(self.made.instructions)

    def _call_resident(
        self, call: Instruction, results: tuple[Operand, ...], target: Operand, arguments: tuple[Operand, ...]
    ) -> None:
        """Arguments and results travel in variables that all these functions share."""
        aliases = {}
        for items, kind in ((arguments, "arg"), (results, "ret")):
            for number, item in enumerate(items):
                if not isinstance(item, Symbol):
                    raise Unsupported(
                        "this way to call a function is not supported", call.opcode, call.location.line
                    )
                aliases[item.name] = self._shared_name(kind, number, self.made.variables[item.name])
        self._aliases |= aliases
        opcode = f"{own_.CALL}.{target.name}" if isinstance(target, Symbol) else own_.CALL
        parts = (own_.CALL, target.name) if isinstance(target, Symbol) else (own_.CALL,)
        operands = () if isinstance(target, Symbol) else (target,)
        self.made.instructions.append(
            replace(call, opcode=opcode, parts=parts, operands=operands, guard=None)
        )

    def _shared_name(self, kind: str, number: int, variable: Variable) -> str:
        name = f"${kind}{number}_{variable.size}"
        self.made.variables[name] = replace(variable, name=name, space="param")
        return name

    # Functions written out

    def _write_out(
        self,
        call: Instruction,
        target: str,
        results: tuple[Operand, ...],
        arguments: tuple[Operand, ...],
        after: str,
        callers: tuple[str, ...],
    ) -> None:
        function = self.module.functions.get(target)
        if function is None or not function.instructions:
            raise Unsupported(
                f"a call of {target}, which has no code here, is not supported",
                call.opcode,
                call.location.line,
            )
        mark = f"${self.copies}"
        own = [*function.registers, *function.variables, *function.labels, *function.tables]
        names = {name: name + mark for name in own}
        names |= {  # shared memory is one for all calls
            each.name: f"{each.name}${target}"
            for each in function.variables.values()
            if each.space == "shared"
        }
        moves_out: list[tuple[Operand, Operand, Variable]] = []
        for variables, given, inward in (
            (function.parameters, arguments, True),
            (function.returns, results, False),
        ):
            for variable, item in zip(variables, given, strict=True):
                if variable.space == "reg":
                    inner = Register(variable.name + mark)
                    names[variable.name] = inner.name
                    self.made.registers[inner.name] = variable.type
                    if inward:
                        self._add(call, f"mov.{variable.type}", (inner, item))
                    else:
                        moves_out.append((item, inner, variable))
                elif isinstance(item, Symbol):
                    names[variable.name] = item.name
                else:
                    raise Unsupported(
                        f"this way to call {target} is not supported", call.opcode, call.location.line
                    )
        end = f"$return{self.copies}"
        self.body(function, names, end, (*callers, target), call.location.own_line or 0)
        self.made.labels[end] = len(self.made.instructions)
        for outer, inner, variable in moves_out:
            self._add(call, f"mov.{variable.type}", (outer, inner))


def _in_frame(instruction: Instruction, symbol: str, frame: Register, offset: int) -> Instruction:
    """A local variable of a function that stands once lies in the frame of the call."""

    def moved(item: Operand) -> Operand:
        if isinstance(item, Symbol) and item.name == symbol:
            if offset + item.offset:
                raise Unsupported("two local arrays in a function that calls itself are not supported")
            return frame
        if isinstance(item, Address) and isinstance(item.base, Symbol) and item.base.name == symbol:
            return Address(frame, offset + item.base.offset + item.offset)
        return item

    return replace(instruction, operands=tuple(moved(item) for item in instruction.operands))


def _call_parts(call: Instruction) -> tuple[tuple[Operand, ...], Operand, tuple[Operand, ...]]:
    """(result variables, function, argument variables)."""
    operands = list(call.operands)
    results = operands.pop(0) if isinstance(operands[0], Group) else Group(())
    target = operands.pop(0)
    arguments = operands[0] if operands and isinstance(operands[0], Group) else Group(())
    return results.items, target, arguments.items  # type: ignore[union-attr]


def _with_names(instruction: Instruction, names: dict[str, str]) -> Instruction:
    if not names:
        return instruction
    guard = renamed(instruction.guard, names) if instruction.guard else None
    return replace(
        instruction, operands=tuple(renamed(item, names) for item in instruction.operands), guard=guard
    )


def _register_based(instruction: Instruction) -> bool:
    return any(isinstance(item, Address) and isinstance(item.base, Register) for item in instruction.operands)


def _in_local_memory(instruction: Instruction) -> Instruction:
    parts = tuple("local" if part.startswith("param") else part for part in instruction.parts)
    return replace(instruction, opcode=".".join(parts), parts=parts)


# Arguments ------------------------------------------------------------------------------------------------


def _keep_arguments_in_registers(function: Function) -> None:
    """Turn .param variables of calls into registers, or into local memory where that cannot be."""
    variables = {name for name, variable in function.variables.items() if variable.space == "param"}
    if not variables:
        return
    pieces = {name: {} for name in variables}
    whole = set()
    for instruction in function.instructions:
        for name, offset, width, count in _pieces(instruction, variables, whole):
            for index in range(count):
                pieces[name].setdefault(offset + index * width, set()).add(width)
    for name, found in pieces.items():
        ends = sorted((offset, offset + max(widths)) for offset, widths in found.items())
        overlap = any(first[1] > second[0] for first, second in pairwise(ends))
        if overlap or any(len(widths) > 1 for widths in found.values()):
            whole.add(name)
    for name in variables:
        variable = function.variables[name]
        if name in whole and name.startswith("$"):
            raise Unsupported(
                "a structure passed to a function that calls itself, or by pointer, is not supported"
            )
        if name in whole:
            function.variables[name] = replace(variable, space="local")
            continue
        del function.variables[name]
        for offset, widths in pieces[name].items():
            function.registers[f"{name}+{offset}"] = f"b{8 * next(iter(widths))}"
    _rewrite(function, variables, whole)


def _pieces(
    instruction: Instruction, variables: set[str], whole: set[str]
) -> list[tuple[str, int, int, int]]:
    """(variable, offset, bytes, how many) that an instruction reads or writes; variables whose address it
    takes otherwise are added to `whole`."""
    found = []
    for item in instruction.operands:
        if isinstance(item, Address) and isinstance(item.base, Symbol) and item.base.name in variables:
            width = max(TYPE_BITS[instruction.type] // 8, 1)
            found.append((item.base.name, item.offset + item.base.offset, width, _count(instruction)))
        elif isinstance(item, Symbol) and item.name in variables:
            whole.add(item.name)
    return found


def _count(instruction: Instruction) -> int:
    return next((int(part[1:]) for part in instruction.parts if part in ("v2", "v4", "v8")), 1)


def _rewrite(function: Function, variables: set[str], whole: set[str]) -> None:
    made: list[Instruction] = []
    moved = {0: 0}
    for position, instruction in enumerate(function.instructions):
        moved[position] = len(made)
        index = next(
            (
                number
                for number, item in enumerate(instruction.operands)
                if isinstance(item, Address) and isinstance(item.base, Symbol) and item.base.name in variables
            ),
            None,
        )
        if index is None or instruction.name not in ("ld", "st"):
            made.append(instruction)
            continue
        address = instruction.operands[index]
        if address.base.name in whole:  # type: ignore[union-attr]
            made.append(_in_local_memory(instruction))
            continue
        made += _moves(instruction, address, 1 - index)  # type: ignore[arg-type]
    moved[len(function.instructions)] = len(made)
    function.instructions = made
    function.labels = {label: moved[position] for label, position in function.labels.items()}


def _moves(instruction: Instruction, address: Address, other: int) -> list[Instruction]:
    """ld.param or st.param as moves between registers."""
    item = instruction.operands[other]
    values = item.items if isinstance(item, Group) else (item,)
    width = max(TYPE_BITS[instruction.type] // 8, 1)
    start = address.offset + address.base.offset  # type: ignore[union-attr]
    made = []
    for index, value in enumerate(values):
        piece = Register(f"{address.base.name}+{start + index * width}")  # type: ignore[union-attr]
        operands = (value, piece) if instruction.name == "ld" else (piece, value)
        opcode = f"mov.{instruction.type}"
        made.append(replace(instruction, opcode=opcode, parts=("mov", instruction.type), operands=operands))
    return made
