"""What lessons call besides labs and exercises: a counted run, tables, times, the lessons, this machine.

naive = notebook.count("tiling/naive", N=256, TILE=32)
naive.sectors, naive.bytes_per_multiply_add
notebook.first_loads(naive)

What serves several lessons is in counted, tables, timing and course; what serves one is in a module of its
topic.
"""

from __future__ import annotations

from .bank_conflicts import banks, swizzled, wavefronts
from .coalescing import COPIED, MATRICES, ORDERS, TIMED_ORDERS, TURNED
from .counted import Counted, Shown, count
from .course import lessons, machine, progress
from .memory_hierarchy import (
    asked_per_second,
    chase,
    gpus,
    instructions,
    intensity,
    latency_curve,
    lifetimes,
    memories,
    memory_instructions,
    roof,
    table_reads,
    without_line,
)
from .tables import beside, buffers, compared, each, fewer, first_loads, lines, over, runs
from .timing import copy_time, curve, measure, measure_over, recorded, recorded_curve, times, times_over

__all__ = [
    "COPIED",
    "MATRICES",
    "ORDERS",
    "TIMED_ORDERS",
    "TURNED",
    "Counted",
    "Shown",
    "asked_per_second",
    "banks",
    "beside",
    "buffers",
    "chase",
    "compared",
    "copy_time",
    "count",
    "curve",
    "each",
    "fewer",
    "first_loads",
    "gpus",
    "instructions",
    "intensity",
    "latency_curve",
    "lessons",
    "lifetimes",
    "lines",
    "machine",
    "measure",
    "measure_over",
    "memories",
    "memory_instructions",
    "over",
    "progress",
    "recorded",
    "recorded_curve",
    "roof",
    "runs",
    "swizzled",
    "table_reads",
    "times",
    "times_over",
    "wavefronts",
    "without_line",
]
