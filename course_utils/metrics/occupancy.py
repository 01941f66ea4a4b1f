"""How many blocks of a kernel one SM can hold at once, and which resource says so.

The rules are those of NVIDIA's occupancy calculator, cuda_occupancy.h of CUDA 12.9 (functions named below).
Compute capability 7.0 to 9.0.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import names
from .gpus import MAX_REGISTERS_PER_THREAD, MAX_THREADS_PER_BLOCK, WARP_SIZE, Gpu

# cudaOccRegAllocationGranularity, cudaOccSubPartitionsPerMultiprocessor: registers go to whole warps, in
# units of 256; each quarter of the SM has a quarter of them, and a warp lives in one quarter.
_REGISTER_UNIT = 256
_QUARTERS = 4


@dataclass(frozen=True)
class Occupancy:
    """The blocks that fit on one SM by each resource alone, and what follows.

    ``shared_memory`` is None where the kernel uses none and the driver reserves none, so that nothing limits
    it. ``registers_per_block`` and ``shared_bytes_per_block`` are what a block is given: what it asks for,
    rounded up, and with the driver's part.
    """

    registers: int
    warps: int
    blocks: int
    shared_memory: int | None
    warps_per_block: int
    max_warps: int
    carveout_bytes: int
    registers_per_block: int
    shared_bytes_per_block: int

    @property
    def blocks_per_sm(self) -> int:
        """Blocks that one SM holds at once: the smallest limit."""
        return min(self._limits.values())

    @property
    def warps_per_sm(self) -> int:
        """Warps that one SM holds at once."""
        return self.blocks_per_sm * self.warps_per_block

    @property
    def fraction(self) -> float:
        """The theoretical occupancy: warps that one SM holds, as a part of those it has places for."""
        return self.warps_per_sm / self.max_warps

    @property
    def limited_by(self) -> tuple[str, ...]:
        """The resources with the smallest limit: ``registers``, ``warps``, ``blocks``, ``shared memory``."""
        return tuple(name for name, limit in self._limits.items() if limit == self.blocks_per_sm)

    @property
    def metrics(self) -> dict[str, int]:
        """The limits under Nsight Compute's names, ``launch__occupancy_limit_registers`` and so on."""
        limits = {
            names.LIMIT_REGISTERS: self.registers,
            names.LIMIT_WARPS: self.warps,
            names.LIMIT_BLOCKS: self.blocks,
        }
        return limits if self.shared_memory is None else limits | {names.LIMIT_SHARED: self.shared_memory}

    @property
    def _limits(self) -> dict[str, int]:
        limits = {"registers": self.registers, "warps": self.warps, "blocks": self.blocks}
        return limits if self.shared_memory is None else limits | {"shared memory": self.shared_memory}


def occupancy(
    gpu: Gpu,
    *,
    threads_per_block: int,
    registers_per_thread: int,
    shared_bytes_per_block: int,
    carveout_bytes: int | None = None,
) -> Occupancy:
    """The occupancy of a kernel on one SM of ``gpu``.

    ``shared_bytes_per_block`` is static and dynamic shared memory together. ``carveout_bytes`` is what the
    driver sets apart as shared memory on an SM, one of ``gpu.sm.shared_carveouts``; by default the largest,
    and too small for one block it leaves room for none. Raises ``ValueError`` for a launch that the GPU does
    not accept at all, and for a carve-out that it does not have."""
    sm = gpu.sm
    carveout = sm.max_shared if carveout_bytes is None else carveout_bytes
    _check("threads a block", threads_per_block, 1, MAX_THREADS_PER_BLOCK)
    _check("registers a thread", registers_per_thread, 1, MAX_REGISTERS_PER_THREAD)
    _check("bytes of shared memory a block", shared_bytes_per_block, 0, sm.max_shared_per_block)
    if carveout not in sm.shared_carveouts:
        sizes = ", ".join(str(size) for size in sm.shared_carveouts)
        raise ValueError(
            f"{gpu.name} has no carve-out of {carveout} bytes of shared memory: use one of {sizes}."
        )

    warps = -(-threads_per_block // WARP_SIZE)
    return Occupancy(
        registers=_blocks_by_registers(sm.registers, warps, registers_per_thread),
        warps=sm.max_warps // warps,
        blocks=sm.max_blocks,
        shared_memory=_blocks_by_shared(gpu, shared_bytes_per_block, carveout),
        warps_per_block=warps,
        max_warps=sm.max_warps,
        carveout_bytes=carveout,
        registers_per_block=warps * _registers_per_warp(registers_per_thread),
        shared_bytes_per_block=_allocated_shared(gpu, shared_bytes_per_block),
    )


@dataclass(frozen=True)
class Suggestion:
    """A block size with which an SM holds as many warps as it can of a kernel, and the fewest blocks that
    fill the whole GPU with it."""

    threads_per_block: int
    blocks: int


def suggested_block(gpu: Gpu, *, registers_per_thread: int, shared_bytes_per_block: int) -> Suggestion:
    """What cudaOccupancyMaxPotentialBlockSize suggests: most warps on an SM, in the fewest blocks.

    Of equal occupancies the largest block wins (cudaOccMaxPotentialOccupancyBlockSize). It knows nothing of
    what the kernel does. ``shared_bytes_per_block`` is the same for every size. Raises ``ValueError`` where
    no size fits.
    """

    def blocks(threads: int) -> int:
        found = occupancy(
            gpu,
            threads_per_block=threads,
            registers_per_thread=registers_per_thread,
            shared_bytes_per_block=shared_bytes_per_block,
        )
        return found.blocks_per_sm

    sizes = range(MAX_THREADS_PER_BLOCK, 0, -WARP_SIZE)
    best = max(sizes, key=lambda threads: threads * blocks(threads))  # the first, largest, of equals
    if not blocks(best):
        raise ValueError(f"no block of any size fits on an SM of the {gpu.name}: use fewer resources.")
    return Suggestion(best, blocks(best) * gpu.sms)


def waves(gpu: Gpu, occupancy: Occupancy, blocks: int) -> float:
    """How often the GPU has to be filled for a grid of so many blocks: blocks / (SMs x blocks an SM holds).

    Nsight Compute's launch__waves_per_multiprocessor. Blocks that do not fit wait until others have ended.
    Raises ``ValueError`` where an SM holds no block.
    """
    if not occupancy.blocks_per_sm:
        raise ValueError(f"no block fits on an SM of the {gpu.name}.")
    return blocks / (gpu.sms * occupancy.blocks_per_sm)


def _registers_per_warp(registers_per_thread: int) -> int:
    return _round_up(registers_per_thread * WARP_SIZE, _REGISTER_UNIT)


def _allocated_shared(gpu: Gpu, shared_bytes: int) -> int:
    return _round_up(shared_bytes + gpu.sm.shared_reserved_per_block, gpu.sm.shared_allocation_unit)


def _blocks_by_registers(registers: int, warps: int, registers_per_thread: int) -> int:
    """cudaOccMaxBlocksPerSMRegsLimit."""
    per_warp = _registers_per_warp(registers_per_thread)
    # A launch is refused unless the block would fit with its warps rounded up to a multiple of the quarters.
    if per_warp * _round_up(warps, _QUARTERS) > registers:
        return 0
    return registers // _QUARTERS // per_warp * _QUARTERS // warps


def _blocks_by_shared(gpu: Gpu, shared_bytes: int, carveout: int) -> int | None:
    """cudaOccMaxBlocksPerSMSmemLimit."""
    allocated = _allocated_shared(gpu, shared_bytes)
    return carveout // allocated if allocated else None


def _round_up(count: int, unit: int) -> int:
    return -(-count // unit) * unit


def _check(what: str, count: int, least: int, most: int) -> None:
    if not least <= count <= most:
        raise ValueError(f"{count} {what} is outside what this GPU accepts, {least} to {most}.")
