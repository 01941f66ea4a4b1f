from __future__ import annotations

from .fault import Kind

kind = Kind("initialisation")
