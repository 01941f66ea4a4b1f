"""All planted faults."""

from __future__ import annotations

from . import barriers, initialisation, memory, races
from .fault import Fault, Kind

KINDS: list[Kind] = [memory.kind, races.kind, initialisation.kind, barriers.kind]
FAULTS: list[Fault] = [fault for kind in KINDS for fault in kind.faults]
