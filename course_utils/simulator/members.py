"""Do the lanes that run a .sync instruction agree with the mask that it names (PTX ISA 9.7.9.6, 9.7.13)?

What an instruction such as shfl.sync gives is undefined where a lane runs it without being in its own mask,
and where lanes that the mask names are still running, but elsewhere. Hardware says nothing; here the kernel
is stopped with a sentence. Lanes that have left the kernel, or never were, may be named, and so may lanes on
their way out of it, which have no instruction of the warp or barrier before them: hardware waits until they
have left. (Compilers join the last stores of those who leave early and those who do not, so that a lane that
reads from one that skipped the instruction at the very end of a kernel goes unnoticed.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import tensor
from .controlflow import Block
from .ir import Value, pattern
from .kinds import LANES
from .layout import Status, Warp, Worker, at
from .ptx import Immediate, Instruction, Register

if TYPE_CHECKING:
    from .codegen import Emitter
    from .plan import Plan


def needs_all(plan: Plan, block: Block) -> bool:
    """Has a block an instruction that all lanes of the warp, as far as they still run, must run together?"""
    return any(
        instruction.name in tensor.NAMES or ("sync" in instruction.parts and _names_all(plan, instruction))
        for instruction in block.instructions
    )


def _names_all(plan: Plan, instruction: Instruction) -> bool:
    mask = instruction.operands[-1]
    if isinstance(mask, Immediate):
        known: int | None = mask.value
    else:
        kinds = plan.variants[0].kinds
        known = kinds[mask.name].constant if isinstance(mask, Register) and mask.name in kinds else None
    return known is not None and known & 0xFFFFFFFF == 0xFFFFFFFF


def require(emitter: Emitter, instruction: Instruction, members: Value) -> None:
    """Stop the kernel unless the running lanes are members and the other members are gone."""
    if not _names_all(emitter.plan, instruction):
        _stop_if(emitter, Status.OUTSIDE, _outside(emitter, members), members)
    if emitter.active is None and emitter.checker and emitter.checker.scheme.barriers:
        _stop_if(emitter, Status.APART, _missing(emitter, members), members)
        return
    if emitter.active is None:  # in the fast code all lanes run together
        _stop_if(emitter, Status.APART, _apart(emitter, members), members)


def _outside(emitter: Emitter, members: Value) -> str:
    """The running lanes that are not in their mask (i32)."""
    code = emitter.code
    if members.uniform:
        inside = members.text
    else:
        own = pattern(tuple(1 << lane for lane in range(LANES)), "i32")
        named = code.op(f"and <32 x i32> {code.vector(members)}, {own}")
        inside = code.mask_bits(code.op(f"icmp ne <32 x i32> {named}, zeroinitializer"))
    return code.op(f"and i32 {code.op(f'xor i32 {inside}, -1')}, {emitter.mask}")


def _missing(emitter: Emitter, members: Value) -> str:
    """The lanes of the warp that a mask names and that are not here (i32)."""
    code = emitter.code
    named = _named(emitter, members)
    missing = code.op(f"and i32 {named}, {code.op(f'xor i32 {emitter.mask}, -1')}")
    return code.op(f"and i32 {missing}, {code.load('i32', '%warp', at(Warp, 'lanes'))}")


def _apart(emitter: Emitter, members: Value) -> str:
    """The lanes that a mask names and that run, but not here (i32)."""
    code, layout = emitter.code, emitter.plan.layout
    missing = _missing(emitter, members)
    look, seen, start = code.name("look"), code.name("seen"), code.name("start")
    code.jump(start)
    code.label(start)
    code.branch(code.op(f"icmp eq i32 {missing}, 0"), seen, look, likely=True)
    code.label(look)
    staying = code.load("i32", "%warp", layout.parked_any)
    for first, count in _staying(emitter.plan.flow.blocks, emitter.block_now):
        waiting = code.pointer("%warp", layout.waiting + 4 * first)
        some = code.op(f"call i32 @simulator_any_of(ptr {waiting}, i64 {count})")
        staying = code.op(f"or i32 {staying}, {some}")
    apart = code.op(f"and i32 {missing}, {staying}")
    code.jump(seen)
    code.label(seen)
    return code.op(f"phi i32 [ 0, %{start} ], [ {apart}, %{look} ]")


def _staying(blocks: list[Block], here: int) -> list[tuple[int, int]]:
    """Where lanes can wait that will yet meet those of block `here` at an instruction of the warp or a
    barrier: (first block, number of blocks) of each run of neighbours."""
    onward = [block.targets for block in blocks]
    back: list[list[int]] = [[] for _ in blocks]
    for block in blocks:
        for target in block.targets:
            back[target].append(block.index)
    ahead = {index for index in _reached(onward, {here}) if _is_joint(blocks[index])}
    ranges: list[tuple[int, int]] = []
    for index in sorted(_reached(back, ahead)):
        first, count = ranges[-1] if ranges else (index, 0)
        if first + count == index:
            ranges[-1:] = [(first, count + 1)]
        else:
            ranges.append((index, 1))
    return ranges


def before_joints(blocks: list[Block]) -> list[int]:
    """Blocks of code from which an instruction of the warp or a barrier can be reached."""
    back: list[list[int]] = [[] for _ in blocks]
    for block in blocks:
        for target in block.targets:
            back[target].append(block.index)
    return sorted(_reached(back, {block.index for block in blocks if _is_joint(block)}))


def _is_joint(block: Block) -> bool:
    return block.end == "wait" or any("sync" in instruction.parts for instruction in block.instructions)


def _reached(edges: list[list[int]], roots: set[int]) -> set[int]:
    found, queue = set(roots), list(roots)
    while queue:
        for index in edges[queue.pop()]:
            if index not in found:
                found.add(index)
                queue.append(index)
    return found


def _named(emitter: Emitter, members: Value) -> str:
    """All lanes that the running lanes name (i32)."""
    code = emitter.code
    if members.uniform:
        return members.text
    lanes = emitter.code.mask_vector(emitter.mask)
    some = code.op(f"select <32 x i1> {lanes}, <32 x i32> {code.vector(members)}, <32 x i32> zeroinitializer")
    return code.op(f"call i32 @llvm.vector.reduce.or.v32i32(<32 x i32> {some})")


def _stop_if(emitter: Emitter, status: int, lanes: str, members: Value) -> None:
    code = emitter.code
    good, wrong = code.name("members"), code.name("strangers")
    code.branch(code.op(f"icmp eq i32 {lanes}, 0"), good, wrong, likely=True)
    code.label(wrong)
    block, position = emitter.block_now, emitter.position_now
    code.store("i32", emitter.mask, "%worker", at(Worker, "mask"))
    told = (lanes, members.text if members.uniform else _named(emitter, members))
    for index, text in enumerate(told):
        code.store("i64", code.op(f"zext i32 {text} to i64"), "%worker", at(Worker, "addresses") + 8 * index)
    for index, number in enumerate((block, position), len(told)):
        code.store("i64", str(number), "%worker", at(Worker, "addresses") + 8 * index)
    if emitter.checker and emitter.checker.scheme.barriers:
        emitter.checker.members_disagree(status)
        code.jump(good)
    else:
        code.do(f"ret i32 {status}")
    code.label(good)
