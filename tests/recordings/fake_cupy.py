"""Stands in for CuPy where a GPU's streams are recorded: a clock that runs by rules, and memory that is the
host's.

A GPU with three engines (copies in, copies out, kernels), each of which does one thing at a time, in the
order asked for. A call takes CALL seconds of the host's time; an engine is as fast as `rates` says.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Self

import numpy as np

CALL = 2e-6
LEAST = 1e-6
"""Seconds of the shortest thing that an engine does."""

_KINDS = {1: "copy in", 2: "copy out"}


class FakeArray:
    """What CuPy's ndarray is here: an array of the host's."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.data = SimpleNamespace(ptr=array.ctypes.data)
        self.size = array.size

    def __getitem__(self, at: slice) -> FakeArray:
        return FakeArray(self.array[at])

    def reshape(self, *shape: int) -> FakeArray:
        return FakeArray(self.array.reshape(shape))

    def get(self) -> np.ndarray:
        return self.array.copy()

    def set(self, content: np.ndarray) -> None:
        self.array[...] = content

    def fill(self, value: float) -> None:
        self.array[...] = value


@dataclass
class FakeStream:
    """`ready`: when all that it was asked for is done. `captured`: what it is asked for while it captures."""

    gpu: FakeGpu
    ptr: int
    ready: float = 0.0
    captured: list[Callable[[], None]] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def do(self, engine: str, seconds: float, work: Callable[[], object]) -> None:
        """Let an engine do some work when it is free and the stream is ready."""

        def start() -> None:
            begins = max(self.gpu.now, self.ready, self.gpu.free[engine])
            self.ready = self.gpu.free[engine] = begins + max(seconds, LEAST)
            work()

        if self.captured is not None:
            self.captured.append(start)
        else:
            start()

    def synchronize(self) -> None:
        self.gpu.now = max(self.gpu.now, self.ready)

    def wait_event(self, event: FakeEvent) -> None:
        self.ready = max(self.ready, event.at)

    def begin_capture(self) -> None:
        self.captured = []

    def end_capture(self) -> SimpleNamespace:
        steps, self.captured = self.captured or [], None

        def launch(stream: FakeStream) -> None:
            assert stream is self
            self.gpu.now += CALL
            for step in steps:
                step()

        return SimpleNamespace(launch=launch)


@dataclass
class FakeEvent:
    gpu: FakeGpu
    at: float = 0.0

    def record(self, stream: FakeStream) -> None:
        assert stream.captured is None
        self.at = max(self.gpu.now, stream.ready)

    def synchronize(self) -> None:
        self.gpu.now = max(self.gpu.now, self.at)


@dataclass
class FakeGpu:
    """`now` is the host's time. `rates`: bytes a second of the copy engines, floats a second of a block.
    `breaks`: what the kernel adds to each result, so that it is wrong."""

    rates: dict[str, float] = field(
        default_factory=lambda: {"copy in": 1e9, "copy out": 1e9, "kernel": 1.5625e7}
    )
    breaks: float = 0.0
    now: float = 0.0
    free: dict[str, float] = field(
        default_factory=lambda: dict.fromkeys(("copy in", "copy out", "kernel"), 0.0)
    )
    streams: list[FakeStream] = field(default_factory=list)
    launched: int = 0

    def stream(self, non_blocking: bool) -> FakeStream:
        assert non_blocking
        self.streams.append(FakeStream(self, len(self.streams)))
        return self.streams[-1]

    def copy(self, to: int, of: int, size: int, kind: int, stream: int) -> None:
        self.now += CALL
        engine = _KINDS[kind]
        work = lambda: ctypes.memmove(to, of, size)  # noqa: E731
        self.streams[stream].do(engine, size / self.rates[engine], work)

    def launch(self, grid: Sequence[int], block: Sequence[int], args: Sequence, stream: FakeStream) -> None:
        x, out, factor, n = args
        assert (type(factor), type(n)) == (np.float32, np.int32)
        self.now += CALL
        self.launched += 1

        def work() -> None:
            out.array[:n] = x.array[:n] * factor + np.float32(self.breaks)

        stream.do("kernel", n / grid[0] / self.rates["kernel"], work)

    def module(self) -> SimpleNamespace:
        """A cupy.cuda.Module: what it loads has to be machine code."""

        def load(cubin: bytes) -> None:
            assert cubin[:4] == b"\x7fELF"

        return SimpleNamespace(load=load, get_function=lambda name: {"scale": self.launch}[name])

    def allocate(self, size: int) -> int:
        self.now += 100 * CALL
        return size

    def synchronize(self) -> None:
        self.now = max(self.now, *(stream.ready for stream in self.streams))


def modules(gpu: FakeGpu) -> dict[str, ModuleType]:
    """What `import cupy` and `import cupyx` then give."""
    cupy, cupyx = ModuleType("cupy"), ModuleType("cupyx")
    runtime = SimpleNamespace(
        memcpyAsync=gpu.copy, deviceSynchronize=gpu.synchronize, malloc=gpu.allocate, free=lambda ptr: None
    )

    def pooled(size: int) -> int:
        gpu.now += CALL
        return size

    cupy.cuda = SimpleNamespace(
        runtime=runtime,
        Stream=gpu.stream,
        Event=lambda: FakeEvent(gpu),
        Module=gpu.module,
        MemoryPool=lambda: SimpleNamespace(malloc=pooled, free_all_blocks=lambda: None),
        get_elapsed_time=lambda first, last: (last.at - first.at) * 1e3,
    )
    cupy.asarray = lambda array: FakeArray(array.copy())
    cupy.empty = lambda shape, dtype: FakeArray(np.empty(shape, dtype))
    cupy.empty_like = lambda other: FakeArray(np.empty_like(other.array))
    cupyx.empty_pinned = np.empty
    return {"cupy": cupy, "cupyx": cupyx}
