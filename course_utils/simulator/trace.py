"""One block of a launch step by step: what each warp did, with which lanes, on which addresses.

The compiled code leaves two kinds of record: "these lanes of this warp begin that block of code", and the
addresses of each memory instruction. The steps in between follow from the code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from . import sectors as rules
from .access import BYTES, Site
from .counters import line_of
from .errors import Index, LaunchError
from .kinds import LANES
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
    """The steps of a block in the order in which they ran, one warp at a time between barriers."""

    block: Index
    steps: list[Step] = field(repr=False)
    complete: bool = True


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
    reader = _Reader(plan, memory)
    steps: list[Step] = []
    position = 0
    while position < len(records):
        _, block, mask, warp = (int(number) for number in records[position : position + BLOCK_LENGTH])
        position += BLOCK_LENGTH
        active = mask & 0xFFFFFFFF
        for place, instruction in enumerate(_instructions(plan, block)):
            site = plan.sites.get((block, place))
            if site is None:
                line = line_of(instruction)
                steps.append(Step(warp, line, instruction.opcode, active, instruction=instruction))
                continue
            if position >= len(records) or records[position] != SITE_RECORD:
                break  # the trace is full, or the access was illegal
            number = int(records[position + 1])
            addresses = records[position + 2 : position + SITE_LENGTH]
            position += SITE_LENGTH
            steps.append(reader.step(warp, number, active, addresses))
    if asked.warp is not None:
        steps = [step for step in steps if step.warp == asked.warp]
    return Trace(asked.block, steps, complete)


def _instructions(plan: Plan, block: int) -> list[Instruction]:
    """The instructions of a block, its closing branch or barrier included."""
    code = plan.flow.blocks[block]
    return code.instructions + code.effective[len(code.instructions) :]


class _Reader:
    """Turns address records into steps. The same few patterns recur thousands of times, so counts are kept by
    pattern."""

    def __init__(self, plan: Plan, memory: Memory) -> None:
        self.plan, self.memory = plan, memory
        self.sites = {site.number: site for site in plan.sites.values()}
        self._masks: dict[int, np.ndarray] = {}
        self._counts: dict[tuple[int, int, int, bytes], tuple[int | None, int | None, int | None]] = {}

    def step(self, warp: int, number: int, active: int, addresses: np.ndarray) -> Step:
        site = self.sites[number]
        lanes = self._lanes(active)
        first = int(addresses[int(lanes.argmax())])
        buffer, start, element = _target(site, first, self.plan, self.memory)
        sectors, wavefronts, ideal = self._counted(site, active, lanes, addresses, first)
        return Step(
            warp,
            line_of(site.instruction),
            site.instruction.opcode,
            active,
            site.space,
            site.load,
            site.store,
            site.size,
            buffer,
            np.where(lanes, (addresses - start) // element, -1),
            np.where(lanes, addresses, 0),
            sectors,
            wavefronts,
            ideal,
            max(site.size // element, 1),
            self.plan.counted_size(site) if site.space == "shared" else None,
            site.instruction,
        )

    def _lanes(self, active: int) -> np.ndarray:
        if active not in self._masks:
            self._masks[active] = np.array([active >> lane & 1 for lane in range(LANES)], bool)
        return self._masks[active]

    def _counted(
        self, site: Site, active: int, lanes: np.ndarray, addresses: np.ndarray, first: int
    ) -> tuple[int | None, int | None, int | None]:
        """(sectors, wavefronts, ideal), each None where it does not apply or no rule is known."""
        if not site.counted or site.space not in ("global", "shared"):
            return None, None, None
        key = (site.number, active, first % 128, (addresses - first)[lanes].tobytes())
        if key not in self._counts:
            listed = [int(address) if lane else None for address, lane in zip(addresses, lanes, strict=True)]
            if site.space == "global":
                self._counts[key] = (rules.sectors(listed, site.size), None, None)
            else:
                moved = self.plan.counted_size(site)
                plain_load = site.load and site.instruction.name != "ldmatrix"
                pair = rules.wavefronts(listed, moved, load=plain_load) if moved else (0, 0)
                self._counts[key] = (None, *pair)
        return self._counts[key]


def _target(site: Site, address: int, plan: Plan, memory: Memory) -> tuple[str | None, int, int]:
    """(name of the buffer or array, address of its first element, bytes an element)."""
    element = BYTES[ELEMENT.get(site.instruction.type, "i8")]
    if site.space in ("global", "generic"):
        buffer, _ = memory.find(address)
        if buffer is None:
            return None, 0, 1
        first = buffer.address + buffer.array.ctypes.data - buffer.start
        return buffer.name, first, max(buffer.array.itemsize, 1)
    name, start = None, -1
    for symbol, (space, offset) in plan.addresses.places.items():
        if space == site.space and start < offset <= address:
            name, start = symbol, offset
    return (plain_name(name) if name else None), max(start, 0), element
