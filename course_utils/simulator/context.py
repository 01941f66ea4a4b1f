"""A block under way: its shared and local memory, its warps, and what it leaves for Python."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import numpy as np

from . import printing
from . import trace as tracing
from .errors import Index
from .kernel import Kernel
from .kinds import LANES
from .layout import Warp, Worker
from .own import PRINT

if TYPE_CHECKING:
    from .launch import Request


class Context:
    """The structure that compiled code calls a worker, and the memory it points to. One block at a time lives
    in it."""

    def __init__(
        self,
        kernel: Kernel,
        request: Request,
        counters: np.ndarray,
        rounds: int,
        patience: int,
        traced: bool,
    ) -> None:
        plan = kernel.plan
        self._plan = plan
        self.shared = _aligned(request.shared_bytes)
        self._regions = request.memory.worker_table(self.shared, request.shared_bytes, request.constants)
        self.warps = _aligned(plan.layout.size * plan.warps)
        self.local = _aligned(plan.addresses.local_bytes * LANES * plan.warps)
        self._trace = np.empty(tracing.ROOM if traced else 0, np.int64)
        prints = any(each.name == PRINT for each in plan.function.instructions)
        self._printed = np.empty(printing.ROOM if prints else 0, np.int64)
        for index in range(plan.warps):
            self._set_up(index)
        self._patience = patience
        self.worker = Worker(
            counters=counters.ctypes.data,
            regions=self._regions.ctypes.data,
            shared=self.shared.ctypes.data,
            warps=self.warps.ctypes.data,
            warp_bytes=plan.layout.size,
            trace=self._trace.ctypes.data,
            trace_room=len(self._trace),
            printed=self._printed.ctypes.data,
            print_room=len(self._printed),
            rounds=rounds,
            budget=patience,
            all=(ctypes.c_int32 * 16)(*[1] * 16),
        )

    @property
    def block(self) -> Index:
        return tuple(self.worker.index)  # type: ignore[return-value]

    def warp(self, index: int) -> Warp:
        return Warp.from_buffer(self.warps, index * self._plan.layout.size)

    def used_slices(self) -> int:
        """Slices used since the last call. A block that used up its patience once gets short turns from then
        on."""
        used, self.worker.slices = self.worker.slices, 0
        self.worker.budget = 1 if used >= self.worker.budget else self._patience
        return used

    def trace_records(self) -> tuple[np.ndarray, bool]:
        """The trace's records, and whether all of them found room."""
        used = self.worker.trace_used
        return self._trace[: min(used, len(self._trace))], used <= len(self._trace)

    def print_records(self) -> tuple[np.ndarray, int]:
        """The records of printf, and how many found no room."""
        used, room = self.worker.print_used, len(self._printed)
        return self._printed[: min(used, room)], max(used - room, 0) // printing.LENGTH

    def _set_up(self, index: int) -> None:
        plan, warp = self._plan, self.warp(index)
        lanes = min(LANES, plan.threads - index * LANES)
        warp.index = index
        warp.lanes = (1 << lanes) - 1 if lanes < LANES else -1
        warp.local = self.local.ctypes.data + index * LANES * plan.addresses.local_bytes
        for axis in range(3):
            values = plan.thread_index(axis, index)
            warp.scalars[axis] = values[0]
            warp.threads[axis * LANES : (axis + 1) * LANES] = values


def _aligned(size: int) -> np.ndarray:
    """Zeroed bytes that begin at a multiple of 64."""
    memory = np.zeros(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + max(size, 1)]
