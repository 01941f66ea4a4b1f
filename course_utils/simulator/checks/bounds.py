"""Memory: accesses outside, misaligned, through null pointers, or beyond their own variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..access import Site
from ..findings import Access
from ..layout import CONSTANT_REGION, FIRST_BUFFER, LOCAL_REGION, REGION_BITS, SHARED_REGION
from . import sentences
from .shadow import lanes_of

if TYPE_CHECKING:
    from .observer import Observer

SINK_BYTES = 64
"""Memory for each lane that takes a store to nowhere and gives 0 to a load."""


class Bounds:
    """Tells of accesses that are not legal, and leads them to memory that takes everything."""

    def __init__(self, view: Observer) -> None:
        self.view = view

    def _hosts(self, site: Site, lane: int, address: int) -> int:
        """The host address of a legal access."""
        space, offset = site.space, address
        if space in ("global", "generic"):
            region = address >> REGION_BITS
            if region >= FIRST_BUFFER:
                buffer, inside = self.view.request.memory.find(address)
                assert buffer is not None
                return buffer.start + inside
            space = {SHARED_REGION: "shared", LOCAL_REGION: "local", CONSTANT_REGION: "const"}[region]
            offset = address & (1 << REGION_BITS) - 1
        if space == "shared":
            return self.view.context.shared.ctypes.data + offset
        if space == "local":
            warp = self.view.context.warp(self.view.warp)
            return int(warp.local) + lane * self.view.plan.addresses.local_bytes + offset
        if space == "const":
            return self.view.request.constants.ctypes.data + offset
        return int(self.view.monitor.parameters_at) + offset

    def illegal(self, number: int) -> None:
        site = self.view.monitor.sites[number]
        self.view.sink[:] = 0
        dropped = 0
        for lane, address in self.view.reader.addresses(site):
            fault = self.view.reader.fault(site, address)
            if fault is None:
                self.view.worker.hosts[lane] = self._hosts(site, lane, address)
                continue
            dropped |= 1 << lane
            self.view.worker.hosts[lane] = self.view.sink.ctypes.data + SINK_BYTES * lane
            self._illegal_access(site, lane, address, *fault)
        self.view.watch.dropped = dropped - (1 << 32) if dropped >> 31 else dropped

    def _illegal_access(
        self, site: Site, lane: int, address: int, sentence: str, array: str | None, index: int | None
    ) -> None:
        space = site.space
        nearest = (address + (1 << REGION_BITS - 1)) >> REGION_BITS
        if space in ("global", "generic") and nearest in (SHARED_REGION, LOCAL_REGION, CONSTANT_REGION):
            space = {SHARED_REGION: "shared", LOCAL_REGION: "local", CONSTANT_REGION: "const"}[nearest]
            address -= nearest << REGION_BITS
        elif space == "generic":
            space = "global"
        null = space == "global" and address < 1 << 20
        misaligned = "misaligned" in sentence
        size = f"{site.size} bytes" if site.size > 1 else "1 byte"
        if space != "global":
            signed = address - (1 << 64) if address >> 63 else address
            array, offset = self.view.monitor.variable_at(site, space, signed)
            index = offset // self.view.element(site)
        elif null:
            array, index = self._null_name(site), None
        access = self.view.monitor.access(site, self.view.block, self.view.warp, lane, array, index)
        verb = {"reads": "reads", "writes": "writes", "updates": "updates"}[access.action]

        def make() -> tuple[str, Sequence[Access], str]:
            me, here = sentences.who(access), sentences.where(access)
            if null:
                named = array or "a pointer"
                return (
                    (
                        f"Null pointer: {me} {verb} through {named} {here}, but {named} is null (or "
                        f"an index from "
                        f"null: address {address:#x})."
                    ),
                    (access,),
                    f"Pass an array for {named}, or test the pointer before it is used.",
                )
            if misaligned:
                return (
                    (
                        f"Misaligned: {me} {verb} {size} at once at {access.place} {here}, and that is at no "
                        f"multiple of {size}."
                    ),
                    (access,),
                    (
                        f"An access of {size} (a vector such as float4, for one) needs an address "
                        f"that is a multiple "
                        "of as many bytes: let it begin at such an index, or use single elements."
                    ),
                )
            length = self._length(site, space, array)
            return (
                (f"Out of bounds: {me} {verb} {access.place} {here}, but {length}."),
                (access,),
                (
                    "Let the access happen only where the index is inside (an `if` around it), or "
                    "make the array "
                    "as large as the threads need."
                ),
            )

        what = "null" if null else "misaligned" if misaligned else "bounds"
        self.view.report.add("memory", (what, array, access.line), make)

    def _null_name(self, site: Site) -> str | None:
        for base in sorted(self.view.scheme.bases.get(site.number) or ()):
            address = self.view.monitor.base_address(base)
            if address is not None and address == 0 and base in self.view.monitor.names:
                return self.view.monitor.names[base]
        return None

    def _length(self, site: Site, space: str, array: str | None) -> str:
        if array is None:
            return f"there is no {space} memory of the kernel's at that address"
        if space == "global":
            for buffer in self.view.request.memory.buffers:
                if buffer.name == array:
                    size = buffer.array.size
                    return f"{array} has {size} element{'s' * (size != 1)}"
        for base in (*(self.view.scheme.bases.get(site.number) or ()), *self.view.plan.addresses.sizes):
            variable = self.view.scheme.variable(base)
            if variable and variable[0] == array:
                total = variable[3] or self.view.request.shared_bytes - variable[2]
                what = "" if variable[3] else " in this launch (shared_bytes)"
                return f"{array} has {total} bytes, {total // self.view.element(site)} elements{what}"
        return f"{array} ends before"

    def neighbour(self, number: int) -> None:
        site = self.view.monitor.sites[number]
        self.view.sink[:] = 0
        for lane in lanes_of(self.view.worker.mask & 0xFFFFFFFF):
            address = self.view.worker.addresses[lane]
            name, offset = self.view.monitor.variable_at(site, site.space, address)
            access = self.view.monitor.access(
                site, self.view.block, self.view.warp, lane, name, offset // self.view.element(site)
            )
            self.view.worker.hosts[lane] = self.view.sink.ctypes.data + SINK_BYTES * lane

            def make(access: Access = access, address: int = address) -> tuple[str, Sequence[Access], str]:
                other = self._owner(site.space, address, access.array)
                inside = f" That is inside {other}, which lies beside it." if other else ""
                verb = access.action
                return (
                    (
                        f"Out of bounds: {sentences.who(access)} {verb} {access.place} "
                        f"{sentences.where(access)}, but "
                        f"{self._length(site, site.space, access.array)}.{inside}"
                    ),
                    (access,),
                    (
                        "Let the access happen only where the index is inside (an `if` around it), "
                        "or make the array "
                        "as large as the threads need."
                    ),
                )

            self.view.report.add("memory", ("bounds", name, access.line), make)

    def _owner(self, space: str, address: int, but: str | None) -> str | None:
        addresses = self.view.plan.addresses
        for symbol in addresses.sizes:
            pieces = [f"{symbol}#{start}" for start in addresses.locals.get(symbol.split("$")[0], {})]
            for base in pieces or [symbol]:
                variable = self.view.scheme.variable(base)
                if variable is None or variable[0] == but or variable[0].startswith("__local_depot"):
                    continue
                name, where, start, size = variable
                if where == space and start <= address < start + size:
                    return name
        return None
