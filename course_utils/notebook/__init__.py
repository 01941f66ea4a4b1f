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
from .cublas import attempt, code, flags, format_errors, formats, libraries, lt_plans, modes, reading
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
    "attempt",
    "banks",
    "beside",
    "buffers",
    "code",
    "compared",
    "copy_time",
    "count",
    "curve",
    "each",
    "fewer",
    "first_loads",
    "flags",
    "format_errors",
    "formats",
    "lessons",
    "libraries",
    "lines",
    "lt_plans",
    "machine",
    "measure",
    "measure_over",
    "modes",
    "over",
    "progress",
    "reading",
    "recorded",
    "recorded_curve",
    "runs",
    "swizzled",
    "times",
    "times_over",
    "wavefronts",
]
