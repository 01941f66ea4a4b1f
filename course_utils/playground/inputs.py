"""Arguments as text that a learner can read and change: "random 1000 from -1 to 1", "zeros n * 4", "256".

For a pointer: how the buffer is filled, and its length in elements.

    random COUNT                       numbers of the type, the same at every run
    random COUNT from LOW to HIGH      between two bounds, both included
    zeros COUNT
    unwritten COUNT                    memory that nothing was written to yet
    counting COUNT                     0, 1, 2, ...
    counting COUNT by STEP             0, STEP, 2 STEP, ...
    0.5, 1, 2                          these values
    none                               a null pointer

For a value: a number or an expression, such as "n / 2". A structure that is passed by value has a field for
each member; where its members are not single numbers and pointers, "zeros" or "random".
COUNT, LOW, HIGH and STEP are expressions too, and may name the kernel's own whole-number parameters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from ..simulator import fresh
from .elements import Element
from .errors import InputError
from .expressions import Unknown, Value, evaluate
from .tokens import split, text_of, tokens

LIMIT_BYTES = 1 << 29
"""Of all buffers together: more would leave no room on a small machine, which holds each twice."""

MOST_ELEMENTS = 1 << 26
"""Of one buffer: numbers are made as 64-bit ones first."""

_HOW = re.compile(r"(random|zeros|unwritten|counting)\b\s*(.*)", re.DOTALL)
_RANGE = re.compile(r"(.*?)\bfrom\b(.*?)\bto\b(.*)", re.DOTALL)
_STEP = re.compile(r"(.*?)\bby\b(.*)", re.DOTALL)


@dataclass(frozen=True)
class Input:
    """What a parameter, a member of one, or a variable of the source gets: `text` as above.

    `element` is None for a type that is not known. `told` is the type as the source has it; `pointers` the
    number of its stars. A member's name is p.x, and `group` is p.
    """

    name: str
    told: str
    element: Element | None
    pointer: bool
    text: str
    pointers: int = 0
    group: str = ""


def bounds(element: Element) -> tuple[float, float]:
    """What random numbers of a type lie between, where nothing else is said."""
    if element.base.kind == "f" or element.bfloat16:
        return -1.0, 1.0
    if element.base.kind == "b":
        return 0, 1
    if element.base.itemsize == 1:
        return (0, 255) if element.base.kind == "u" else (0, 100)
    return 0, 99


def make(inputs: Sequence[Input], seed: int = 0) -> list[object]:
    """A value for each input: an array, a NumPy scalar, None. The same texts give the same values.

    Raises InputError, which names the parameter.
    """
    scalars = _scalars(inputs)
    made: dict[int, object] = {}
    total = 0
    for number, each in sorted(enumerate(inputs), key=lambda pair: pair[1].pointer):  # values first
        random = np.random.default_rng([seed, number])
        if not each.pointer:
            made[number] = _value(each, scalars, random)
            continue
        made[number] = buffer = _buffer(each, scalars, random, LIMIT_BYTES - total)
        total += buffer.nbytes if isinstance(buffer, np.ndarray) else 0
    return [made[number] for number in range(len(inputs))]


def arguments(inputs: Sequence[Input], values: Sequence[object]) -> list[object]:
    """What simulator.Program.launch gets for these values: members of one structure as one tuple."""
    found: list[object] = []
    for group, pairs in groupby(zip(inputs, values, strict=True), key=lambda pair: pair[0].group):
        members = [value for _, value in pairs]
        found += [tuple(members)] if group else members
    return found


def _scalars(inputs: Sequence[Input]) -> dict[str, Value]:
    """The parameters that are numbers, by name; one may be said in terms of others."""
    found: dict[str, Value] = {}
    waiting = [each for each in inputs if not each.pointer]
    for _ in range(len(waiting) + 1):
        for each in list(waiting):
            try:
                found[each.name.rsplit(".", 1)[-1]] = _number(each.text, found)
                waiting.remove(each)
            except Unknown:
                continue
    return found


def _number(text: str, scalars: Mapping[str, Value]) -> Value:
    def name(word: str) -> Value:
        if word not in scalars:
            raise Unknown(word)
        return scalars[word]

    return evaluate(tokens(text), name)


def _whole(each: Input, what: str, text: str, scalars: Mapping[str, Value]) -> int:
    value = _real(each, what, text, scalars)
    if value != int(value):
        raise InputError(each.name, f"{what} {text.strip()!r} is {value:g}, no whole number")
    return int(value)


def _real(each: Input, what: str, text: str, scalars: Mapping[str, Value]) -> int | float:
    if not text.strip():
        raise InputError(each.name, f"{what} is missing; write {_example(each)}")
    try:
        value = _number(text, scalars)
    except (Unknown, ValueError) as problem:
        names = f" or one of {', '.join(scalars)}" if scalars else ""
        reason = "" if str(problem) == text.strip() else f" ({problem})"
        sentence = f"{what} {text.strip()!r} is no number{reason}; write a number{names}, or an expression"
        raise InputError(each.name, sentence) from None
    if not isinstance(value, (int, float)):
        raise InputError(each.name, f"{what} {text.strip()!r} is no number")
    return value


def _example(each: Input) -> str:
    return (
        "random 1000, zeros 1000, unwritten 1000, counting 1000, or values: 1, 2, 3"
        if each.pointer
        else "a number"
    )


def _buffer(
    each: Input, scalars: Mapping[str, Value], random: np.random.Generator, limit: int
) -> np.ndarray | list[object] | None:
    text = each.text.strip()
    if text.lower() in ("none", "null", "nullptr", "0"):
        return None
    element = each.element
    if element is None:
        raise InputError(
            each.name,
            f"the type {each.told} is not known here, so no buffer of it can be made; none is a null pointer",
        )
    if each.pointers > 1:
        rows = re.fullmatch(r"(.*?)\s+rows\s+of\s+(.*)", text, re.DOTALL)
        if rows is None:
            raise InputError(each.name, "it points to pointers: write 4 rows of random 100")
        count = _whole(each, "the number of rows", rows[1], scalars)
        if not 1 <= count <= 256:
            raise InputError(each.name, f"{count} rows cannot be made: 1 to 256 can")
        inner = Input(each.name, each.told, element, True, rows[2], each.pointers - 1)
        return [_buffer(inner, scalars, random, limit // count) for _ in range(count)]
    found = _HOW.match(text)
    if found is None:
        return _listed(each, element, text, scalars)
    how, rest = found[1], found[2]
    low, high, step = None, None, 1
    if how == "random" and (ranged := _RANGE.fullmatch(rest)):
        rest = ranged[1]
        low = _real(each, "the lower bound", ranged[2], scalars)
        high = _real(each, "the upper bound", ranged[3], scalars)
    if how == "counting" and (stepped := _STEP.fullmatch(rest)):
        rest = stepped[1]
        step = _whole(each, "the step", stepped[2], scalars)
    count = _whole(each, "the length", rest, scalars)
    if count < 0:
        raise InputError(each.name, f"a buffer of {count} elements cannot be made")
    if count > MOST_ELEMENTS:
        raise InputError(
            each.name, f"{count:,} elements are more than the {MOST_ELEMENTS:,} of a buffer here"
        )
    if count * element.size > limit:
        raise InputError(
            each.name,
            f"{count:,} elements of {element.size} bytes are more than the {limit >> 20:,} MB that are left "
            "for buffers here; choose fewer",
        )
    length = count * element.lanes
    if how == "unwritten":
        return fresh(length, element.dtype)
    if how == "zeros":
        return np.zeros(length, element.dtype)
    if how == "counting":
        return _stored(np.arange(length) * step, element, each)
    return _random(each, element, length, low, high, random)


def _random(
    each: Input,
    element: Element,
    length: int,
    low: float | None,
    high: float | None,
    random: np.random.Generator,
) -> np.ndarray:
    if element.base.kind == "V" and not element.fields:
        return np.zeros(length, element.base)
    if element.fields:
        made = np.zeros(length, element.dtype)
        for field in element.fields:
            part = made[field.name]
            part[...] = _random(each, field.element, part.size, low, high, random).reshape(part.shape)
        return made
    usual = bounds(element)
    low, high = (usual[0] if low is None else low), (usual[1] if high is None else high)
    if low > high:
        raise InputError(each.name, f"the lower bound {low:g} is above the upper bound {high:g}")
    if element.base.kind == "f" or element.bfloat16:
        return _stored(
            random.uniform(low, high, length).astype(np.float32 if element.base.itemsize < 8 else np.float64),
            element,
            each,
        )
    return _stored(random.integers(int(low), int(high), length, endpoint=True), element, each)


def _listed(each: Input, element: Element, text: str, scalars: Mapping[str, Value]) -> np.ndarray:
    pieces = [text_of(piece) for piece in split(tokens(text))]
    if not pieces:
        raise InputError(each.name, f"nothing is said; write {_example(each)}")
    if element.fields:
        raise InputError(
            each.name, "a buffer of structures is written random 100, zeros 100 or unwritten 100"
        )
    values = [_real(each, "the value", piece, scalars) for piece in pieces]
    return _stored(np.array(values), element, each)


def _stored(values: np.ndarray, element: Element, each: Input) -> np.ndarray:
    """Numbers as elements of a type. Raises InputError where they do not fit."""
    if element.fields:
        raise InputError(
            each.name, "a buffer of structures is written random 100, zeros 100 or unwritten 100"
        )
    if element.bfloat16:
        return to_bfloat16(values.astype(np.float32))
    if element.base.kind in "iu" and values.size:
        limits = np.iinfo(element.base)
        least, most = values.min(), values.max()
        if not (limits.min <= least and most <= limits.max) or (
            values.dtype.kind == "f" and (values % 1).any()
        ):
            raise InputError(
                each.name, f"the values do not fit {element.name}: {limits.min} to {limits.max}, whole"
            )
    with np.errstate(over="ignore"):
        return values.astype(element.base)


def to_bfloat16(values: np.ndarray) -> np.ndarray:
    """float32 -> the bits of bfloat16 as uint16, rounded to nearest even."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bfloat16(bits: np.ndarray) -> np.ndarray:
    """The bits of bfloat16 as uint16 -> float32."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def _value(each: Input, scalars: Mapping[str, Value], random: np.random.Generator) -> object:
    """A parameter that is passed by value."""
    element, text = each.element, each.text.strip()
    if element is None or element.fields or element.lanes > 1 or element.base.kind == "V":
        return _structure(each, element, text, scalars, random)
    value = _real(each, "the value", text, scalars)
    if element.bfloat16:
        return to_bfloat16(np.array([value]))[0]
    if element.base.kind == "f":
        with np.errstate(over="ignore"):
            return element.base.type(value)
    if element.base.kind == "b":
        return np.bool_(bool(value))
    whole = _whole(each, "the value", text, scalars)
    limits = np.iinfo(element.base)
    if not limits.min <= whole <= limits.max:
        raise InputError(each.name, f"{whole} does not fit {element.name}: {limits.min} to {limits.max}")
    return element.base.type(whole)


def _structure(
    each: Input, element: Element | None, text: str, scalars: Mapping[str, Value], random: np.random.Generator
) -> object:
    if element is None:
        raise InputError(each.name, f"the type {each.told} is not known here, so no value of it can be made")
    lanes = 1 if element.fields else element.lanes
    if text == "zeros" or not element.size:
        data = bytes(element.size)
    elif text == "random":
        data = _random(each, element, lanes, None, None, random).tobytes()
    elif element.fields or element.base.kind == "V":
        raise InputError(each.name, "it is a structure: write zeros or random")
    else:
        values = _listed(each, element, text, scalars)
        if len(values) != lanes:
            raise InputError(each.name, f"{element.name} has {lanes} numbers, not {len(values)}")
        data = values.tobytes()
    return np.frombuffer(data, np.dtype((np.void, element.size)))[0]


def variables(inputs: Sequence[Input], seed: int = 1) -> dict[str, np.ndarray]:
    """The contents of `__constant__` and `__device__` variables by name, as buffers have them."""
    made = {}
    for number, each in enumerate(inputs):
        if each.text.strip() in ("", "as it is"):
            continue
        value = _buffer(each, {}, np.random.default_rng([seed, number]), LIMIT_BYTES)
        if value is None or isinstance(value, list):
            raise InputError(each.name, f"write {_example(each)}")
        made[each.name] = value
    return made
