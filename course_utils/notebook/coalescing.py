"""Settings that the lesson on coalescing varies."""

from __future__ import annotations

from ..labs import Counters
from .tables import Settings

COPIED = Counters(measures=("requests", "sectors", "sectors_per_request", "store_sectors"))
TURNED = Counters(
    measures=("sectors_per_request", "store_sectors_per_request", "store_sectors", "wavefronts", "conflicts")
)
"""The counters that matter where data are only moved, and where they are turned on the way."""

ORDERS: dict[str, Settings] = {
    "sorted": {"run": 1 << 30},
    "shuffled in groups of 32": {"run": 1, "group": 32},
    "runs of 8": {"run": 8},
    "runs of 4": {"run": 4},
    "runs of 2": {"run": 2},
    "shuffled": {"run": 1},
}
"""Orders of an index array, as problems.coalescing.gather makes them."""

TIMED_ORDERS: dict[str, Settings] = {
    "sorted": {"run": 1 << 25, "group": 1 << 25},
    "shuffled in groups of 32": {"run": 1, "group": 32},
    "runs of 8": {"run": 8, "group": 1 << 25},
    "runs of 2": {"run": 2, "group": 1 << 25},
    "shuffled in groups of 65,536": {"run": 1, "group": 1 << 16},
    "shuffled": {"run": 1, "group": 1 << 25},
}
"""Those of an array of 2^25 that were timed; smaller arrays are one group at most."""

MATRICES: dict[str, Settings] = {
    "128 x 128": {"rows": 128, "cols": 128},
    "100 x 70": {"rows": 100, "cols": 70},
}
"""Shapes of a matrix to transpose: of whole tiles, and not."""
