"""A run -> a picture and a sentence that says what it shows. Nothing here launches anything.

    figure = tile_picture(run.trace, {"A": (96, 96), "B": (96, 96), "C": (96, 96)}, name="tiled")
    figure.sentence, figure.html, figure.text

In the order data flows: sample (a run with what is needed to judge it), measures (numbers from a sample),
traffic (counts from a trace), then the pictures: counters, sweep, source, tile, findings (of the checks),
recorded (what real GPUs measured). Their look is in style, svg, chart and table.
"""

from __future__ import annotations

from .counters import counters_table
from .figure import Figure
from .findings import findings_view
from .measures import MEASURES, Measure
from .recorded import ladder, latencies, over_sizes, recorded_against_counted
from .sample import Sample
from .source import source_view
from .style import STYLE
from .sweep import sweep_table
from .table import Table
from .tile import tile_picture
from .traffic import Traffic

__all__ = [
    "MEASURES",
    "STYLE",
    "Figure",
    "Measure",
    "Sample",
    "Table",
    "Traffic",
    "counters_table",
    "findings_view",
    "ladder",
    "latencies",
    "over_sizes",
    "recorded_against_counted",
    "source_view",
    "sweep_table",
    "tile_picture",
]
