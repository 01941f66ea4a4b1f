"""How atomics are counted, by the machine code that ptxas makes of them and what an H200 counted for that.

Measured with Nsight Compute on 534 launches of one warp each (random, strided, paired, masked patterns):

global    A sector is visited as often as the address in it that most lanes want; the metric's name says
          whether the result is used (atom) or not (red).
shared    One instruction on 4-byte integers: as many rounds as lanes want the busiest bank. Compare-and-swap
          takes two wavefronts a round. Additions of f32 become a loop of loads and compare-and-swaps. Adding
          the constant 1 has an instruction of its own, which counts lanes with one address together: it
          costs what a load would.
both      Where ptxas can tell that all lanes want one address, it combines integer additions, minima and
          maxima first, and one lane is left.
else      No exact rule is known (64-bit words in shared memory, for one): no number is shown.

One gap is known: of 300 warps of a histogram with 256 bins (lanes at random addresses that share sectors), 93
had one to three sectors more on the H200 than this rule gives, the same in every run. Its cause is not known.
"""

from __future__ import annotations

from enum import Enum

from .access import Site
from .controlflow import ControlFlow, read, written
from .ptx import Address, Immediate, Instruction, Operand, Register, Special, Symbol

_INTEGERS_32 = ("u32", "s32", "b32")
_COMBINED = ("add", "min", "max")
_NATIVE = ("add", "min", "max", "inc", "dec", "and", "or", "xor", "exch")


class Rule(Enum):
    """How one atomic instruction is counted."""

    SECTORS = "each sector as often as its busiest address"
    ONE_LANE = "combined before it goes to memory"
    ROUNDS = "a round for each lane at the busiest bank"
    TWO_A_ROUND = "two wavefronts a round"
    TALLY = "lanes with one address counted together"
    LOOP = "a loop of loads and compare-and-swaps"
    UNKNOWN = "no exact rule is known"


def rule(site: Site, uniform: set[str], used: set[str]) -> Rule:
    """The rule for an atomic. `uniform` holds the registers that ptxas knows to be the same in all lanes,
    `used` those that somebody reads."""
    instruction = site.instruction
    address = next(item for item in instruction.operands if isinstance(item, Address))
    one_address = not isinstance(address.base, Register) or address.base.name in uniform
    operation = next((part for part in instruction.parts if part in (*_NATIVE, "cas")), "")
    integer = instruction.type in _INTEGERS_32
    if site.space not in ("global", "shared"):
        return Rule.UNKNOWN
    adds_one = integer and operation == "add" and _adds_one(instruction)
    if site.space == "shared" and adds_one and is_reduction(site, used):
        return Rule.TALLY
    if one_address and integer and operation in _COMBINED:
        return Rule.ONE_LANE
    if site.space == "global":
        separate = not one_address or instruction.type.startswith("f") or operation in ("exch", "cas")
        return Rule.SECTORS if separate else Rule.UNKNOWN
    if one_address:
        return Rule.UNKNOWN
    if integer and operation in _NATIVE:
        return Rule.ROUNDS
    if integer and operation == "cas":
        return Rule.TWO_A_ROUND
    return Rule.LOOP if instruction.type == "f32" and operation == "add" else Rule.UNKNOWN


def _adds_one(instruction: Instruction) -> bool:
    value = instruction.operands[-1]
    return isinstance(value, Immediate) and value.value == 1 and value.bits == 0


def uniform_registers(flow: ControlFlow) -> set[str]:
    """Registers made of parameters, constants and block indices alone."""
    varying: set[str] = set()
    changed = True
    while changed:
        changed = False
        for block in flow.blocks:
            for instruction in block.instructions:
                names = set(written(instruction)) - varying
                if names and _varies(instruction, varying):
                    varying |= names
                    changed = True
    every = {name for block in flow.blocks for each in block.instructions for name in written(each)}
    return every - varying


def _varies(instruction: Instruction, varying: set[str]) -> bool:
    if instruction.name in ("ld", "ldu") and not instruction.has("param"):
        return True
    if instruction.name in ("atom", "shfl", "vote", "match", "redux", "mma", "ldmatrix", "activemask"):
        return True
    return any(_varying(item, varying) for item in instruction.operands[1:]) or bool(
        set(read(instruction)) & varying
    )


def _varying(item: Operand, varying: set[str]) -> bool:
    if isinstance(item, Special):
        return not item.name.startswith(("%ctaid", "%nctaid", "%ntid"))
    if isinstance(item, Register):
        return item.name in varying
    return not isinstance(item, (Immediate, Symbol, Address))


def results_used(flow: ControlFlow) -> set[str]:
    """Registers that some instruction reads: an atomic whose result nobody reads becomes a reduction
    (red)."""
    used: set[str] = set()
    for block in flow.blocks:
        for instruction in block.instructions:
            used.update(read(instruction))
        if block.condition:
            used.add(block.condition.name)
        if block.barrier:
            used.update(read(block.barrier))
    return used


def is_reduction(site: Site, used: set[str]) -> bool:
    """Does the machine code reduce without returning the old value?"""
    instruction = site.instruction
    if instruction.name == "red":
        return True
    returns = any(name in used for name in written(instruction))
    return not returns and not instruction.has("exch", "cas")
