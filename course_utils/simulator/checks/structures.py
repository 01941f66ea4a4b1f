"""The structures that checked kernels, the runtime and Python share, beside those of `layout`.

Watch   one a worker: where shadow memory lies, which accesses are ordered, how to call Python
Clock   one a warp: how far its lanes know of each other
"""

from __future__ import annotations

import ctypes
from ctypes import c_int32, c_int64, c_void_p

from ..kinds import LANES

CALLBACK = ctypes.CFUNCTYPE(None, c_int32, c_int32)
"""What compiled code calls when Python must decide: (Event, number of the site)."""


class Event:
    """Why compiled code calls Python."""

    LOAD = 0  # loads of bytes that nothing wrote, or that others write without order
    STORE = 1  # stores likewise, before they are carried out; atomics too
    TOGETHER = 2  # lanes of one store write the same bytes
    ILLEGAL = 3  # an access outside its buffer, or misaligned
    NEIGHBOUR = 4  # outside its variable, yet inside the memory that the variables share
    UNSET = 5  # a load of local or constant memory that nothing wrote
    BARRIER = 6  # a barrier of the whole block is complete, and something about it is unusual
    JOINED = 7  # a barrier of some warps is complete
    ARRIVED = 8  # a warp announces itself at a barrier
    FENCE = 9
    FLAG = 10  # an access by which threads may tell each other something
    MEMBERS = 11  # a .sync instruction whose mask and lanes do not agree
    UNDEFINED = 12  # a register is used that nothing wrote
    GLOBAL = 16  # added to the first three where the memory is global
    FENCED_BARRIER = 13  # a barrier of the whole block, in a kernel with fences


class Watch(ctypes.Structure):
    _fields_ = (
        ("callback", c_void_p),
        ("shared", c_void_p),  # shadow memory, see shadow.py,
        ("shared_planes", c_void_p * 8),  # and where its planes begin
        ("shared_granules", c_int64),
        ("shared_bytes", c_int64),
        ("shared_fill", c_int32),  # the byte that shared memory's shadow begins with
        (
            "shared_lo",
            c_int32,
        ),  # tags from lo, fewer than span of them, are of accesses before the last barrier
        ("shared_span", c_int32),
        ("global_span", c_int32),
        ("global_lo", c_int64),
        ("global_planes", c_void_p * 8),
        ("starts", c_void_p),  # int64 a region: its first granule, negative: not watched
        ("local", c_void_p),  # a byte for each of local memory: 0: nothing wrote it, 1: written
        ("local_bytes", c_int64),
        ("local_away", c_int64),  # from local memory to its shadow
        ("constant_away", c_int64),
        ("clocks", c_void_p),
        ("muted", c_void_p),  # a byte a site: no more calls
        ("mask", c_int32),  # the lanes, or elements of `index`, that an event is about
        ("dropped", c_int32),  # lanes whose access goes nowhere
        ("index", c_int64 * LANES),  # granules,
        ("lane", c_int32 * LANES),  # and the lane of each
        ("fenced", c_int32),  # how many fences the running block has passed
        ("releases", c_int32),  # how often anything was told by a flag,
        ("told", c_int32),  # how many addresses such flags have,
        ("flags", c_int64 * 4),  # and the first of these
        ("tells", c_int32),  # does Python want to know of every barrier?
        ("knows", c_int32),  # are Clock.known in use?
        ("plain", c_int32),  # races are not looked for
        ("barriers", c_int32),  # unusual barriers are
        ("defined", c_void_p),  # an int32 for each register that is tracked, a warp: the lanes that wrote it
        ("defined_bytes", c_int64),
    )


class Clock(ctypes.Structure):
    _fields_ = (
        ("time", c_int32),  # of the warp: grows whenever some of its lanes synchronise
        ("synced", c_int32),  # all lanes know of all accesses of the warp before this time
        ("waiting", c_int32),  # the lanes that came last, all at once, to a barrier
        ("seen", c_int32),  # Watch.releases and
        ("seen_fenced", c_int32),  # Watch.fenced when the warp last looked,
        ("seen_at", c_int64),  # where,
        ("seen_by", c_int32),  # and which of its lanes did
        ("unused", c_int32),
        ("known", c_int32 * (LANES * LANES)),  # [lane][other]: knows of the other's accesses before this time
    )
