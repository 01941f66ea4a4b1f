"""What each arithmetic instruction computes, as tables: opcode and type -> function that writes LLVM.

The same function serves one scalar for the whole warp and a vector of 32 lanes; `Operation` knows which.
Memory, control flow and exchange between lanes are elsewhere (`access`, `codegen`, `exchange`). Sections
named are those of the PTX ISA 8.8. One file a family: integer, carry, bits, logic, real, approximate, half,
compare, convert, eighth, move, video.

Results are those of IEEE 754 and of the PTX ISA bit for bit, NaNs aside, whichever processor runs this:
single operations of LLVM that all processors round alike, and no function of a C library.
"""

from __future__ import annotations

from . import approximate, bits, carry, compare, convert, half, integer, logic, move, real, video
from .operation import Operation, Result
from .table import RULES, evaluate, results, signed_result, source_element
from .types import ELEMENT, STORAGE

__all__ = [
    "ELEMENT",
    "FAMILIES",
    "RULES",
    "STORAGE",
    "Operation",
    "Result",
    "evaluate",
    "results",
    "signed_result",
    "source_element",
]

FAMILIES = (integer, carry, bits, logic, real, approximate, half, compare, convert, move, video)
"""The modules whose rules fill the table."""
