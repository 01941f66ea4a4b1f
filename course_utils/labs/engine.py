"""A state of the controls -> what the kernel did in it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePath

import numpy as np

from .. import compiler, kernels, problems, simulator
from ..bounded import Bounded
from ..compiler import disassembly
from ..figures import Sample
from ..kernels import Geometry, Kernel
from ..problems import Maker
from ..simulator import Run
from .controls import KERNEL, Value, shown

State = Mapping[str, Value]
Block = tuple[int, int, int]

BUDGET = 50_000_000
"""Loop rounds before a kernel counts as endless: a lab's kernel at a lab's sizes needs a thousandth of it."""


class Unwanted(Exception):
    """The result is no longer wanted; nothing is wrong."""


@dataclass(frozen=True)
class Result:
    """One run of a lab, with all that its views may need.

    `tunables`: those that the controls set. `shapes`: (rows, columns) of each buffer, in the order of the
    parameters. `least_bytes`: of all buffers together, each once. `verdict`: whether the result is right, in
    words. `kernels`: all of the lab's. `ptx`: what the compiler made of the kernel. `sizes`: whole numbers
    among the kernel's parameters.
    """

    state: State
    kernel: Kernel
    geometry: Geometry
    tunables: Mapping[str, int]
    sample: Sample
    baseline: Sample | None
    shapes: dict[str, tuple[int, int]]
    least_bytes: int
    correct: bool
    verdict: str
    kernels: tuple[Kernel, ...]
    ptx: str = ""
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def run(self) -> Run:
        return self.sample.run

    def machine_code(self, line: int) -> tuple[str, ...]:
        """The machine instructions of a line of the kernel, for the GPU that is counted for; empty where no
        disassembler is installed."""
        defines = self.kernel.defines(self.tunables)
        compiled = compiler.compile(self.kernel.source, defines=defines, name=PurePath(self.kernel.path).name)
        found = disassembly.instructions(compiled, self.kernel.entry.name)
        return tuple(text for at, text in found if at == line)


@dataclass(frozen=True)
class _Launched:
    sample: Sample
    geometry: Geometry
    tunables: Mapping[str, int]
    shapes: dict[str, tuple[int, int]]
    least_bytes: int
    correct: bool
    verdict: str
    ptx: str
    sizes: Mapping[str, int]


class Engine:
    """Loads, compiles, launches and judges a lab's kernels; keeps the programs and runs used last."""

    def __init__(
        self, chosen: Sequence[str | Kernel], baseline: str | None, problem: Maker | None, seed: int
    ) -> None:
        if not chosen:
            raise ValueError("a lab needs a kernel: Lab(kernels=['tiling/naive'], ...)")
        self._own = {each.name: each for each in chosen if isinstance(each, Kernel)}
        self.names = [each.name if isinstance(each, Kernel) else each for each in chosen]
        if baseline is not None and baseline not in self.names:
            raise ValueError(
                f"the baseline {baseline!r} is none of the lab's kernels: {', '.join(self.names)}"
            )
        self._baseline, self._problem, self._seed = baseline, problem, seed
        self.meanings: Mapping[str, Callable[[Value], Mapping[str, Value]]] = {}
        """What the value of a control sets; one that is not here sets what it is named after."""
        self._known: dict[str, Kernel] = {}
        self._programs: Bounded[simulator.Program] = Bounded(32)
        self._runs: Bounded[_Launched] = Bounded(64)
        self._traced: Bounded[_Launched] = Bounded(6)  # a trace of a block may take megabytes
        self._lock = threading.Lock()

    def kernel(self, name: str) -> Kernel:
        """As its file says now, so that an edited kernel is what runs."""
        if name in self._own:
            return self._own[name]
        known = self._known.get(name)
        if known is None or known.path.read_text(encoding="utf-8") != known.source:
            known = self._known[name] = kernels.load(name)
        return known

    def kernels(self) -> tuple[Kernel, ...]:
        return tuple(map(self.kernel, self.names))

    @property
    def problem(self) -> Maker | None:
        return self._problem

    def settings(self, state: State) -> dict[str, Value]:
        """What the controls set: tunables, sizes and other parameters."""
        settings: dict[str, Value] = {}
        for control, value in state.items():
            settings |= self.meanings[control](value) if control in self.meanings else {control: value}
        return settings

    def result(self, state: State, traced: bool, cancelled: Callable[[], bool]) -> Result:
        """Run the state's kernel, and the baseline where there is one.

        `traced`: with the steps of the block in the middle of the grid. Raises Unwanted, or
        compiler.Cancelled, soon after `cancelled` says so, and all that compiling and launching raise.
        """
        kernel = self.kernel(str(state.get(KERNEL, self.names[0])))
        launched = self._launch(kernel, state, traced, cancelled)
        baseline = None
        if self._baseline == kernel.name:
            baseline = launched.sample
        elif self._baseline is not None:
            baseline = self._launch(self.kernel(self._baseline), state, False, cancelled).sample
        return Result(
            state,
            kernel,
            launched.geometry,
            launched.tunables,
            launched.sample,
            baseline,
            launched.shapes,
            launched.least_bytes,
            launched.correct,
            launched.verdict,
            self.kernels(),
            launched.ptx,
            launched.sizes,
        )

    def _launch(self, kernel: Kernel, state: State, traced: bool, cancelled: Callable[[], bool]) -> _Launched:
        settings = self.settings(state)
        tunables = {name: int(value) for name, value in settings.items() if name in kernel.tunables}
        parameters = {parameter.name for parameter in kernel.entry.parameters} | problems.shaping(kernel)
        sizes = {name: int(value) for name, value in settings.items() if name in parameters}
        key = (kernel.source, tuple(tunables.items()), tuple(sizes.items()))
        runs = self._traced if traced else self._runs
        return runs.get(key, partial(self._run, kernel, tunables, sizes, traced, cancelled))

    def _run(
        self,
        kernel: Kernel,
        tunables: Mapping[str, int],
        sizes: Mapping[str, int],
        traced: bool,
        cancelled: Callable[[], bool],
    ) -> _Launched:
        geometry = problems.geometry(kernel, tunables, sizes)
        make = self._problem or problems.of(kernel).make
        problem = make({**sizes, **tunables}, np.random.default_rng(self._seed))
        program = self._program(kernel, tunables, cancelled)
        _stop_if(cancelled)
        run = program.launch(
            kernel.entry.name,
            geometry.grid,
            geometry.block,
            problem.arguments(kernel.entry),
            geometry.shared_bytes,
            budget=BUDGET,
            trace={"block": middle(geometry)} if traced else None,
        )
        _stop_if(cancelled)
        correct, verdict = problem.verdict()
        sample = Sample(shown(kernel.name), run, problem.operations, geometry.shared_bytes)
        buffers = [
            parameter.name for parameter in kernel.entry.parameters if parameter.name in problem.arrays
        ]
        shapes = {name: rows_and_columns(problem.arrays[name]) for name in buffers}
        least = sum(problem.arrays[name].nbytes for name in buffers)
        whole = {name: int(value) for name, value in problem.scalars.items() if value.dtype.kind in "iu"}
        return _Launched(
            sample, geometry, tunables, shapes, least, correct, verdict, program.ptx, {**sizes, **whole}
        )

    def _program(
        self, kernel: Kernel, tunables: Mapping[str, int], cancelled: Callable[[], bool]
    ) -> simulator.Program:
        defines = kernel.defines(tunables)
        key: Hashable = (kernel.source, tuple(defines.items()))
        return self._programs.get(
            key,
            lambda: simulator.compile(
                kernel.source, defines=defines, name=PurePath(kernel.path).name, cancelled=cancelled
            ),
        )


def rows_and_columns(array: np.ndarray) -> tuple[int, int]:
    """The shape of a matrix; a vector is a matrix of one row."""
    rows, columns = (1, array.size) if array.ndim < 2 else (array.shape[0], array[0].size)
    return rows, columns


def middle(geometry: Geometry) -> Block:
    """The block in the middle of the grid: not at an edge, where there is another."""
    x, y, z = (extent // 2 for extent in (*geometry.grid, *(1,) * (3 - len(geometry.grid))))
    return x, y, z


def _stop_if(cancelled: Callable[[], bool]) -> None:
    if cancelled():
        raise Unwanted
