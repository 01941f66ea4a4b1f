"""The structures that compiled kernels, the runtime and Python share, as ctypes: one place for every offset.

    Launch   one a launch: sizes, parameters, buffers, compiled functions; blocks are handed out from it
    Worker   one a thread: the block it runs, its counters, the last failure
    Warp     one a warp of the running block: how far it is, which lanes wait where, its registers

Global memory is addressed virtually: buffer r occupies the addresses from r << REGION_BITS. An index beyond a
buffer so never reaches another one, and addresses (hence sectors) are the same in every run.
"""

from __future__ import annotations

import ctypes
from ctypes import c_int32, c_int64, c_void_p
from dataclasses import dataclass

REGION_BITS = 36
REGIONS = 4096  # the last one is always empty: what is beyond it lands there
NULL_REGION, SHARED_REGION, LOCAL_REGION, CONSTANT_REGION, FUNCTION_REGION, FIRST_BUFFER = 0, 1, 2, 3, 4, 16


class Status:
    """What a compiled function tells its caller."""

    EXIT = 0  # every lane of the warp is done
    BARRIER = 1  # every lane of the warp waits at a barrier
    DIVERGED = 2  # lanes parted: go on with the masked code
    REJOINED = 3  # lanes are together again: go on with the fast code
    NOT_ALIKE = 4  # together, but values the fast code keeps once differ: stay with the masked code
    YIELD = 5  # a long loop: let others run
    WRAPPED = 6  # an index wrapped around: finish this block of code with the full arithmetic
    ERROR = 7  # see Worker
    TRAP = 8
    ASSERTED = 9
    OVERFLOW = 12  # a lane's stack is full
    OUTSIDE = 13  # a lane ran a .sync instruction whose mask leaves it out
    APART = 14  # lanes that the mask of a .sync instruction names run elsewhere
    PARTED = 10  # an instruction of the whole warp was run by some of its lanes
    # Only between the runtime and Python:
    DONE = 16  # no block is left
    STOPPED = 17
    NEEDS_MASKED = 18  # the masked code has to be compiled first
    NEEDS_REST = 19  # likewise the rest of a block after a wrap-around
    STUCK = 20  # no warp of the block can go on


class Launch(ctypes.Structure):
    _fields_ = (
        ("next_block", c_int64),
        ("blocks", c_int64),
        ("stop", c_int64),
        ("slice", c_int64),  # loop rounds after which a warp lets others run
        ("grid", c_int32 * 3),
        ("warps", c_int32),  # of a block
        ("parameters", c_void_p),
        ("parameter_bytes", c_int64),
        ("constants", c_void_p),
        ("constant_bytes", c_int64),
        ("shared_bytes", c_int64),
        ("full", c_void_p),  # compiled functions: for warps of 32 threads,
        ("partial", c_void_p),  # for the last warp of a block with fewer,
        ("masked", c_void_p),  # for warps whose lanes have parted,
        ("rest", c_void_p),  # for the rest of a block of code after a wrap-around
        ("workspace", c_int64),  # address of a cooperative launch's barrier, else 0
        ("first_mode", c_int64),  # MASKED when the run is traced
    )


class Worker(ctypes.Structure):
    _fields_ = (
        ("counters", c_void_p),  # int64 each, see CounterLayout
        ("regions", c_void_p),  # REGIONS pairs of int64: bytes, host address - virtual address
        ("shared", c_void_p),
        ("warps", c_void_p),
        ("warp_bytes", c_int64),
        ("open", c_int64),  # is a block under way?
        ("block", c_int64),  # its number
        ("index", c_int32 * 3),  # and its index
        ("turn", c_int32),  # the warp to go on with
        ("waiting", c_int32),  # warps at a barrier,
        ("barrier_id", c_int32),  # which the first of them waits at,
        ("mixed", c_int32),  # and whether others wait elsewhere, or it wants a number of threads
        ("alive", c_int32),  # warps that are not done
        ("rounds", c_int64),  # loop rounds left in this slice
        ("slices", c_int64),  # slices used so far, for the budget
        ("budget", c_int64),  # slices allowed
        ("site", c_int32),  # where it failed, see access.Site
        ("mask", c_int32),  # the lanes concerned
        ("addresses", c_int64 * 32),
        ("hosts", c_int64 * 32),
        ("scratch", c_int64 * 64),
        ("traced_block", c_int64),
        ("trace", c_void_p),
        ("trace_used", c_int64),
        ("trace_room", c_int64),
        ("printed", c_void_p),  # records of printing.py
        ("print_used", c_int64),
        ("print_room", c_int64),
        ("arrived", c_int32 * 16),  # threads that announced themselves at a barrier without waiting
        ("sum", c_int32 * 16),  # reductions at barriers: how many threads said yes, did all, did any;
        ("all", c_int32 * 16),
        ("any", c_int32 * 16),
        ("last_sum", c_int32 * 16),  # and what came out when the barrier was last complete
        ("last_all", c_int32 * 16),
        ("last_any", c_int32 * 16),
        ("watch", c_void_p),  # checks.structures.Watch of a checked launch, else 0
    )


YIELDS_BEFORE_TURNS = 64
"""Slices of masked code after which lanes that are ahead get turns too: they may hold what the others wait
for. Before that, lanes that are behind always go first, so that lanes meet again where the hardware's do."""

FAST, MASKED, REST = 0, 1, 2  # Warp.mode
READY, WAITING, DONE = 0, 1, 2  # Warp.state


class Warp(ctypes.Structure):
    _fields_ = (
        ("mode", c_int32),
        ("state", c_int32),
        (
            "entry",
            c_int32,
        ),  # where the fast code begins: 0, 2b+1 (after a barrier) or 2b+2 (after rejoining) for block b
        ("stay", c_int32),  # b+1: do not leave the masked code at block b once
        ("index", c_int32),  # of the warp in its block
        ("lanes", c_int32),  # bit mask of the threads that exist
        ("wrapped", c_int32),  # which rest of a block to run
        ("barrier", c_int32),  # 1: just released from a barrier
        ("barrier_id", c_int32),
        ("barrier_count", c_int32),  # threads that it waits for, 0: all of the block
        ("barrier_block", c_int32),  # the block of code that ended with it
        ("yields", c_int32),  # slices that ended in this warp, in the running block
        ("order", c_int32),  # masked code: 1: the highest block first, so that lanes ahead get a turn
        ("scalars", c_int32 * 4),  # thread index of lane 0: x, y, z
        ("threads", c_int32 * 96),  # thread indices: 32 x, 32 y, 32 z
        ("local", c_void_p),
        ("summary", c_int64),  # bit w: ready[w] is not zero
    )


@dataclass(frozen=True)
class WarpLayout:
    """Byte offsets behind the Warp header, for a kernel with `blocks` blocks of code."""

    ready: int  # words of 64 bits: bit b: lanes wait to run block b
    waiting: int  # int32 a block: which lanes
    parked: int  # int32 a block: lanes at a barrier that go on there
    parked_any: int  # int32: are there any
    fast: int  # registers saved by the fast code
    masked: int  # registers as vectors
    size: int


def warp_layout(blocks: int, fast_bytes: int, masked_bytes: int) -> WarpLayout:
    def aligned(value: int) -> int:
        return (value + 63) & ~63

    ready = aligned(ctypes.sizeof(Warp))
    waiting = aligned(ready + 8 * ((blocks + 63) // 64))
    parked = aligned(waiting + 4 * blocks)
    parked_any = parked + 4 * blocks
    fast = aligned(parked_any + 4)
    masked = aligned(fast + fast_bytes)
    # An odd number of cache lines: so that the same field of several warps is not in one set of the cache.
    size = aligned(masked + masked_bytes) | 64
    return WarpLayout(ready, waiting, parked, parked_any, fast, masked, size)


def at(structure: type[ctypes.Structure], name: str) -> int:
    """Byte offset of a field."""
    return getattr(structure, name).offset


SITE_NUMBERS = 6


@dataclass(frozen=True)
class CounterLayout:
    """Indices into a worker's counters, for `blocks` blocks of code and `sites` memory instructions.

    full, partial, masked: how often each block of code ran, by kind of code; lanes: active lanes summed over
    its masked runs; divergent: branches that parted lanes; sites: SITE_NUMBERS numbers a memory instruction,
    only where they are not the same every time: sectors (or wavefronts) and their ideal; for generic
    addresses these are of the global lanes, and there follow the requests with such lanes, wavefronts and
    ideal of the shared ones, sectors of the local.
    """

    blocks: int
    sites: int

    @property
    def full(self) -> int:
        return 0

    @property
    def partial(self) -> int:
        return self.blocks

    @property
    def masked(self) -> int:
        return 2 * self.blocks

    @property
    def lanes(self) -> int:
        return 3 * self.blocks

    @property
    def divergent(self) -> int:
        return 4 * self.blocks

    @property
    def site(self) -> int:
        return 5 * self.blocks

    @property
    def size(self) -> int:
        return 5 * self.blocks + SITE_NUMBERS * self.sites
