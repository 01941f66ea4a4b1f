"""printf in a kernel: records left by compiled code -> text.

The format is read as in C; arguments lie in the caller's local memory, each aligned to its size, as the CUDA
driver expects them (CUDA C++ Programming Guide, "Formatted Output").
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

import numpy as np

WORDS = 32  # of 8 bytes of arguments that a record keeps
LENGTH = 3 + WORDS  # block, thread, address of the format, arguments
ROOM = LENGTH * 65536
"""Numbers of 64 bits that a worker's output may take: 65536 calls."""

WIDEST = 4096
"""Characters that a field may be made wide, or digits that it may show."""

_SPECIFIER = re.compile(r"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|z|t|j|L)?([diouxXcsfFeEgGaAp%n])")


def text(records: np.ndarray, read: Callable[[int], bytes]) -> str:
    """All that the kernel printed, block by block in the order printed. `read` gives the string at an
    address."""
    lines = []
    rows = records[: len(records) // LENGTH * LENGTH].reshape(-1, LENGTH)
    for row in rows[np.argsort(rows[:, 0], kind="stable")]:
        lines.append(format_one(read(int(row[2])), row[3:].tobytes(), read))
    return "".join(lines)


def format_one(layout: bytes, arguments: bytes, read: Callable[[int], bytes]) -> str:
    """One printf. Arguments beyond the 256 bytes kept are shown as '?'."""
    position = 0

    def take(kind: str) -> int | float | None:
        nonlocal position
        size = struct.calcsize(kind)
        position = (position + size - 1) // size * size
        if position + size > len(arguments):
            return None
        (value,) = struct.unpack_from("<" + kind, arguments, position)
        position += size
        return value

    def one(match: re.Match[str]) -> str:
        flags, width, precision, length, letter = match.groups()
        if letter == "%":
            return "%"
        wide, exact = (take("i") if part == "*" else part and int(part) for part in (width, precision))
        spec = f"%{flags}" + (str(max(min(int(wide), WIDEST), -WIDEST)) if wide else "")
        if exact is not None and int(exact) >= 0:  # a negative precision counts as none (C11 7.21.6.1)
            spec += f".{min(int(exact), WIDEST)}"
        value = take(_kind(letter, length))
        if value is None:
            return "?"
        return _formatted(spec, letter, length, value, read)

    return _SPECIFIER.sub(one, layout.decode("utf-8", "replace"))


def _kind(letter: str, length: str | None) -> str:
    if letter in "fFeEgGaA":
        return "d"
    if letter in "spn" or length in ("l", "ll", "z", "t", "j"):
        return "q" if letter in "di" else "Q"
    return "i" if letter in "dic" else "I"


def _formatted(
    spec: str, letter: str, length: str | None, value: int | float, read: Callable[[int], bytes]
) -> str:
    if letter == "s":
        return (spec + "s") % (read(int(value)).decode("utf-8", "replace") if value else "(null)")
    if letter == "c":
        return (spec.split(".")[0] + "c") % chr(int(value) & 0xFF)
    if letter == "p":
        return (spec.split(".")[0] + "s") % f"{int(value):#x}"
    if letter in "aA":
        shown = float(value).hex()
        return shown.upper() if letter == "A" else shown
    if letter == "n":
        return ""
    if length in ("h", "hh") and letter in "diuoxX":
        bits = 16 if length == "h" else 8
        value = int(value) & (1 << bits) - 1
        if letter in "di" and value >> bits - 1:
            value -= 1 << bits
    shown = (spec + {"u": "d", "i": "d"}.get(letter, letter)) % value
    return shown.replace("0o", "0") if letter == "o" else shown  # C marks octal numbers by a zero alone
