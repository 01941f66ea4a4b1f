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
from .execution_model import (
    block_sizes,
    followed,
    in_flight,
    instructions,
    lane_values,
    latency,
    occupancy,
    symptoms,
    warps_of_block,
    waves,
)
from .tables import beside, buffers, checked, compared, each, fewer, first_loads, lines, over, runs
from .timing import copy_time, curve, measure, measure_over, recorded, recorded_curve, times, times_over

__all__ = [
    "COPIED",
    "MATRICES",
    "ORDERS",
    "TIMED_ORDERS",
    "TURNED",
    "Counted",
    "Shown",
    "banks",
    "beside",
    "block_sizes",
    "buffers",
    "checked",
    "compared",
    "copy_time",
    "count",
    "curve",
    "each",
    "fewer",
    "first_loads",
    "followed",
    "in_flight",
    "instructions",
    "lane_values",
    "latency",
    "lessons",
    "lines",
    "machine",
    "measure",
    "measure_over",
    "occupancy",
    "over",
    "progress",
    "recorded",
    "recorded_curve",
    "runs",
    "swizzled",
    "symptoms",
    "times",
    "times_over",
    "warps_of_block",
    "wavefronts",
    "waves",
]
