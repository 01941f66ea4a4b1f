"""One launch: blocks handed out to threads of the host, interrupts, budgets, output."""

from __future__ import annotations

import ctypes
import os
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from . import failures, machine, printing
from . import trace as tracing
from .context import Context
from .errors import Hang, Index
from .kernel import Kernel
from .layout import FAST, MASKED, Launch, Status
from .memory import Memory

if TYPE_CHECKING:
    from .checks.monitor import Monitor

SLICE = 20_000  # loop rounds after which other warps get a turn: some milliseconds at most
PATIENCE = 50  # slices that a block may use before other blocks get a turn
OPEN_BLOCKS = 1024  # that one thread keeps waiting for each other
DEFAULT_BUDGET = 200_000_000
CHECKED_BUDGET = 50_000_000
"""Loop rounds that each thread may spend before a launch counts as endless: some seconds."""


@dataclass(frozen=True)
class Request:
    """All that a launch needs, checked. `workspace` is the address of a cooperative launch's barrier, else
    0."""

    grid: Index
    shared_bytes: int  # static and dynamic
    parameters: bytearray
    memory: Memory
    constants: np.ndarray
    workers: int
    budget: int
    file: str
    workspace: int = 0

    def checked(self) -> Request:
        """The same on one thread of the host: what the checks find shall not depend on the number."""
        return replace(self, workers=1)

    @property
    def blocks(self) -> int:
        x, y, z = self.grid
        return x * y * z


@dataclass
class Outcome:
    """What a launch left: summed counters (int64, see layout.CounterLayout), what it printed, the trace asked
    for."""

    counters: np.ndarray
    output: str = ""
    notes: list[str] = field(default_factory=list)
    trace: tracing.Trace | None = None


def default_workers() -> int:
    """As many threads as this process may use processors."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Windows or macOS
        return os.cpu_count() or 1


def run(
    kernel: Kernel,
    request: Request,
    traced: tracing.Request | None = None,
    monitor: Monitor | None = None,
) -> Outcome:
    """Run a launch to its end. With a trace, block by block in order as far as the traced one, which runs
    alone. With a monitor, what it finds does not end the launch.

    Raises IllegalAccess, Trap, Hang, or whatever interrupts the caller (KeyboardInterrupt), after all threads
    stopped.
    """
    if traced is None:
        return _gathered(request, [_Run(kernel, request, range(request.blocks), monitor=monitor).go()])
    (x, y, _), (bx, by, bz) = request.grid, traced.block
    number = bx + x * (by + y * bz)
    parts = []
    if number:
        parts.append(_Run(kernel, request, range(number), monitor=monitor).go())
    alone = _Run(kernel, request, range(number, number + 1), traced=True, monitor=monitor).go()
    parts.append(alone)
    if number + 1 < request.blocks:
        parts.append(_Run(kernel, request, range(number + 1, request.blocks), monitor=monitor).go())
    outcome = _gathered(request, parts)
    outcome.trace = tracing.read(*alone.contexts[0].trace_records(), traced, kernel.plan, request.memory)
    return outcome


def _gathered(request: Request, parts: list[_Run]) -> Outcome:
    counters = np.sum([thread for part in parts for thread in part.counters], axis=0)
    outcome = Outcome(counters)
    records = [context.print_records() for part in parts for context in part.contexts]
    if any(len(each) for each, _ in records):
        outcome.output = printing.text(np.concatenate([each for each, _ in records]), request.memory.string)
    lost = sum(lost for _, lost in records)
    if lost:
        outcome.notes.append(f"{lost} calls of printf are left out of the output, which grew too long")
    return outcome


class _Run:
    """Some of the blocks of a launch, on as many threads as asked for."""

    def __init__(
        self,
        kernel: Kernel,
        request: Request,
        blocks: range,
        *,
        traced: bool = False,
        monitor: Monitor | None = None,
    ) -> None:
        self.monitor = monitor
        self.kernel, self.request, self.plan, self.traced = kernel, request, kernel.plan, traced
        self.slice = min(SLICE, max(request.budget // PATIENCE, 1))  # so that a small budget is kept too
        self._parameters = (ctypes.c_char * max(len(request.parameters), 1)).from_buffer(
            request.parameters or bytearray(1)
        )
        self.launch = Launch(
            next_block=blocks.start,
            blocks=blocks.stop,
            slice=self.slice,
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
            workspace=request.workspace,
        )
        threads = max(1, min(request.workers, len(blocks)))
        self.counters = [np.zeros(self.plan.counters.size, np.int64) for _ in range(threads)]
        self.contexts: list[Context] = []
        self._failures: list[BaseException] = []
        self._lock = threading.Lock()

    def go(self) -> _Run:
        threads = [threading.Thread(target=self._work, args=(own,), daemon=True) for own in self.counters]
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
        return self

    def _work(self, counters: np.ndarray) -> None:
        try:
            self._blocks(counters)
        except BaseException as failure:
            with self._lock:
                self._failures.append(failure)
            self.launch.stop = 1

    def _blocks(self, counters: np.ndarray) -> None:
        """Run blocks, one after another; one that will not end makes room for others, which it may be waiting
        for."""
        contexts = [self._open(counters)]
        turn = spent = 0
        while contexts:
            context = contexts[turn]
            status = self._continue(context)
            spent += context.used_slices()
            if status == Status.STOPPED:
                return
            if status == Status.DONE:
                del contexts[turn]
            elif status != Status.YIELD:
                self._end(failures.of(status, context, self.kernel, self.request), context)
                return
            elif spent * self.slice >= self.request.budget:
                sentence = (
                    f"the kernel did not end: loops in block {context.block} and others ran "
                    f"{self.request.budget:,} rounds. If it only needs longer, pass a larger budget."
                )
                self._end(Hang(sentence), context)
                return
            else:
                if self.launch.next_block < self.launch.blocks and len(contexts) < OPEN_BLOCKS:
                    contexts.append(self._open(counters))
                turn += 1
            turn = turn % len(contexts) if contexts else 0

    def _end(self, failure: Exception, context: Context) -> None:
        """End the launch. A hang is a finding where barriers are checked."""
        if self.monitor is None or not self.monitor.takes(failure, context):
            raise failure
        self.launch.stop = 1

    def _open(self, counters: np.ndarray) -> Context:
        patience = 1 if self.request.workspace else PATIENCE
        context = Context(self.kernel, self.request, counters, self.slice, patience, self.traced)
        if self.monitor is not None:
            self.monitor.parameters_at = ctypes.addressof(self._parameters)
            self.monitor.open(context)
        with self._lock:
            self.contexts.append(context)
        return context

    def _continue(self, context: Context) -> int:
        """Run a block until something needs deciding; compiles what turns out to be needed."""
        run_function = machine.run_function()
        launch, own = ctypes.byref(self.launch), ctypes.byref(context.worker)
        while True:
            status = run_function(launch, own)
            if self.monitor is not None and self.monitor.error is not None:
                raise self.monitor.error
            if status == Status.NEEDS_MASKED:
                self.launch.masked = self.kernel.masked()
            elif status == Status.NEEDS_REST:
                wrapped = context.warp(context.worker.turn).wrapped
                self.launch.rest = self.kernel.rest((wrapped >> 16, wrapped & 0xFFFF))
            else:
                return status
