"""One launch: blocks handed out to worker threads, interrupts, budgets and failures."""

from __future__ import annotations

import ctypes
import os
import threading
from dataclasses import dataclass

import numpy as np

from . import machine
from . import trace as tracing
from .access import Site
from .errors import Error, Hang, IllegalAccess, Index, Place, Trap
from .kernel import Kernel
from .kinds import LANES
from .layout import FAST, MASKED, Launch, Status, Warp, Worker
from .memory import Memory

SLICE = 20_000  # loop rounds after which other warps get a turn: some milliseconds
DEFAULT_BUDGET = 200_000_000
"""Loop rounds that each worker may spend before a launch counts as endless: some seconds."""


@dataclass(frozen=True)
class Request:
    """All that a launch needs, checked."""

    grid: Index
    shared_bytes: int  # static and dynamic
    parameters: bytearray
    memory: Memory
    constants: np.ndarray
    workers: int
    budget: int
    file: str


def default_workers() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Windows or macOS
        return os.cpu_count() or 1


def run(kernel: Kernel, request: Request) -> np.ndarray:
    """Run a launch to its end; returns the summed counters (int64, see layout.CounterLayout).

    Raises IllegalAccess, Trap, Hang, or whatever interrupts the caller (KeyboardInterrupt), after all threads stopped.
    """
    return _Run(kernel, request, range(_blocks(request))).go()


def run_traced(kernel: Kernel, request: Request, asked: tracing.Request) -> tuple[np.ndarray, tracing.Trace]:
    """Like `run`, block by block in order as far as the traced one, which runs alone and leaves its steps."""
    (x, y, _), (bx, by, bz) = request.grid, asked.block
    number = bx + x * (by + y * bz)
    before = _Run(kernel, request, range(number)).go() if number else 0
    traced = _Run(kernel, request, range(number, number + 1), traced=True)
    counters = traced.go()
    after = range(number + 1, _blocks(request))
    total = before + counters + (_Run(kernel, request, after).go() if after else 0)
    return total, tracing.read(*traced.records(), asked, kernel.plan, request.memory)


def _blocks(request: Request) -> int:
    x, y, z = request.grid
    return x * y * z


class _Run:
    """Some of the blocks of a launch, on as many threads as asked for."""

    def __init__(self, kernel: Kernel, request: Request, blocks: range, *, traced: bool = False) -> None:
        self.kernel, self.request, self.plan = kernel, request, kernel.plan
        self._parameters = (ctypes.c_char * max(len(request.parameters), 1)).from_buffer(
            request.parameters or bytearray(1)
        )
        self.launch = Launch(
            next_block=blocks.start,
            blocks=blocks.stop,
            slice=SLICE,
            grid=(ctypes.c_int32 * 3)(*request.grid),
            warps=self.plan.warps,
            parameters=ctypes.addressof(self._parameters),
            parameter_bytes=len(request.parameters),
            constants=request.constants.ctypes.data,
            constant_bytes=request.constants.nbytes,
            shared_bytes=request.shared_bytes,
            full=kernel.full or None,
            partial=kernel.partial or None,
            masked=kernel.traced() if traced else kernel.masked_if_made or None,
            rest=kernel.rest_if_made or None,
            first_mode=MASKED if traced else FAST,
        )
        count = max(1, min(request.workers, len(blocks)))
        self.workers = [_WorkerState(self, traced) for _ in range(count)]
        self._failures: list[BaseException] = []
        self._lock = threading.Lock()

    def go(self) -> np.ndarray:
        threads = [
            threading.Thread(target=self._work, args=(worker,), daemon=True) for worker in self.workers
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(0.05)  # short, so that Ctrl-C and the notebook's stop button get through
        except BaseException:
            self.launch.stop = 1
            for thread in threads:
                thread.join()
            raise
        if self._failures:
            raise self._failures[0]
        return np.sum([worker.counters for worker in self.workers], axis=0)

    def records(self) -> tuple[np.ndarray, bool]:
        """The trace's records, and whether all of them found room."""
        worker = self.workers[0]
        used = worker.structure.trace_used
        return worker.trace[: min(used, len(worker.trace))], used <= len(worker.trace)

    def _work(self, worker: _WorkerState) -> None:
        try:
            self._blocks(worker)
        except BaseException as failure:
            with self._lock:
                self._failures.append(failure)
            self.launch.stop = 1

    def _blocks(self, worker: _WorkerState) -> None:
        run_function = machine.run_function()
        launch, own = ctypes.byref(self.launch), ctypes.byref(worker.structure)
        while True:
            status = run_function(launch, own)
            if status in (Status.DONE, Status.STOPPED):
                return
            if status == Status.NEEDS_MASKED:
                self.launch.masked = self.kernel.masked()
            elif status == Status.NEEDS_REST:
                wrapped = worker.warp(worker.structure.turn).wrapped
                self.launch.rest = self.kernel.rest((wrapped >> 16, wrapped & 0xFFFF))
            else:
                raise self._failure(status, worker)

    # Failures

    def _failure(self, status: int, worker: _WorkerState) -> Error:
        structure = worker.structure
        block: Index = tuple(structure.index)  # type: ignore[assignment]
        if status == Status.ERROR:
            return self._illegal(worker, block)
        if status == Status.TRAP:
            return Trap(f"the kernel ended itself (assert or trap) in block {block}")
        if status == Status.YIELD:
            return Hang(
                f"the kernel did not end: a loop in block {block} ran {self.request.budget:,} rounds. If it only needs "
                "longer, pass a larger budget."
            )
        return Error(f"the simulator stopped with status {status} in block {block}")

    def _illegal(self, worker: _WorkerState, block: Index) -> IllegalAccess:
        structure = worker.structure
        site = next(site for site in self.plan.sites.values() if site.number == structure.site)
        mask = structure.mask & 0xFFFFFFFF
        addresses = list(structure.addresses)
        if not mask:  # the fast code reports one address, from which the lanes follow
            variant = "full" if worker.warp(structure.turn).lanes == -1 else "partial"
            shape = self.kernel.shapes[variant][site.number]
            addresses = [addresses[0] + distance for distance in shape]
            mask = (1 << len(shape)) - 1
        addresses = [address & (1 << 64) - 1 for address in addresses]
        for lane in range(LANES):
            if mask >> lane & 1:
                fault = self._fault(site, addresses[lane])
                if fault:
                    sentence, name, index = fault
                    place = self._place(structure.turn, lane, block, site)
                    verb = "load" if site.load else "store"
                    return IllegalAccess(
                        f"illegal {verb} of {site.size} byte{'s' * (site.size > 1)} at {place}: {sentence}",
                        buffer=name,
                        index=index,
                        place=place,
                    )
        raise AssertionError("an access was refused, but every lane's address is legal")

    def _fault(self, site: Site, address: int) -> tuple[str, str | None, int | None] | None:
        """(what is wrong with one address, buffer, index), None when nothing is."""
        if site.space in ("shared", "local", "const", "param"):
            size = {
                "shared": self.request.shared_bytes,
                "local": self.plan.addresses.local_bytes,
                "const": self.request.constants.nbytes,
                "param": len(self.request.parameters),
            }[site.space]
            kind = {"const": "constant", "param": "parameter"}.get(site.space, site.space)
            signed = address - (1 << 64) if address >> 63 else address
            if not 0 <= signed <= size - site.size:
                return (
                    f"byte {signed} of {kind} memory, which has {size} bytes",
                    f"{kind} memory",
                    signed // site.size,
                )
            if signed % site.size:
                return (
                    f"byte {signed} of {kind} memory is no multiple of {site.size}",
                    f"{kind} memory",
                    signed // site.size,
                )
            return None
        buffer, offset = self.request.memory.find(address)
        if buffer is None:
            if address < 1 << 20:
                return f"address {address:#x} is a null pointer, or an index from one", None, None
            return f"address {address:#x} belongs to no buffer", None, None
        view = buffer.array
        first = view.ctypes.data - buffer.start
        size = max(view.itemsize, 1)
        index = (offset - first) // size
        if not 0 <= offset <= buffer.size - site.size:
            whole = f"{buffer.name} has {view.size} elements of {size} byte{'s' * (size > 1)}"
            return f"{buffer.name}[{index}] is out of bounds; {whole}", buffer.name, index
        if offset % site.size:
            return (
                f"{buffer.name}[{index}] begins at byte {offset}, which is no multiple of {site.size}: misaligned",
                buffer.name,
                index,
            )
        return None

    def _place(self, warp: int, lane: int, block: Index, site: Site) -> Place:
        thread: Index = tuple(self.plan.thread_index(axis, warp)[lane] for axis in range(3))  # type: ignore[assignment]
        location = site.instruction.location
        return Place(self.request.file, location.line if location.file == 1 else None, block, thread)


class _WorkerState:
    """A worker's structure and the memory it points to."""

    def __init__(self, run: _Run, traced: bool) -> None:
        plan, request = run.plan, run.request
        layout = plan.layout
        self.counters = np.zeros(plan.counters.size, np.int64)
        self.shared = _aligned(request.shared_bytes)
        self.regions = request.memory.worker_table(self.shared, request.shared_bytes)
        self.warps = _aligned(layout.size * plan.warps)
        self.local = _aligned(plan.addresses.local_bytes * LANES * plan.warps)
        self.trace = np.empty(tracing.ROOM if traced else 0, np.int64)
        self._layout = layout
        for index in range(plan.warps):
            self._set_up(plan, index)
        self.structure = Worker(
            counters=self.counters.ctypes.data,
            regions=self.regions.ctypes.data,
            shared=self.shared.ctypes.data,
            warps=self.warps.ctypes.data,
            warp_bytes=layout.size,
            trace=self.trace.ctypes.data,
            trace_room=len(self.trace),
            rounds=SLICE,
            budget=max(request.budget // SLICE, 1),
        )

    def warp(self, index: int) -> Warp:
        return Warp.from_buffer(self.warps, index * self._layout.size)

    def _set_up(self, plan, index: int) -> None:
        warp = self.warp(index)
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
