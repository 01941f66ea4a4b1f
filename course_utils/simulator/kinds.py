"""How a register's 32 lanes are related, worked out before any code is made.

Most registers of a kernel hold one value for the whole warp, or one value plus a fixed amount a lane (thread
indices and addresses made from them). Such a register is kept as one scalar and a pattern known at compile
time, so that its arithmetic is scalar arithmetic, its loads are plain vector loads or broadcasts, and its
sectors and bank conflicts are known in advance. This holds while all lanes of a warp walk together; warps
that part use the masked code, which knows only vectors, and come back only after a check at run time (see
`codegen`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from .controlflow import ControlFlow, settled
from .own import BARRIER_RESULT
from .ptx import TYPE_BITS, Address, Group, Immediate, Instruction, Operand, Register, Special, Symbol

LANES = 32
ZERO = (0,) * LANES
_FAR = 64  # alignment of zero


@dataclass(frozen=True, slots=True)
class Kind:
    """The relation of 32 lanes: lane i holds scalar + lanes[i] + stride * scaled[i], or anything when `lanes`
    is None.

    The scalar and the stride are known when the kernel runs, the patterns now: row * width over a block of
    threads is a stride of `width` for every step of `row`.

    align: the scalar part is a multiple of 2**align.
    constant: the scalar part, where it is known at compile time.
    bounds: lowest and highest value of any lane as a mathematical integer, where known.
    """

    lanes: tuple[int, ...] | None = ZERO
    align: int = 0
    constant: int | None = None
    bounds: tuple[int, int] | None = None
    scaled: tuple[int, ...] = ZERO

    @property
    def uniform(self) -> bool:
        return self.lanes == ZERO and self.scaled == ZERO

    @property
    def vector(self) -> bool:
        return self.lanes is None


UNIFORM = Kind()
VECTOR = Kind(None)


def constant(value: int) -> Kind:
    return Kind(ZERO, _trailing_zeros(value), value, (value, value))


def _trailing_zeros(value: int) -> int:
    return (value & -value).bit_length() - 1 if value else _FAR


def join(one: Kind, other: Kind) -> Kind:
    """The kind of a register that may hold either."""
    if one == other:
        return other
    if one.lanes is None or one.lanes != other.lanes or one.scaled != other.scaled:
        return VECTOR
    known = one.constant if one.constant == other.constant else None
    # No bounds: so loops end the search at once.
    return Kind(one.lanes, min(one.align, other.align), known, None, one.scaled)


def infer(
    flow: ControlFlow, special: Callable[[str], Kind], symbol: Callable[[str], Kind]
) -> dict[str, Kind]:
    """The kind of every register written in `flow`, the least one that holds wherever it is written."""
    return settled(
        flow,
        lambda instruction, kinds: transfer(instruction, lambda item: of(item, kinds, special, symbol)),
        join,
    )


def of(
    item: Operand,
    kinds: Mapping[str, Kind],
    special: Callable[[str], Kind],
    symbol: Callable[[str], Kind],
) -> Kind | None:
    """The kind of an operand; None while nothing is known yet."""
    if isinstance(item, Register):
        return kinds.get(item.name)
    if isinstance(item, Immediate):
        return constant(item.value) if item.bits == 0 else UNIFORM
    if isinstance(item, Special):
        return special(item.name)
    if isinstance(item, Symbol):
        kind = symbol(item.name)
        return shifted(kind, item.offset)
    if isinstance(item, Address):
        base = constant(0) if item.base is None else of(item.base, kinds, special, symbol)
        return None if base is None else shifted(base, item.offset)
    if isinstance(item, Group):
        parts = [of(each, kinds, special, symbol) for each in item.items]
        known = [part for part in parts if part is not None]
        return VECTOR if any(not part.uniform for part in known) else UNIFORM
    raise TypeError(item)


def shifted(kind: Kind, offset: int) -> Kind:
    return _add(kind, constant(offset)) if offset else kind


# Rules ----------------------------------------------------------------------------------------------------

_INTEGERS = frozenset(f"{kind}{bits}" for kind in "bsu" for bits in (8, 16, 32, 64))
_ACROSS_LANES = frozenset(
    (
        "shfl",
        "atom",
        "ldmatrix",
        "movmatrix",
        "mma",
        "wmma",
        "match",
        "elect",
        "simulator_push",
        "simulator_pop",
        "simulator_return_id",
        "simulator_enter",
    )
)


def transfer(instruction: Instruction, kind_of: Callable[[Operand], Kind | None]) -> Kind:
    """The kind of an instruction's result."""
    sources = instruction.operands[1:]
    kinds = [kind_of(item) for item in sources]
    if any(kind is None for kind in kinds):  # read before written on some path: nothing can be said
        kinds = [UNIFORM if kind is None else kind for kind in kinds]
    return result(instruction, kinds)  # type: ignore[arg-type]


def result(instruction: Instruction, kinds: Sequence[Kind]) -> Kind:
    """The kind of an instruction's result from those of its sources."""
    name = instruction.name
    if name in _ACROSS_LANES:
        return VECTOR
    if name in ("vote", "redux"):
        return UNIFORM if kinds[-1].uniform else VECTOR  # which lanes they ask
    if name in ("activemask", BARRIER_RESULT):
        return UNIFORM
    if name in ("ld", "ldu"):
        # One address, one value; but a local variable has a place of its own in every lane.
        return (
            UNIFORM
            if kinds[0].uniform and not instruction.has("local") and _has_space(instruction)
            else VECTOR
        )
    rule = _RULES.get(name)
    if rule is not None:
        try:
            found = rule(instruction, kinds)
        except IndexError:  # an operand is missing, which `semantics` refuses
            found = None
        if found is not None:
            return found
    return UNIFORM if all(kind.uniform for kind in kinds) else VECTOR


def _has_space(instruction: Instruction) -> bool:
    return instruction.has("global", "shared", "const", "param")


def needs_guard(instruction: Instruction, kinds: Sequence[Kind]) -> tuple[bool, bool]:
    """(signed, unsigned) when the rule used holds only while scalar + lane does not wrap around in the
    source's width.

    Widening and shifting right treat `scalar + lane` as a number, not as a residue.
    """
    kind = kinds[0]
    if kind.vector or kind.uniform or result(instruction, kinds).vector:
        return False, False
    wide = instruction.name in ("mul", "mad") and instruction.has("wide")
    widening = instruction.name == "cvt" and _widening(instruction)
    right = instruction.name == "shr"
    if not (wide or widening or right):
        return False, False
    signed = _source_type(instruction).startswith("s")
    bits = TYPE_BITS[_source_type(instruction)]
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    if kind.scaled == ZERO and kind.bounds and low <= kind.bounds[0] and kind.bounds[1] <= high:
        return False, False
    return signed, not signed


def _source_type(instruction: Instruction) -> str:
    return instruction.type  # the last type: for cvt the source's


def _widening(instruction: Instruction) -> bool:
    to, source = [part for part in instruction.parts if part in TYPE_BITS][:2]
    return to in _INTEGERS and source in _INTEGERS and TYPE_BITS[to] > TYPE_BITS[source]


def _bounds(low: int, high: int) -> tuple[int, int] | None:
    return (low, high) if abs(low) < 1 << 62 and abs(high) < 1 << 62 else None


def _add(a: Kind, b: Kind, sign: int = 1) -> Kind:
    if a.lanes is None or b.lanes is None or (a.scaled != ZERO and b.scaled != ZERO):
        return VECTOR
    bounds = None
    if a.bounds and b.bounds:
        low, high = b.bounds if sign > 0 else (-b.bounds[1], -b.bounds[0])
        bounds = _bounds(a.bounds[0] + low, a.bounds[1] + high)
    known = None if a.constant is None or b.constant is None else a.constant + sign * b.constant
    lanes = tuple(x + sign * y for x, y in zip(a.lanes, b.lanes, strict=True))
    return Kind(lanes, min(a.align, b.align), known, bounds, b.scaled if a.scaled == ZERO else a.scaled)


def _times(a: Kind, factor: int) -> Kind:
    if a.lanes is None:
        return VECTOR
    bounds = None
    if a.bounds:
        bounds = _bounds(*sorted((a.bounds[0] * factor, a.bounds[1] * factor)))
    known = None if a.constant is None else a.constant * factor
    lanes = tuple(x * factor for x in a.lanes)
    return Kind(lanes, min(a.align + _trailing_zeros(factor), _FAR), known, bounds, a.scaled)


def _product(a: Kind, b: Kind) -> Kind | None:
    if b.uniform and b.constant is not None:
        return _times(a, b.constant)
    if a.uniform and a.constant is not None:
        return _times(b, a.constant)
    if a.uniform and b.uniform:
        bounds = None
        if a.bounds and b.bounds:
            corners = [x * y for x in a.bounds for y in b.bounds]
            bounds = _bounds(min(corners), max(corners))
        return Kind(ZERO, min(a.align + b.align, _FAR), None, bounds)
    for pattern, factor in ((a, b), (b, a)):
        if factor.uniform and pattern.lanes is not None and pattern.scaled == ZERO:
            return Kind(ZERO, min(a.align + b.align, _FAR), scaled=pattern.lanes)
    return None


def _integer(instruction: Instruction) -> bool:
    return instruction.type in _INTEGERS and not instruction.has("sat", "cc", "hi", "wide")


def _wrapped(kind: Kind | None, instruction: Instruction) -> Kind | None:
    """Results wrap around in the type's width: bounds that do not fit say nothing."""
    if kind is None or kind.lanes is None:
        return kind
    bits = TYPE_BITS[instruction.type]
    if kind.constant is not None:
        value = kind.constant & ((1 << bits) - 1)
        if value >> (bits - 1) and not instruction.type.startswith("u"):
            value -= 1 << bits
        if value != kind.constant:
            kind = replace(kind, constant=value, bounds=None)
    fits = kind.bounds and -(1 << (bits - 1)) <= kind.bounds[0] and kind.bounds[1] < 1 << (bits - 1)
    return kind if fits or kind.bounds is None else replace(kind, bounds=None)


def _rule_move(instruction: Instruction, kinds: Sequence[Kind]) -> Kind | None:
    single = len(kinds) == 1 and not any(isinstance(item, Group) for item in instruction.operands)
    return kinds[0] if single and instruction.type != "pred" else None


def _rule_cvta(instruction: Instruction, kinds: Sequence[Kind]) -> Kind | None:
    kind = kinds[0]
    if instruction.has("global") or kind.vector:
        return kind
    return replace(kind, constant=None, bounds=None, align=min(kind.align, 8))  # a window's start is added


def _rule_add(instruction: Instruction, kinds: Sequence[Kind]) -> Kind | None:
    if not _integer(instruction):
        return None
    return _wrapped(_add(kinds[0], kinds[1], -1 if instruction.name == "sub" else 1), instruction)


def _rule_mul(instruction: Instruction, kinds: Sequence[Kind]) -> Kind | None:
    if instruction.type not in _INTEGERS or instruction.has("hi", "sat", "cc"):
        return None
    found = _product(kinds[0], kinds[1])
    if not instruction.has("wide"):
        return _wrapped(found, instruction)
    if found is None or found.vector:
        return found
    # A literal outside 0..2**31 means something else signed than unsigned: leave it to run time.
    odd = [kind for kind in kinds[:2] if kind.constant is not None and not 0 <= kind.constant < 1 << 31]
    if found.uniform:
        return UNIFORM if odd else found
    return None if odd or kinds[0].uniform else found


def _rule_mad(instruction: Instruction, kinds: Sequence[Kind]) -> Kind | None:
    product = _rule_mul(instruction, kinds[:2])
    if product is None:
        return None
    total = _add(product, kinds[2])
    return total if instruction.has("wide") else _wrapped(total, instruction)


def _rule_shl(instruction: Instruction, kinds: Sequence[Kind]) -> Kind | None:
    amount = kinds[1].constant
    if not kinds[1].uniform or amount is None or not 0 <= amount < TYPE_BITS[instruction.type]:
        return None
    return _wrapped(_times(kinds[0], 1 << amount), instruction)


def _rule_shr(instruction: Instruction, kinds: Sequence[Kind]) -> Kind | None:
    kind, amount = kinds[0], kinds[1].constant
    if (
        kind.lanes is None
        or not kinds[1].uniform
        or amount is None
        or not 0 <= amount < TYPE_BITS[instruction.type]
    ):
        return None
    if kind.scaled != ZERO:  # nothing is known of the low bits of the stride
        return None
    if TYPE_BITS[instruction.type] > 32 and not kind.uniform and not (kind.bounds and kind.bounds[0] >= 0):
        return None  # wrap-around is looked for in 32 bits only
    if kind.align < amount:  # bits of the scalar part would be shifted out: not lane by lane any more
        return None if not kind.uniform else Kind()
    plain = kind.constant is not None and 0 <= kind.constant < 1 << TYPE_BITS[instruction.type] - 1
    known = kind.constant >> amount if plain else None  # type: ignore[operator]
    bounds = (
        kind.bounds and kind.bounds[0] >= 0 and (kind.bounds[0] >> amount, kind.bounds[1] >> amount)
    ) or None
    return Kind(tuple(x >> amount for x in kind.lanes), max(kind.align - amount, 0), known, bounds)


def _rule_and(instruction: Instruction, kinds: Sequence[Kind]) -> Kind | None:
    kind, mask = kinds[0], kinds[1].constant
    if kind.lanes is None or kind.scaled != ZERO or kind.uniform or not kinds[1].uniform or mask is None:
        return None
    low = 1 << min(kind.align, TYPE_BITS[instruction.type])
    if 0 <= mask < low:  # only lane bits are kept
        lanes = tuple(x & mask for x in kind.lanes)
        return Kind(lanes, _FAR, 0, (min(lanes), max(lanes)))
    return None


def _rule_cvt(instruction: Instruction, kinds: Sequence[Kind]) -> Kind | None:
    types = [part for part in instruction.parts if part in TYPE_BITS][:2]
    if len(types) != 2 or instruction.has("sat") or not all(kind in _INTEGERS for kind in types):
        return None
    to, source = types
    kind = kinds[0]
    if kind.lanes is None or TYPE_BITS[to] < 32 or TYPE_BITS[source] < 32:
        return None
    if TYPE_BITS[to] <= TYPE_BITS[source]:
        return replace(kind, bounds=None, constant=None)
    # A constant with its top bit set means something else signed than unsigned: leave it to run time.
    if kind.uniform and kind.constant is not None and not 0 <= kind.constant < 1 << TYPE_BITS[source] - 1:
        return replace(kind, constant=None, bounds=None)
    return kind


def _rule_neg(instruction: Instruction, kinds: Sequence[Kind]) -> Kind | None:
    return _wrapped(_times(kinds[0], -1), instruction) if _integer(instruction) else None


_RULES: dict[str, Callable[[Instruction, Sequence[Kind]], Kind | None]] = {
    "mov": _rule_move,
    "cvta": _rule_cvta,
    "add": _rule_add,
    "sub": _rule_add,
    "mul": _rule_mul,
    "mad": _rule_mad,
    "shl": _rule_shl,
    "shr": _rule_shr,
    "and": _rule_and,
    "cvt": _rule_cvt,
    "neg": _rule_neg,
}
