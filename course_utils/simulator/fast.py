"""The fast code: a warp whose lanes walk together, registers alike in all lanes kept once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from . import kinds as kinds_
from .access import Site
from .codegen import Emitter
from .controlflow import Block
from .errors import Unsupported
from .ir import BITS, Code, Value, constant, pattern, vector_type
from .kinds import LANES, UNIFORM, VECTOR, ZERO, Kind
from .layout import Launch, Status, Warp, Worker, at
from .patterns import PatternCode
from .plan import Group, Plan, Variant
from .ptx import Instruction


class FastEmitter(PatternCode, Emitter):
    """Writes the function `full` or `partial`."""

    def __init__(self, plan: Plan, variant: Variant) -> None:
        super().__init__(plan, variant.name)
        self.shapes = {}
        self.pattern_failures = []
        self._group_hosts: dict[int, str] = {}  # leader's site -> host address of its group's first byte
        self.variant = variant
        self.active = variant.active
        bits = (1 << variant.active) - 1
        self.mask = str(bits if bits < 1 << 31 else bits - (1 << 32))
        self.mask_vector = pattern_of_truth(variant.active)
        self.kinds = variant.kinds
        self.special_kind: Callable[[str], Kind] = plan.special_kinds(plan.warps_of(variant), variant.active)
        self.edges: list[Callable[[], None]] = []
        self.indices: dict[str, Value] = {}  # thread and block indices, read once at the start
        self.slots = {name: f"%r{index}" for index, name in enumerate(plan.saved)}

    def emit(self) -> str:
        plan, code = self.plan, self.code
        code.label("start")
        self.prologue()
        for name in plan.saved:
            kind = self._kind_text(name)
            for slot in self._slots_of(name):
                code.do(f"{slot} = alloca {kind}, align 64")
                code.do(f"store {kind} zeroinitializer, ptr {slot}, align 64")
        entries = ["i32 0, label %b0"]
        resumes = sorted(
            {
                target
                for block in plan.flow.blocks
                for target in block.targets
                if block.end == "wait" or target <= block.index
            }
        )
        for target in resumes:
            entries.append(f"i32 {2 * target + 1}, label %resume{target}")
        for target in sorted(plan.rejoins):
            entries.append(f"i32 {2 * target + 2}, label %rejoin{target}")
        self._hoist_specials()
        code.do(f"switch i32 %entry, label %nowhere [ {' '.join(entries)} ]")
        code.label("nowhere")
        code.do("unreachable")
        for target in resumes:
            self._resume(target)
        for target in sorted(plan.rejoins):
            self._rejoin(target)
        for block in plan.flow.blocks:
            self._block(block)
        while self.edges:
            self.edges.pop(0)()
        return self.text()

    # Registers

    def kind(self, name: str) -> Kind:
        return self.kinds.get(name, UNIFORM)

    def _kind_text(self, name: str) -> str:
        storage = self.plan.storage(name)
        return vector_type(storage) if self.kind(name).vector else storage

    def _slots_of(self, name: str) -> list[str]:
        """The stack variables of a register: its scalar or vector, and its stride if it has one."""
        slot = self.slots[name]
        return [slot, f"{slot}.stride"] if self.kind(name).scaled != ZERO else [slot]

    def load_register(self, name: str) -> Value:
        if name not in self.slots:
            raise Unsupported(f"the register {name} is read before it is written", name)
        return self._loaded(name, self._slots_of(name))

    def _loaded(self, name: str, places: list[str]) -> Value:
        kind, text = self.kind(name), self._kind_text(name)
        parts = [self.code.op(f"load {text}, ptr {place}, align 8") for place in places]
        return Value(
            parts[0], self.plan.storage(name), kind.lanes, kind.scaled, parts[1] if len(parts) > 1 else ""
        )

    def write(self, name: str, value: Value) -> None:
        super().write(name, value)
        value = self._registers[name]
        if self.kind(name).vector and value.lanes is not None:
            self._registers[name] = Value(self.code.vector(value), value.type, None)

    def store_register(self, name: str, value: Value) -> None:
        self._stored(name, value, self._slots_of(name))

    def _stored(self, name: str, value: Value, places: list[str]) -> None:
        for place, text in zip(places, (value.text, value.stride), strict=False):
            self.code.do(f"store {self._kind_text(name)} {text}, ptr {place}, align 8")

    def _frame(self, name: str) -> list[str]:
        """Where a register is kept while the warp pauses."""
        first = self.plan.layout.fast + self.plan.fast_offsets[self.variant.name][name]
        return [self.code.pointer("%warp", first + 8 * part) for part in range(len(self._slots_of(name)))]

    def _hoist_specials(self) -> None:
        """Thread and block indices, read once at the start: every block of code may use them."""
        for block in self.plan.flow.blocks:
            for instruction in block.instructions:
                for item in instruction.operands:
                    name = getattr(item, "name", "")
                    index = name.startswith(("%tid", "%ctaid", "%nctaid", "%warpid"))
                    if index and name not in self.indices:
                        self.indices[name] = self._hoisted(name)

    def _hoisted(self, name: str) -> Value:
        code = self.code
        base, _, axis_name = name.partition(".")
        axis = "xyz".find(axis_name)
        if base == "%tid":
            kind = self.special_kind(name)
            if kind.vector:
                return Value(code.load("<32 x i32>", "%warp", at(Warp, "threads") + 128 * axis), "i32", None)
            if kind.constant is not None:
                return Value(str(kind.constant), "i32", kind.lanes)
            return Value(
                code.load("i32", "%warp", at(Warp, "scalars") + 4 * axis, fixed=True), "i32", kind.lanes
            )
        if base == "%ctaid":
            return Value(code.load("i32", "%worker", at(Worker, "index") + 4 * axis, fixed=True), "i32")
        if base == "%nctaid":
            return Value(code.load("i32", "%launch", at(Launch, "grid") + 4 * axis, fixed=True), "i32")
        return Value(code.load("i32", "%warp", at(Warp, "index"), fixed=True), "i32")

    def special(self, name: str) -> Value:
        return self.indices.get(name) or special_value(self.plan, self.code, name)

    def result_kind(self, instruction: Instruction) -> Kind:
        return kinds_.result(instruction, self._source_kinds(instruction))

    def _source_kinds(self, instruction: Instruction) -> list[Kind]:
        return [
            kinds_.of(item, self.kinds, self.special_kind, self.plan.symbol_kind) or UNIFORM
            for item in instruction.operands[1:]
        ]

    # Blocks

    def _block(self, block: Block) -> None:
        self.start_block(f"b{block.index}")
        self.bump(self.variant.counters + block.index)
        for position in range(len(block.instructions)):
            if (block.index, position) in self.plan.guards:
                self._guard(block, position)
            group = self.variant.groups.get((block.index, position))
            if group is not None:
                self._check_group(block, position, group)
            self.instruction(block, position)
        self.check_end(block)
        self._end(block)

    def _guard(self, block: Block, position: int) -> None:
        """Leave the fast code if the index about to be widened wraps around between the lanes."""
        instruction = block.instructions[position]
        signed, unsigned = kinds_.needs_guard(instruction, self._source_kinds(instruction))
        if not (signed or unsigned):
            return
        code = self.code
        source = self.operand(instruction.operands[1], "i32")
        if source.type == "i64":  # a register may be wider than the type read from it (PTX ISA 9.4.1)
            source = code.resize(source, "i32")
        if BITS[source.type] != 32:
            raise Unsupported(
                f"{instruction.opcode} is not supported", instruction.opcode, instruction.location.line
            )
        low, high = self._ends(source, signed)
        least, most = (-(1 << 31), (1 << 31) - 1) if signed else (0, (1 << 32) - 1)
        bad = code.op(
            f"or i1 {code.op(f'icmp slt i64 {low}, {least}')}, {code.op(f'icmp sgt i64 {high}, {most}')}"
        )
        self._leave_if(bad, block, position)

    def _ends(self, source: Value, signed: bool) -> tuple[str, str]:
        """Bounds of a 32-bit pattern's lanes as 64-bit numbers."""
        code, verb = self.code, "sext" if signed else "zext"
        lanes, scaled = source.lanes[: self.active], source.scaled[: self.active]  # type: ignore[index]
        low = high = code.op(f"{verb} i32 {source.text} to i64")
        if any(scaled):
            stride = code.op(f"{verb} i32 {source.stride} to i64")
            ends = [code.op(f"mul i64 {stride}, {end}") for end in (min(scaled), max(scaled))]
            smaller, larger = (
                code.op(f"call i64 @llvm.{name}.i64(i64 {ends[0]}, i64 {ends[1]})")
                for name in ("smin", "smax")
            )
            low, high = code.op(f"add i64 {low}, {smaller}"), code.op(f"add i64 {high}, {larger}")
        return self.moved(low, min(lanes)), self.moved(high, max(lanes))

    def _check_group(self, block: Block, position: int, group: Group) -> None:
        """One check for all accesses of a group. If it fails, the general code finds out which access is at
        fault."""
        code = self.code
        base = self.operand(block.instructions[position].operands[group.operand].base, "i64")  # type: ignore[union-attr]
        lanes = base.lanes[: self.active]  # type: ignore[index]
        first = self.moved(base.text, min(lanes) + group.low)
        inside, delta = self.check(group.leader, first, max(lanes) - min(lanes) + group.high - group.low)
        self._leave_if(code.op(f"xor i1 {inside}, true"), block, position)
        self._group_hosts[group.leader.number] = code.op(f"add i64 {first}, {delta}")

    def host_of_group(self, site: Site) -> str | None:
        found = self.variant.group_of.get(site.number)
        if found is None:
            return None
        leader, distance = found
        return self.moved(self._group_hosts[leader], distance)

    def _leave_if(self, condition: str, block: Block, position: int) -> None:
        """Where the i1 holds, let the general code do the rest of the block, from this instruction on."""
        code = self.code
        away, stay = code.name("leave"), code.name("stay")
        code.branch(condition, away, stay, likely=False)
        code.label(away)
        self._save_masked(self.plan.live_at(block.index, position))
        code.store("i32", str(block.index << 16 | position), "%warp", at(Warp, "wrapped"))
        code.do(f"ret i32 {Status.WRAPPED}")
        code.label(stay)

    def leave_unless(self, condition: str) -> bool:
        if not (self.checker and self.checker.scheme.memory):
            return False
        block, position = self.block_now, self.position_now
        values = {name: self.read(name) for name in sorted(self.plan.live_at(block, position))}
        code = self.code
        away, stay = code.name("leave"), code.name("stay")
        code.branch(condition, stay, away, likely=True)
        code.label(away)
        self._save_values(values)
        code.store("i32", str(block << 16 | position), "%warp", at(Warp, "wrapped"))
        code.do(f"ret i32 {Status.WRAPPED}")
        code.label(stay)
        return True

    def _end(self, block: Block) -> None:
        code, flow = self.code, self.plan.flow
        live = set().union(*(flow.live_in[target] for target in block.targets))
        if block.end == "exit":
            code.do(f"ret i32 {Status.EXIT}")
        elif block.end == "trap":
            self.trap(block)
        elif block.end == "jump":
            self.flush(live)
            code.jump(self._edge(block.index, block.targets[0]))
        elif block.end == "switch":
            self._switch(block, live)
        elif block.end == "wait":
            self.announce_barrier(block)
            if self.checker:
                self.checker.arrives()
            self._pause(block.targets[0], Status.BARRIER)
        else:
            self._branch(block, live)

    def _branch(self, block: Block, live: set[str]) -> None:
        code = self.code
        taken, other = block.targets
        condition = self.operand(block.condition, "i1")  # type: ignore[arg-type]
        if condition.lanes is not None:
            self.flush(live)
            code.branch(condition.text, self._edge(block.index, taken), self._edge(block.index, other))
            return
        bits = code.mask_bits(condition.text)
        if self.active != LANES:
            bits = code.op(f"and i32 {bits}, {self.mask}")
        every = code.op(f"icmp eq i32 {bits}, {self.mask}")
        none = code.op(f"icmp eq i32 {bits}, 0")
        test, parted = code.name("test"), code.name("parted")
        values = {name: self.read(name) for name in sorted(live)}
        self.flush(live)
        code.branch(every, self._edge(block.index, taken), test)
        code.label(test)
        code.branch(none, self._edge(block.index, other), parted)
        code.label(parted)
        self.bump(self.plan.counters.divergent + block.index)
        self._save_values(values)
        rest = code.op(f"xor i32 {bits}, {self.mask}")
        self._leave({taken: bits, other: rest}, Status.DIVERGED)

    def _switch(self, block: Block, live: set[str]) -> None:
        """An indirect branch: on together if all lanes want the same, else the lanes part."""
        code = self.code
        index = self.operand(block.condition, "i32")  # type: ignore[arg-type]
        values = {name: self.read(name) for name in sorted(live)}
        self.flush(live)
        one = self.one(index)
        together, parted = code.name("together"), code.name("parted")
        if not index.uniform:
            lanes = code.vector(index)
            same = code.mask_bits(code.op(f"icmp eq <32 x i32> {lanes}, {code.splat(one, 'i32')}"))
            same = code.op(f"and i32 {same}, {self.mask}")
            code.branch(code.op(f"icmp eq i32 {same}, {self.mask}"), together, parted)
            code.label(parted)
            self.bump(self.plan.counters.divergent + block.index)
            self._save_values(values)
            waits: dict[int, str] = {}
            for number, target in enumerate(block.targets):
                bits = code.mask_bits(code.op(f"icmp eq <32 x i32> {lanes}, splat (i32 {number})"))
                bits = code.op(f"and i32 {bits}, {self.mask}")
                waits[target] = code.op(f"or i32 {waits[target]}, {bits}") if target in waits else bits
            self._leave(waits, Status.DIVERGED)
            code.label(together)
        cases = " ".join(
            f"i32 {number}, label %{self._edge(block.index, target)}"
            for number, target in enumerate(block.targets)
        )
        nowhere = code.name("no_target")
        code.do(f"switch i32 {one}, label %{nowhere} [ {cases} ]")
        code.label(nowhere)
        self.trap(block)

    def _edge(self, source: int, target: int) -> str:
        """Label to jump to. Going back passes a check that lets other warps run and ends what never would."""
        if target > source:
            return f"b{target}"
        name = f"back{source}_{target}"
        self.edges.append(lambda: self._back(name, target))
        return name

    def _back(self, name: str, target: int) -> None:
        code = self.code
        if f"{name}:" in code.lines:
            return
        self.start_block(name)
        left = code.load("i64", "%worker", at(Worker, "rounds"))
        less = code.op(f"sub i64 {left}, 1")
        code.store("i64", less, "%worker", at(Worker, "rounds"))
        out = code.op(f"icmp sle i64 {less}, 0")
        leave = code.name("slice")
        code.branch(out, leave, f"b{target}", likely=False)
        code.label(leave)
        self._pause(target, Status.YIELD)

    def _pause(self, target: int, status: int) -> None:
        """Return to the scheduler, to go on as fast code at block `target` (see `_resume`)."""
        code = self.code
        for name in sorted(self.plan.flow.live_in[target]):
            self._stored(name, self.read(name), self._frame(name))
        code.store("i32", str(2 * target + 1), "%warp", at(Warp, "entry"))
        code.do(f"ret i32 {status}")

    # Leaving for the masked code and coming back

    def _save_masked(self, live: Iterable[str]) -> None:
        self._save_values({name: self.read(name) for name in sorted(live)})

    def _save_values(self, values: dict[str, Value]) -> None:
        for name, value in values.items():
            save_masked(self.plan, self.code, name, value)

    def _leave(self, waits: dict[int, str], status: int) -> None:
        code, layout = self.code, self.plan.layout
        words: dict[int, str] = {}
        for target, bits in waits.items():
            code.store("i32", bits, "%warp", layout.waiting + 4 * target)
            some = code.op(f"icmp ne i32 {bits}, 0")
            bit = code.op(f"select i1 {some}, i64 {constant(1 << target % 64, 'i64').text}, i64 0")
            word = target // 64
            words[word] = code.op(f"or i64 {words[word]}, {bit}") if word in words else bit
        summary = "0"
        for word, bits in words.items():
            code.store("i64", bits, "%warp", layout.ready + 8 * word)
            some = code.op(f"icmp ne i64 {bits}, 0")
            bit = code.op(f"select i1 {some}, i64 {constant(1 << word, 'i64').text}, i64 0")
            summary = code.op(f"or i64 {summary}, {bit}")
        code.store("i64", summary, "%warp", at(Warp, "summary"))
        code.do(f"ret i32 {status}")

    def _resume(self, target: int) -> None:
        """After a barrier or a pause: registers come back as the fast code left them."""
        self.start_block(f"resume{target}")
        for name in sorted(self.plan.flow.live_in[target]):
            self.store_register(name, self._loaded(name, self._frame(name)))
        self.code.jump(f"b{target}")

    def _rejoin(self, target: int) -> None:
        """From the masked code: what is kept once must be the same in every lane."""
        code = self.code
        self.start_block(f"rejoin{target}")
        alike = None
        for name in sorted(self.plan.flow.live_in[target]):
            value = load_masked(self.plan, code, name)
            kind = self.kind(name)
            if not kind.vector:
                one = self._pattern_of(value, kind)
                same = self._same(one, value)
                alike = same if alike is None else code.op(f"and i1 {alike}, {same}")
                value = one
            self.store_register(name, value)
        if alike is None:
            code.jump(f"b{target}")
            return
        apart = code.name("apart")
        code.branch(alike, f"b{target}", apart, likely=True)
        code.label(apart)
        code.store("i32", str(target + 1), "%warp", at(Warp, "stay"))
        self._leave({target: self.mask}, Status.NOT_ALIKE)

    def _pattern_of(self, value: Value, kind: Kind) -> Value:
        """Scalar and stride that would give a vector its pattern, taken from as many lanes as that needs."""
        code, element = self.code, value.type

        def lane(number: int, less: int) -> str:
            text = code.op(f"extractelement {vector_type(element)} {value.text}, i64 {number}")
            return code.op(f"sub {element} {text}, {constant(less, element).text}") if less else text

        lanes, scaled = kind.lanes, kind.scaled
        assert lanes is not None
        first = lane(0, lanes[0])
        if scaled == ZERO:
            return Value(first, element, lanes)
        # scaled[0] is 0 (thread indices count from lane 0), and some lane is one step on.
        other = next((number for number in range(self.active) if abs(scaled[number]) == 1), None)
        if scaled[0] or other is None:
            return Value(first, element, lanes, scaled, "0")
        stride = code.op(f"sub {element} {lane(other, lanes[other])}, {first}")
        if scaled[other] < 0:
            stride = code.op(f"sub {element} 0, {stride}")
        return Value(first, element, lanes, scaled, stride)

    def _same(self, one: Value, every: Value) -> str:
        code = self.code
        expected, found = code.vector(one), every.text
        if one.type in ("float", "double", "half"):
            whole = f"i{BITS[one.type]}"
            expected = code.op(f"bitcast {vector_type(one.type)} {expected} to {vector_type(whole)}")
            found = code.op(f"bitcast {vector_type(one.type)} {found} to {vector_type(whole)}")
        else:
            whole = one.type
        bits = code.mask_bits(code.op(f"icmp eq {vector_type(whole)} {expected}, {found}"))
        if self.active != LANES:
            bits = code.op(f"and i32 {bits}, {self.mask}")
        return code.op(f"icmp eq i32 {bits}, {self.mask}")


def pattern_of_truth(active: int) -> str:
    return "<" + ", ".join(f"i1 {'true' if lane < active else 'false'}" for lane in range(LANES)) + ">"


def save_masked(plan: Plan, code: Code, name: str, value: Value) -> None:
    """Put a register where the masked code keeps it: 32 lanes, truth values as 32 bits."""
    place = code.pointer("%warp", plan.layout.masked + plan.masked_offsets[name])
    vector = code.vector(value)
    if value.type == "i1":
        code.do(f"store i32 {code.mask_bits(vector)}, ptr {place}, align 64")
    else:
        code.do(f"store {vector_type(value.type)} {vector}, ptr {place}, align 64")


def load_masked(plan: Plan, code: Code, name: str) -> Value:
    storage = plan.storage(name)
    place = code.pointer("%warp", plan.layout.masked + plan.masked_offsets[name])
    if storage == "i1":
        return Value(code.mask_vector(code.op(f"load i32, ptr {place}, align 64")), "i1", None)
    return Value(code.op(f"load {vector_type(storage)}, ptr {place}, align 64"), storage, None)


def special_value(plan: Plan, code: Code, name: str) -> Value:
    """Special registers that are the same in fast and masked code (PTX ISA 10)."""
    base, _, axis_name = name.partition(".")
    axis = "xyz".find(axis_name)
    lanes = tuple(range(LANES))
    if base == "%ntid":
        return constant(plan.block_shape[axis], "i32")
    if base == "%laneid":
        return Value("0", "i32", lanes)
    if base == "%nwarpid":
        return constant(plan.warps, "i32")
    masks: dict[str, Callable[[int], int]] = {
        "%lanemask_eq": lambda lane: 1 << lane,
        "%lanemask_lt": lambda lane: (1 << lane) - 1,
        "%lanemask_le": lambda lane: (2 << lane) - 1,
        "%lanemask_gt": lambda lane: ~((2 << lane) - 1),
        "%lanemask_ge": lambda lane: ~((1 << lane) - 1),
    }
    if base in masks:
        return Value(pattern(tuple(masks[base](lane) for lane in lanes), "i32"), "i32", None)
    if base in ("%clock", "%clock64", "%globaltimer", "%globaltimer_lo", "%clock_hi", "%globaltimer_hi"):
        ticks = Value(code.op("call i64 @llvm.readcyclecounter()"), "i64")
        if base.endswith("_hi"):
            ticks = Value(code.op(f"lshr i64 {ticks.text}, 32"), "i64")
        return ticks if base in ("%clock64", "%globaltimer") else code.resize(ticks, "i32")
    if base in ("%envreg1", "%envreg2"):  # the halves of a pointer that cooperative groups read
        workspace = code.load("i64", "%launch", at(Launch, "workspace"))
        half = code.op(f"lshr i64 {workspace}, 32") if base == "%envreg1" else workspace
        return code.resize(Value(half, "i64"), "i32")
    if base == "%dynamic_smem_size":
        total = code.op(f"sub i64 %shared_bytes, {plan.addresses.shared_bytes}")
        return code.resize(Value(total, "i64"), "i32")
    if base == "%total_smem_size":
        return code.resize(Value("%shared_bytes", "i64"), "i32")
    if base.startswith("%reserved_smem_offset"):
        return constant(0xFFFFF000, "i32")  # beyond shared memory: nothing is reserved
    if base in ("%smid", "%gridid"):
        return constant(0, "i32")
    if base == "%nsmid":
        return constant(1, "i32")
    raise Unsupported(f"the special register {name} is not supported", name)


__all__ = ["VECTOR", "FastEmitter"]
