"""Blocks, their order, where lanes meet again, which registers live: definitions tried out by brute force."""

from __future__ import annotations

import random

import pytest

from course_utils.simulator import controlflow, ptx
from tests.simulator.instructions import header


def function(body: str) -> ptx.Function:
    declared = ".reg .pred %p<40>; .reg .b32 %r<40>; .reg .b64 %rd<4>;"
    return ptx.parse(header(".param .u64 out") + "{" + declared + body + "}").functions["k"]


def reachable(flow: controlflow.ControlFlow, start: int, without: int | None = None) -> set[int]:
    """Blocks that can be reached from one, without passing through another."""
    found, stack = set(), [start]
    while stack:
        block = stack.pop()
        if block in found or block == without:
            continue
        found.add(block)
        stack += flow.blocks[block].targets
    return found


def leaves(flow: controlflow.ControlFlow, start: int, without: int | None = None) -> bool:
    """Can lanes at a block come to an end of the kernel?"""
    return any(not flow.blocks[block].targets for block in reachable(flow, start, without))


def random_flow(seed: int) -> controlflow.ControlFlow:
    rng = random.Random(seed)
    count = rng.randrange(2, 12)
    body = ""
    for number in range(count):
        body += f"L{number}: add.s32 %r{rng.randrange(6)}, %r{rng.randrange(6)}, {number};"
        draw = rng.random()
        target = f"L{rng.randrange(count)}"
        if draw < 0.5:
            body += f"setp.eq.s32 %p{number}, %r{rng.randrange(6)}, 0; @%p{number} bra {target};"
        elif draw < 0.65:
            body += f"bra {target};"
        elif draw < 0.75:
            body += f"@%p{rng.randrange(count)} mov.u32 %r{rng.randrange(6)}, %r{rng.randrange(6)};"
        elif draw < 0.85:
            body += "bar.sync 0;"
        elif draw < 0.9:
            body += "ret;"
    return controlflow.build(function(body + "ret;"))


@pytest.mark.parametrize("seed", range(60))
def test_lanes_meet_at_the_nearest_block_that_all_must_pass(seed: int) -> None:
    flow = random_flow(seed)
    for block in flow.blocks:
        start = block.index
        if not leaves(flow, start):
            continue
        must = [each for each in reachable(flow, start) - {start} if not leaves(flow, start, without=each)]
        # The nearest: every other one of them comes after it.
        nearest = [
            each
            for each in must
            if all(
                other == each or (other in reachable(flow, each) and not leaves(flow, each, without=other))
                for other in must
            )
        ]
        expected = nearest[0] if nearest else None
        assert flow.rejoin[start] == expected, f"block {start} of {[b.targets for b in flow.blocks]}"


@pytest.mark.parametrize("seed", range(60))
def test_live_registers(seed: int) -> None:
    """A register lives at a block if some way from there reads it before writing it."""
    flow = random_flow(seed)

    def lives(name: str, start: int) -> bool:
        seen, stack = set(), [start]
        while stack:
            index = stack.pop()
            if index in seen:
                continue
            seen.add(index)
            block, written = flow.blocks[index], False
            for instruction in block.instructions:
                if name in controlflow.read(instruction):
                    return True
                if name in controlflow.written(instruction):
                    written = True
                    break
            if not written:
                if block.condition is not None and block.condition.name == name:
                    return True
                stack += block.targets
        return False

    names = {f"%r{number}" for number in range(6)} | {f"%p{number}" for number in range(12)}
    for block in flow.blocks:
        assert {name for name in names if lives(name, block.index)} == set(flow.live_in[block.index])


@pytest.mark.parametrize("seed", range(60))
def test_every_block_is_reached_and_numbered(seed: int) -> None:
    flow = random_flow(seed)
    assert [block.index for block in flow.blocks] == list(range(len(flow.blocks)))
    assert reachable(flow, 0) == set(range(len(flow.blocks)))
    for block in flow.blocks:
        assert len(block.targets) == {"jump": 1, "branch": 2, "wait": 1, "exit": 0, "trap": 0}[block.end]


def test_a_loop_comes_wholly_before_what_follows_it() -> None:
    """Lanes that leave early wait behind the loop, whatever order the text has: here it is inside."""
    flow = controlflow.build(
        function("""
        AGAIN: add.s32 %r1, %r1, 1;
        setp.lt.s32 %p1, %r1, 5; @%p1 bra MORE;
        mov.u32 %r2, 9; mov.u32 %r3, 8; bra OUT;
        MORE: setp.lt.s32 %p2, %r1, 3; @%p2 bra AGAIN;
        sub.s32 %r4, %r1, 1; bra AGAIN;
        OUT: ret;""")
    )
    by_text = {
        instruction.text() + str(instruction.operands[-1]): block.index
        for block in flow.blocks
        for instruction in block.instructions
    }
    way_out = next(index for text, index in by_text.items() if "value=9" in text)
    in_loop = next(block.index for block in flow.blocks for each in block.instructions if each.name == "sub")
    assert way_out > in_loop
    first = next(block for block in flow.blocks if block.condition and block.condition.name == "%p1")
    assert flow.rejoin[first.index] == way_out


def test_a_guarded_instruction_is_a_block_of_its_own() -> None:
    flow = controlflow.build(function("mov.u32 %r1, 1; @!%p1 add.s32 %r1, %r1, 1; mov.u32 %r2, %r1; ret;"))
    branch = next(block for block in flow.blocks if block.end == "branch")
    guarded = next(block for block in flow.blocks if [each.name for each in block.instructions] == ["add"])
    assert branch.condition == ptx.Register("%p1", negated=True)
    assert branch.targets[0] == guarded.index
    assert [each.name for each in branch.issued] == ["add"]  # its warp issues it, whoever takes part
    assert (guarded.issued, [each.name for each in guarded.effective]) == ([], ["add"])
    assert flow.rejoin[branch.index] == guarded.targets[0]
