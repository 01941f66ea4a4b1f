"""The types of what kernels compute on: their size in memory, and how NumPy holds them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..simulator.signature import SCALARS

BFLOAT16 = "__nv_bfloat16"
# CUDA C++ Programming Guide, "Built-in Vector Types": float3 and its like are aligned as a component is.
_VECTOR = re.compile(r"(u?)(char|short|int|long|longlong|float|double)([1-4])")
_OTHERS: dict[str, tuple[str, int]] = {  # name -> (component, how many)
    "uint": ("unsigned int", 1),
    "uchar": ("unsigned char", 1),
    "ushort": ("unsigned short", 1),
    "ulong": ("unsigned long", 1),
    "nv_bfloat16": (BFLOAT16, 1),
    "__nv_bfloat162": (BFLOAT16, 2),
    "nv_bfloat162": (BFLOAT16, 2),
    "half2": ("half", 2),
    "__half2": ("half", 2),
    "cuComplex": ("float", 2),
    "cuFloatComplex": ("float", 2),
    "cuDoubleComplex": ("double", 2),
    "clock_t": ("long", 1),
    "dim3": ("unsigned int", 3),
    "char16_t": ("unsigned short", 1),
    "char32_t": ("unsigned int", 1),
    "wchar_t": ("int", 1),
    "intptr_t": ("long long", 1),
    "uintptr_t": ("unsigned long long", 1),
    "cudaTextureObject_t": ("unsigned long long", 1),
    "cudaSurfaceObject_t": ("unsigned long long", 1),
}
_IGNORED = {"const", "volatile", "__restrict__", "__restrict", "restrict", "__grid_constant__"}
_IGNORED |= {"struct", "enum", "class", "union", "typename", "static", "constexpr", "inline", "extern"}
_IGNORED |= {"__constant__", "__device__", "__shared__", "__managed__"}


@dataclass(frozen=True)
class Field:
    """A member of a structure.

    `count` is None for a single value, else the elements of its array. `target` is what a pointer points to.
    """

    name: str
    element: Element
    count: int | None
    offset: int
    target: Element | None = None


@dataclass(frozen=True)
class Element:
    """A type. `base` is the NumPy type of a component, of which there are `lanes` (float4: 4); a structure
    has `fields` instead. `size` and `align` are in bytes."""

    name: str
    base: np.dtype
    lanes: int = 1
    align: int = 1
    size: int = 0
    fields: tuple[Field, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether a structure has nothing but single numbers and pointers in it, so that each can be said."""
        simple = (
            field.count is None and not field.element.fields and field.element.lanes == 1
            for field in self.fields
        )
        return bool(self.fields) and all(simple)

    @property
    def bfloat16(self) -> bool:
        """Whether a component is the upper half of a float, which NumPy has no type for."""
        return self.base == np.uint16 and "bfloat16" in self.name

    @property
    def dtype(self) -> np.dtype:
        """Of one element as a buffer holds it; of a component where there are several."""
        if not self.fields:
            return self.base
        return np.dtype(
            {
                "names": [field.name for field in self.fields],
                "formats": [_format(field) for field in self.fields],
                "offsets": [field.offset for field in self.fields],
                "itemsize": self.size,
            }
        )


def _format(field: Field) -> object:
    lanes = field.element.lanes if not field.element.fields else 1
    shape = tuple(extent for extent in (field.count, lanes if lanes > 1 else None) if extent is not None)
    return (field.element.dtype, shape) if shape else field.element.dtype


Structures = Callable[[str], Element | None]
"""The source's own types by name."""


def plain(name: str) -> str:
    """A type's name without const and the like, and without std:: before it."""
    words = [word for word in re.findall(r"::|[\w.]+|[^\s\w]", name) if word not in _IGNORED]
    text = " ".join(words)
    return re.sub(r"^(?:(?:std|cuda) :: )+", "", text.removeprefix(":: "))


def find(name: str, structures: Structures = lambda name: None) -> Element | None:
    """The type of that name; a pointer is an address of 8 bytes. None for one that is not known."""
    text = plain(name)
    if text.endswith("*"):
        return Element(text, np.dtype(np.uint64), 1, 8, 8)
    if (own := structures(text)) is not None:
        return own
    if text in (BFLOAT16, "bfloat16"):
        return Element(BFLOAT16, np.dtype(np.uint16), 1, 2, 2)
    if text in _OTHERS:
        component, lanes = _OTHERS[text]
        base = find(component)
        assert base is not None
        align = base.size if text == "dim3" else base.size * lanes
        named = component if lanes == 1 and component != BFLOAT16 else text
        return Element(named, base.base, lanes, align, base.size * lanes)
    base_type = SCALARS.get(_ordered(text))
    if base_type is not None:
        return Element(_ordered(text), base_type, 1, base_type.itemsize, base_type.itemsize)
    if vector := _VECTOR.fullmatch(text):
        unsigned, kind, digits = vector.groups()
        word = {"longlong": "long long"}.get(kind, kind)
        base_type, lanes = SCALARS[f"{'unsigned ' if unsigned else ''}{word}"], int(digits)
        size = base_type.itemsize * lanes
        align = base_type.itemsize if lanes == 3 else min(size, 16)
        return Element(text, base_type, lanes, align, size)
    return None


def size_of(name: str, structures: Structures = lambda name: None) -> int | None:
    """The bytes of a type; None for one that is not known."""
    found = find(name, structures)
    return found.size if found else None


def _ordered(text: str) -> str:
    """`int unsigned long` as `unsigned long int`: the order in which they are listed."""
    words = text.split()
    order = ("signed", "unsigned", "short", "long", "char", "int")
    if len(words) > 1 and all(word in order for word in words):
        words.sort(key=order.index)
        if words[0] == "signed" and words[1] != "char":
            words = words[1:]
    return " ".join(words)


Member = tuple[str, Element, int | None, Element | None]
"""Name, type, length of an array, what a pointer points to."""


def laid_out(name: str, members: list[Member], align: int = 1) -> Element:
    """A structure as C++ lays it out; one without members has one byte, and nothing in it."""
    fields, end, widest = [], 0, align
    for member, element, count, target in members:
        end = -(-end // element.align) * element.align
        fields.append(Field(member, element, count, end, target))
        end += element.size * (1 if count is None else count)
        widest = max(widest, element.align)
    size = max(-(-end // widest) * widest, 1)
    return Element(name, np.dtype((np.void, size)), 1, widest, size, tuple(fields))
