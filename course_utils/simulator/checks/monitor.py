"""One checked launch: its shadow memory, its blocks under way, and what was found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..access import Site
from ..errors import Hang, Index
from ..findings import Access, Finding
from ..kinds import LANES
from ..layout import REGION_BITS, WAITING
from ..ptx import Instruction, plain_name
from .clocks import Flags
from .observer import Observer
from .sentences import Report
from .shadow import GlobalShadow
from .shadow_code import SITE_SHIFT

if TYPE_CHECKING:
    from ..context import Context
    from ..kernel import Kernel
    from ..launch import Request

WRITER = np.dtype([("block", np.int32), ("thread", np.int32), ("line", np.int32)])


class Monitor:
    """Finds out about one launch. names: offset of a parameter -> what the source calls it. unset: a byte for
    each of constant memory, 0 where nothing set it."""

    def __init__(
        self,
        kernel: Kernel,
        request: Request,
        source: str | None,
        names: Mapping[str, str],
        unset: np.ndarray,
        build: str,
    ) -> None:
        assert kernel.plan.scheme is not None
        self.kernel, self.plan, self.request = kernel, kernel.plan, request
        self.scheme = kernel.plan.scheme
        self.lines = source.splitlines() if source else []
        self.names, self.unset = names, unset
        self.report = Report(build)
        self.flags = Flags()
        self.observers: list[Observer] = []
        self.muted = np.zeros(len(self.plan.sites) + 1, np.uint8)
        self.calls = np.zeros(len(self.plan.sites) + 1, np.int64)
        self.error: BaseException | None = None
        self.parameters_at = 0  # host address of the kernel's parameters
        log = self.scheme.granule_log("global")
        self.global_ = GlobalShadow(
            request.memory,
            self._written_regions() if self.scheme.shadowed else (),
            log,
            initialisation=self.scheme.initialisation,
        )
        count = len(self.plan.sites)
        self.sites: list[Site] = [self.scheme.sites[number] for number in range(count)]

    def _written_regions(self) -> set[int]:
        """Regions that the kernel may write: those its stores' addresses derive from, else all."""
        every = {each.region for each in self.request.memory.buffers}
        found: set[int] = set()
        for site in self.scheme.sites.values():
            if not site.store or site.space not in ("global", "generic"):
                continue
            bases = self.scheme.bases.get(site.number)
            if not bases:
                return every
            for base in bases:
                address = self.base_address(base)
                if address is None:
                    return every
                found.add(address >> REGION_BITS)
        return found & every

    def base_address(self, base: str) -> int | None:
        """What a parameter or a global variable points to."""
        name, _, offset = base.partition("+")
        space, place = self.plan.addresses.places.get(name, ("", 0))
        if space == "param":
            start = place + int(offset or 0)
            return int.from_bytes(self.request.parameters[start : start + 8], "little")
        return place if space == "global" else 0 if space in ("shared", "local") else None

    def open(self, context: Context) -> None:
        """Watch what runs in a context."""
        self.observers.append(Observer(self, context))

    def takes(self, failure: Exception, context: Context) -> bool:
        """Make a finding of what ended a launch, where it is one: a hang."""
        if not (self.scheme.barriers and isinstance(failure, Hang)):
            return False
        observer = next(each for each in self.observers if each.context is context)
        stuck = any(context.warp(index).state == WAITING for index in range(self.plan.warps))
        observer.barriers.hang(str(failure), stuck)
        return True

    def close(self) -> None:
        """The launch is over; what is left of it may be asked for."""
        for observer in self.observers:
            observer.close()
        self.observers.clear()

    @property
    def findings(self) -> list[Finding]:
        return self.report.findings

    # Places in words

    def line(self, instruction: Instruction) -> int | None:
        return instruction.location.own_line

    def text(self, line: int | None) -> str:
        return self.lines[line - 1].strip() if line and line <= len(self.lines) else ""

    def block_index(self, number: int) -> Index:
        x, y, _ = self.request.grid
        return number % x, number // x % y, number // (x * y)

    def thread_index(self, warp: int, lane: int) -> Index:
        return tuple(self.plan.thread_index(axis, warp)[lane] for axis in range(3))  # type: ignore[return-value]

    def access(
        self, site: Site, block: int, warp: int, lane: int, array: str | None, index: int | None
    ) -> Access:
        line = self.line(site.instruction)
        atomic = site.instruction.name in ("atom", "red")
        action = "updates" if atomic else "reads" if site.load else "writes"
        thread = self.thread_index(warp, lane)
        return Access(line, self.text(line), self.block_index(block), thread, array, index, action)

    def variable_at(self, site: Site, space: str, address: int) -> tuple[str | None, int]:
        """(name, offset in it) of the variable of shared, local or constant memory that an access means."""
        places, sizes = self.plan.addresses.places, self.plan.addresses.sizes
        own = [self.scheme.variable(each) for each in self.scheme.bases.get(site.number) or ()]
        own = [each for each in own if each and each[1] == space]
        if len(own) == 1 and own[0]:
            return own[0][0], address - own[0][2]
        name, start = None, -1
        for symbol, (where, offset) in places.items():
            if where == space and start < offset <= address and (sizes.get(symbol, 1) or space == "shared"):
                name, start = symbol, offset
        return (plain_name(name), address - start) if name else (None, address)

    def writers(self) -> dict[str, np.ndarray]:
        """Buffer -> for each element the block and thread (both as numbers) that stored there last, and the
        line; line 0: nobody."""
        found = {}
        log = self.global_.log
        for buffer in self.request.memory.buffers:
            array = buffer.array
            rows = np.zeros(array.size, WRITER)
            if self.global_.starts[buffer.region] >= 0 and array.size:
                tags = self.global_.of(buffer, "stored")
                by = self.global_.of(buffer, "stored_by")
                start = array.ctypes.data - buffer.start
                place = (start + np.arange(array.size) * array.itemsize) >> log
                tag, who = tags[place].astype(np.uint64), by[place]
                known = (tag != 0) & (tag != np.uint64(self.global_.never))
                lines = np.array([self.line(site.instruction) or 0 for site in self.sites] or [0], np.int32)
                rows["line"] = np.where(known, lines[np.minimum(who >> SITE_SHIFT, len(lines) - 1)], 0)
                rows["block"] = np.where(known, (tag >> np.uint64(32)).astype(np.int64) - 1, 0)
                warp = ((tag - np.uint64(1)) & np.uint64(31)).astype(np.int64)
                rows["thread"] = np.where(known, warp * LANES + (who & 31), 0)
            found[buffer.name] = rows.reshape(array.shape)
        return found
