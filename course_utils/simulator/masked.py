"""The general code: lanes that have parted.

Lanes wait at blocks of code; the lowest block with waiting lanes runs next, with just those lanes. As a loop
stands before what follows it, lanes that leave it early wait behind it until the others come: they meet again
where the hardware's reconvergence barrier would have them meet.
"""

from __future__ import annotations

from . import members
from .access import Site
from .codegen import Emitter
from .controlflow import Block
from .fast import load_masked, save_masked, special_value
from .ir import Value, constant, vector_type
from .kinds import VECTOR, Kind
from .layout import Launch, Status, Warp, Worker, at
from .plan import Plan
from .ptx import Address, Instruction


class GeneralEmitter(Emitter):
    """Registers in memory, every result a vector, effects under the mask of the running lanes."""

    active = None

    def __init__(self, plan: Plan, name: str) -> None:
        super().__init__(plan, name)
        self.mask = "%mask"
        self.mask_vector = "%lanes"

    def load_register(self, name: str) -> Value:
        if name not in self.plan.masked_offsets:
            return Value(
                "zeroinitializer", self.plan.storage(name), None
            )  # read before written: anything will do
        return load_masked(self.plan, self.code, name)

    def store_register(self, name: str, value: Value) -> None:
        """Only the running lanes change; the others keep what they had."""
        kind = vector_type(value.type)
        old = load_masked(self.plan, self.code, name)
        new = self.code.op(
            f"select <32 x i1> {self.mask_vector}, {kind} {self.code.vector(value)}, {kind} {old.text}"
        )
        save_masked(self.plan, self.code, name, Value(new, value.type, None))

    def write(self, name: str, value: Value) -> None:
        super().write(name, value)
        value = self._registers[name]
        if value.lanes is not None:
            self._registers[name] = Value(self.code.vector(value), value.type, None)

    def special(self, name: str) -> Value:
        code = self.code
        base, _, axis_name = name.partition(".")
        axis = "xyz".find(axis_name)
        if base == "%tid":
            return Value(code.load("<32 x i32>", "%warp", at(Warp, "threads") + 128 * axis), "i32", None)
        if base == "%ctaid":
            return Value(code.load("i32", "%worker", at(Worker, "index") + 4 * axis), "i32")
        if base == "%nctaid":
            return Value(code.load("i32", "%launch", at(Launch, "grid") + 4 * axis), "i32")
        if base == "%warpid":
            return Value(code.load("i32", "%warp", at(Warp, "index")), "i32")
        return special_value(self.plan, code, name)

    def result_kind(self, instruction: Instruction) -> Kind:
        return VECTOR

    # Scheduling

    def ready(self, target: int, bits: str) -> None:
        """Lanes `bits` (i32) go on at block `target`. Does nothing when there are none."""
        code, layout = self.code, self.plan.layout
        place = code.pointer("%warp", layout.waiting + 4 * target)
        before = code.op(f"load i32, ptr {place}, align 4")
        code.do(f"store i32 {code.op(f'or i32 {before}, {bits}')}, ptr {place}, align 4")
        some = code.op(f"icmp ne i32 {bits}, 0")
        for offset, bit in (
            (layout.ready + 8 * (target // 64), target % 64),
            (at(Warp, "summary"), target // 64),
        ):
            word_at = code.pointer("%warp", offset)
            word = code.op(f"load i64, ptr {word_at}, align 8")
            one = code.op(f"select i1 {some}, i64 {constant(1 << bit, 'i64').text}, i64 0")
            code.do(f"store i64 {code.op(f'or i64 {word}, {one}')}, ptr {word_at}, align 8")

    def run(self, block: Block, first: int, onward: str) -> None:
        """The instructions of a block from `first` on, then its end, then jump to `onward`."""
        live = set().union(*(self.plan.flow.live_in[target] for target in block.targets))
        for position in range(first, len(block.instructions)):
            self.instruction(block, position)
        self.check_end(block)
        code = self.code
        if block.end == "trap":
            self.trap(block)
            return
        condition = self.operand(block.condition, "i32") if block.condition else None
        self.flush(live)
        if block.end == "jump":
            self.ready(block.targets[0], self.mask)
        elif block.end == "branch":
            assert condition is not None
            bits = code.op(f"and i32 {code.mask_bits(code.vector(condition))}, {self.mask}")
            rest = code.op(f"xor i32 {bits}, {self.mask}")
            both = code.op(f"and i1 {code.op(f'icmp ne i32 {bits}, 0')}, {code.op(f'icmp ne i32 {rest}, 0')}")
            self.bump(self.plan.counters.divergent + block.index, code.op(f"zext i1 {both} to i64"))
            self.ready(block.targets[0], bits)
            self.ready(block.targets[1], rest)
        elif block.end == "switch":
            assert condition is not None
            wanted: dict[int, str] = {}
            for number, target in enumerate(block.targets):
                equal = code.op(f"icmp eq <32 x i32> {code.vector(condition)}, splat (i32 {number})")
                bits = code.op(f"and i32 {code.mask_bits(equal)}, {self.mask}")
                wanted[target] = code.op(f"or i32 {wanted[target]}, {bits}") if target in wanted else bits
            for target, bits in wanted.items():
                self.ready(target, bits)
        elif block.end == "wait":
            self.announce_barrier(block)
            layout = self.plan.layout
            for offset in (layout.parked + 4 * block.targets[0], layout.parked_any):
                place = code.pointer("%warp", offset)
                before = code.op(f"load i32, ptr {place}, align 4")
                parked = code.op(f"or i32 {before}, {self.mask}")
                code.do(f"store i32 {parked}, ptr {place}, align 4")
            if self.checker:
                self.checker.arrives()
        code.jump(onward)


class MaskedEmitter(GeneralEmitter):
    """The function `masked`: runs until the warp is done, waits, or may go back to the fast code."""

    def __init__(self, plan: Plan, *, traced: bool = False) -> None:
        super().__init__(plan, "traced" if traced else "masked")
        self.traced = traced

    def emit(self) -> str:
        code = self.code
        code.label("start")
        self.prologue()
        self._begin()
        self._dispatch()
        for block in self.plan.flow.blocks:
            self._block(block)
        return self.text()

    def _begin(self) -> None:
        """A new warp starts at block 0; after a barrier, those who waited go on."""
        code, layout = self.code, self.plan.layout
        stay_at = code.pointer("%warp", at(Warp, "stay"))
        stay = code.op(f"load i32, ptr {stay_at}, align 4")
        code.branch(code.op(f"icmp eq i32 {stay}, -1"), "fresh", "not_fresh")
        code.label("fresh")
        code.do(f"store i32 0, ptr {stay_at}, align 4")
        self.ready(0, code.load("i32", "%warp", at(Warp, "lanes")))
        code.jump("not_fresh")
        code.label("not_fresh")
        barrier_at = code.pointer("%warp", at(Warp, "barrier"))
        released = code.op(f"load i32, ptr {barrier_at}, align 4")
        code.branch(code.op(f"icmp ne i32 {released}, 0"), "released", "dispatch")
        code.label("released")
        code.do(f"store i32 0, ptr {barrier_at}, align 4")
        code.store("i32", "0", "%warp", layout.parked_any)
        for target in sorted({block.targets[0] for block in self.plan.flow.blocks if block.end == "wait"}):
            place = code.pointer("%warp", layout.parked + 4 * target)
            self.ready(target, code.op(f"load i32, ptr {place}, align 4"))
            code.do(f"store i32 0, ptr {place}, align 4")
        code.jump("dispatch")

    def _dispatch(self) -> None:
        code, layout = self.code, self.plan.layout
        code.label("dispatch")
        summary_at = code.pointer("%warp", at(Warp, "summary"))
        summary = code.op(f"load i64, ptr {summary_at}, align 8")
        code.branch(code.op(f"icmp eq i64 {summary}, 0"), "nobody", "somebody")
        code.label("nobody")
        parked = code.load("i32", "%warp", layout.parked_any)
        waits = code.op(f"icmp ne i32 {parked}, 0")
        code.do(f"ret i32 {code.op(f'select i1 {waits}, i32 {Status.BARRIER}, i32 {Status.EXIT}')}")
        code.label("somebody")
        rounds = code.load("i64", "%worker", at(Worker, "rounds"))
        less = code.op(f"sub i64 {rounds}, 1")
        code.store("i64", less, "%worker", at(Worker, "rounds"))
        code.branch(code.op(f"icmp slt i64 {less}, 0"), "out_of_slice", "choose", likely=False)
        code.label("out_of_slice")
        code.do(f"ret i32 {Status.YIELD}")
        code.label("choose")
        # The lowest block, or the highest when lanes ahead are to have a turn.
        order = code.load("i32", "%warp", at(Warp, "order"))
        code.branch(code.op(f"icmp eq i32 {order}, 0"), "lowest", "highest", likely=True)
        code.label("highest")
        words = code.pointer("%warp", layout.ready)
        count, shut = (len(self.plan.flow.blocks) + 63) // 64, self.table(self._shut_ahead())
        high = code.op(f"call i64 @simulator_highest(ptr {words}, ptr {shut}, i64 {count})")
        code.branch(code.op(f"icmp slt i64 {high}, 0"), "lowest", "chosen")
        code.label("lowest")
        words = code.pointer("%warp", layout.ready)
        first = code.op(f"call i64 @llvm.cttz.i64(i64 {summary}, i1 true)")
        word = code.op(f"load i64, ptr {code.op(f'getelementptr i64, ptr {words}, i64 {first}')}, align 8")
        low = code.op(f"call i64 @llvm.cttz.i64(i64 {word}, i1 true)")
        low = code.op(f"or i64 {code.op(f'shl i64 {first}, 6')}, {low}")
        code.jump("chosen")
        code.label("chosen")
        block = code.op(f"phi i64 [ {high}, %highest ], [ {low}, %lowest ]")
        word_index, bit = code.op(f"lshr i64 {block}, 6"), code.op(f"and i64 {block}, 63")
        words = code.pointer("%warp", layout.ready)
        word_at = code.op(f"getelementptr i64, ptr {words}, i64 {word_index}")
        word = code.op(f"load i64, ptr {word_at}, align 8")
        fewer = code.op(f"xor i64 {word}, {code.op(f'shl i64 1, {bit}')}")
        code.do(f"store i64 {fewer}, ptr {word_at}, align 8")
        emptied = code.op(f"icmp eq i64 {fewer}, 0")
        others = code.op(f"xor i64 {summary}, {code.op(f'shl i64 1, {word_index}')}")
        code.do(
            f"store i64 {code.op(f'select i1 {emptied}, i64 {others}, i64 {summary}')}, "
            f"ptr {summary_at}, align 8"
        )
        waiting = code.pointer("%warp", layout.waiting)
        mask_at = code.op(f"getelementptr i32, ptr {waiting}, i64 {block}")
        code.do(f"%mask = load i32, ptr {mask_at}, align 4")
        code.do(f"store i32 0, ptr {mask_at}, align 4")
        code.do("%lanes = bitcast i32 %mask to <32 x i1>")
        cases = " ".join(f"i64 {b.index}, label %b{b.index}" for b in self.plan.flow.blocks)
        code.do(f"switch i64 {block}, label %nowhere [ {cases} ]")
        code.label("nowhere")
        code.do("unreachable")

    def _shut_ahead(self) -> tuple[int, ...]:
        """Bytes of a bit set of blocks: lanes that are ahead of others do not begin these, as they hold an
        instruction for which the hardware would wait until the whole warp is there."""
        blocks = self.plan.flow.blocks
        bits = sum(1 << block.index for block in blocks if members.needs_all(self.plan, block))
        return tuple(bits.to_bytes((len(blocks) + 63) // 64 * 8, "little"))

    def _block(self, block: Block) -> None:
        code, plan = self.code, self.plan
        self.start_block(f"b{block.index}")
        if not self.traced and block.index in plan.rejoins:
            lanes = code.load("i32", "%warp", at(Warp, "lanes"))
            together = code.op(f"icmp eq i32 %mask, {lanes}")
            code.branch(together, f"together{block.index}", f"run{block.index}")
            code.label(f"together{block.index}")
            stay_at = code.pointer("%warp", at(Warp, "stay"))
            stay = code.op(f"load i32, ptr {stay_at}, align 4")
            code.do(f"store i32 0, ptr {stay_at}, align 4")
            told = code.op(f"icmp eq i32 {stay}, {block.index + 1}")
            code.branch(told, f"run{block.index}", f"hand_back{block.index}")
            code.label(f"hand_back{block.index}")
            code.store("i32", str(2 * block.index + 2), "%warp", at(Warp, "entry"))
            code.do(f"ret i32 {Status.REJOINED}")
            code.label(f"run{block.index}")
        if self.traced:
            warp = code.load("i32", "%warp", at(Warp, "index"))
            code.do(
                f"call void @simulator_trace_block(ptr %worker, i32 {block.index}, i32 %mask, i32 {warp})"
            )
        self.bump(plan.counters.masked + block.index)
        lanes = code.op("call i32 @llvm.ctpop.i32(i32 %mask)")
        self.bump(plan.counters.lanes + block.index, code.op(f"zext i32 {lanes} to i64"))
        self.run(block, 0, "dispatch")

    def trace_access(self, site: Site, instruction: Instruction) -> None:
        if self.traced:
            item = next(each for each in instruction.operands if isinstance(each, Address))
            lanes = self.code.vector(self.address(item))
            self.code.do(
                f"call void @simulator_trace_site(ptr %worker, i32 {site.number}, <32 x i64> {lanes})"
            )


class RestEmitter(GeneralEmitter):
    """The function `rest`: the ends of blocks, from the instructions whose index wrapped around."""

    def __init__(self, plan: Plan, places: list[tuple[int, int]]) -> None:
        super().__init__(plan, "rest")
        self.places = places

    def emit(self) -> str:
        code = self.code
        code.label("start")
        self.prologue()
        code.do(f"%mask.at = getelementptr i8, ptr %warp, i64 {at(Warp, 'lanes')}")
        code.do("%mask = load i32, ptr %mask.at, align 4")
        code.do("%lanes = bitcast i32 %mask to <32 x i1>")
        code.store("i64", "0", "%warp", at(Warp, "summary"))
        wrapped = code.load("i32", "%warp", at(Warp, "wrapped"))
        cases = " ".join(f"i32 {b << 16 | p}, label %rest{b}_{p}" for b, p in self.places)
        code.do(f"switch i32 {wrapped}, label %missing [ {cases} ]")
        code.label("missing")
        code.do(f"ret i32 {Status.NEEDS_REST}")
        for block, position in self.places:
            self.start_block(f"rest{block}_{position}")
            self.run(self.plan.flow.blocks[block], position, "over")
        code.label("over")
        code.do(f"ret i32 {Status.DIVERGED}")
        return self.text()
