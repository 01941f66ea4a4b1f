"""Values for a program's `__constant__` and `__device__` variables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..simulator import ArgumentError


def contents(initial: Mapping[str, np.ndarray], symbols: Mapping[str, object]) -> dict[str, np.ndarray]:
    """What every variable holds when the kernel starts, as bytes: what the source says, and on top of it
    `symbols`.

    Raises ArgumentError for a variable that is not there or too small.
    """
    found = {name: value.copy() for name, value in initial.items()}
    for name, value in symbols.items():
        if name not in found:
            known = ", ".join(sorted(found)) or "none"
            raise ArgumentError(f"there is no variable {name!r} in this program; there is: {known}")
        data = np.frombuffer(np.asarray(value).tobytes(), np.uint8)
        if data.size > found[name].size:
            raise ArgumentError(f"{name} has {found[name].size} bytes, the value has {data.size}")
        found[name][: data.size] = data
    return found


def update(symbols: Mapping[str, object], results: Mapping[str, np.ndarray]) -> None:
    """Write what the variables hold at the end into the arrays that were passed for them, as for buffers."""
    for name, value in symbols.items():
        if isinstance(value, np.ndarray) and value.flags.writeable:
            value[...] = results[name][: value.nbytes].view(value.dtype).reshape(value.shape)
