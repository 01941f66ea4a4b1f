"""One block of a launch step by step: what each warp did, with which lanes, on which addresses.

The compiled code leaves two kinds of record: "these lanes of this warp begin that block of code", and the
addresses of each memory instruction. The steps in between follow from the code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np

from . import sectors as rules
from .access import BYTES, Site
from .counters import line_of
from .errors import Index, LaunchError
from .kinds import LANES
from .layout import REGION_BITS
from .memory import Memory
from .plan import Plan
from .ptx import Instruction, plain_name
from .semantics import ELEMENT

ROOM = 4 << 20
"""Numbers of 64 bits that a trace may take; what comes later is left out, and `Trace.complete` is False."""

BLOCK_RECORD, SITE_RECORD = 0, 1
BLOCK_LENGTH, SITE_LENGTH = 4, 2 + LANES


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction of one warp.

    active: bit i: lane i takes part. For memory instructions: space ("global", "shared", "local", ...), load,
    store, size (bytes a lane), buffer (name of the parameter or array), index (int64 a lane: first element in
    that buffer, -1 for a lane that takes no part), address (int64 a lane), count (elements a lane), sectors
    (global), wavefronts and ideal (shared), moved (shared: bytes a lane that the hardware moves at once, more
    than `size` for the first of merged accesses and 0 for the others). instruction: the PTX itself.
    """

    warp: int
    line: int | None
    opcode: str
    active: int
    space: str | None = None
    load: bool = False
    store: bool = False
    size: int = 0
    buffer: str | None = None
    index: np.ndarray | None = None
    address: np.ndarray | None = None
    sectors: int | None = None
    wavefronts: int | None = None
    ideal: int | None = None
    count: int = 1
    moved: int | None = None
    instruction: Instruction | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Trace:
    """The steps of a block in the order in which they ran, one warp at a time between barriers.

    The steps of a trace that a launch made are read when they are first asked for: `of` reads those of one
    warp alone."""

    block: Index
    steps: Sequence[Step] = field(repr=False)
    complete: bool = True

    def of(self, warp: int) -> Sequence[Step]:
        """The steps of one warp."""
        if isinstance(self.steps, Steps):
            return self.steps.of(warp)
        return [step for step in self.steps if step.warp == warp]

    def warps(self, space: str | None = None) -> list[int]:
        """The warps that did anything, in order; those alone that touch a memory, where one is given."""
        if isinstance(self.steps, Steps):
            return self.steps.warps(space)
        return sorted({step.warp for step in self.steps if space is None or step.space == space})


@dataclass(frozen=True)
class Request:
    """Which block, and which of its warps (None: all), to trace."""

    block: Index
    warp: int | None


def request(value: Mapping[str, object], grid: Index, warps: int) -> Request:
    """Read {"block": (x, y, z), "warp": 0}. Raises LaunchError for a block or warp that the launch does not
    have."""
    unknown = set(value) - {"block", "warp"}
    if unknown:
        raise LaunchError(f"trace: unknown key {sorted(unknown)[0]!r}; there are 'block' and 'warp'")
    given = value.get("block", 0)
    parts = (given,) if isinstance(given, (int, np.integer)) else tuple(given)  # type: ignore[arg-type]
    whole = all(isinstance(part, (int, np.integer)) for part in parts)
    block = tuple(int(part) if whole else -1 for part in parts) + (0,) * (3 - len(parts))
    if len(block) != 3 or any(not 0 <= part < size for part, size in zip(block, grid, strict=True)):
        raise LaunchError(f"trace: there is no block {given!r} in a grid of {grid}")
    warp = value.get("warp")
    if warp is not None and (not isinstance(warp, (int, np.integer)) or not 0 <= warp < warps):
        raise LaunchError(f"trace: there is no warp {warp!r}; a block has {warps}")
    return Request(block, None if warp is None else int(warp))  # type: ignore[arg-type]


def read(records: np.ndarray, complete: bool, asked: Request, plan: Plan, memory: Memory) -> Trace:
    """Steps from the records that compiled code left."""
    return Trace(asked.block, Steps(records.copy(), plan, memory, asked.warp), complete)


class _Begun(NamedTuple):
    """Lanes `active` of a warp began a block of code, and left records of its first `sites` accesses at
    `position`."""

    block: int
    active: int
    warp: int
    position: int
    sites: int


class Steps(Sequence[Step]):
    """The steps of a block, or of the one warp that was asked for, read from records when needed."""

    def __init__(self, records: np.ndarray, plan: Plan, memory: Memory, warp: int | None) -> None:
        self._records, self._plan = records, plan
        self._places = _Places(plan, memory)
        self._codes: dict[int, _Code] = {}
        self._plain: dict[tuple[int, int, int], list[Step | None]] = {}
        self._counts: dict[tuple[int, int, int, bytes], tuple[int | None, int | None, int | None]] = {}
        self._warps: dict[int, list[Step]] = {}
        self._begun = [each for each in self._walk() if warp in (None, each.warp)]

    @overload
    def __getitem__(self, place: int) -> Step: ...
    @overload
    def __getitem__(self, place: slice) -> list[Step]: ...
    def __getitem__(self, place: int | slice) -> Step | list[Step]:
        return self._all[place]

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Step]:
        return iter(self._all)

    def of(self, warp: int) -> list[Step]:
        """The steps of one warp."""
        if warp not in self._warps:
            if "_all" in self.__dict__:
                self._warps[warp] = [step for step in self._all if step.warp == warp]
            else:
                self._warps[warp] = self._read([each for each in self._begun if each.warp == warp])
        return self._warps[warp]

    def warps(self, space: str | None) -> list[int]:
        """The warps that did anything, those alone that touch a memory, where one is given."""
        if space is None:
            return sorted({each.warp for each in self._begun})
        spaces = {
            block: [site.space == space for _, site in self._code(block).sites]
            for block in {each.block for each in self._begun}
        }
        return sorted({each.warp for each in self._begun if any(spaces[each.block][: each.sites])})

    @cached_property
    def _all(self) -> list[Step]:
        steps = self._read(self._begun)
        known = {warp: iter(read) for warp, read in self._warps.items()}
        return [next(known[step.warp]) if step.warp in known else step for step in steps]

    def _code(self, block: int) -> _Code:
        if block not in self._codes:
            self._codes[block] = _Code.of(self._plan, block)
        return self._codes[block]

    def _walk(self) -> Iterator[_Begun]:
        records, end, position = self._records, len(self._records), 0
        while position + BLOCK_LENGTH <= end:
            _, block, mask, warp = records[position : position + BLOCK_LENGTH].tolist()
            position += BLOCK_LENGTH
            first, expected, found = position, len(self._code(block).sites), 0
            while found < expected and position + SITE_LENGTH <= end and records[position] == SITE_RECORD:
                position += SITE_LENGTH
                found += 1
            yield _Begun(block, mask & 0xFFFFFFFF, warp, first, found)
            if found < expected and position + SITE_LENGTH > end:
                return  # the trace is full: what lies behind was never written

    def _read(self, begun: Sequence[_Begun]) -> list[Step]:
        steps: list[Step | None] = []
        asked: dict[
            int, list[tuple[int, int, int, int]]
        ] = {}  # site -> (place among steps, record, lanes, warp)
        for block, active, warp, position, found in begun:
            code, start = self._code(block), len(steps)
            steps += self._without_accesses(code, block, active, warp, found)
            for place, site in code.sites[:found]:
                asked.setdefault(site.number, []).append((start + place, position, active, warp))
                position += SITE_LENGTH
        sites = {site.number: site for code in self._codes.values() for _, site in code.sites}
        for number, rows in asked.items():
            self._access(sites[number], np.array(rows, np.int64), steps)
        return steps  # type: ignore[return-value]

    def _without_accesses(
        self, code: _Code, block: int, active: int, warp: int, found: int
    ) -> Sequence[Step | None]:
        """The steps of a block of code, None where memory is accessed; no more of them than there are records
        for. A warp may do the same thousands of times: the steps are made once."""
        key = (block, active, warp)
        if key not in self._plain:
            accesses = {place for place, _ in code.sites}
            self._plain[key] = [
                None
                if place in accesses
                else Step(warp, line_of(each), each.opcode, active, instruction=each)
                for place, each in enumerate(code.instructions)
            ]
        made = self._plain[key]
        return made if found == len(code.sites) else made[: code.sites[found][0]]

    def _access(self, site: Site, rows: np.ndarray, steps: list[Step | None]) -> None:
        """Put the steps of one instruction in their places."""
        addresses = self._records[rows[:, 1, None] + np.arange(2, SITE_LENGTH)]
        lanes = (rows[:, 2, None] >> np.arange(LANES) & 1).astype(bool)
        first = addresses[np.arange(len(rows)), lanes.argmax(axis=1)]
        names, starts, elements = self._places.of(site, first)
        index = np.where(lanes, (addresses - starts[:, None]) // elements[:, None], -1)
        address = np.where(lanes, addresses, 0)
        moved = self._plan.counted_size(site) if site.space == "shared" else None
        counts = self._counted(site, rows[:, 2], lanes, addresses, first)
        line, opcode = line_of(site.instruction), site.instruction.opcode
        many = np.maximum(site.size // elements, 1)
        for row, (place, _, active, warp) in enumerate(rows.tolist()):
            steps[place] = Step(
                warp, line, opcode, active, site.space, site.load, site.store, site.size, names[row],
                index[row], address[row], *counts[row], int(many[row]), moved, site.instruction,
            )  # fmt: skip

    def _counted(
        self, site: Site, active: np.ndarray, lanes: np.ndarray, addresses: np.ndarray, first: np.ndarray
    ) -> Sequence[tuple[int | None, int | None, int | None]]:
        """(sectors, wavefronts, ideal) of each access, each None where it does not apply or no rule is known.

        The same few patterns recur thousands of times, so counts are kept by pattern."""
        if not site.counted or site.space not in ("global", "shared"):
            return [(None, None, None)] * len(active)
        relative = np.where(lanes, addresses - first[:, None], 0)
        found = []
        for row, (mask, place) in enumerate(zip(active.tolist(), (first % 128).tolist(), strict=True)):
            key = (site.number, mask, place, relative[row].tobytes())
            if key not in self._counts:
                self._counts[key] = self._rules(site, lanes[row], addresses[row])
            found.append(self._counts[key])
        return found

    def _rules(
        self, site: Site, lanes: np.ndarray, addresses: np.ndarray
    ) -> tuple[int | None, int | None, int | None]:
        listed = [int(address) if lane else None for address, lane in zip(addresses, lanes, strict=True)]
        if site.space == "global":
            return rules.sectors(listed, site.size), None, None
        moved = self._plan.counted_size(site)
        plain_load = site.load and site.instruction.name != "ldmatrix"
        return (None, *(rules.wavefronts(listed, moved, load=plain_load) if moved else (0, 0)))


@dataclass(frozen=True)
class _Code:
    """A block of code: its instructions, the closing branch or barrier included, and (place, site) of those
    that access memory."""

    instructions: list[Instruction]
    sites: list[tuple[int, Site]]

    @classmethod
    def of(cls, plan: Plan, block: int) -> _Code:
        code = plan.flow.blocks[block]
        instructions = code.instructions + code.effective[len(code.instructions) :]
        sites = [
            (place, plan.sites[block, place])
            for place in range(len(instructions))
            if (block, place) in plan.sites
        ]
        return cls(instructions, sites)


class _Places:
    """What lies at an address: the buffer or array, where it begins, bytes an element.

    Knows the buffers of a launch without keeping their content."""

    def __init__(self, plan: Plan, memory: Memory) -> None:
        self._buffers = {
            buffer.region: (
                buffer.name,
                buffer.address + buffer.array.ctypes.data - buffer.start,
                max(buffer.array.itemsize, 1),
            )
            for buffer in memory.buffers
        }
        self._arrays: dict[str, tuple[np.ndarray, list[str | None]]] = {}
        for space in {space for space, _ in plan.addresses.places.values()}:
            by_start: dict[int, str] = {}
            for symbol, (where, offset) in plan.addresses.places.items():
                if where == space:
                    by_start.setdefault(offset, plain_name(symbol))
            starts = sorted(by_start)
            self._arrays[space] = (np.array(starts, np.int64), [by_start[start] for start in starts])

    def of(self, site: Site, addresses: np.ndarray) -> tuple[list[str | None], np.ndarray, np.ndarray]:
        """(names, starts, bytes an element), an entry for each address."""
        if site.space in ("global", "generic"):
            halves, which = np.unique(addresses >> REGION_BITS - 1, return_inverse=True)
            found = [self._buffer(int(half)) for half in halves]
            columns = [np.array([each[column] for each in found], np.int64)[which] for column in (1, 2)]
            return [found[each][0] for each in which], *columns
        element = BYTES[ELEMENT.get(site.instruction.type, "i8")]
        starts, names = self._arrays.get(site.space, (np.zeros(0, np.int64), []))
        which = np.searchsorted(starts, addresses, "right") - 1
        begins = np.append(starts, 0)[which]  # -1, before the first array: 0
        told = [*names, None]
        return [told[each] for each in which], begins, np.full(len(addresses), element)

    def _buffer(self, half: int) -> tuple[str | None, int, int]:
        """The buffer of a half of a region, as Memory.find has it: addresses just outside are its own."""
        for region in (half >> 1, half + 1 >> 1):
            if region in self._buffers:
                return self._buffers[region]
        return None, 0, 1
