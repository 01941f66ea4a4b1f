"""Blocks of instructions -> LLVM, in what the fast and the masked code have in common.

A kernel is compiled up to four times over:

    full, partial   the fast code: all lanes walk together. Registers that are alike in all lanes are scalars
                    (`kinds`), nothing is masked. It is left when a branch parts the lanes or an index wraps
                    around.
    masked          the general code: every register a vector in memory, every effect masked, the lowest block
                    that has waiting lanes runs next. It hands back to the fast code where the lanes meet
                    again, after checking that what the fast code keeps once is in fact the same in all lanes.
                    No analysis has to be trusted.
    rest            the end of a block whose beginning ran fast, for the rare index that wraps around.

Masked and rest are made only when a run first needs them.
"""

from __future__ import annotations

import math
import struct
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace

from . import async_copy, exchange, members, stack, tensor
from .access import MemoryCode, Site
from .atomics import Rule
from .checks.emit import CheckCode
from .controlflow import Block
from .errors import Unsupported
from .ir import BITS, FLOATS, INT_OF, Code, Value, constant, float_constant, vector_type
from .kinds import LANES, ZERO
from .layout import (
    CONSTANT_REGION,
    FIRST_BUFFER,
    LOCAL_REGION,
    REGION_BITS,
    SHARED_REGION,
    Launch,
    Status,
    Warp,
    Worker,
    at,
)
from .own import ASSERT, BARRIER_RESULT, PRINT
from .plan import Plan
from .ptx import Address, Group, Immediate, Instruction, Operand, Register, Special, Symbol
from .semantics import ELEMENT, evaluate, results, signed_result, source_element

NOTHING = frozenset(("prefetch", "prefetchu", "nanosleep", "pmevent", "discard", "applypriority"))
FENCES = ("membar", "fence")
HEADER = "(ptr %warp, ptr %worker, ptr %launch, i32 %entry) nounwind"


class Emitter(MemoryCode):
    """Writes one function. Registers are read and written through `load_register` and `store_register`."""

    def __init__(self, plan: Plan, name: str) -> None:
        self.plan = plan
        self.name = name
        self.code = Code()
        self.costs = {}
        self.failures = []
        self.checker = CheckCode(self, plan.scheme) if plan.scheme else None
        self.allocas: list[str] = []  # stack variables, declared in the function's first block
        self.local_bytes = plan.addresses.local_bytes
        self.constant_bytes = plan.addresses.constant_bytes
        self.counter_base = plan.counters.site
        self._registers: dict[str, Value] = {}
        self._changed: set[str] = set()
        self._tables: list[str] = []

    def counted_size(self, site: Site) -> int:
        return self.plan.counted_size(site)

    # What the two kinds of code do differently

    @abstractmethod
    def load_register(self, name: str) -> Value: ...

    @abstractmethod
    def store_register(self, name: str, value: Value) -> None: ...

    @abstractmethod
    def special(self, name: str) -> Value: ...

    def trace_access(self, site: Site, instruction: Instruction) -> None:
        """Record the addresses, in code that is made to trace."""

    # Function text

    def text(self) -> str:
        """The finished function."""
        self.emit_failures()
        first = self.code.lines.index("start:") + 1
        self.code.lines[first:first] = self.allocas
        body = "\n".join(self.code.lines)
        function = f"define i32 @{self.name}{HEADER} {{"
        whole = "\n".join([*self._tables, *self.code.helpers.values(), function, body, "}"])
        return whole.replace("@helper.", f"@{self.name}.")  # two functions may share a module

    def table(self, entries: tuple[int, ...]) -> str:
        name = f"@{self.name}_table{len(self._tables)}"
        listed = ", ".join(f"i8 {entry}" for entry in entries)
        self._tables.append(f"{name} = private unnamed_addr constant [{len(entries)} x i8] [{listed}]")
        return name

    def prologue(self) -> None:
        code = self.code
        for name, structure, field, kind in (
            ("shared", Worker, "shared", "ptr"),
            ("regions", Worker, "regions", "ptr"),
            ("counters", Worker, "counters", "ptr"),
            ("shared_bytes", Launch, "shared_bytes", "i64"),
            ("constants", Launch, "constants", "ptr"),
            ("parameters", Launch, "parameters", "ptr"),
            ("parameter_bytes", Launch, "parameter_bytes", "i64"),
            ("local", Warp, "local", "ptr"),
        ):
            base = {Worker: "%worker", Launch: "%launch", Warp: "%warp"}[structure]
            code.do(f"%{name}.at = getelementptr i8, ptr {base}, i64 {at(structure, field)}")
            code.do(f"%{name} = load {kind}, ptr %{name}.at, align 8, !invariant.load !2")
        if self.checker:
            self.checker.prologue()

    # Registers and operands

    def read(self, name: str) -> Value:
        if name not in self._registers:
            self._registers[name] = self.load_register(name)
        return self._registers[name]

    def write(self, name: str, value: Value) -> None:
        storage = self.plan.storage(name)
        if value.type != storage:
            if BITS[value.type] != BITS[storage]:
                if value.type in FLOATS:
                    value = self.code.bitcast(value, INT_OF[value.type])
                value = self.code.resize(value, f"i{BITS[storage]}")
            value = self.code.bitcast(value, storage)
        self._registers[name] = value
        self._changed.add(name)

    def flush(self, live: Iterable[str]) -> None:
        """Put away the registers that later blocks read."""
        for name in sorted(self._changed & set(live)):
            self.store_register(name, self._registers[name])
        self._changed.clear()

    block_now = 0  # number of the block of code being written
    position_now = 0  # of the instruction in it

    def start_block(self, label: str) -> None:
        self.code.label(label)
        self._registers.clear()
        self._changed.clear()

    def operand(self, item: Operand, element: str) -> Value:
        """An operand's value. Immediates take the element type asked for; registers come as they are
        stored."""
        if isinstance(item, Register):
            value = self.read(item.name)
            return self._inverted(value) if item.negated else value
        if isinstance(item, Immediate):
            return _immediate(item, element)
        if isinstance(item, Special):
            return self.special(item.name)
        if isinstance(item, Symbol):
            place = self.plan.addresses.places.get(item.name)
            if place is None:
                raise Unsupported(f"{item.name} has no address here", item.name)
            return constant(place[1] + item.offset, element if element.startswith("i") else "i64")
        raise TypeError(item)

    def _inverted(self, value: Value) -> Value:
        kind = value.type if value.lanes is not None else vector_type("i1")
        ones = "true" if value.lanes is not None else "splat (i1 true)"
        return Value(self.code.op(f"xor {kind} {value.text}, {ones}"), "i1", value.lanes)

    def address(self, item: Operand) -> Value:
        """An address as 64 bits."""
        if isinstance(item, Address):
            if item.base is None:
                return constant(item.offset, "i64")
            base = self.operand(item.base, "i64")
            base = self.code.resize(base, "i64") if base.type != "i64" else base
            return self.moved_by(base, item.offset)
        value = self.operand(item, "i64")
        return self.code.resize(value, "i64")

    def moved_by(self, value: Value, amount: int) -> Value:
        """A 64-bit value plus a constant."""
        if not amount:
            return value
        if value.lanes is None:
            return Value(self.code.op(f"add <32 x i64> {value.text}, splat (i64 {amount})"), "i64", None)
        if not value.text.startswith("%"):
            return replace(value, text=str(int(value.text) + amount))
        return replace(value, text=self.code.op(f"add i64 {value.text}, {amount}"))

    # Instructions

    def instruction(self, block: Block, position: int) -> None:
        instruction = block.instructions[position]
        self.block_now, self.position_now = block.index, position
        if self.checker:
            self.checker.before(instruction)
        self._instruction(block, position, instruction)
        if self.checker:
            self.checker.defines(instruction)

    def check_end(self, block: Block) -> None:
        """In a checked kernel: what the block's last branch reads must have been written."""
        if self.checker and block.condition and block.issued:
            self.checker.uses([block.condition.name], block.issued[-1])

    def _instruction(self, block: Block, position: int, instruction: Instruction) -> None:
        name = instruction.name
        if name in NOTHING:
            return  # warps run their instructions in order, one warp at a time
        if name in ("bar", "barrier") and instruction.has("warp"):
            self._members(instruction)
            return  # likewise, once the members are known to be here
        if name in FENCES:
            self.code.do("fence seq_cst")
            if self.checker:
                self.checker.fence(instruction)
            return
        site = self.plan.sites.get((block.index, position))
        if name == "barrier" and instruction.has("cluster"):
            raise Unsupported(
                f"the instruction {instruction.opcode} is not supported",
                instruction.opcode,
                instruction.location.line,
            )
        if name in tensor.NAMES:
            tensor.write(self, instruction, site)
        elif name == async_copy.NAME:
            async_copy.write(
                self, instruction, site, self.plan.sites.get(async_copy.second(block.index, position))
            )
        elif site is not None:
            self._memory(instruction, site)
        elif name == "shfl":
            self._shuffle(instruction)
        elif name in stack.names():
            stack.write(self, instruction)
        elif name == BARRIER_RESULT:
            self._barrier_result(instruction)
        elif name in ("bar", "barrier"):
            self._arrive(instruction)
        elif name == PRINT:
            self._print(instruction)
        elif name == ASSERT:
            self._assert(instruction)
        elif name == "redux":
            self._reduce(instruction)
        elif name == "match":
            self._match(instruction)
        elif name == "elect":
            self._results(instruction, exchange.elect(self.code, self.mask, self._members(instruction)))
        elif name == "vote":
            self._vote(instruction)
        elif name == "activemask":
            self._result(instruction, Value(self.mask, "i32"))
        elif name == "cvta":
            self._convert_address(instruction)
        elif name == "isspacep":
            self._is_space(instruction)
        else:
            self._arithmetic(instruction)

    def _arithmetic(self, instruction: Instruction) -> None:
        groups = [item for item in instruction.operands[1:] if isinstance(item, Group)]
        if any(isinstance(part, Group) for group in groups for part in group.items):  # textures have such
            raise Unsupported(
                f"the instruction {instruction.opcode} is not supported",
                instruction.opcode,
                instruction.location.line,
            )
        sources = [
            self.operand(part, source_element(instruction, index))
            for index, item in enumerate(instruction.operands[1:])
            for part in (item.items if isinstance(item, Group) else (item,))
        ]
        kind = self.result_kind(instruction)
        width = LANES if kind.vector else 1
        stride = self._stride(instruction, sources) if kind.scaled != ZERO else ""
        if width == 1:
            sources = [source.scalar for source in sources]
        found = results(instruction, self.code, sources, width)
        target = instruction.operands[0]
        targets = target.items if isinstance(target, Group) else (target,)
        for item, (text, element) in zip(targets, found, strict=False):
            self._result(instruction, Value(text, element, kind.lanes, kind.scaled, stride), item)

    def _stride(self, instruction: Instruction, sources: list[Value]) -> str:
        """The stride of a result that has one. The rules of `kinds` are linear, so it is the same instruction
        applied to the stride instead of the scalar."""
        carriers = [index for index, source in enumerate(sources) if source.scaled != ZERO]
        name = instruction.name
        if name in ("mul", "mad"):
            if carriers and carriers[0] == 2:
                return sources[2].stride
            product = replace_instruction(instruction, "mul")
            if carriers:
                index = carriers[0]
                factor = Value(sources[index].stride, sources[index].type)
                return evaluate(product, self.code, [factor, sources[1 - index].scalar], 1)[0]
            index = 0 if sources[1].uniform else 1
            one = constant(1, sources[index].type)
            return evaluate(product, self.code, [one, sources[1 - index].scalar], 1)[0]
        index = carriers[0]
        stride = Value(sources[index].stride, sources[index].type)
        if name in ("add", "sub"):
            zero = constant(0, stride.type)
            return evaluate(instruction, self.code, [zero, stride] if index else [stride, zero], 1)[0]
        return evaluate(instruction, self.code, [stride, *(source.scalar for source in sources[1:])], 1)[0]

    def _result(self, instruction: Instruction, value: Value, target: Operand | None = None) -> None:
        """Write a result to a register, by default the first operand; `_` takes it and forgets it."""
        target = target or instruction.operands[0]
        if isinstance(target, Register):
            if BITS[value.type] > 1:
                value = self._extended(value, target.name, signed_result(instruction))
            self.write(target.name, value)
        elif not (isinstance(target, Symbol) and target.name == "_"):
            raise Unsupported(
                f"the instruction {instruction.opcode} is not supported with this destination",
                instruction.opcode,
                instruction.location.line,
            )

    def _memory(self, instruction: Instruction, site: Site) -> None:
        if site.atomic or instruction.name == "red":
            self.trace_access(site, instruction)
            self._atomic(instruction, site)
            return
        self.trace_access(site, instruction)
        element = ELEMENT[instruction.type]
        element = INT_OF.get(element, element) if element == "half" else element
        if site.load:
            targets = instruction.operands[0]
            registers = targets.items if isinstance(targets, Group) else (targets,)
            values = self.load(site, self._place(site, instruction.operands[1]), element, len(registers))
            for register, value in zip(registers, values, strict=True):
                if isinstance(register, Register):
                    self.write(
                        register.name, self._extended(value, register.name, instruction.type.startswith("s"))
                    )
        else:
            sources = instruction.operands[1]
            items = sources.items if isinstance(sources, Group) else (sources,)
            values = [self.as_stored(self.operand(item, element), element) for item in items]
            self.store(site, self._place(site, instruction.operands[0]), values)

    def _place(self, site: Site, operand: Operand) -> Value:
        """The address of an access in its own space."""
        return self.moved_by(self.address(operand), -site.window)

    def _extended(self, value: Value, register: str, signed: bool) -> Value:
        """A loaded byte or half fills its wider register, with its sign if it has one (PTX ISA 6.4.1)."""
        storage = self.plan.storage(register)
        if value.type in FLOATS or BITS[value.type] >= BITS[storage]:
            return value
        return self.code.resize(value, f"i{BITS[storage]}", signed=signed)

    def as_stored(self, value: Value, element: str) -> Value:
        if value.type in FLOATS and element not in FLOATS:
            value = self.code.bitcast(value, INT_OF[value.type])
        if BITS[value.type] != BITS[element]:
            value = self.code.resize(value, f"i{BITS[element]}")
        return self.code.bitcast(value, element)

    def _shuffle(self, instruction: Instruction) -> None:
        self._members(instruction)
        value, step, clamp = (self.operand(item, "i32") for item in instruction.operands[1:4])
        moved, good = exchange.shuffle(self.code, instruction, self.code.bitcast(value, "i32"), step, clamp)
        self._results(instruction, (moved, good))

    def _vote(self, instruction: Instruction) -> None:
        predicate = self.operand(instruction.operands[1], "i1")
        bits = self.code.mask_bits(self.code.vector(predicate))
        named = self._members(instruction)
        self._result(instruction, exchange.vote(self.code, instruction, bits, self.mask, named))

    def _reduce(self, instruction: Instruction) -> None:
        value = self.code.bitcast(self.operand(instruction.operands[1], "i32"), "i32")
        named = self._members(instruction)
        self._result(instruction, exchange.reduce(self.code, instruction, value, self.mask, named))

    def _match(self, instruction: Instruction) -> None:
        element = ELEMENT[instruction.type]
        value = self.as_stored(self.operand(instruction.operands[1], element), element)
        found = exchange.match(self.code, instruction, value, self.mask, self._members(instruction))
        self._results(instruction, found)

    def _members(self, instruction: Instruction) -> Value:
        """The lanes that an instruction names; without .sync, all that are there."""
        if "sync" not in instruction.parts:
            return constant(-1, "i32")
        found = self.operand(instruction.operands[-1], "i32")
        members.require(self, instruction, found)
        if self.checker:
            self.checker.synchronise(found)
        return found

    def _results(self, instruction: Instruction, values: Iterable[Value]) -> None:
        """Write d|p, or d alone."""
        destination = instruction.operands[0]
        targets = destination.items if isinstance(destination, Group) else (destination,)
        for target, value in zip(targets, values, strict=False):
            if isinstance(target, Register):
                self.write(target.name, value)

    # Barriers

    def announce_barrier(self, block: Block) -> None:
        """Note at which barrier the warp stops, with how many others, and what it says there (PTX ISA
        9.7.13.1)."""
        code, barrier = self.code, block.barrier
        assert barrier is not None
        operands = list(barrier.operands)
        voice = operands.pop() if barrier.has("red") else None
        number = self.one(self.operand(operands[0], "i32")) if operands else "0"
        count = self.one(self.operand(operands[1], "i32")) if len(operands) > 1 else "0"
        number = code.op(f"and i32 {number}, 15")
        code.store("i32", number, "%warp", at(Warp, "barrier_id"))
        code.store("i32", count, "%warp", at(Warp, "barrier_count"))
        code.store("i32", str(block.index), "%warp", at(Warp, "barrier_block"))
        if voice is not None:
            bits = code.mask_bits(code.vector(self.operand(voice, "i1")))
            yes = code.op(f"and i32 {bits}, {self.mask}")
            code.do(f"call void @simulator_reduce(ptr %worker, i32 {number}, i32 {yes}, i32 {self.mask})")

    def _barrier_result(self, instruction: Instruction) -> None:
        code = self.code
        field = (
            "last_sum" if instruction.has("popc") else "last_all" if instruction.has("and") else "last_any"
        )
        number = code.op(f"and i32 {self.one(self.operand(instruction.operands[1], 'i32'))}, 15")
        place = code.op(f"getelementptr i32, ptr {code.pointer('%worker', at(Worker, field))}, i32 {number}")
        found = Value(code.op(f"load i32, ptr {place}, align 4"), "i32")
        if not instruction.has("popc"):
            found = Value(code.op(f"icmp ne i32 {found.text}, 0"), "i1")
        self._result(instruction, found)

    def _arrive(self, instruction: Instruction) -> None:
        number = self.code.op(f"and i32 {self.one(self.operand(instruction.operands[0], 'i32'))}, 15")
        self.code.do(f"call void @simulator_arrive(ptr %worker, i32 {number})")
        if self.checker:
            self.checker.announces(number)

    def one(self, value: Value) -> str:
        """A value that all active lanes share, as a scalar."""
        if value.uniform:
            return value.text
        lane = self.code.op(f"call i32 @llvm.cttz.i32(i32 {self.mask}, i1 true)")
        vector = self.code.vector(value)
        return self.code.op(f"extractelement {vector_type(value.type)} {vector}, i32 {lane}")

    def trap(self, block: Block) -> None:
        self.code.store("i32", self.mask, "%worker", at(Worker, "mask"))
        self.code.store("i32", str(block.index), "%warp", at(Warp, "barrier_block"))
        self.code.do(f"ret i32 {Status.TRAP}")

    # The driver's functions

    def _print(self, instruction: Instruction) -> None:
        layout, arguments = (self.code.vector(self.address(item)) for item in instruction.operands)
        self.code.do(
            "call void @simulator_print(ptr %worker, ptr %warp, "
            f"<32 x i64> {layout}, <32 x i64> {arguments}, "
            f"i32 {self.mask}, i64 {self.local_bytes})"
        )

    def _assert(self, instruction: Instruction) -> None:
        """The addresses of what failed, in which file, line and function, for Python to read."""
        code = self.code
        code.store("i32", self.mask, "%worker", at(Worker, "mask"))
        for index, item in enumerate(instruction.operands[:4]):
            value = self.operand(item, "i64")
            text = self.one(code.resize(value, "i64"))
            code.store("i64", text, "%worker", at(Worker, "addresses") + 8 * index)
        failed, after = code.name("assert"), code.name("after")
        code.branch("true", failed, after)
        code.label(failed)
        code.do(f"ret i32 {Status.ASSERTED}")
        code.label(after)

    def _convert_address(self, instruction: Instruction) -> None:
        """Shared and local memory have windows in the generic address space; global addresses are generic
        already."""
        source = self.address(instruction.operands[1])
        window = {"shared": SHARED_REGION, "local": LOCAL_REGION, "const": CONSTANT_REGION}
        region = next(
            (
                number
                for space, number in window.items()
                if instruction.has(space) or any(part.startswith(space + "::") for part in instruction.parts)
            ),
            0,
        )
        start = region << REGION_BITS
        if instruction.has("param"):
            start = (CONSTANT_REGION << REGION_BITS) + self.plan.addresses.parameters_at
        if start:
            source = self.moved_by(source, -start if instruction.has("to") else start)
        self._result(instruction, source)

    def _is_space(self, instruction: Instruction) -> None:
        """isspacep: in which window does a generic address lie?"""
        code = self.code
        address = self.address(instruction.operands[1])
        windows = {"shared": SHARED_REGION, "local": LOCAL_REGION, "const": CONSTANT_REGION}
        space = next((part.split("::")[0] for part in instruction.parts[1:]), "")
        kind = "i64" if address.uniform else vector_type("i64")
        text = address.text if address.uniform else code.vector(address)

        def number(value: int) -> str:
            return str(value) if address.uniform else f"splat (i64 {value})"

        region = code.op(f"lshr {kind} {text}, {number(REGION_BITS)}")
        if space in windows:
            found = code.op(f"icmp eq {kind} {region}, {number(windows[space])}")
        elif space == "global":
            found = code.op(f"icmp uge {kind} {region}, {number(FIRST_BUFFER)}")
        else:
            raise Unsupported(
                f"the instruction {instruction.opcode} is not supported",
                instruction.opcode,
                instruction.location.line,
            )
        self._result(instruction, Value(found, "i1", ZERO if address.uniform else None))

    # Atomics

    def _atomic(self, instruction: Instruction, site: Site) -> None:
        """Lane after lane, in order; the host's own atomic instruction, as blocks run on several cores."""
        code = self.code
        shift = 0 if instruction.name == "red" else 1
        element = "i16" if ELEMENT[instruction.type] == "half" else ELEMENT[instruction.type]
        vector = any(isinstance(item, Group) for item in instruction.operands)
        if vector or instruction.type not in _ATOMIC_TYPES:
            raise Unsupported(
                f"the instruction {instruction.opcode} is not supported",
                instruction.opcode,
                instruction.location.line,
            )
        address = self._place(site, instruction.operands[shift])
        operands = [
            code.vector(self.as_stored(self.operand(item, element), element))
            for item in instruction.operands[shift + 1 :]
        ]
        hosts = self.hosts(site, address)
        self._count_atomic(site, address)
        names = {}
        for name, kind, text in [
            ("hosts", "i64", hosts),
            *((f"operand{i}", element, text) for i, text in enumerate(operands)),
        ]:
            names[name] = f"%{self.code.name('array')}"
            self.allocas.append(f"  {names[name]} = alloca {vector_type(kind)}, align 64")
            code.do(f"store {vector_type(kind)} {text}, ptr {names[name]}, align 64")
        result = f"%{self.code.name('array')}"
        self.allocas.append(f"  {result} = alloca {vector_type(element)}, align 64")
        code.do(f"store {vector_type(element)} zeroinitializer, ptr {result}, align 64")
        lanes_left = f"%{self.code.name('left')}"
        self.allocas.append(f"  {lanes_left} = alloca i32")
        code.do(f"store i32 {self.mask}, ptr {lanes_left}")
        loop, done = code.name("lane"), code.name("atomic_done")
        code.jump(loop)
        code.label(loop)
        left = code.op(f"load i32, ptr {lanes_left}")
        lane = code.op(f"call i32 @llvm.cttz.i32(i32 {left}, i1 true)")
        values = []
        for name, kind in [("hosts", "i64"), *((f"operand{i}", element) for i in range(len(operands)))]:
            place = code.op(f"getelementptr {kind}, ptr {names[name]}, i32 {lane}")
            values.append(code.op(f"load {kind}, ptr {place}"))
        pointer = code.op(f"inttoptr i64 {values[0]} to ptr")
        old = self._atomic_operation(instruction, element, pointer, values[1:])
        place = code.op(f"getelementptr {element}, ptr {result}, i32 {lane}")
        code.do(f"store {element} {old}, ptr {place}")
        minus = code.op(f"sub i32 {left}, 1")
        left_next = code.op(f"and i32 {left}, {minus}")
        code.do(f"store i32 {left_next}, ptr {lanes_left}")
        more = code.op(f"icmp ne i32 {left_next}, 0")
        code.branch(more, loop, done)
        code.label(done)
        if shift:
            found = code.op(f"load {vector_type(element)}, ptr {result}, align 64")
            self._result(instruction, Value(found, element, None))

    def _count_atomic(self, site: Site, address: Value) -> None:
        """Add what an atomic costs: sectors; or wavefronts and conflicts, and those of the loads of a
        loop."""
        code, rule = self.code, self.plan.atomic_rules[site.number]

        def add(which: int, amount: str) -> None:
            self.add_to_site(site, which, code.op(f"zext i32 {amount} to i64"))

        if rule is Rule.ONE_LANE:
            add(0, "1")
        elif rule is Rule.SECTORS:
            lanes = code.vector(address)
            add(0, code.op(f"call i32 @simulator_atomic_sectors(<32 x i64> {lanes}, i32 {self.mask})"))
        elif rule is not Rule.UNKNOWN:
            lanes = code.op(f"trunc <32 x i64> {code.vector(address)} to <32 x i32>")
            if rule is Rule.TALLY:
                arguments = f"<32 x i32> {lanes}, i32 {self.mask}, i32 2, i1 true"
                both = code.op(f"call i32 @simulator_wavefronts({arguments})")
                wavefronts = code.op(f"and i32 {both}, 65535")
                add(0, wavefronts)
                add(1, code.op(f"sub i32 {wavefronts}, 1"))
            elif rule is Rule.LOOP:
                both = code.op(f"call i32 @simulator_atomic_loop(<32 x i32> {lanes}, i32 {self.mask})")
                loads, rounds = code.op(f"and i32 {both}, 65535"), code.op(f"lshr i32 {both}, 16")
                add(2, loads)
                add(3, code.op(f"sub i32 {loads}, {rounds}"))
                add(0, code.op(f"shl i32 {rounds}, 1"))
            else:
                rounds = code.op(f"call i32 @simulator_atomic_rounds(<32 x i32> {lanes}, i32 {self.mask})")
                add(0, code.op(f"shl i32 {rounds}, 1") if rule is Rule.TWO_A_ROUND else rounds)
                add(1, code.op(f"sub i32 {rounds}, 1"))

    def _atomic_operation(
        self, instruction: Instruction, element: str, pointer: str, values: list[str]
    ) -> str:
        code = self.code
        if instruction.has("cas"):
            pair = code.op(
                f"cmpxchg ptr {pointer}, {element} {values[0]}, {element} {values[1]} seq_cst seq_cst"
            )
            return code.op(f"extractvalue {{ {element}, i1 }} {pair}, 0")
        if instruction.type in _HALVES and instruction.has("add"):
            return self._add_halves(instruction, element, pointer, values[0])
        signed = instruction.type.startswith("s")
        names = {
            "and": "and",
            "or": "or",
            "xor": "xor",
            "exch": "xchg",
            "inc": "uinc_wrap",
            "dec": "udec_wrap",
        }
        names |= {"add": "fadd" if element in FLOATS else "add"}
        names |= {"min": "min" if signed else "umin", "max": "max" if signed else "umax"}
        verb = next((names[part] for part in instruction.parts[1:] if part in names), None)
        if verb is None or (element in FLOATS and verb not in ("fadd", "xchg")):
            raise Unsupported(
                f"the instruction {instruction.opcode} is not supported",
                instruction.opcode,
                instruction.location.line,
            )
        return code.op(f"atomicrmw {verb} ptr {pointer}, {element} {values[0]} seq_cst")

    def _add_halves(self, instruction: Instruction, element: str, pointer: str, value: str) -> str:
        """The host has no such instruction: add, and exchange if no other thread came between, else again."""
        code = self.code
        seen = f"%{code.name('seen')}"
        self.allocas.append(f"  {seen} = alloca {element}")
        align = BITS[element] // 8
        first = code.op(f"load atomic {element}, ptr {pointer} monotonic, align {align}")
        code.do(f"store {element} {first}, ptr {seen}")
        again, done = code.name("again"), code.name("added")
        code.jump(again)
        code.label(again)
        old = code.op(f"load {element}, ptr {seen}")
        opcode = f"add.rn.{instruction.type}"
        add = replace(instruction, opcode=opcode, parts=tuple(opcode.split(".")))
        new, _ = evaluate(add, code, [Value(old, element), Value(value, element)], 1)
        pair = code.op(f"cmpxchg ptr {pointer}, {element} {old}, {element} {new} seq_cst seq_cst")
        found = code.op(f"extractvalue {{ {element}, i1 }} {pair}, 0")
        code.do(f"store {element} {found}, ptr {seen}")
        code.branch(code.op(f"extractvalue {{ {element}, i1 }} {pair}, 1"), done, again)
        code.label(done)
        return code.op(f"load {element}, ptr {seen}")


_HALVES = ("f16", "bf16", "f16x2", "bf16x2")
_ATOMIC_TYPES = ("b16", "b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64", *_HALVES)


def replace_instruction(instruction: Instruction, name: str) -> Instruction:
    """The same instruction under another name: mad.lo.s32 -> mul.lo.s32."""
    parts = (name, *instruction.parts[1:])
    return replace(instruction, opcode=".".join(parts), parts=parts)


def _immediate(item: Immediate, element: str) -> Value:
    """A literal. One written for another precision is rounded to the type."""
    if element not in FLOATS:
        return constant(item.value, element)
    if item.bits == BITS[element]:
        return float_constant(item.value, element)
    if item.bits:
        width, layout = item.bits // 8, {32: "<f", 64: "<d"}[item.bits]
        value = struct.unpack(layout, item.value.to_bytes(width, "little"))[0]
    else:
        value = float(item.value)
    try:
        packed = struct.pack({"half": "<e", "float": "<f", "double": "<d"}[element], value)
    except OverflowError:
        return _immediate(Immediate(_struct_bits(math.copysign(math.inf, value)), 64), element)
    return float_constant(int.from_bytes(packed, "little"), element)


def _struct_bits(value: float) -> int:
    return int.from_bytes(struct.pack("<d", value), "little")
