"""What a launch may be: the simulator's own checks, for a launch on a GPU as well.

A launch that is refused is refused with the same words everywhere, before anything is copied to a GPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..simulator import arguments
from ..simulator import program as simulating
from ..simulator.memory import Buffer, Memory
from .programs import Program

Index = tuple[int, int, int]


class _MappedMemory(Memory):
    """Buffers at the addresses that a GPU gave them, instead of virtual ones."""

    def __init__(self, addresses: dict[tuple[int, int], int]) -> None:
        super().__init__()
        self._device = addresses

    def add(self, name: str, array: object) -> int:
        """As Memory.add; returns the GPU's address of the array's first element."""
        buffer, offset = self.find(super().add(name, array))  # type: ignore[arg-type]
        assert buffer is not None
        return self._device[buffer.start, buffer.size] + offset


@dataclass(frozen=True)
class Launch:
    """A launch that the checks let pass. `buffers` are the whole arrays that the arguments lie in."""

    program: Program
    grid: Index
    block: Index
    args: Sequence[object]
    shared_bytes: int  # dynamic
    buffers: tuple[Buffer, ...]

    def parameters(self, addresses: dict[tuple[int, int], int]) -> tuple[bytearray, list[int]]:
        """The bytes of the parameters and the offset of each. addresses: (start, size) of a buffer -> GPU
        address."""
        return _pack(self.program, self.args, _MappedMemory(addresses))


def check(
    program: Program,
    grid: int | Sequence[int],
    block: int | Sequence[int],
    args: Sequence[object],
    shared_bytes: int,
    shared_limit: int,
) -> Launch:
    """Raises LaunchError or ArgumentError as the simulator does. shared_limit: bytes a block, static and
    dynamic."""
    made = program.simulated
    function = made._function(program.entry)
    grid_index = simulating._index(grid, "grid", simulating.MAX_GRID)
    block_index = simulating._index(block, "block", simulating.MAX_BLOCK)
    made._check_launch(function, block_index, made._places(function), shared_bytes, shared_limit)
    memory = Memory()
    _pack(program, args, memory)
    return Launch(program, grid_index, block_index, args, int(shared_bytes), tuple(memory.buffers))


def _pack(program: Program, args: Sequence[object], memory: Memory) -> tuple[bytearray, list[int]]:
    made = program.simulated
    function = made._function(program.entry)
    packed = arguments.pack(function, made._signature(program.entry), args, memory)
    return packed, arguments.parameter_offsets(function)[0]
