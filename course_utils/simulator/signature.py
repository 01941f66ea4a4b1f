"""Parameter names and types of a kernel, read from its source.

PTX knows parameters by number and size only. The source tells what a learner calls them, so that messages
can, and which element type each pointer has, so that a mistyped array is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

_COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"', re.DOTALL)
_QUALIFIERS = {"const", "volatile", "__restrict__", "__restrict", "restrict", "__grid_constant__", "struct"}

SCALARS: dict[str, np.dtype] = {
    name: np.dtype(kind)
    for kind, names in {
        "?": ("bool",),
        "i1": ("char", "signed char", "int8_t"),
        "u1": ("unsigned char", "uint8_t"),
        "i2": ("short", "short int", "int16_t"),
        "u2": ("unsigned short", "unsigned short int", "uint16_t"),
        "i4": ("int", "signed int", "signed", "int32_t"),
        "u4": ("unsigned int", "unsigned", "uint32_t"),
        "i8": ("long long", "long long int", "long", "long int", "int64_t", "ptrdiff_t"),
        "u8": ("unsigned long long", "unsigned long long int", "unsigned long", "uint64_t", "size_t"),
        "f2": ("__half", "half"),
        "f4": ("float",),
        "f8": ("double",),
    }.items()
    for name in names
}
_VECTOR = re.compile(r"(u?)(char|short|int|long|longlong|float|double)([1-4])$")


@dataclass(frozen=True)
class Parameter:
    """One parameter. `element` is the NumPy type of what a pointer points to or of the value itself, None if
    unknown; for CUDA's vector types (float4) it is that of their components."""

    name: str
    type: str
    pointer: bool
    element: np.dtype | None

    @property
    def read_only(self) -> bool:
        """A pointer to const."""
        return self.pointer and re.search(r"\bconst\b", self.type.split("*")[0]) is not None


def parameters(source: str, kernel: str) -> list[Parameter] | None:
    """The parameters of a __global__ function, None where the source does not tell (templates, macros)."""
    plain = _COMMENT_OR_STRING.sub(lambda match: " " if match.group()[0] == "/" else '""', source)
    for match in re.finditer(rf"\b{re.escape(kernel)}\s*\(", plain):
        head = plain[: match.start()]
        start = max(head.rfind(";"), head.rfind("}"))
        if "__global__" not in head[start + 1 :]:
            continue
        depth, position = 1, match.end()
        while position < len(plain) and depth:
            depth += {"(": 1, ")": -1}.get(plain[position], 0)
            position += 1
        listed = _split(plain[match.end() : position - 1])
        return [_parameter(text, number) for number, text in enumerate(listed)]
    return None


def _split(text: str) -> list[str]:
    pieces, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += {"<": 1, "(": 1, "[": 1, ">": -1, ")": -1, "]": -1}.get(character, 0)
        if character == "," and depth == 0:
            pieces.append(text[start:position])
            start = position + 1
    pieces.append(text[start:])
    return [piece.strip() for piece in pieces if piece.strip() not in ("", "void")]


def _parameter(text: str, number: int) -> Parameter:
    text = text.split("=")[0].strip()
    pointer = "*" in text or text.endswith("]")
    match = re.match(r"(.*?)([A-Za-z_]\w*)\s*(?:\[[^\]]*\])?$", text, re.DOTALL)
    kind, name = (match.group(1), match.group(2)) if match else (text, f"parameter {number + 1}")
    words = [word for word in re.findall(r"[A-Za-z_][\w:]*", kind) if word not in _QUALIFIERS]
    base = " ".join(words)
    deep = kind.count("*") > 1  # a pointer to pointers: elements are addresses
    element = np.dtype("u8") if deep else SCALARS.get(base)
    if element is None and (vector := _VECTOR.match(base)):
        unsigned = "unsigned " if vector.group(1) else ""
        component = {"longlong": "long long"}.get(vector.group(2), vector.group(2))
        element = SCALARS.get((unsigned + component).strip())
    return Parameter(name, " ".join(kind.split()), pointer, element)
