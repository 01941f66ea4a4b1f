"""Shadow memory: what was done last to every granule of shared and global memory, as NumPy sees it.

The layout is that of `shadow_code`. Shared memory's shadow begins anew with every block; global memory's
lasts for the launch and covers the buffers that the kernel may write, and those of `simulator.fresh`.
"""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..kinds import LANES
from ..layout import REGIONS
from ..memory import Buffer, Memory, is_fresh
from .shadow_code import PLANES, TAGS, granule_bytes, tag_bytes

PAD = 48  # granules behind the last, so that whole vectors may be read
POOLED_BYTES = 256 << 20
NEVER = 0xCD  # the byte that fresh memory holds


class Entry(NamedTuple):
    """One access in shadow memory: of which block (None: the running one), warp, lanes, at which time of the
    warp, by which site with which flags."""

    block: int | None
    warp: int
    lanes: int
    time: int
    site: int


class Shadow:
    """The planes of one space."""

    def __init__(self, space: str, granules: int) -> None:
        self.space, self.granules = space, granules + PAD
        self.bytes = _POOL.take(self.granules * granule_bytes(space))
        weakref.finalize(self, _POOL.give, self.bytes)
        self.planes: dict[str, np.ndarray] = {}
        at = 0
        for number, name in enumerate(PLANES):
            width = tag_bytes(space) if number < TAGS else 4
            kind = {4: np.uint32, 8: np.uint64}[width]
            self.planes[name] = self.bytes[at : at + self.granules * width].view(kind)
            at += self.granules * width
        self.never = int(np.iinfo(self.planes["stored"].dtype).max)

    @property
    def address(self) -> int:
        return self.bytes.ctypes.data

    @property
    def addresses(self) -> list[int]:
        """Where each plane begins."""
        return [self.planes[name].ctypes.data for name in PLANES]

    def store(self, granule: int) -> Entry | None:
        """The last store, None where there was none."""
        tag = int(self.planes["stored"][granule])
        if tag in (0, self.never):
            return None
        by = int(self.planes["stored_by"][granule])
        return self._entry(tag, 1 << (by & 31), by)

    def never_written(self, granule: int) -> bool:
        return int(self.planes["stored"][granule]) == self.never

    def loads(self, granule: int) -> Iterable[Entry]:
        for number in (1, 2):
            tag = int(self.planes[f"read{number}"][granule])
            if tag:
                lanes = int(self.planes[f"lanes{number}"][granule])
                yield self._entry(tag, lanes, int(self.planes[f"site{number}"][granule]))

    def _entry(self, tag: int, lanes: int, site: int) -> Entry:
        block = None if self.space == "shared" else (tag >> 32) - 1
        low = (tag - 1) & 0xFFFFFFFF
        return Entry(block, low & 31, lanes, low >> 5, site & ~31)


class GlobalShadow(Shadow):
    """Shadow memory of the buffers that need it. `regions`: numbers of those that the kernel may write."""

    def __init__(self, memory: Memory, regions: Iterable[int], log: int, *, initialisation: bool) -> None:
        self.log = log
        written = set(regions)
        fresh = {each.region for each in memory.buffers if initialisation and is_fresh(each.array)}
        self.buffers = [each for each in memory.buffers if each.region in written | fresh and each.size]
        self.starts = np.full(REGIONS, -1, np.int64)
        end = 0
        for each in self.buffers:
            self.starts[each.region] = end
            end += (each.size + (1 << log) - 1 >> log) + PAD
        super().__init__("global", end)
        for each in self.buffers:
            if each.region in fresh:
                data = np.ctypeslib.as_array((ctypes.c_uint8 * each.size).from_address(each.start))
                whole = data[: each.size >> log << log].reshape(-1, 1 << log)
                untouched = (whole == NEVER).all(axis=1)
                self.of(each, "stored")[: len(untouched)][untouched] = self.never

    def of(self, buffer: Buffer, plane: str) -> np.ndarray:
        """A plane's part for one buffer."""
        start = int(self.starts[buffer.region])
        return self.planes[plane][start : start + (buffer.size + (1 << self.log) - 1 >> self.log)]

    def place(self, granule: int) -> tuple[Buffer, int]:
        """(buffer, byte offset in it) of a granule."""
        for each in reversed(self.buffers):
            start = int(self.starts[each.region])
            if granule >= start:
                return each, (granule - start) << self.log
        raise AssertionError("a granule of no buffer")


class _Pool:
    """Shadow memory of launches that are over, for those that follow: the system takes longer to hand out
    new memory than a launch to use it."""

    def __init__(self) -> None:
        self._free: list[np.ndarray] = []
        self._lock = threading.Lock()

    def take(self, size: int) -> np.ndarray:
        """Zeroed bytes that begin at a multiple of 64."""
        with self._lock:
            fitting = [each for each in self._free if size <= each.base.size - 64 <= 2 * size]
            if fitting:
                found = min(fitting, key=lambda each: each.base.size)
                self._free = [each for each in self._free if each is not found]
            else:
                return aligned(size)
        whole = found.base
        start = -whole.ctypes.data % 64
        part = whole[start : start + max(size, 1)]
        part[:] = 0
        return part

    def give(self, memory: np.ndarray) -> None:
        with self._lock:
            self._free.append(memory)
            while len(self._free) > 8 or sum(each.base.size for each in self._free) > POOLED_BYTES:
                self._free.pop(0)


_POOL = _Pool()


def aligned(size: int) -> np.ndarray:
    """Zeroed bytes that begin at a multiple of 64."""
    memory = np.zeros(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + max(size, 1)]


def lanes_of(mask: int) -> list[int]:
    return [lane for lane in range(LANES) if mask >> lane & 1]
