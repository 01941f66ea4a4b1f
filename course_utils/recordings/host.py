"""The host's side of a launch, on a GPU: copies, launches, streams, a graph, memory, plans. One experiment
each.

    EXPERIMENTS["copies"]()    # {"method": ..., "measured": [...]}, as schema.json has an entry of "host"

All work goes through CuPy, on streams of its own, and the kernel is one of the course. CuPy is imported where
an experiment runs, since it needs a GPU then. Each experiment checks its results before its times count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import compiler, devices, kernels
from ..blas import lt
from .recording import Entry, seconds

if TYPE_CHECKING:
    import cupy

KERNEL = "execution_model/scale"
"""What is launched: out = factor * x, by a loop over the grid, so that any grid does any number of floats."""

REPEATS = 11
WARM_UP = 2
"""Repetitions before those that count."""

BUSY_SECONDS = 0.05
"""How long the GPU works before an experiment: an idle one takes about this long to raise its clock."""

COPIED = tuple(1 << exponent for exponent in (10, 14, 18, 22, 26))
"""Bytes of a copy."""

FLOATS, PARTS = 1 << 20, 1024
"""Floats that are scaled by one launch, and by PARTS launches."""

EMPTY = 500
"""Empty launches in a row: fewer than CUDA queues before a launch has to wait (about a thousand)."""

PIECES, PIECE_FLOATS, PIECE_BLOCKS = 4, 1 << 22, 16
"""Pieces that go through the GPU, floats of each, and blocks of the kernel that scales one. So few blocks
take about as long for a piece as its copy, which is when copying beside the kernel pays most."""

CHAIN, CHAIN_FLOATS = 128, 1024
"""Launches of a chain, each of which needs what the one before it wrote, and their floats."""

ALLOCATED = (1 << 12, 1 << 20, 1 << 26)
"""Bytes of an allocation."""

PLANNED = 1024
"""Rows and columns of the matrices of a product that cublasLt plans."""

_BLOCK = 256
_FACTOR = np.float32(1.001)
_EMPTY = f"an empty launch, of {EMPTY}"
_TO_GPU, _TO_HOST = 1, 2  # cudaMemcpyKind
_SEED = 2026
_OVER = f"Median of {REPEATS} repetitions after {WARM_UP} that do not count."
_BY_HOST = "The host's clock includes Python's and CuPy's part."
_LAUNCHED = (
    f"{KERNEL} in blocks of {_BLOCK} threads. On the GPU: between two CUDA events around all launches. "
    f"Until a call returns: by the host's clock. {_BY_HOST}"
)


class Bench:
    """A stream, the kernel, and two clocks: the GPU's, by events, and the host's."""

    def __init__(self) -> None:
        arch = devices.gpu().arch  # raises NoGpu
        import cupy

        self.cupy: Any = cupy
        self.stream = self.new_stream()
        kernel = kernels.load(KERNEL)
        module = cupy.cuda.Module()
        module.load(compiler.compile(kernel.source, arch=arch, name=kernel.path.name).cubin)
        self._function = module.get_function(kernel.entry.name)
        self._raise_the_clock()

    def new_stream(self) -> cupy.cuda.Stream:
        """One that does not wait for the default stream."""
        return self.cupy.cuda.Stream(non_blocking=True)

    def scale(
        self, x: cupy.ndarray, out: cupy.ndarray, blocks: int, stream: cupy.cuda.Stream | None = None
    ) -> None:
        """Start the kernel on all of x."""
        arguments = (x, out, _FACTOR, np.int32(x.size))
        self._function((blocks,), (_BLOCK,), arguments, stream=stream or self.stream)

    def start_empty(self, x: cupy.ndarray) -> None:
        """Start the kernel on nothing, with one block."""
        self._function((1,), (_BLOCK,), (x, x, _FACTOR, np.int32(0)), stream=self.stream)

    def copy_in(self, to: cupy.ndarray, host: np.ndarray, stream: cupy.cuda.Stream | None = None) -> None:
        """Start a copy from the host."""
        ptr = (stream or self.stream).ptr
        self.cupy.cuda.runtime.memcpyAsync(to.data.ptr, host.ctypes.data, host.nbytes, _TO_GPU, ptr)

    def copy_out(self, host: np.ndarray, of: cupy.ndarray, stream: cupy.cuda.Stream | None = None) -> None:
        """Start a copy to the host."""
        ptr = (stream or self.stream).ptr
        self.cupy.cuda.runtime.memcpyAsync(host.ctypes.data, of.data.ptr, host.nbytes, _TO_HOST, ptr)

    def floats(self, count: int) -> cupy.ndarray:
        """Random floats on the GPU. What is timed is never zeros: chips are faster on them."""
        x = self.cupy.asarray(_random(count))
        self.cupy.cuda.runtime.deviceSynchronize()
        return x

    def mark(self, stream: cupy.cuda.Stream | None = None) -> cupy.cuda.Event:
        """An event that comes when the stream has done all it was asked for so far."""
        event = self.cupy.cuda.Event()
        event.record(stream or self.stream)
        return event

    def between(self, first: cupy.cuda.Event, last: cupy.cuda.Event) -> float:
        """Seconds from one event to another that has come."""
        return self.cupy.cuda.get_elapsed_time(first, last) * 1e-3

    def by_events(self, work: Callable[[], object], per: int = 1) -> list[float]:
        """Seconds between an event before `work` and one after it, divided by `per`; several times."""
        samples = []
        for _ in range(WARM_UP + REPEATS):
            first = self.mark()
            work()
            last = self.mark()
            last.synchronize()
            samples.append(self.between(first, last) / per)
        return samples[WARM_UP:]

    def by_host(self, work: Callable[[], object], per: int = 1) -> list[float]:
        """Seconds of the host's clock until `work` returns, divided by `per`; the GPU is idle before."""
        samples = []
        for _ in range(WARM_UP + REPEATS):
            self.stream.synchronize()
            began = time.perf_counter()
            made = work()
            samples.append((time.perf_counter() - began) / per)
            del made  # what it takes to give that back does not count
        self.stream.synchronize()
        return samples[WARM_UP:]

    def _raise_the_clock(self) -> None:
        x = self.floats(FLOATS)
        began = time.monotonic()
        while time.monotonic() - began < BUSY_SECONDS:
            self.scale(x, x, 128)
            self.stream.synchronize()


def copies() -> Entry:
    """Copies between host and GPU, from memory as the system gives it (pageable) and from pinned memory."""
    bench = Bench()
    import cupyx

    measured = []
    for size in COPIED:
        content = _random(size // 4)
        there = bench.cupy.empty(content.shape, np.float32)
        for kind, host in (
            ("pageable", np.empty(content.shape, np.float32)),
            ("pinned", cupyx.empty_pinned(content.shape, np.float32)),
        ):
            host[...] = content
            into = bench.by_events(lambda host=host, there=there: bench.copy_in(there, host))
            host[...] = 0
            back = bench.by_events(lambda host=host, there=there: bench.copy_out(host, there))
            _same(host, content, f"a copy of {size} bytes to the GPU and back, {kind}")
            measured.append(_measured(f"host to GPU, {kind}", {"bytes": size}, "GPU", into))
            measured.append(_measured(f"GPU to host, {kind}", {"bytes": size}, "GPU", back))
    return {
        "method": "cudaMemcpyAsync of random floats, between two CUDA events; for small copies this is the "
        f"call more than the copy. {_OVER}",
        "measured": measured,
    }


def launches() -> Entry:
    """What a launch costs: an empty one, a long one, and the same work in one launch or in many."""
    bench = Bench()
    x = bench.floats(FLOATS)
    out = bench.cupy.empty_like(x)
    sizes = {"launches": 1, "n": 0}

    def empty() -> None:
        for _ in range(EMPTY):
            bench.start_empty(x)

    measured = [
        _measured(f"{_EMPTY}: until the call returns", sizes, "host", bench.by_host(empty, EMPTY)),
        _measured(f"{_EMPTY}: on the GPU", sizes, "GPU", bench.by_events(empty, EMPTY)),
    ]

    def long() -> None:
        bench.scale(x, out, 1)

    def long_done() -> None:
        long()
        bench.stream.synchronize()

    sizes = {"launches": 1, "n": FLOATS}
    measured += [
        _measured("a launch of one block: until the call returns", sizes, "host", bench.by_host(long)),
        _measured("a launch of one block: until it is done", sizes, "host", bench.by_host(long_done)),
    ]

    part = FLOATS // PARTS
    parts = [(x[at : at + part], out[at : at + part]) for at in range(0, FLOATS, part)]

    def whole() -> None:
        bench.scale(x, out, FLOATS // _BLOCK)

    def many() -> None:
        for piece, place in parts:
            bench.scale(piece, place, part // _BLOCK)

    def waiting() -> None:
        for piece, place in parts:
            bench.scale(piece, place, part // _BLOCK)
            bench.stream.synchronize()

    expected = x.get() * _FACTOR
    for name, count, work in (
        ("all in one launch", 1, whole),
        (f"{PARTS:,} launches", PARTS, many),
        (f"{PARTS:,} launches, each waited for", PARTS, waiting),
    ):
        out.fill(0)
        bench.cupy.cuda.runtime.deviceSynchronize()
        samples = bench.by_events(work)
        _same(out.get(), expected, name)
        measured.append(_measured(name, {"launches": count, "n": FLOATS}, "GPU", samples))
    return {"method": f"{_LAUNCHED} {_OVER}", "measured": measured}


def streams() -> Entry:
    """Pieces that are copied in, scaled and copied out, through one stream and through two."""
    bench = Bench()
    import cupyx

    content = _random(PIECES * PIECE_FLOATS)
    expected = content * _FACTOR
    host = cupyx.empty_pinned(content.shape, np.float32)
    host[...] = content
    result = cupyx.empty_pinned(content.shape, np.float32)
    x = bench.cupy.empty(content.shape, np.float32)
    out = bench.cupy.empty(content.shape, np.float32)
    bench.cupy.cuda.runtime.deviceSynchronize()
    measured, pieces = [], []
    for name, used in (("one stream", [bench.stream]), ("two streams", [bench.stream, bench.new_stream()])):
        runs = []
        for _ in range(WARM_UP + REPEATS):
            result[...] = 0
            runs.append(_through(bench, used, (host, x, out, result)))
            _same(result, expected, f"pieces through {name}")
        totals = [max(each["end"] for each in run) for run in runs[WARM_UP:]]
        middle = sorted(runs[WARM_UP:], key=lambda run: max(each["end"] for each in run))[REPEATS // 2]
        measured.append(_measured(name, {"pieces": PIECES, "n": PIECES * PIECE_FLOATS}, "GPU", totals))
        pieces += [{"case": name, **each} for each in middle]
    method = (
        f"In pinned memory, scaled by {PIECE_BLOCKS} blocks, CUDA events around each step. A step counts "
        "from when its stream is ready for it, so it includes waiting for another stream's copy or kernel. "
        f"The steps are those of the median run. {_OVER}"
    )
    return {"method": method, "measured": measured, "pieces": pieces}


def _through(
    bench: Bench,
    used: Sequence[cupy.cuda.Stream],
    memory: tuple[np.ndarray, cupy.ndarray, cupy.ndarray, np.ndarray],
) -> list[Entry]:
    """One run: each step of each piece, in seconds from the beginning."""
    host, x, out, result = memory
    beginning = bench.mark(used[0])
    for stream in used[1:]:
        stream.wait_event(beginning)
    marks = []
    for piece in range(PIECES):
        number = piece % len(used)
        stream, at = used[number], slice(piece * PIECE_FLOATS, (piece + 1) * PIECE_FLOATS)
        steps: tuple[tuple[str, Callable[[], None]], ...] = (
            ("copy in", lambda at=at, stream=stream: bench.copy_in(x[at], host[at], stream)),
            ("kernel", lambda at=at, stream=stream: bench.scale(x[at], out[at], PIECE_BLOCKS, stream)),
            ("copy out", lambda at=at, stream=stream: bench.copy_out(result[at], out[at], stream)),
        )
        for what, start in steps:
            first = bench.mark(stream)
            start()
            marks.append((number + 1, piece + 1, what, first, bench.mark(stream)))
    for stream in used:
        stream.synchronize()
    return [
        {
            "stream": stream,
            "piece": piece,
            "what": what,
            "start": _digits(bench.between(beginning, first)),
            "end": _digits(bench.between(beginning, last)),
        }
        for stream, piece, what, first, last in marks
    ]


def graph() -> Entry:
    """A chain of small launches, one by one and as a CUDA graph."""
    bench = Bench()
    x = bench.floats(CHAIN_FLOATS)
    content = x.get()

    def chain() -> None:
        for _ in range(CHAIN):
            bench.scale(x, x, CHAIN_FLOATS // _BLOCK)

    def capture() -> cupy.cuda.Graph:
        with bench.stream:
            bench.stream.begin_capture()
            chain()
            return bench.stream.end_capture()

    captured = capture()

    def launch() -> None:
        captured.launch(stream=bench.stream)

    results = []
    for work in (chain, launch):
        x.set(content)
        bench.cupy.cuda.runtime.deviceSynchronize()
        work()
        bench.stream.synchronize()
        results.append(x.get())
    _same(results[1], results[0], "the graph's result")
    if not np.allclose(results[0], content * float(_FACTOR) ** CHAIN, rtol=1e-4):
        raise ValueError("the result is wrong: the chain's")

    sizes = {"launches": CHAIN, "n": CHAIN_FLOATS}
    x.set(content)
    bench.cupy.cuda.runtime.deviceSynchronize()
    measured = [
        _measured("one by one: on the GPU", sizes, "GPU", bench.by_events(chain)),
        _measured("one graph: on the GPU", sizes, "GPU", bench.by_events(launch)),
        _measured("one by one: until the calls return", sizes, "host", bench.by_host(chain)),
        _measured("one graph: until the call returns", sizes, "host", bench.by_host(launch)),
        _measured("making the graph, once", sizes, "host", bench.by_host(capture)),
    ]
    return {"method": f"A graph is captured from the same calls. {_LAUNCHED} {_OVER}", "measured": measured}


def allocation() -> Entry:
    """Memory from the driver, and from CuPy's pool, which keeps what was given back."""
    bench = Bench()
    runtime, pool = bench.cupy.cuda.runtime, bench.cupy.cuda.MemoryPool()
    measured = []
    for size in ALLOCATED:

        def driver(size: int = size) -> None:
            runtime.free(runtime.malloc(size))

        def pooled(size: int = size) -> None:
            pool.malloc(size)  # nothing refers to it, so it is back in the pool at once

        for name, work in (("cudaMalloc and cudaFree", driver), ("CuPy's memory pool", pooled)):
            measured.append(_measured(name, {"bytes": size}, "host", bench.by_host(work)))
    pool.free_all_blocks()
    return {
        "method": f"Taken and given back at once, with the GPU idle. {_BY_HOST} {_OVER}",
        "measured": measured,
    }


def plans() -> Entry:
    """What cublasLt's heuristic costs, what keeping its answer saves, and the product beside it."""
    bench = Bench()
    a, b = (bench.floats(PLANNED * PLANNED).reshape(PLANNED, PLANNED) for _ in range(2))
    keeping = lt.Planner()

    def asking() -> None:
        lt.Planner().plan(a, b).free()

    def kept() -> None:
        keeping.plan(a, b).free()

    kept()
    sizes = {"m": PLANNED, "n": PLANNED, "k": PLANNED}
    measured = [
        _measured("a plan that asks the heuristic", sizes, "host", bench.by_host(asking)),
        _measured("a plan with its answer from before", sizes, "host", bench.by_host(kept)),
    ]
    if keeping.asked != 1:
        raise ValueError(f"the heuristic was asked {keeping.asked} times for one product")
    with keeping.plan(a, b) as planned:

        def product() -> None:
            planned.run(bench.stream.ptr)

        measured += [
            _measured("the product: until the call returns", sizes, "host", bench.by_host(product)),
            _measured("the product: on the GPU", sizes, "GPU", bench.by_events(product)),
        ]
        found = planned.run().get()
    expected = a.get().astype(np.float64) @ b.get()
    if not np.allclose(found, expected, rtol=1e-4):
        raise ValueError("the result is wrong: the product's")
    return {
        "method": "float32, through nvmath-python, which makes the descriptors anew for each plan. "
        f"The host's clock includes its part. {_OVER}",
        "measured": measured,
    }


EXPERIMENTS: dict[str, Callable[[], Entry]] = {
    each.__name__: each for each in (copies, launches, streams, graph, allocation, plans)
}


def _measured(case: str, sizes: dict[str, int], clock: str, samples: Sequence[float]) -> Entry:
    return {"case": case, "sizes": sizes, "clock": clock, "seconds": seconds(samples)}


def _random(count: int) -> np.ndarray:
    return np.random.default_rng(_SEED).random(count, np.float32) + np.float32(0.5)


def _same(found: np.ndarray, expected: np.ndarray, what: str) -> None:
    if not np.array_equal(found, expected):
        raise ValueError(f"the result is wrong: {what}")


def _digits(value: float) -> float:
    return float(f"{value:.4g}")
