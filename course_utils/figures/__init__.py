"""A run -> a picture and a sentence that says what it shows. Nothing here launches anything.

    figure = tile_picture(run.trace, {"A": (96, 96), "B": (96, 96), "C": (96, 96)}, name="tiled")
    figure.sentence, figure.html, figure.text

In the order data flows: sample (a run with what is needed to judge it), measures (numbers from a sample);
what a trace says: traffic (counts of a block), accesses (where memory is touched), frames (steps of a warp),
phases (of a block between barriers); then the pictures: counters, sweep and sweepbars, source with ptx, tile,
tilefilm, access, banks, warp, lanes, occupancy, waves, roofline, rows (of a sparse matrix), findings (of the
checks), recorded (what real GPUs measured), times (of launches), timeline (of streams), buffer (a matrix in
memory). Their look is in style and look, what they share in svg, chart, table, parts and code.
"""

from __future__ import annotations

from .access import access_map
from .banks import bank_grid
from .buffer import buffer_picture
from .counters import counters_table
from .figure import Figure
from .findings import findings_view
from .lanes import lane_work
from .measures import MEASURES, Measure
from .occupancy import occupancy_view
from .recorded import ladder, latencies, over_sizes, recorded_against_counted
from .roofline import Point, roofline
from .rows import padding, row_lengths
from .sample import Sample
from .source import source_view
from .style import STYLE
from .sweep import sweep_table
from .sweepbars import sweep_bars
from .table import Table
from .tile import tile_picture
from .tilefilm import tile_film
from .timeline import MILLISECONDS, STEPS, timeline
from .times import Clocked, times_table, times_view
from .traffic import Traffic
from .warp import warp_film
from .waves import waves_view

__all__ = [
    "MEASURES",
    "MILLISECONDS",
    "STEPS",
    "STYLE",
    "Clocked",
    "Figure",
    "Measure",
    "Point",
    "Sample",
    "Table",
    "Traffic",
    "access_map",
    "bank_grid",
    "buffer_picture",
    "counters_table",
    "findings_view",
    "ladder",
    "lane_work",
    "latencies",
    "occupancy_view",
    "over_sizes",
    "padding",
    "recorded_against_counted",
    "roofline",
    "row_lengths",
    "source_view",
    "sweep_bars",
    "sweep_table",
    "tile_film",
    "tile_picture",
    "timeline",
    "times_table",
    "times_view",
    "warp_film",
    "waves_view",
]
