"""A GPU made of the simulator: everything of a GPU launch but CuPy, so that it is tested where no GPU is.

Its memory is the host's, at the host's addresses; its kernels are the PTX that came with the machine code.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np

from course_utils import compiler, simulator
from course_utils.devices.cuda import OutOfMemory
from course_utils.simulator import ptx


class FakeError(Exception):
    """What CuPy raises: a number, and a text."""

    def __init__(self, status: int) -> None:
        super().__init__(f"error {status}")
        self.status = status


class FakeMemory:
    def __init__(self, owner: FakeCuda, size: int) -> None:
        self._owner = owner
        self.array = np.full(max(size, 1), 0xCC, np.uint8)
        self.ptr = self.array.ctypes.data
        owner.used += size
        owner.memories.append(self)


class FakeCuda:
    """Has `total` bytes. `durations`: seconds of successive launches, repeated at the end. `failure`: the
    number of the error that the next wait meets. `endless`: launches never end."""

    def __init__(self, total: int = 1 << 30, durations: Sequence[float] = (1e-3,)) -> None:
        self.name, self.compute_capability, self.through = "Fake 9000", "9.0", "CuPy 0"
        self.l2_bytes, self.shared_limit = 1 << 16, 227 * 1024
        self.errors = (FakeError,)
        self.total, self.used = total, 0
        self.memories: list[FakeMemory] = []
        self.durations = list(durations)
        self.failure = 0
        self.endless = False
        self.launches: list[str] = []
        self.cleared = 0
        self.left_running = 0
        self.clock = 0.0

    def activate(self) -> None: ...

    def synchronize(self) -> None: ...

    def leave_running(self, event: SimpleNamespace) -> None:
        self.left_running += 1

    def for_cupy(self) -> contextlib.nullcontext:
        return contextlib.nullcontext()

    def free_bytes(self) -> int:
        return self.total - self.used

    def allocate(self, size: int) -> FakeMemory:
        if size > self.free_bytes():
            raise OutOfMemory
        return FakeMemory(self, size)

    def upload(self, to: int, host: int, size: int) -> None:
        ctypes.memmove(to, host, size)

    download = copy = upload

    def clear(self, to: int, size: int) -> None:
        ctypes.memset(to, 0, size)
        self.cleared += 1

    def event(self) -> SimpleNamespace:
        return SimpleNamespace(ptr=0, at=0.0)

    def record(self, event: SimpleNamespace) -> None:
        event.at = self.clock

    def done(self, event: SimpleNamespace) -> bool:
        if self.failure:
            raise FakeError(self.failure)
        return not self.endless

    def seconds(self, start: SimpleNamespace, end: SimpleNamespace) -> float:
        return end.at - start.at

    def load(self, compiled: compiler.Compiled) -> SimpleNamespace:
        module = ptx.parse(compiled.ptx)
        program = simulator.Program(module)
        spaces = {name: each for name, each in module.variables.items() if each.space in ("const", "global")}
        variables = {name: FakeMemory(self, each.size) for name, each in spaces.items()}
        for name, memory in variables.items():
            memory.array[:] = program.get_symbol(name)
        return SimpleNamespace(ptr=0, module=module, program=program, variables=variables)

    def variable(self, module: SimpleNamespace, name: str) -> int:
        return module.variables[name].ptr

    def function(self, module: SimpleNamespace, name: str, dynamic_shared_bytes: int) -> SimpleNamespace:
        return SimpleNamespace(ptr=0, module=module, name=name)

    def launch(
        self,
        function: SimpleNamespace,
        grid: Sequence[int],
        block: Sequence[int],
        shared_bytes: int,
        parameters: bytearray,
        offsets: Sequence[int],
    ) -> None:
        self.launches.append(function.name)
        if function.name == "hold":
            return
        if self.endless:
            return
        module = function.module
        wanted = module.module.functions[function.name].parameters
        args = [
            self._argument(each, bytes(parameters[offset : offset + each.size]))
            for each, offset in zip(wanted, offsets, strict=True)
        ]
        for name, memory in module.variables.items():
            module.program.set_symbol(name, memory.array)
        module.program.launch(function.name, grid, block, args, shared_bytes, allow_large_shared=True)
        for name, memory in module.variables.items():
            memory.array[:] = module.program.get_symbol(name)
        self.clock += self.durations.pop(0) if len(self.durations) > 1 else self.durations[0]

    def _argument(self, parameter: ptx.Variable, data: bytes) -> object:
        if parameter.array:
            return np.void(data)
        kinds = {"f32": np.float32, "f64": np.float64}
        if parameter.size == 8 and parameter.type[0] != "f":
            address = int.from_bytes(data, "little")
            for memory in self.memories:
                if memory.ptr <= address < memory.ptr + memory.array.size:
                    return memory.array[address - memory.ptr :]
            return address if address else None
        if parameter.type in kinds:
            return kinds[parameter.type](np.frombuffer(data, kinds[parameter.type])[0])
        return int.from_bytes(data, "little")
