"""What is timed on a GPU, one job at a time: a kernel, a library, a point of a curve. A job is data until it
runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from .. import devices, kernels, problems
from . import host, libraries
from .recording import Entry, Values, digest, seconds

REPEATS = 20

_SEED = 2026
LATENCY_METHOD = (
    "one thread follows a random ring that visits one word of every 128-byte line, once around first (at "
    "most 524,288 hops) and then 4,096 to 262,144 hops timed by the SM's clock; the least of three"
)
LATENCY_KIB = (4, 8, 16, 32, 64, 128, 192, 224, 256, 320, 512, 1024, 4096, 8192, 16384, 24576, 32768, 40960,
               49152, 65536, 98304, 131072, 262144, 524288)  # fmt: skip


@dataclass(frozen=True)
class TimeKernel:
    """A kernel of the course with its tunables at one size, checked against a float64 reference."""

    kernel: str
    tunables: Values
    sizes: Values
    section = "times"

    def identity(self) -> Entry:
        source = digest(kernels.load(self.kernel).source)
        tunables, sizes = dict(self.tunables), dict(self.sizes)
        return {"kernel": self.kernel, "source": source, "tunables": tunables, "sizes": sizes}

    def run(self) -> Entry:
        """The entry for the recording. Raises ValueError where the result is wrong."""
        kernel = kernels.load(self.kernel)
        problem = _problem(self.kernel, _frozen({**self.sizes, **_affecting(self.kernel, self.tunables)}))
        problem.reset()
        grid, block, shared = problems.geometry(kernel, self.tunables, self.sizes)
        arguments = problem.arguments(kernel.entry)
        run = devices.launch(
            kernel, None, grid, block, arguments, shared,
            defines=self.tunables, device="gpu", repeats=REPEATS, time_limit=20,
        )  # fmt: skip
        correct, verdict = problem.verdict()
        if not correct:
            raise ValueError(verdict)
        if run.time is None:
            raise ValueError("; ".join(run.notes) or "not timed")
        return self.identity() | {
            "seconds": seconds(run.time.samples),
            "error": float(f"{problem.error():.2g}"),
            "operations": problem.operations,
            "moved": problem.moved,
        }

    def __str__(self) -> str:
        return _named(self.kernel, {**self.tunables, **self.sizes})


@dataclass(frozen=True)
class TimeLibrary:
    """A library on the problem of a topic."""

    library: str
    sizes: Values
    section = "libraries"

    def identity(self) -> Entry:
        topic = libraries.LIBRARIES[self.library].topic
        return {"library": self.library, "topic": topic, "sizes": dict(self.sizes)}

    def run(self) -> Entry:
        """The entry for the recording: of the fastest variant, where the library has several."""
        library = libraries.LIBRARIES[self.library]
        problem = library.make(self.sizes, np.random.default_rng(_SEED))
        problem.reset()
        prepared = library.prepare(problem)
        found: dict[str, tuple[list[float], float]] = {}
        for name, work in prepared.variants.items():
            samples = devices.gpu().time(work, self.library, devices.Timing(REPEATS))
            prepared.fetch()
            error = problem.error()
            if not error < library.error:
                raise ValueError(f"the result of {name} is wrong: {problem.verdict()[1]}")
            found[name] = (samples, error)
        best = min(found, key=lambda name: float(np.median(found[name][0])))
        samples, error = found[best]
        told = ", ".join(f"{name} {np.median(times) * 1e3:.4g} ms" for name, (times, _) in found.items())
        return self.identity() | {
            "seconds": seconds(samples),
            "error": float(f"{error:.2g}"),
            "operations": problem.operations,
            "moved": problem.moved,
            **({"note": f"the fastest of {told}"} if len(found) > 1 else {}),
        }

    def __str__(self) -> str:
        return _named(self.library, self.sizes)


@dataclass(frozen=True)
class Latency:
    """The cycles of a hop over how much memory the chase walks through, by one of the chases."""

    curve: str
    kernel: str
    kib: tuple[int, ...]
    section = "curves"

    def identity(self) -> Entry:
        return {
            "curve": self.curve,
            "kernel": self.kernel,
            "source": digest(kernels.load(self.kernel).source),
        }

    def run(self) -> Entry:
        """The entry for the recording: the least of three chases at each size."""
        kernel = kernels.load(self.kernel)
        points = []
        for kib in self.kib:
            problem = problems.of(kernel).make({"bytes": kib << 10}, np.random.default_rng(_SEED))
            cycles = []
            for _ in range(3):
                devices.launch(
                    kernel, None, *problems.geometry(kernel, {}, {})[:2], problem.arguments(kernel.entry),
                    device="gpu", repeats=0, time_limit=30,
                )  # fmt: skip
                correct, verdict = problem.verdict()
                if not correct:
                    raise ValueError(verdict)
                cycles.append(int(problem.arrays["cycles"][0]) / int(problem.scalars["hops"]))
            points.append([kib << 10, round(min(cycles), 1)])
        told = {"x": "bytes walked through", "y": "clock cycles a hop", "method": LATENCY_METHOD}
        return self.identity() | told | {"points": points}

    def __str__(self) -> str:
        return f"{self.curve} by {self.kernel}"


@dataclass(frozen=True)
class HostExperiment:
    """The host's side of a launch: one of host.EXPERIMENTS."""

    experiment: str
    section = "host"

    def identity(self) -> Entry:
        source = digest(kernels.load(host.KERNEL).source)
        return {"experiment": self.experiment, "kernel": host.KERNEL, "source": source}

    def run(self) -> Entry:
        """The entry for the recording. Raises ValueError where a result is wrong."""
        return self.identity() | host.EXPERIMENTS[self.experiment]()

    def __str__(self) -> str:
        return self.experiment


Job = TimeKernel | TimeLibrary | Latency | HostExperiment


def all_jobs() -> Iterator[Job]:
    """In the order of what is missed most where time runs out."""
    yield Latency("latency", "memory_hierarchy/pointer_chase", LATENCY_KIB)
    yield Latency("shared latency", "memory_hierarchy/shared_chase", (4, 8))
    for experiment in host.EXPERIMENTS:
        yield HostExperiment(experiment)
    for name, library in libraries.LIBRARIES.items():
        for sizes in library.sizes:
            yield TimeLibrary(name, sizes)
    loaded = {name: kernels.load(name) for name in kernels.find()}
    for name, kernel in loaded.items():
        setting = problems.of(kernel)
        for sizes in reversed(setting.timed):
            yield TimeKernel(name, kernel.values(setting.best), sizes)
    for name, kernel in loaded.items():
        setting = problems.of(kernel)
        for sizes in reversed(setting.timed if setting.every_size else setting.timed[-1:]):
            for tunables in problems.combinations(kernel):
                if tunables != kernel.values(setting.best):
                    yield TimeKernel(name, tunables, sizes)


def _affecting(name: str, tunables: Values) -> Values:
    """The tunables on which the right result depends; for the others a problem is made only once."""
    return tunables if problems.of(kernels.load(name)).by_tunables else {}


def _frozen(values: Values) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(values.items()))


@cache
def _maker(name: str) -> problems.Maker:
    return problems.of(kernels.load(name)).make


_last: dict[tuple[Callable, tuple[tuple[str, int], ...]], problems.Problem] = {}


def _problem(name: str, values: tuple[tuple[str, int], ...]) -> problems.Problem:
    """The problem of a kernel; the last one is kept, since a large matrix product takes a while here."""
    key = (_maker(name), values)
    if key not in _last:
        _last.clear()
        _last[key] = _maker(name)(dict(values), np.random.default_rng(_SEED))
    return _last[key]


def _named(name: str, values: Values) -> str:
    return " ".join([name, *(f"{key}={value}" for key, value in values.items())])
