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
from .host import (
    copies_beside,
    host_calls,
    layers,
    machine_code,
    measure_host,
    ptx_of,
    recorded_host,
    recorded_machine,
    schedule,
    sides,
    split,
    stages,
    targets,
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
    "banks",
    "beside",
    "buffers",
    "compared",
    "copies_beside",
    "copy_time",
    "count",
    "curve",
    "each",
    "fewer",
    "first_loads",
    "host_calls",
    "layers",
    "lessons",
    "lines",
    "machine",
    "machine_code",
    "measure",
    "measure_host",
    "measure_over",
    "over",
    "progress",
    "ptx_of",
    "recorded",
    "recorded_curve",
    "recorded_host",
    "recorded_machine",
    "runs",
    "schedule",
    "sides",
    "split",
    "stages",
    "swizzled",
    "targets",
    "times",
    "times_over",
    "wavefronts",
]
