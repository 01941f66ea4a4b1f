"""Instructions -> basic blocks, their order, reconvergence points and live registers.

All predication becomes control flow here: a guarded instruction turns into a block of its own behind a
branch, so that nothing later has to think of guards. A barrier ends its block, since the warp stops there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from .errors import Unsupported
from .ptx import Address, Function, Group, Instruction, Operand, Register, Symbol

Fact = TypeVar("Fact")

# Instructions whose first operand is not a destination.
WITHOUT_DESTINATION = frozenset(
    [
        "st",
        "red",
        "bar",
        "barrier",
        "bra",
        "brx",
        "ret",
        "exit",
        "trap",
        "membar",
        "fence",
        "brkpt",
        "pmevent",
        "prefetch",
        "prefetchu",
        "nanosleep",
        "cp",
        "discard",
        "applypriority",
        "griddepcontrol",
        "stackrestore",
        "mbarrier_",
        "wgmma",
        "setmaxnreg",
        "call",
        "simulator_print",
        "simulator_leave",
        "simulator_assert",
    ]
)


@dataclass(slots=True)
class Block:
    """A basic block. `end` says how it is left; `targets` are indices into ControlFlow.blocks.

    end      targets
    "jump"   the one successor
    "branch" taken when `condition` holds, else the second
    "switch" one for each value of the register `condition`, from 0
    "wait"   the successor after the barrier `barrier`
    "exit"   none: the lanes are done
    "trap"   none

    `issued` are the PTX instructions that the warp issues when it runs the block, `effective` those that the
    block's active lanes carry out: they differ for a guarded instruction, which the warp issues and only some
    lanes carry out.
    """

    index: int
    instructions: list[Instruction]
    end: str
    targets: list[int]
    condition: Register | None = None
    barrier: Instruction | None = None
    issued: list[Instruction] = field(default_factory=list)
    effective: list[Instruction] = field(default_factory=list)


@dataclass(slots=True)
class ControlFlow:
    """Blocks in scheduling order: a loop's blocks stand together and before the code that follows the loop.

    `rejoin[b]` is the block where lanes that part at the end of block b meet again (its immediate
    post-dominator), None where they meet only at the exit. `live_in[b]` holds the registers read at or after
    the start of block b before they are written.
    """

    blocks: list[Block]
    rejoin: list[int | None]
    live_in: list[frozenset[str]]


def written(instruction: Instruction) -> list[str]:
    """Names of the registers that an instruction writes."""
    if instruction.name in WITHOUT_DESTINATION or not instruction.operands:
        return []
    return [item.name for item in _flat(instruction.operands[0]) if isinstance(item, Register)]


def settled(
    flow: ControlFlow,
    result: Callable[[Instruction, Mapping[str, Fact]], Fact],
    join: Callable[[Fact, Fact], Fact],
) -> dict[str, Fact]:
    """What holds of each register wherever it is written, by its name: instructions are gone through until
    nothing changes.

    result: what an instruction makes, given what is known so far. join: what holds of a register that may
    hold either; repeated, it must come to an end.
    """
    known: dict[str, Fact] = {}
    changed = True
    while changed:
        changed = False
        for block in flow.blocks:
            for instruction in block.instructions:
                names = written(instruction)
                if not names:
                    continue
                made = result(instruction, known)
                for name in names:
                    joined = join(known[name], made) if name in known else made
                    if name not in known or joined != known[name]:
                        known[name] = joined
                        changed = True
    return known


def read(instruction: Instruction) -> list[str]:
    """Names of the registers that an instruction reads (its guard left out)."""
    operands = instruction.operands
    whole = instruction.name in WITHOUT_DESTINATION or (operands and isinstance(operands[0], Address))
    sources = operands if whole else operands[1:]
    names = []
    for source in sources:
        for item in _flat(source):
            if isinstance(item, Address):
                item = item.base
            if isinstance(item, Register):
                names.append(item.name)
    return names


def _flat(item: Operand) -> list[Operand]:
    if isinstance(item, Group):
        return [each for part in item.items for each in _flat(part)]
    return [item]


def build(function: Function) -> ControlFlow:
    """Control flow of a function whose calls were inlined."""
    blocks = _order(_split(function))
    rejoin = _rejoin_points(blocks)
    return ControlFlow(blocks, rejoin, _live(blocks))


def live_after(function: Function, name: str) -> dict[int, set[str]]:
    """For each instruction of that name, by position, the registers that are read later before they are
    written.

    Functions that stand once behind the kernel's code are seen as if nothing called them: see `stack`.
    """
    blocks = _split(function)
    live = _live(blocks)
    positions = {id(instruction): number for number, instruction in enumerate(function.instructions)}
    found: dict[int, set[str]] = {}
    for block in blocks:
        after: set[str] = set().union(*(live[target] for target in block.targets))
        if block.condition:
            after.add(block.condition.name)
        for instruction in reversed(block.instructions):
            if instruction.name == name:
                found[positions[id(instruction)]] = set(after)
            after -= set(written(instruction))
            after |= set(read(instruction))
    return found


# Blocks ---------------------------------------------------------------------------------------------------


def _split(function: Function) -> list[Block]:
    starts = {0, len(function.instructions)} | set(function.labels.values())
    for index, instruction in enumerate(function.instructions):
        if _ends_block(instruction):
            starts.add(index + 1)
        if instruction.guard is not None:
            starts |= {index, index + 1}
    ordered = sorted(starts)
    number = {start: position for position, start in enumerate(ordered)}
    blocks: list[Block] = []
    bodies: list[Block] = []  # of guarded instructions, appended behind the others
    last = len(ordered) - 1  # one block past the end: falling off a function is an exit
    for position, start in enumerate(ordered[:-1]):
        code = function.instructions[start : ordered[position + 1]]
        block = _block(function, position, code, position + 1, number)
        guard = code[-1].guard
        if guard is not None and code[-1].name not in ("bra",):
            # The guarded instruction moves to a block of its own: "if (guard) { instruction }".
            body = _block(function, last + 1 + len(bodies), code, position + 1, number)
            body.issued = []
            bodies.append(body)
            block = Block(position, [], "branch", [body.index, position + 1], guard, issued=code)
        blocks.append(block)
    blocks.append(Block(last, [], "exit", []))
    return blocks + bodies


def _ends_block(instruction: Instruction) -> bool:
    return instruction.name in ("bra", "brx", "ret", "exit", "trap", "simulator_leave") or is_barrier(
        instruction
    )


def is_barrier(instruction: Instruction) -> bool:
    """Does the warp stop here until others arrive?"""
    return instruction.name in ("bar", "barrier") and not instruction.has("warp", "arrive", "cluster")


def _block(
    function: Function, index: int, code: list[Instruction], following: int, number: dict[int, int]
) -> Block:
    last = code[-1]
    block = Block(index, code, "jump", [following], issued=code, effective=code)
    if not _ends_block(last):
        return block
    if last.name == "simulator_leave":
        block.end, block.targets = "exit", []
        return block
    block.instructions = code[:-1]
    if last.name == "bra":
        label = last.operands[0]
        if not isinstance(label, Symbol) or label.name not in function.labels:
            raise Unsupported(f"branch to an unknown label: {last.opcode}", last.opcode, last.location.line)
        target = number[function.labels[label.name]]
        if last.guard is None:
            block.targets = [target]
        else:
            block.end, block.targets, block.condition = "branch", [target, following], last.guard
    elif last.name == "brx":
        index, table = last.operands[0], last.operands[1]
        if not (isinstance(index, Register) and isinstance(table, Symbol) and table.name in function.tables):
            raise Unsupported("this form of brx is not supported", last.opcode, last.location.line)
        block.end, block.condition = "switch", index
        block.targets = [number[function.labels[label]] for label in function.tables[table.name]]
    elif is_barrier(last):
        block.end, block.barrier = "wait", last
    else:
        block.end, block.targets = ("trap" if last.name == "trap" else "exit"), []
    return block


# Order ----------------------------------------------------------------------------------------------------


def _order(blocks: list[Block]) -> list[Block]:
    """Every block before its successors, apart from jumps back to the start of a loop; loops in one piece.

    The lowest block runs first when lanes have parted, so a loop must come wholly before what follows it.
    This is a weak topological order (Bourdoncle 1993): strongly connected parts one after another, each
    headed by its entry and ordered likewise inside.
    """
    order: list[int] = []
    work: list[tuple[list[int], frozenset[int]]] = [([0], frozenset(range(len(blocks))))]
    while work:
        roots, inside = work.pop()
        parts = _connected_parts(blocks, roots, inside)
        head = parts[0]
        rest = [node for part in parts[1:] for node in part]
        if rest:
            work.append(([part[0] for part in parts[1:]], frozenset(rest)))
        order.append(head[0])
        if len(head) > 1:
            members = frozenset(head[1:])
            starts = [target for target in blocks[head[0]].targets if target in members]
            work.append(([*starts, *head[1:]], members))
    position = {old: new for new, old in enumerate(order)}
    for old in order:
        blocks[old].targets = [position[target] for target in blocks[old].targets]
        blocks[old].index = position[old]
    return [blocks[old] for old in order]


def _connected_parts(blocks: list[Block], roots: list[int], inside: frozenset[int]) -> list[list[int]]:
    """Strongly connected parts reached from the roots, in topological order, the entry of each first (Tarjan
    1972)."""
    found: list[list[int]] = []
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    path: list[int] = []
    on_path: set[int] = set()
    for root in roots:
        if root in number:
            continue
        stack = [(root, iter(blocks[root].targets))]
        number[root] = low[root] = len(number)
        path.append(root)
        on_path.add(root)
        while stack:
            node, targets = stack[-1]
            for target in targets:
                if target not in inside:
                    continue
                if target not in number:
                    number[target] = low[target] = len(number)
                    path.append(target)
                    on_path.add(target)
                    stack.append((target, iter(blocks[target].targets)))
                    break
                if target in on_path:
                    low[node] = min(low[node], number[target])
            else:
                stack.pop()
                if stack:
                    low[stack[-1][0]] = min(low[stack[-1][0]], low[node])
                if low[node] == number[node]:
                    start = path.index(node)
                    part = path[start:]
                    del path[start:]
                    on_path -= set(part)
                    found.append(part)
    return found[::-1]


def _dominators(successors: list[list[int]], root: int) -> list[int | None]:
    """Immediate dominators, by the iteration of Cooper, Harvey and Kennedy (2001)."""
    order: list[int] = []
    seen = {root}
    stack = [(root, iter(successors[root]))]
    while stack:
        node, targets = stack[-1]
        for target in targets:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(successors[target])))
                break
        else:
            order.append(node)
            stack.pop()
    order.reverse()
    rank = {node: position for position, node in enumerate(order)}
    predecessors: dict[int, list[int]] = {node: [] for node in order}
    for node in order:
        for target in successors[node]:
            predecessors[target].append(node)
    found: list[int | None] = [None] * len(successors)
    found[root] = root
    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            known = [each for each in predecessors[node] if found[each] is not None]
            new = known[0]
            for other in known[1:]:
                while new != other:
                    if rank[new] > rank[other]:
                        new = found[new]  # type: ignore[assignment]
                    else:
                        other = found[other]  # type: ignore[assignment]
            if found[node] != new:
                found[node] = new
                changed = True
    return found


def _rejoin_points(blocks: list[Block]) -> list[int | None]:
    exit_node = len(blocks)
    reverse: list[list[int]] = [[] for _ in range(exit_node + 1)]
    for block in blocks:
        for target in block.targets:
            reverse[target].append(block.index)
        if not block.targets:
            reverse[exit_node].append(block.index)
    found = _dominators(reverse, exit_node)
    return [None if found[block.index] in (None, exit_node) else found[block.index] for block in blocks]


# Live registers -------------------------------------------------------------------------------------------


def _live(blocks: list[Block]) -> list[frozenset[str]]:
    uses: list[set[str]] = []
    definitions: list[set[str]] = []
    for block in blocks:
        used: set[str] = set()
        defined: set[str] = set()
        for instruction in block.instructions:
            used.update(name for name in read(instruction) if name not in defined)
            defined.update(written(instruction))
        tail = [block.condition.name] if block.condition else []
        tail += read(block.barrier) if block.barrier else []
        used.update(name for name in tail if name not in defined)
        uses.append(used)
        definitions.append(defined)
    live: list[set[str]] = [set(used) for used in uses]
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            after: set[str] = set().union(*(live[target] for target in block.targets))
            new = uses[block.index] | (after - definitions[block.index])
            if new != live[block.index]:
                live[block.index] = new
                changed = True
    return [frozenset(each) for each in live]
