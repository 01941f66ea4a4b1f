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
from .flash_attention import materialised, online_steps, sectors_of, traffic_over
from .memory_hierarchy import (
    asked_per_second,
    chase,
    gpus,
    intensity_of_loads,
    latency_curve,
    lifetimes,
    memories,
    ptx_of_line,
    roof,
    table_reads,
    without_line,
)
from .spmv import (
    SHAPES,
    added,
    crossed,
    csr_example,
    laid_out,
    library_time,
    longest,
    made,
    measure_product,
    on_matrix,
    open_matrix,
    rows_of,
    shapes,
    shares,
    stored,
)
from .tables import beside, buffers, checked, compared, each, fewer, first_loads, lines, over, runs
from .tiling import Checked, asked, bars, check_races, intensity, races
from .timing import copy_time, curve, measure, measure_over, recorded, recorded_curve, times, times_over

__all__ = [
    "COPIED",
    "MATRICES",
    "ORDERS",
    "SHAPES",
    "TIMED_ORDERS",
    "TURNED",
    "Checked",
    "Counted",
    "Shown",
    "added",
    "asked",
    "asked_per_second",
    "attempt",
    "banks",
    "bars",
    "beside",
    "block_sizes",
    "buffers",
    "chase",
    "check_races",
    "checked",
    "code",
    "compared",
    "copy_time",
    "count",
    "crossed",
    "csr_example",
    "curve",
    "each",
    "fewer",
    "first_loads",
    "flags",
    "followed",
    "format_errors",
    "formats",
    "gpus",
    "in_flight",
    "instructions",
    "intensity",
    "intensity_of_loads",
    "laid_out",
    "lane_values",
    "latency",
    "latency_curve",
    "lessons",
    "libraries",
    "library_time",
    "lifetimes",
    "lines",
    "longest",
    "lt_plans",
    "machine",
    "made",
    "materialised",
    "measure",
    "measure_over",
    "measure_product",
    "memories",
    "modes",
    "occupancy",
    "on_matrix",
    "online_steps",
    "open_matrix",
    "over",
    "progress",
    "ptx_of_line",
    "races",
    "reading",
    "recorded",
    "recorded_curve",
    "roof",
    "rows_of",
    "runs",
    "sectors_of",
    "shapes",
    "shares",
    "stored",
    "swizzled",
    "symptoms",
    "table_reads",
    "times",
    "times_over",
    "traffic_over",
    "warps_of_block",
    "wavefronts",
    "waves",
    "without_line",
]
