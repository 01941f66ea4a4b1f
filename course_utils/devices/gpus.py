"""A launch on a GPU: buffers there and back, errors that a learner can act on, times."""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from .. import compiler, metrics
from ..bounded import Bounded
from ..simulator import Hang, LaunchError
from ..simulator.program import STATIC_SHARED_LIMIT
from . import symbols as symbol
from .checks import Launch, check
from .cuda import Cuda, OutOfMemory, Owned
from .errors import BROKEN, GpuLost, OutOfGpuMemory
from .programs import Program, Source
from .run import SIMULATOR, Run, Time

TIME_LIMIT_SECONDS = 10.0
WARM_UP_SECONDS = 0.05  # an idle GPU takes about this long to raise its clock
LEAST_REPEATS = 3
_HOLD_NANOSECONDS = 50_000
# Keeps the GPU busy while the host queues what is timed, so that no gaps between its calls are timed.
_HOLD = """
extern "C" __global__ void hold(unsigned long long nanoseconds) {
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - start < nanoseconds);
}
"""
_RESTART = "restart the notebook's kernel to use the GPU again (menu Kernel, Restart Kernel)"


@dataclass(frozen=True)
class Timing:
    """How to time: the number of launches, whether L2 is overwritten before each, seconds to wait for a
    launch."""

    repeats: int = 10
    cold: bool = False
    time_limit: float = TIME_LIMIT_SECONDS


@dataclass(frozen=True)
class _Loaded:
    """A program on the GPU: where its variables are, and what they held before any kernel ran (bytes)."""

    module: Owned
    places: dict[str, int]
    initial: dict[str, np.ndarray]


@dataclass(frozen=True)
class _Buffer:
    """The bytes of an array of the caller's, and their copy on the GPU."""

    host: np.ndarray
    memory: Owned


@dataclass(frozen=True)
class _Saved:
    """What a buffer held before the kernel changed it."""

    buffer: _Buffer
    memory: Owned


class Gpu:
    """One GPU. `name` is its maker's, `arch` what is compiled for it ("sm_90"), `l2_bytes` the size of
    its L2."""

    def __init__(self, cuda: Cuda, limit: int | None = None) -> None:
        """limit: bytes of memory that a launch may take, its copies for timing included; None: all."""
        self.name = cuda.name
        self.limit = limit
        self._held = 0  # bytes of the launch under way
        self.compute_capability = cuda.compute_capability
        self.arch = f"sm_{cuda.compute_capability.replace('.', '')}"
        self.l2_bytes = cuda.l2_bytes
        self.through = cuda.through
        self._cuda = cuda
        self._modules: Bounded[_Loaded] = Bounded(128)
        self._holder: tuple[Owned, int] | None = None
        self._lock = threading.RLock()
        self._start, self._end = cuda.event(), cuda.event()
        self._lost = ""
        self._running: object = None  # what an abandoned launch still uses, until the event _end comes

    def launch(
        self,
        source: Source,
        entry: str,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        args: Sequence[object],
        shared_bytes: int = 0,
        *,
        symbols: Mapping[str, object] | None = None,
        allow_large_shared: bool = False,
        timing: Timing | None = None,
    ) -> Run:
        """Run a kernel once on the caller's data, then several times on copies of it to time it.

        Raises what the simulator raises for launches and arguments that do not fit; GpuLost;
        OutOfGpuMemory; Hang where a launch takes longer than the time limit.
        """
        program = source.program(self.arch, entry)
        limit = self._cuda.shared_limit if allow_large_shared else STATIC_SHARED_LIMIT
        launch = check(program, grid, block, args, shared_bytes, limit)
        symbol.contents(program.initial, symbols or {})  # refuses what does not fit
        with self._lock, self._explained(program.entry):
            self._cuda.activate()
            self._refuse_if_unusable()
            return self._launch(launch, symbols or {}, timing or Timing())

    def time(self, work: Callable[[], object], name: str, timing: Timing | None = None) -> list[float]:
        """Seconds of each repetition of what `work` enqueues through CuPy; `name` stands in messages.

        Timed as launches are: after a warm-up, between two CUDA events. Raises GpuLost, OutOfGpuMemory, Hang.
        """
        with self._lock, self._explained(name):
            self._cuda.activate()
            self._refuse_if_unusable()
            self._cuda.synchronize()  # what prepared the work may have gone through another stream
            with self._cuda.for_cupy():
                return self._time(work, lambda: None, timing or Timing(), name, work)

    def _launch(self, launch: Launch, symbols: Mapping[str, object], timing: Timing) -> Run:
        program, cuda = launch.program, self._cuda
        self._held = 0
        loaded = self._modules.get(program.key, lambda: self._load(program))
        function = cuda.function(loaded.module, program.entry, launch.shared_bytes)
        places, variables = loaded.places, symbol.contents(loaded.initial, symbols)
        buffers = self._upload(launch)
        addresses = {
            (each.start, each.size): copy.memory.ptr
            for each, copy in zip(launch.buffers, buffers, strict=True)
        }
        parameters, offsets = launch.parameters(addresses)

        def set_variables() -> None:
            for name, place in places.items():
                cuda.upload(place, variables[name].ctypes.data, variables[name].nbytes)

        def start() -> None:
            cuda.launch(function, launch.grid, launch.block, launch.shared_bytes, parameters, offsets)

        set_variables()
        start()
        cuda.record(self._end)
        self._wait(program.entry, timing.time_limit, buffers)
        saved = self._take_back(buffers, save=timing.repeats > 0)
        symbol.update(symbols, {name: self._read(places[name], variables[name].size) for name in places})

        metrics_known = self._static_metrics(launch)
        run = Run(
            program.entry, launch.grid, launch.block, metrics_known, {}, kind="measured", device=self.name
        )
        if program.prints:
            run.notes.append("What the kernel printed is in the terminal that JupyterLab was started from.")
        if saved is None:
            run.notes.append(f"Not timed: {self.name} has no room for the copies that repeats need.")
        elif timing.repeats > 0:

            def restore() -> None:
                for each in saved:
                    cuda.copy(each.buffer.memory.ptr, each.memory.ptr, each.buffer.host.nbytes)
                set_variables()

            samples = self._time(start, restore, timing, program.entry, (buffers, saved))
            run.time = Time(self.name, tuple(samples), timing.cold)
        return run

    # Memory

    def _load(self, program: Program) -> _Loaded:
        module = self._cuda.load(program.compiled)
        places = {name: self._cuda.variable(module, name) for name in program.variables}
        initial = {name: self._read(places[name], size) for name, size in program.variables.items()}
        return _Loaded(module, places, initial)

    def _upload(self, launch: Launch) -> list[_Buffer]:
        wanted = sum(buffer.size for buffer in launch.buffers)
        if wanted > (free := self._free()):
            raise OutOfGpuMemory(self.name, wanted, free, self.limit)
        buffers = []
        for each in launch.buffers:
            try:
                memory = self._allocate(each.size)
            except OutOfMemory:
                raise OutOfGpuMemory(self.name, wanted, free, self.limit) from None
            self._cuda.upload(memory.ptr, each.start, each.size)
            buffers.append(_Buffer(_bytes_at(each.start, each.size), memory))
        return buffers

    def _free(self) -> int:
        """Bytes that the launch under way may still take."""
        free = self._cuda.free_bytes()
        return free if self.limit is None else max(min(free, self.limit - self._held), 0)

    def _allocate(self, size: int) -> Owned:
        """Memory for the launch under way. Raises OutOfMemory, also beyond the limit."""
        if size > self._free():
            raise OutOfMemory
        memory = self._cuda.allocate(size)
        self._held += size
        return memory

    def _read(self, address: int, size: int) -> np.ndarray:
        result = np.empty(size, np.uint8)
        self._cuda.download(result.ctypes.data, address, size)
        return result

    def _take_back(self, buffers: list[_Buffer], save: bool) -> list[_Saved] | None:
        """Write the results into the caller's arrays.

        With `save`, what each changed buffer held before goes to the GPU; None where there is no room for it.
        """
        saved: list[_Saved] | None = []
        for buffer in buffers:
            result = self._read(buffer.memory.ptr, buffer.host.size)
            if np.array_equal(result, buffer.host):
                continue
            if save and saved is not None:
                try:
                    memory = self._allocate(buffer.host.size)
                    self._cuda.upload(memory.ptr, buffer.host.ctypes.data, buffer.host.size)
                    saved.append(_Saved(buffer, memory))
                except OutOfMemory:
                    saved = None
            buffer.host[...] = result
        return saved

    # Time

    def _time(
        self,
        start: Callable[[], object],
        restore: Callable[[], None],
        timing: Timing,
        entry: str,
        held: object,
    ) -> list[float]:
        """Seconds of each launch. Fewer than asked for, LEAST_REPEATS at least, where all take above the
        limit."""
        cuda, size = self._cuda, 2 * self.l2_bytes
        hold, nanoseconds = self._hold(), bytearray(_HOLD_NANOSECONDS.to_bytes(8, "little"))
        scratch = self._scratch(size) if timing.cold else None

        def once() -> float:
            restore()
            if scratch is not None:
                cuda.clear(scratch.ptr, size)
            cuda.launch(hold, (1, 1, 1), (1, 1, 1), 0, nanoseconds, [0])
            cuda.record(self._start)
            start()
            cuda.record(self._end)
            self._wait(entry, timing.time_limit, (held, scratch))
            return cuda.seconds(self._start, self._end)

        began = time.monotonic()
        while time.monotonic() - began < WARM_UP_SECONDS:
            once()
        began, samples = time.monotonic(), []
        while len(samples) < timing.repeats:
            if len(samples) >= LEAST_REPEATS and time.monotonic() - began > timing.time_limit:
                break
            samples.append(once())
        return samples

    def _hold(self) -> int:
        if self._holder is None:
            module = self._cuda.load(compiler.compile(_HOLD, arch=self.arch, name="hold.cu"))
            self._holder = module, self._cuda.function(module, "hold", 0)
        return self._holder[1]

    def _scratch(self, size: int) -> Owned:
        try:
            return self._allocate(size)
        except OutOfMemory:
            raise OutOfGpuMemory(self.name, size, self._free(), self.limit) from None

    # Waiting and failing

    def _wait(self, entry: str, time_limit: float, held: object) -> None:
        """Wait for the end, not for ever, and so that Ctrl-C and the notebook's stop button get through."""
        began = time.monotonic()
        try:
            while not self._cuda.done(self._end):
                waited = time.monotonic() - began
                if waited > time_limit:
                    raise Hang(
                        f"{entry} did not end within {time_limit:g} s on {self.name}, and a kernel on a GPU "
                        f"cannot be stopped: {_RESTART}. With device={SIMULATOR!r} an endless loop is ended "
                        "and its block named. If it only needs longer, pass a larger time_limit."
                    )
                if waited > 0.002:  # the end of a short kernel is not slept through
                    time.sleep(0.001)
        except (Hang, KeyboardInterrupt):
            self._running = held  # so that its memory is given to nobody else
            self._cuda.leave_running(self._end)
            raise

    def _refuse_if_unusable(self) -> None:
        if self._running is not None:
            if not self._cuda.done(self._end):
                raise GpuLost(
                    f"An earlier kernel still runs on {self.name}: wait for it to end, or {_RESTART}."
                )
            self._running = None

    @contextlib.contextmanager
    def _explained(self, entry: str) -> Iterator[None]:
        if self._lost:
            raise GpuLost(self._lost)
        try:
            yield
        except self._cuda.errors as error:
            self._explain(error, entry)

    def _explain(self, error: Exception, entry: str) -> NoReturn:
        status = getattr(error, "status", None)
        if status not in BROKEN:
            raise LaunchError(f"{self.name} refused the launch of {entry}: {error}") from error
        self._lost = (
            f"{entry} broke this program's connection to {self.name}: {BROKEN[status]}. To find the place, "
            f"run the same launch with device={SIMULATOR!r}: it names buffer, index, thread and line. "
            f"Nothing more runs on the GPU from here: {_RESTART}."
        )
        raise GpuLost(self._lost) from error

    # Metrics

    def _static_metrics(self, launch: Launch) -> dict[str, int]:
        """What the machine code states, under Nsight Compute's names, and what follows for an SM that is
        known."""
        resources = launch.program.compiled.resources[launch.program.entry]
        found = {
            "launch__registers_per_thread": resources.launch_registers_per_thread,
            "launch__shared_mem_per_block_static": resources.static_shared_bytes,
        }
        alike = [gpu for gpu in metrics.GPUS.values() if gpu.compute_capability == self.compute_capability]
        if not alike:
            return found
        limits = metrics.occupancy(
            alike[0],
            threads_per_block=int(np.prod(launch.block)),
            registers_per_thread=resources.launch_registers_per_thread,
            shared_bytes_per_block=resources.static_shared_bytes + launch.shared_bytes,
        ).metrics
        names = (metrics.names.LIMIT_REGISTERS, metrics.names.LIMIT_WARPS, metrics.names.LIMIT_BLOCKS)
        return found | {name: limits[name] for name in names}


def _bytes_at(start: int, size: int) -> np.ndarray:
    """Memory of this process as an array, without a copy."""
    if not size:
        return np.empty(0, np.uint8)
    return np.frombuffer((ctypes.c_uint8 * size).from_address(start), np.uint8)
