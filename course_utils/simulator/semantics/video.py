"""Arithmetic on two halves or four bytes of a word (PTX ISA 9.7.19): vadd2, vabsdiff4 and their kin, which
__vabsdiffu4 and __vsadu4 become. Only whole words are: no masks, no chosen bytes.
"""

from __future__ import annotations

from .convert import clamped
from .operation import Operation, Result
from .table import rule

_NAMES = " ".join(
    f"v{name}{count}" for name in ("add", "sub", "avrg", "absdiff", "min", "max") for count in (2, 4)
)


@rule(_NAMES, "integer", "sat add", types=3)
def _video(op: Operation) -> Result:
    """With .add, the sum of the parts and of the third source."""
    if len(op.types) != 3 or any(kind not in ("s32", "u32") for kind in op.types):
        raise op.refuse()
    to, *kinds = (kind[0] == "s" for kind in op.types)
    count = int(op.instruction.name[-1])
    bits = 32 // count
    narrow = f"i{bits}"
    total = op.source(2, "i32") if op.has("add") else op.number(0, "i32")
    for part in range(count):
        a, b = (_part(op, index, part, bits, signed) for index, signed in enumerate(kinds))
        value = _combined(op, op.instruction.name[1:-1], a, b)
        if op.has("add"):
            total = op.op("add", "i32", total, value)
            continue
        if op.has("sat"):
            value = clamped(op, value, "i32", True, f"{'s' if to else 'u'}{bits}")
        value = op.resized(op.convert("trunc", value, "i32", narrow), narrow, "i32")
        total = op.op("or", "i32", total, op.op("shl", "i32", value, op.number(bits * part, "i32")))
    return total, "i32"


def _part(op: Operation, index: int, part: int, bits: int, signed: bool) -> str:
    up = op.op("shl", "i32", op.source(index, "i32"), op.number(32 - bits * (part + 1), "i32"))
    return op.op("ashr" if signed else "lshr", "i32", up, op.number(32 - bits, "i32"))


def _combined(op: Operation, name: str, a: str, b: str) -> str:
    if name in ("min", "max"):
        return op.call(f"llvm.s{name}", "i32", a, b)
    if name in ("add", "sub"):
        return op.op(name, "i32", a, b)
    if name == "absdiff":
        return op.call_bit("llvm.abs", "i32", op.op("sub", "i32", a, b))
    total = op.op("add", "i32", a, b)  # halves are rounded away from zero
    up = op.convert("zext", op.compare("sge", "i32", total, op.number(0, "i32")), "i1", "i32")
    return op.op("ashr", "i32", op.op("add", "i32", total, up), op.number(1, "i32"))
