"""Logic, shifts and permuted bytes (PTX ISA 9.7.8)."""

from __future__ import annotations

from collections.abc import Callable

from ..ptx import Immediate
from .operation import Operation, Result
from .table import rule


@rule("and or xor", "integer predicate")
def _logic(op: Operation) -> Result:
    return op.op(op.instruction.name, op.element, op.source(0), op.source(1)), op.element


@rule("not", "integer predicate")
def _not(op: Operation) -> Result:
    return op.inverted(op.source(0), op.element), op.element


@rule("cnot", "integer")
def _cnot(op: Operation) -> Result:
    zero = op.compare("eq", op.element, op.source(0), op.number(0))
    return op.convert("zext", zero, "i1", op.element), op.element


@rule("lop3", "integer", "or and")
def _lop3(op: Operation) -> list[Result]:
    """Any function of three bits, from its truth table: the sum of the minterms. The second result tells
    whether any bit is set, joined with a predicate."""
    table = op.instruction.operands[4]
    if not isinstance(table, Immediate):
        raise op.refuse("a table that is no constant is not")
    total = op.number(0, "i32")
    sources = [op.source(index, "i32") for index in range(3)]
    plain = [(text, op.inverted(text, "i32")) for text in sources]
    for row in range(8):
        if table.value >> row & 1:
            a, b, c = (pair[not row >> bit & 1] for pair, bit in zip(plain, (2, 1, 0), strict=True))
            total = op.op("or", "i32", total, op.op("and", "i32", op.op("and", "i32", a, b), c))
    if not op.has("or", "and"):
        return [(total, "i32")]
    some = op.compare("ne", "i32", total, op.number(0, "i32"))
    return [(total, "i32"), (op.op(op.instruction.parts[1], "i1", some, op.source(4, "i1")), "i1")]


@rule("shl shr", "integer")
def _shift(op: Operation) -> Result:
    """Amounts beyond the width are clamped to it."""
    bits, element, amount = op.bits, op.element, op.source(1, "i32")
    verb = "shl" if op.instruction.name == "shl" else "ashr" if op.signed else "lshr"
    inside = op.resized(op.call("llvm.umin", "i32", amount, op.number(bits - 1, "i32")), "i32", element)
    value = op.op(verb, element, op.source(0), inside)
    if verb == "ashr":
        return value, element
    out = op.compare("uge", "i32", amount, op.number(bits, "i32"))
    return op.select(out, element, op.number(0), value), element


@rule("shf", "integer", "l r clamp wrap")
def _funnel(op: Operation) -> Result:
    """32 bits out of 64, shifted by 0..31 (wrap) or 0..32 (clamp)."""
    low, high, amount = (op.source(index, "i32") for index in range(3))
    left = op.has("l")
    value = op.call("llvm.fshl" if left else "llvm.fshr", "i32", high, low, amount)
    if op.has("wrap"):
        return value, "i32"
    full = op.compare("uge", "i32", amount, op.number(32, "i32"))
    return op.select(full, "i32", low if left else high, value), "i32"


_NAMED_PERMUTATIONS: dict[str, Callable[[int, int], int]] = {
    "f4e": lambda byte, selector: byte + selector,
    "b4e": lambda byte, selector: (selector - byte) % 8,
    "rc8": lambda byte, selector: selector,
    "ecl": lambda byte, selector: max(byte, selector),
    "ecr": lambda byte, selector: min(byte, selector),
    "rc16": lambda byte, selector: byte % 2 + 2 * (selector % 2),
}
"""Which source byte goes to a byte of the result (9.7.8.7)."""


@rule("prmt", "integer", " ".join(_NAMED_PERMUTATIONS))
def _prmt(op: Operation) -> Result:
    """Bytes picked from two words by a selector."""
    both = op.op("shl", "i64", op.resized(op.source(1, "i32"), "i32", "i64"), op.number(32, "i64"))
    both = op.op("or", "i64", both, op.resized(op.source(0, "i32"), "i32", "i64"))
    mode = next((part for part in op.instruction.parts if part in _NAMED_PERMUTATIONS), "")
    selector = _selector(op, mode) if mode else op.source(2, "i32")
    total = op.number(0, "i32")
    for byte in range(4):
        nibble = op.op("lshr", "i32", selector, op.number(4 * byte, "i32"))
        which = op.op("shl", "i32", op.op("and", "i32", nibble, op.number(7, "i32")), op.number(3, "i32"))
        picked = op.convert(
            "trunc", op.op("lshr", "i64", both, op.resized(which, "i32", "i64")), "i64", "i32"
        )
        picked = op.op("and", "i32", picked, op.number(255, "i32"))
        if not mode:  # bit 3 of the selector: the byte's sign eight times over
            sign = op.op("sub", "i32", op.number(0, "i32"), op.op("lshr", "i32", picked, op.number(7, "i32")))
            sign = op.op("and", "i32", sign, op.number(255, "i32"))
            picked = op.select(op.bit(nibble, "i32", 8), "i32", sign, picked)
        total = op.op("or", "i32", total, op.op("shl", "i32", picked, op.number(8 * byte, "i32")))
    return total, "i32"


def _selector(op: Operation, mode: str) -> str:
    """The selector of the default mode that does what a named mode does with the low two bits of the
    operand."""
    source = _NAMED_PERMUTATIONS[mode]
    chosen = op.op("and", "i32", op.source(2, "i32"), op.number(3, "i32"))
    words = [sum(source(byte, value) << 4 * byte for byte in range(4)) for value in range(4)]
    selector = op.number(words[0], "i32")
    for value in (1, 2, 3):
        is_value = op.compare("eq", "i32", chosen, op.number(value, "i32"))
        selector = op.select(is_value, "i32", op.number(words[value], "i32"), selector)
    return selector
