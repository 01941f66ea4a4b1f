"""What real GPUs measured: times of the course's kernels and of libraries, latencies, profiler counts.

    h200 = recordings.load()[0]                # the course's own comes first, then the learner's
    h200.label                                 # "recorded on NVIDIA H200, 2026-11-29"
    h200.time("tiling/tiled", {"TILE": 16}, N=4096).seconds.median
    h200.libraries["tiling"], h200.curves["latency"].points, h200.host, h200.counted

`python3 -m course_utils record` makes them (record.py). In the order data flows: generated, launches and jobs
(what is recorded), libraries and host (copies, streams and what else is around a launch), worker and
profiler (how), recording (the file, by schema.json), places (where files are), agreement (what the simulator
counts for the same launches).
"""

from __future__ import annotations

from . import places
from .recording import (
    Counted,
    Curve,
    Experiment,
    Measured,
    Piece,
    Recording,
    RecordingError,
    Seconds,
    Timed,
    read,
)

__all__ = [
    "Counted",
    "Curve",
    "Experiment",
    "Measured",
    "Piece",
    "Recording",
    "RecordingError",
    "Seconds",
    "Timed",
    "load",
    "read",
]


def load() -> tuple[Recording, ...]:
    """Every recording there is: the course's, then the learner's own. One that cannot be read is left out;
    `doctor` says why."""
    found = []
    for path, own in places.files():
        try:
            found.append(read(path, own))
        except RecordingError:
            if not own:
                raise
    return tuple(found)
