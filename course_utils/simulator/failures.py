"""Why a run stopped, in sentences: what compiled code left behind -> an exception."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from .access import Site
from .context import Context
from .errors import Error, Hang, IllegalAccess, Index, Place, Trap
from .kernel import Kernel
from .kinds import LANES
from .layout import (
    CONSTANT_REGION,
    DONE,
    LOCAL_REGION,
    REGION_BITS,
    SHARED_REGION,
    WAITING,
    Status,
)
from .ptx import Location
from .stack import STACK_BYTES

_WINDOWS = {SHARED_REGION: "shared", LOCAL_REGION: "local", CONSTANT_REGION: "const"}

if TYPE_CHECKING:
    from .launch import Request


def of(status: int, context: Context, kernel: Kernel, request: Request) -> Error:
    """The exception for a status that ends a run."""
    reader = Reader(context, kernel, request)
    if status == Status.ERROR:
        return reader.illegal_access()
    if status == Status.TRAP:
        return reader.trap()
    if status in (Status.OUTSIDE, Status.APART):
        return reader.strangers(apart=status == Status.APART)
    if status == Status.PARTED:
        return reader.parted()
    if status == Status.OVERFLOW:
        return reader.overflow()
    if status == Status.ASSERTED:
        return reader.failed_assert()
    if status == Status.STUCK:
        return reader.stuck()
    return Error(f"the simulator stopped with status {status} in block {context.block}")


class Reader:
    def __init__(self, context: Context, kernel: Kernel, request: Request) -> None:
        self.context, self.kernel, self.plan, self.request = context, kernel, kernel.plan, request
        self.worker = context.worker

    def illegal_access(self) -> IllegalAccess:
        site = next(site for site in self.plan.sites.values() if site.number == self.worker.site)
        for lane, address in self.addresses(site):
            fault = self.fault(site, address)
            if fault:
                sentence, name, index = fault
                place = self.place(lane, site.instruction.location)
                atomic = site.atomic or site.instruction.name == "red"
                verb = "atomic access" if atomic else "load" if site.load else "store"
                size = f"{site.size} byte{'s' * (site.size > 1)}"
                return IllegalAccess(
                    f"illegal {verb} of {size} at {place}: {sentence}", buffer=name, index=index, place=place
                )
        raise AssertionError("an access was refused, but every lane's address is legal")

    def addresses(self, site: Site) -> list[tuple[int, int]]:
        """(lane, address) of the active lanes."""
        mask, addresses = self.worker.mask & 0xFFFFFFFF, list(self.worker.addresses)
        if not mask:  # the fast code reports one address, from which the lanes follow
            whole = self.context.warp(self.worker.turn).lanes == -1
            shape = self.kernel.shapes["full" if whole else "partial"][site.number]
            addresses = [addresses[0] + distance for distance in shape]
            mask = (1 << len(shape)) - 1
        return [(lane, addresses[lane] & (1 << 64) - 1) for lane in range(LANES) if mask >> lane & 1]

    def fault(self, site: Site, address: int) -> tuple[str, str | None, int | None] | None:
        """(what is wrong with one address, buffer, index), None when nothing is."""
        if site.space in ("shared", "local", "const", "param"):
            return self._fault_in_window(site.space, site.size, address)
        nearest = (address + (1 << REGION_BITS - 1)) >> REGION_BITS  # also for a little before a window
        if nearest in _WINDOWS:
            offset = (address - (nearest << REGION_BITS)) & (1 << 64) - 1
            return self._fault_in_window(_WINDOWS[nearest], site.size, offset)
        buffer, offset = self.request.memory.find(address)
        if buffer is None:
            if address < 1 << 20:
                return f"address {address:#x} is a null pointer, or an index from one", None, None
            return f"address {address:#x} belongs to no buffer", None, None
        view = buffer.array
        size = max(view.itemsize, 1)
        index = (offset - (view.ctypes.data - buffer.start)) // size
        if not 0 <= offset <= buffer.size - site.size:
            whole = f"{buffer.name} has {view.size} elements of {size} byte{'s' * (size > 1)}"
            return f"{buffer.name}[{index}] is out of bounds; {whole}", buffer.name, index
        if offset % site.size:
            sentence = (
                f"{buffer.name}[{index}] begins at byte {offset}, no multiple of {site.size}: misaligned"
            )
            return sentence, buffer.name, index
        return None

    def _fault_in_window(
        self, space: str, width: int, address: int
    ) -> tuple[str, str | None, int | None] | None:
        """The same for an access of so many bytes in a space with addresses of its own."""
        size = {
            "shared": self.request.shared_bytes,
            "local": self.plan.addresses.local_bytes,
            "const": self.request.constants.nbytes,
            "param": len(self.request.parameters),
        }[space]
        kind = {"const": "constant", "param": "parameter"}.get(space, space) + " memory"
        byte = address - (1 << 64) if address >> 63 else address
        if not 0 <= byte <= size - width:
            return f"byte {byte} of {kind}, which has {size} bytes", kind, byte // width
        if byte % width:
            return f"byte {byte} of {kind} is no multiple of {width}: misaligned", kind, byte // width
        return None

    def trap(self) -> Trap:
        warp = self.context.warp(self.worker.turn)
        block = self.plan.flow.blocks[warp.barrier_block]
        location = block.issued[-1].location if block.issued else Location(0, 0)
        return Trap(f"the kernel ended itself with a trap at {self.place(self._first_lane(), location)}")

    def strangers(self, *, apart: bool) -> Trap:
        """A .sync instruction whose mask and running lanes do not agree, see members.py."""
        bits, mask, block, position = (each & 0xFFFFFFFF for each in self.worker.addresses[:4])
        instruction = self.plan.flow.blocks[block].instructions[position]
        lanes = [lane for lane in range(LANES) if bits >> lane & 1]
        place = self.place(self._first_lane() if apart else lanes[0], instruction.location)
        who = f"lane{'s' * (len(lanes) > 1)} {', '.join(map(str, lanes))}"
        if apart:
            reason = (
                f"its mask {mask:#010x} names {who}, which a branch has parted from the lanes that run it"
            )
        else:
            reason = f"{who} ran it without being in the mask given there"
        return Trap(
            f"{instruction.opcode} at {place} has no defined result: {reason}. All lanes of the mask must "
            "run it together, and no others"
        )

    def parted(self) -> Trap:
        """An instruction that all 32 lanes of a warp must run together (.sync.aligned)."""
        place = self.place(self._first_lane(), Location(1, self.worker.site))
        lanes = (self.worker.mask & 0xFFFFFFFF).bit_count()
        return Trap(
            f"only {lanes} of the 32 lanes of a warp ran a matrix instruction at {place}: all must run it "
            "together, so let no branch part them and make the block a multiple of 32 threads"
        )

    def overflow(self) -> Trap:
        warp = self.context.warp(self.worker.turn)
        block = self.plan.flow.blocks[warp.barrier_block]
        location = block.issued[-1].location if block.issued else Location(0, 0)
        return Trap(
            f"stack overflow at {self.place(self._first_lane(), location)}: functions call each other too "
            f"deeply for the {STACK_BYTES} bytes of a thread's stack"
        )

    def failed_assert(self) -> Trap:
        message, file, line, function = self.worker.addresses[:4]
        read = lambda address: self.request.memory.string(address).decode("utf-8", "replace")  # noqa: E731
        place = self.place(self._first_lane(), Location(0, 0))
        where = f"{read(file) or self.request.file}:{line & 0xFFFFFFFF}"
        return Trap(
            f"assertion failed at {where} in {read(function)}: {read(message)} "
            f"(block {place.block}, thread {place.thread})"
        )

    def _first_lane(self) -> int:
        mask = self.worker.mask & 0xFFFFFFFF
        return (mask & -mask).bit_length() - 1 if mask else 0

    def stuck(self) -> Hang:
        """A barrier that can never be complete: who waits where, who has left."""
        waiting: dict[tuple[int, int, int | None], list[int]] = defaultdict(list)
        left = []
        for index in range(self.plan.warps):
            warp = self.context.warp(index)
            if warp.state == DONE:
                left.append(index)
            elif warp.state == WAITING:
                block = self.plan.flow.blocks[warp.barrier_block]
                line = block.issued[-1].location.line if block.issued else None
                waiting[warp.barrier_id, warp.barrier_count, line].append(index)
        parts = [
            f"{_warps(indices)} at barrier {number}{f' for {count} threads' if count else ''}"
            + (f" ({self.request.file}:{line})" if line else "")
            for (number, count, line), indices in waiting.items()
        ]
        gone = f"; {_warps(left)} ended" if left else ""
        return Hang(
            f"the kernel cannot go on: in block {self.context.block} there wait "
            + ", ".join(parts)
            + gone
            + ". "
            "No other thread is left that could arrive."
        )

    def place(self, lane: int, location: Location) -> Place:
        warp = self.worker.turn
        thread: Index = tuple(self.plan.thread_index(axis, warp)[lane] for axis in range(3))  # type: ignore[assignment]
        line = location.line if location.file == 1 and location.line else None
        return Place(self.request.file, line, self.context.block, thread)


def _warps(indices: list[int]) -> str:
    return f"warp{'s' * (len(indices) > 1)} " + ", ".join(map(str, indices))
