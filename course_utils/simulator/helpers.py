"""Functions in LLVM that only some kernels call, such as a matrix product of one shape.

They are written when a kernel first needs them. `machine` compiles each once and makes it known to the
kernels that name it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Helper:
    """declaration: as callers declare it. text: writes the module that defines it."""

    declaration: str
    text: Callable[[], str]


KNOWN: dict[str, Helper] = {}


def provide(name: str, signature: str, text: Callable[[], str]) -> None:
    """Make a helper known. `signature` is its LLVM type, as in "void (ptr, i32)"; its name begins with
    simulator_."""
    if name not in KNOWN:
        result, arguments = signature.split(" ", 1)
        KNOWN[name] = Helper(f"declare {result} @{name}{arguments}", text)
