"""How much of the GPU's memory a learner's kernels may take, where several people share a GPU."""

from __future__ import annotations

import os
import re

LIMIT = "LIVE_KERNELS_GPU_MEMORY"
"""This environment variable sets the limit: "4 GiB", "500MB", or a number of bytes."""

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "KI": 1 << 10, "MI": 1 << 20, "GI": 1 << 30}


def memory_limit() -> int | None:
    """Bytes that one process may take; None: no limit. Raises ValueError where the setting is no size."""
    text = os.environ.get(LIMIT, "").strip()
    if not text:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]I?|)B?", text.upper())
    if match is None:
        raise ValueError(f'{LIMIT} is {text!r}, which is no size: write it as "4 GiB" or "500 MB"')
    return int(float(match[1]) * _UNITS[match[2]])
