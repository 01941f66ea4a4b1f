"""A kernel for one block shape, compiled: the plan, the machine code of its variants, and their fixed
costs."""

from __future__ import annotations

import threading

from . import machine
from .fast import FastEmitter
from .masked import MaskedEmitter, RestEmitter
from .plan import Addresses, Plan
from .ptx import Function


class Kernel:
    """Compiled when first needed; `masked` and `rest` only when a run asks for them. Used by several
    threads."""

    def __init__(
        self,
        function: Function,
        addresses: Addresses,
        block_shape: tuple[int, int, int],
        small_grid: bool,
        checks: frozenset[str] = frozenset(),
        optimised: bool = True,
    ) -> None:
        self.plan = Plan(function, addresses, block_shape, small_grid, checks, optimised)
        self.costs: dict[str, dict[int, tuple[int, int]]] = {}
        self.shapes: dict[str, dict[int, tuple[int, ...]]] = {}
        self._lock = threading.Lock()
        self._code: list[machine.Code] = []  # kept alive while their functions may run
        self._masked = 0
        self._traced = 0
        self._rest = 0
        self._rest_places: list[tuple[int, int]] = []
        self.full, self.partial = self._fast()

    def _fast(self) -> tuple[int, int]:
        """Addresses of the code for whole warps and for the last one, 0 where there is no such warp."""
        emitters = [FastEmitter(self.plan, variant) for variant in self.plan.variants]
        code = self._compile("\n".join(emitter.emit() for emitter in emitters))
        for emitter in emitters:
            self.costs[emitter.name] = emitter.costs
            self.shapes[emitter.name] = emitter.shapes
        names = {emitter.name for emitter in emitters}
        return tuple(code.address(name) if name in names else 0 for name in ("full", "partial"))  # type: ignore[return-value]

    def _compile(self, text: str) -> machine.Code:
        code = machine.compile(text)
        self._code.append(code)
        return code

    @property
    def masked_if_made(self) -> int:
        return self._masked

    @property
    def rest_if_made(self) -> int:
        return self._rest

    def masked(self) -> int:
        with self._lock:
            if not self._masked:
                self._masked = self._compile(MaskedEmitter(self.plan).emit()).address("masked")
            return self._masked

    def traced(self) -> int:
        """The masked code that also leaves the records of trace.py, and never hands back to the fast code."""
        with self._lock:
            if not self._traced:
                self._traced = self._compile(MaskedEmitter(self.plan, traced=True).emit()).address("traced")
            return self._traced

    def rest(self, place: tuple[int, int]) -> int:
        """The code that goes on at (block, instruction) after a wrap-around; it serves the earlier places
        too."""
        with self._lock:
            if place not in self._rest_places:
                self._rest_places.append(place)
                self._rest = self._compile(RestEmitter(self.plan, self._rest_places).emit()).address("rest")
            return self._rest
