"""Comparison and selection (PTX ISA 9.7.6, 9.7.7)."""

from __future__ import annotations

from ..ir import FLOATS
from ..ptx import Group
from .half import joined, split, widened
from .operation import Operation, Result
from .real import inputs
from .table import rule
from .types import ELEMENT, FAMILY

_INTEGER = {
    "eq": "eq",
    "ne": "ne",
    **{name: "?" + name for name in ("lt", "le", "gt", "ge")},
    "lo": "ult",
    "ls": "ule",
    "hi": "ugt",
    "hs": "uge",
}
"""? stands for the signedness of the type."""
_FLOAT = {
    **{name: "o" + name for name in ("eq", "lt", "le", "gt", "ge")},
    "ne": "one",
    **{name + "u": "u" + name for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "num": "ord",
    "nan": "uno",
}
_MODIFIERS = " ".join((*_INTEGER, *_FLOAT, "and or xor ftz"))


def _comparisons(op: Operation) -> list[str]:
    """The truth value of the comparison, or two of them for a pair."""
    name = op.instruction.parts[1]
    family = FAMILY[op.instruction.type]
    if family == "half":
        kind = op.instruction.type.removesuffix("x2")
        pairs = zip(split(op, 0), split(op, 1), strict=True)
        return [op.compare(_FLOAT[name], "float", *widened(op, kind, pair)) for pair in pairs]
    if family == "real":
        return [op.compare(_FLOAT[name], op.element, *inputs(op, 2))]
    predicate = _INTEGER[name].replace("?", "s" if op.signed else "u")
    return [op.compare(predicate, op.element, op.source(0), op.source(1))]


def _combined(op: Operation, truth: str) -> str:
    how = op.instruction.parts[2]
    return op.op(how, "i1", truth, op.source(2, "i1")) if how in ("and", "or", "xor") else truth


@rule("setp", "any", _MODIFIERS)
def _setp(op: Operation) -> list[Result]:
    """p = (a cmp b) bool c, and q = !(a cmp b) bool c; of a pair, p for the low half and q for the high
    one."""
    if op.instruction.parts[1] not in _FLOAT | _INTEGER or FAMILY[op.instruction.type] in (
        "pair",
        "bits",
        "eighth",
    ):
        raise op.refuse()
    try:
        truths = _comparisons(op)
    except KeyError:
        raise op.refuse("this comparison of this type is not") from None
    if len(truths) == 1 and isinstance(op.instruction.operands[0], Group):
        truths.append(op.inverted(truths[0], "i1"))
    return [(_combined(op, truth), "i1") for truth in truths]


@rule("set", "any", _MODIFIERS, types=2)
def _set(op: Operation) -> Result:
    """All ones or 1.0 where the comparison holds, else 0."""
    try:
        truths = [_combined(op, truth) for truth in _comparisons(op)]
    except KeyError:
        raise op.refuse("this comparison of this type is not") from None
    to = op.types[0]
    element = ELEMENT[to]
    if FAMILY[to] == "half":
        if len(truths) != (2 if to.endswith("x2") else 1):
            raise op.refuse("this combination of types is not")
        one = op.number(0x3C00 if to.startswith("f") else 0x3F80, "i16")
        return joined(op, [op.select(truth, "i16", one, op.number(0, "i16")) for truth in truths])
    if len(truths) == 2:
        return joined(op, [op.convert("sext", truth, "i1", "i16") for truth in truths])
    if element in FLOATS:
        return op.select(truths[0], element, op.real(1.0, element), op.real(0.0, element)), element
    return op.convert("sext", truths[0], "i1", element), element


@rule("selp", "any")
def _selp(op: Operation) -> Result:
    element = "i16" if op.element == "half" else op.element
    return op.select(op.source(2, "i1"), element, op.source(0, element), op.source(1, element)), element


@rule("slct", "any", "ftz", types=2)
def _slct(op: Operation) -> Result:
    """The first source where the third is not negative, else the second; a NaN chooses the second, -0 the
    first."""
    to, chooser = (ELEMENT[kind] for kind in op.types)
    third = op.source(2, chooser)
    if chooser == "float":
        first = op.compare("oge", "float", third, op.real(0.0, "float"))
        if op.has("ftz"):  # a tiny negative number counts as zero
            first = op.compare("ogt", "float", third, op.real(-(2.0**-126), "float"))
    else:
        first = op.compare("sge", "i32", third, op.number(0, "i32"))
    return op.select(first, to, op.source(0, to), op.source(1, to)), to
