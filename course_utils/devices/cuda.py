"""The little of CUDA that a launch needs, through CuPy: memory, one stream, events, modules.

Nothing here compiles: what CuPy compiles itself gets more flags (-ftz=true) and would be another program.
All work goes through one stream, and so is done in the order asked for. CuPy raises CUDARuntimeError and
CUDADriverError, whose `status` is the error's number.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from typing import Protocol

from ..compiler import Compiled

_TO_GPU, _TO_HOST, _WITHIN = 1, 2, 3  # cudaMemcpyKind
_OUT_OF_MEMORY, _NOT_READY = 2, 600  # cudaError_t


class OutOfMemory(Exception):
    """The GPU has not so much memory free."""


class Event(Protocol):
    """A place in the stream. `ptr` is CUDA's handle."""

    @property
    def ptr(self) -> int: ...


class Owned:
    """Memory or a module: `ptr` is its address or handle, given back when nothing refers to this any more.

    Silent where that fails: once a kernel broke the context, CUDA refuses everything, and nothing is left
    to free.
    """

    def __init__(self, ptr: int, release: Callable[[int], None]) -> None:
        self.ptr = ptr
        self._release = release

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self._release(self.ptr)


class Cuda:
    """One GPU of this process. Importing CuPy takes half a second: make one only when a GPU is wanted."""

    def __init__(self, number: int = 0, limit: int | None = None) -> None:
        """limit: bytes of memory that CuPy's own arrays may take; None: all."""
        import cupy
        from cupy.cuda import driver, runtime, stream

        self._driver, self._runtime, self._new_event = driver, runtime, stream.Event
        self.number = number
        self.activate()
        if limit is not None:
            cupy.get_default_memory_pool().set_limit(size=limit)
        self._stream = stream.Stream(non_blocking=True)
        properties = runtime.getDeviceProperties(number)
        self.name: str = properties["name"].decode()
        self.compute_capability = f"{properties['major']}.{properties['minor']}"
        self.l2_bytes = int(properties["l2CacheSize"])
        opt_in = runtime.cudaDevAttrMaxSharedMemoryPerBlockOptin
        self.shared_limit = int(runtime.deviceGetAttribute(opt_in, number))
        self.through = f"CuPy {cupy.__version__}"
        self.errors: tuple[type[Exception], ...] = (runtime.CUDARuntimeError, driver.CUDADriverError)

    def activate(self) -> None:
        """Make this GPU the calling thread's."""
        self._runtime.setDevice(self.number)

    def for_cupy(self) -> contextlib.AbstractContextManager[object]:
        """Within this, what CuPy does goes through the same stream."""
        return self._stream

    # Memory: addresses and sizes in bytes

    def free_bytes(self) -> int:
        """What can be allocated."""
        return int(self._runtime.memGetInfo()[0])

    def allocate(self, size: int) -> Owned:
        """New memory; of what it holds nothing is known. Raises OutOfMemory."""
        try:
            return Owned(self._runtime.malloc(max(size, 1)), self._runtime.free)
        except self._runtime.CUDARuntimeError as error:
            if error.status == _OUT_OF_MEMORY:
                raise OutOfMemory from None
            raise

    def upload(self, to: int, host: int, size: int) -> None:
        """Copy from the host, which may change its memory once this returns."""
        self._copy(to, host, size, _TO_GPU)
        self._stream.synchronize()

    def download(self, host: int, of: int, size: int) -> None:
        """Copy to the host. It waits for the GPU and cannot be interrupted: ask when nothing runs there."""
        self._copy(host, of, size, _TO_HOST)
        self._stream.synchronize()

    def copy(self, to: int, of: int, size: int) -> None:
        """Copy within the GPU."""
        self._copy(to, of, size, _WITHIN)

    def clear(self, to: int, size: int) -> None:
        """Write zeros."""
        self._runtime.memsetAsync(to, 0, size, self._stream.ptr)

    def _copy(self, to: int, of: int, size: int, kind: int) -> None:
        if size:
            self._runtime.memcpyAsync(to, of, size, kind, self._stream.ptr)

    # Events

    def event(self) -> Event:
        """A new event."""
        return self._new_event()

    def record(self, event: Event) -> None:
        """Let the event come when all that was asked for so far is done."""
        self._runtime.eventRecord(event.ptr, self._stream.ptr)

    def done(self, event: Event) -> bool:
        """Whether the event came. What a kernel did wrong is raised here, when it is waited for."""
        status = self._runtime.eventQuery(event.ptr)  # returned, not raised
        if status == _NOT_READY:
            return False
        self._runtime.check_status(status)
        return True

    def leave_running(self, event: Event) -> None:
        """Where the event has still not come when the program ends, end it at once, with exit code 1: CUDA
        would wait for what runs on the GPU, for an endless kernel for ever. The system then stops it."""
        atexit.register(self._end_at_once, event)

    def _end_at_once(self, event: Event) -> None:
        with contextlib.suppress(*self.errors):
            if self.done(event):
                return
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(1)

    def synchronize(self) -> None:
        """Wait for all that was asked of this GPU, through whichever stream."""
        self._runtime.deviceSynchronize()

    def seconds(self, start: Event, end: Event) -> float:
        """From one event to the other."""
        return float(self._runtime.eventElapsedTime(start.ptr, end.ptr)) * 1e-3

    # Kernels

    def load(self, compiled: Compiled) -> Owned:
        """The machine code, on the GPU."""
        return Owned(self._driver.moduleLoadData(compiled.cubin), self._driver.moduleUnload)

    def variable(self, module: Owned, name: str) -> int:
        """Address of a `__constant__` or `__device__` variable."""
        return int(self._driver.moduleGetGlobal(module.ptr, name))

    def function(self, module: Owned, name: str, dynamic_shared_bytes: int) -> int:
        """A kernel that may use so much dynamic shared memory: for more than 48 KB a GPU must be asked."""
        function = int(self._driver.moduleGetFunction(module.ptr, name))
        most = self._driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        if dynamic_shared_bytes:
            self._driver.funcSetAttribute(function, most, dynamic_shared_bytes)
        return function

    def launch(
        self,
        function: int,
        grid: Sequence[int],
        block: Sequence[int],
        shared_bytes: int,
        parameters: bytearray,
        offsets: Sequence[int],
    ) -> None:
        """Start a kernel; `offsets` are those of each parameter. CUDA copies them before this returns."""
        held = (ctypes.c_char * len(parameters)).from_buffer(parameters)
        first = ctypes.addressof(held)
        pointers = (ctypes.c_void_p * len(offsets))(*(first + offset for offset in offsets))
        listed = ctypes.addressof(pointers) if offsets else 0
        self._driver.launchKernel(function, *grid, *block, shared_bytes, self._stream.ptr, listed, 0)
