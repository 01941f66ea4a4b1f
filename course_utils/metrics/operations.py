"""FP32 operations that a run executed, at PTX level.

Counted as Nsight Compute's roofline counts them in machine code (FADD + FMUL + 2 FFMA): additions,
subtractions and products once, fused multiply-adds twice. Divisions, roots and other functions are left out,
and so are half and double precision and tensor cores.
"""

from __future__ import annotations

from collections.abc import Mapping

_OPERATIONS = {"add": 1, "sub": 1, "mul": 1, "fma": 2, "mad": 2}


def fp32_operations(by_opcode: Mapping[str, int]) -> int:
    """FP32 operations of all threads, from how often the threads executed each PTX opcode (Run.by_opcode)."""
    total = 0
    for opcode, executions in by_opcode.items():
        name, *modifiers = opcode.split(".")
        if "f32" in modifiers:
            total += _OPERATIONS.get(name, 0) * executions
    return total
