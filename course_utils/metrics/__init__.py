"""What the numbers mean: metrics and their names, ratios of them, occupancy, and the GPUs they are held
against.
"""

from __future__ import annotations

from . import names, ratios
from .gpus import GPUS, H200, SMS, Gpu, Sm, Source
from .names import METRICS, Level, Metric
from .occupancy import Occupancy, Suggestion, occupancy, suggested_block, waves

__all__ = [
    "GPUS",
    "H200",
    "METRICS",
    "SMS",
    "Gpu",
    "Level",
    "Metric",
    "Occupancy",
    "Sm",
    "Source",
    "Suggestion",
    "names",
    "occupancy",
    "ratios",
    "suggested_block",
    "waves",
]
