"""The fast code: a warp whose lanes walk together, registers alike in all lanes kept once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from . import kinds as kinds_
from .codegen import Emitter
from .controlflow import Block
from .errors import Unsupported
from .ir import BITS, Value, constant, pattern, vector_type
from .kinds import LANES, UNIFORM, VECTOR, ZERO, Kind
from .layout import Launch, Status, Warp, Worker, at
from .plan import Plan, Variant
from .ptx import Instruction


class FastEmitter(Emitter):
    def __init__(self, plan: Plan, variant: Variant) -> None:
        super().__init__(plan, variant.name)
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
            code.do(f"{self.slots[name]} = alloca {kind}, align 64")
            code.do(f"store {kind} zeroinitializer, ptr {self.slots[name]}, align 64")
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
        if self.allocas:
            position = code.lines.index("start:") + 1
            code.lines[position:position] = self.allocas
        return self.text()

    # Registers

    def kind(self, name: str) -> Kind:
        return self.kinds.get(name, UNIFORM)

    def _kind_text(self, name: str) -> str:
        storage = self.plan.storage(name)
        return vector_type(storage) if self.kind(name).vector else storage

    def load_register(self, name: str) -> Value:
        if name not in self.slots:
            raise Unsupported(f"the register {name} is read before it is written", name)
        text = self.code.op(f"load {self._kind_text(name)}, ptr {self.slots[name]}, align 64")
        return Value(text, self.plan.storage(name), self.kind(name).lanes)

    def write(self, name: str, value: Value) -> None:
        super().write(name, value)
        value = self._registers[name]
        if self.kind(name).vector and value.lanes is not None:
            self._registers[name] = Value(self.code.vector(value), value.type, None)

    def store_register(self, name: str, value: Value) -> None:
        self.code.do(f"store {self._kind_text(name)} {value.text}, ptr {self.slots[name]}, align 64")

    def _hoist_specials(self) -> None:
        """Thread and block indices, read once at the start: every block of code may use them."""
        for block in self.plan.flow.blocks:
            for instruction in block.instructions:
                for item in instruction.operands:
                    name = getattr(item, "name", "")
                    if name.startswith(("%tid", "%ctaid", "%nctaid", "%warpid")):
                        if name not in self.indices:
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

    def width_of_result(
        self, instruction: Instruction, sources: list[Value]
    ) -> tuple[int, tuple[int, ...] | None]:
        kind = kinds_.result(instruction, self._source_kinds(instruction))
        if kind.vector:
            return LANES, None
        return 1, kind.lanes

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
            self.instruction(block, position)
        self._end(block)

    def _guard(self, block: Block, position: int) -> None:
        """Leave the fast code if the index about to be widened wraps around between the lanes."""
        instruction = block.instructions[position]
        signed, unsigned = kinds_.needs_guard(instruction, self._source_kinds(instruction))
        if not (signed or unsigned):
            return
        code = self.code
        source = self.operand(instruction.operands[1], "i32")
        lanes = source.lanes[: self.active]  # type: ignore[index]
        ends = {min(lanes), max(lanes)} - {0}
        bad = None
        for end in sorted(ends):
            verb = "sadd" if signed else "usub" if end < 0 else "uadd"
            pair = code.op(
                f"call {{ {source.type}, i1 }} @llvm.{verb}.with.overflow.{source.type}({source.type} {source.text}, "
                f"{source.type} {end if signed else abs(end)})"
            )
            over = code.op(f"extractvalue {{ {source.type}, i1 }} {pair}, 1")
            bad = over if bad is None else code.op(f"or i1 {bad}, {over}")
        if bad is None:
            return
        live = self.plan.live_at(block.index, position)
        away, stay = code.name("wraps"), code.name("fits")
        code.branch(bad, away, stay, likely=False)
        code.label(away)
        self._save_masked(live)
        code.store("i32", str(block.index << 16 | position), "%warp", at(Warp, "wrapped"))
        code.do(f"ret i32 {Status.WRAPPED}")
        code.label(stay)

    def _end(self, block: Block) -> None:
        code, flow = self.code, self.plan.flow
        live = set().union(*(flow.live_in[target] for target in block.targets))
        if block.end == "exit":
            code.do(f"ret i32 {Status.EXIT}")
        elif block.end == "trap":
            code.do(f"ret i32 {Status.TRAP}")
        elif block.end == "jump":
            self.flush(live)
            code.jump(self._edge(block.index, block.targets[0]))
        elif block.end == "wait":
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
        code, offsets = self.code, self.plan.fast_offsets[self.variant.name]
        for name in sorted(self.plan.flow.live_in[target]):
            value = self.read(name)
            place = code.pointer("%warp", self.plan.layout.fast + offsets[name])
            code.do(f"store {self._kind_text(name)} {value.text}, ptr {place}, align 8")
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
        words: dict[int, int] = {}
        for target, bits in waits.items():
            code.store("i32", bits, "%warp", layout.waiting + 4 * target)
            words[target // 64] = words.get(target // 64, 0) | 1 << target % 64
        summary = 0
        for word, bits in words.items():
            code.store("i64", constant(bits, "i64").text, "%warp", layout.ready + 8 * word)
            summary |= 1 << word
        code.store("i64", constant(summary, "i64").text, "%warp", at(Warp, "summary"))
        code.do(f"ret i32 {status}")

    def _resume(self, target: int) -> None:
        """After a barrier or a pause: registers come back as the fast code left them."""
        self.start_block(f"resume{target}")
        offsets = self.plan.fast_offsets[self.variant.name]
        for name in sorted(self.plan.flow.live_in[target]):
            kind = self._kind_text(name)
            place = self.code.pointer("%warp", self.plan.layout.fast + offsets[name])
            text = self.code.op(f"load {kind}, ptr {place}, align 8")
            self.store_register(name, Value(text, self.plan.storage(name), None))
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
                scalar = code.op(f"extractelement {vector_type(value.type)} {value.text}, i64 0")
                one = Value(scalar, value.type, kind.lanes)
                if kind.lanes != ZERO and kind.lanes[0]:  # type: ignore[index]
                    one = Value(
                        code.op(f"sub {value.type} {scalar}, {kind.lanes[0]}"), value.type, kind.lanes
                    )  # type: ignore[index]
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


def save_masked(plan: Plan, code, name: str, value: Value) -> None:
    """Put a register where the masked code keeps it: 32 lanes, truth values as 32 bits."""
    place = code.pointer("%warp", plan.layout.masked + plan.masked_offsets[name])
    vector = code.vector(value)
    if value.type == "i1":
        code.do(f"store i32 {code.mask_bits(vector)}, ptr {place}, align 64")
    else:
        code.do(f"store {vector_type(value.type)} {vector}, ptr {place}, align 64")


def load_masked(plan: Plan, code, name: str) -> Value:
    storage = plan.storage(name)
    place = code.pointer("%warp", plan.layout.masked + plan.masked_offsets[name])
    if storage == "i1":
        return Value(code.mask_vector(code.op(f"load i32, ptr {place}, align 64")), "i1", None)
    return Value(code.op(f"load {vector_type(storage)}, ptr {place}, align 64"), storage, None)


def special_value(plan: Plan, code, name: str) -> Value:
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
    if base == "%dynamic_smem_size":
        total = code.op(f"sub i64 %shared_bytes, {plan.addresses.shared_bytes}")
        return code.resize(Value(total, "i64"), "i32")
    if base == "%total_smem_size":
        return code.resize(Value("%shared_bytes", "i64"), "i32")
    if base in ("%smid", "%gridid"):
        return constant(0, "i32")
    if base == "%nsmid":
        return constant(1, "i32")
    raise Unsupported(f"the special register {name} is not supported", name)


__all__ = ["VECTOR", "FastEmitter"]
