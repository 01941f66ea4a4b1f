"""NumPy arrays as device buffers, at virtual addresses.

A buffer is a whole array in the host's memory, even where the kernel gets a slice of it: pointers into one
array see the same memory, and nothing else. Buffer r begins at the address r << REGION_BITS.
"""

from __future__ import annotations

import ctypes
import weakref
from dataclasses import dataclass

import numpy as np
from numpy.lib.array_utils import byte_bounds

from .errors import ArgumentError
from .layout import CONSTANT_REGION, FIRST_BUFFER, REGION_BITS, REGIONS, SHARED_REGION


@dataclass(frozen=True)
class Buffer:
    """Memory that a kernel may use. `name` is the parameter's, `array` what was passed for it."""

    name: str
    array: np.ndarray
    region: int
    start: int  # host address of the first byte
    size: int  # bytes

    @property
    def address(self) -> int:
        """Virtual address of the first byte."""
        return self.region << REGION_BITS


class Memory:
    """The buffers of one launch, as the table that compiled code reads."""

    def __init__(self) -> None:
        self.buffers: list[Buffer] = []
        self.table = np.zeros((REGIONS, 2), np.int64)
        self._known: dict[tuple[int, int], Buffer] = {}

    def add(self, name: str, array: np.ndarray) -> int:
        """Make an array known; returns the virtual address of its first element.

        Raises ArgumentError for arrays that are not C-contiguous or that cannot be written.
        """
        if not array.flags.c_contiguous:
            raise ArgumentError(
                f"{name}: the array is not C-contiguous (its strides are {array.strides} bytes for shape "
                f"{array.shape}). "
                "A kernel sees memory, not strides: pass numpy.ascontiguousarray(...)."
            )
        if not array.flags.writeable:
            raise ArgumentError(f"{name}: the array is read-only. Pass a copy: array.copy().")
        owner = owner_of(array)
        low, high = byte_bounds(owner) if owner.size else (array.ctypes.data, array.ctypes.data)
        buffer = self._known.get((low, high))
        if buffer is None:
            region = FIRST_BUFFER + len(self.buffers)
            if region >= REGIONS - 1 or high - low >= 1 << REGION_BITS:
                raise ArgumentError(f"{name}: too many buffers, or one beyond {1 << REGION_BITS - 30} GiB")
            buffer = Buffer(name, array, region, low, high - low)
            self.buffers.append(buffer)
            self._known[low, high] = buffer
            self.table[region] = (buffer.size, low - buffer.address)
        return buffer.address + array.ctypes.data - low

    def worker_table(self, shared: np.ndarray, shared_bytes: int, constants: np.ndarray) -> np.ndarray:
        """The table with the windows through which generic addresses reach shared and constant memory."""
        table = self.table.copy()
        table[SHARED_REGION] = (shared_bytes, shared.ctypes.data - (SHARED_REGION << REGION_BITS))
        table[CONSTANT_REGION] = (constants.nbytes, constants.ctypes.data - (CONSTANT_REGION << REGION_BITS))
        return table

    def string(self, address: int) -> bytes:
        """The bytes at an address up to a zero; empty where there is no such address."""
        buffer, offset = self.find(address)
        if buffer is None or not 0 <= offset < buffer.size:
            return b""
        return ctypes.string_at(buffer.start + offset, buffer.size - offset).split(b"\0")[0]

    def find(self, address: int) -> tuple[Buffer | None, int]:
        """(buffer whose addresses these are, byte offset in it), also for addresses before or behind it."""
        nearest = (address + (1 << REGION_BITS - 1)) >> REGION_BITS
        for region in (address >> REGION_BITS, nearest):
            for buffer in self.buffers:
                if buffer.region == region:
                    return buffer, address - buffer.address
        return None, address


_FRESH: dict[int, weakref.ref[np.ndarray]] = {}


def fresh(shape: int | tuple[int, ...], dtype: np.typing.DTypeLike) -> np.ndarray:
    """Global memory that nothing was written to: an array of odd bytes (0xCD), the same in every run, so that
    a kernel that reads it before writing shows."""
    array = np.empty(shape, dtype)
    array.reshape(-1).view(np.uint8)[:] = 0xCD
    key = id(array)
    _FRESH[key] = weakref.ref(array, lambda _: _FRESH.pop(key, None))
    return array


def is_fresh(array: np.ndarray) -> bool:
    """Was the array made by `fresh`, or is it a view of one that was?"""
    owner = owner_of(array)
    known = _FRESH.get(id(owner))
    return known is not None and known() is owner


def owner_of(array: np.ndarray) -> np.ndarray:
    """The array at the bottom of a chain of views."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array
