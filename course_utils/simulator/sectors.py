"""How the memory system counts one warp's access: the rules, in plain Python.

They serve where an access is known at compile time, and are what the counting code of the runtime is tested
against.
"""

from __future__ import annotations

from collections.abc import Sequence

SECTOR = 32  # bytes
BANKS = 32  # of 4 bytes


def sectors(addresses: Sequence[int | None], size: int) -> int:
    """Distinct 32-byte sectors that the active lanes touch; None is an inactive lane.

    Nsight Compute: l1tex__t_sectors_pipe_lsu_mem_global_op_ld (and _st). An access is aligned to its size of
    at most 16 bytes, so that a lane touches one sector.
    """
    return len({address // SECTOR for address in addresses if address is not None})


def ideal(lanes: int, size: int, touched: int) -> int:
    """Sectors that so many lanes would touch if their accesses lay side by side; those that they do touch
    where these are fewer, as for lanes that want the same bytes.

    Nsight Compute: memory_l2_theoretical_sectors_global_ideal, as measured on an H200.
    """
    return min(-(-lanes * size // SECTOR), touched)


def wavefronts(addresses: Sequence[int | None], size: int, *, load: bool) -> tuple[int, int]:
    """(wavefronts, ideal) of one shared-memory request, as measured on an H200.

    Lanes are served in groups: all 32 for up to 4 bytes, 16 for 8, 8 for 16. For loads the groups are twice
    as large when every lane wants the address of its neighbour n^1, or every lane that of n^2 (an inactive
    partner agrees). A group takes as many wavefronts as the bank that is wanted most has distinct words. The
    ideal is one a group with active lanes.
    Nsight Compute: l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld; conflicts are the difference.
    """
    unit = max(size, 4)
    banks = BANKS * 4 // unit
    total = ideal = 0
    for lanes in groups(addresses, size, load=load):
        units = {address // unit for address in addresses[lanes.start : lanes.stop] if address is not None}
        if units:
            wanted = [0] * banks
            for each in units:
                wanted[each % banks] += 1
            total += max(wanted)
            ideal += 1
    return total, ideal


def groups(addresses: Sequence[int | None], size: int, *, load: bool) -> list[range]:
    """The lanes that shared memory serves together, as the rule above has them: 32, 16 or 8 at a time."""
    group = {8: 16, 16: 8}.get(size, 32)
    if load and size > 4 and any(_partners_agree(addresses, step) for step in (1, 2)):
        group *= 2
    return [range(first, first + group) for first in range(0, 32, group)]


def _partners_agree(addresses: Sequence[int | None], step: int) -> bool:
    return all(
        address is None or addresses[lane ^ step] is None or addresses[lane ^ step] == address
        for lane, address in enumerate(addresses)
    )
