"""What a launch may be: the simulator's own checks, for a launch on a GPU as well.

A launch that is refused is refused with the same words everywhere, before anything is copied to a GPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
        memory = _MappedMemory(addresses)
        return self.program.simulated.pack(self.program.entry, self.args, memory)


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
    grid_index, block_index, _ = made.checked(program.entry, grid, block, shared_bytes, shared_limit)
    memory = Memory()
    made.pack(program.entry, args, memory)
    return Launch(program, grid_index, block_index, args, int(shared_bytes), tuple(memory.buffers))
