"""Which 32-byte sectors one request of a warp touches, and for which lanes: drawn from a trace."""

from __future__ import annotations

import html
from collections import defaultdict

from ..simulator.kinds import LANES
from ..simulator.sectors import SECTOR
from ..simulator.trace import Step, Trace
from .accesses import Access, accesses, chosen, lane_addresses, spans, warps
from .figure import Figure
from .numbers import DASH, TIMES, count, decimal, percent, plural
from .parts import UNCOUNTED, lane_strip, legend, watch
from .sample import COUNTED

_WORD = 4  # bytes; the least that is drawn


def access_map(
    trace: Trace, warp: int | None = None, access: Access | str | None = None, occurrence: int = 1
) -> Figure:
    """One request to global memory: the 32 lanes, and the sectors that they touch with every byte of them.

    `trace`: of the warp, or of its whole block. `warp`: the first that touches global memory, if none is
    given. `access`: one of accesses(trace, "global"), or its text, "line 21: load of in". `occurrence`: from
    1, of the times that the warp does it. What is not in the trace is taken as the first, or the last time.
    """
    there = warps(trace, "global")
    number = warp if warp in there or not there else there[0]
    found = accesses(trace, "global", number)
    if not found:
        return Figure("No warp of this block touches global memory.", "")
    which, time, step = chosen(found, access, occurrence)
    request = _Request(step)
    average = [each.sectors for each in accesses(trace, "global")[which] if each.sectors is not None]
    sentence = _sentence(trace, which, time, len(found[which]), request)
    counted = which.what != "atomic" and step.sectors is not None
    return Figure(sentence, _html(request, sentence, average, counted=counted))


class _Request:
    """One step as lanes, sectors and bytes. `words`: sector -> word of it -> the lanes that want it."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.unit = max(step.size, _WORD)
        self.words: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        wanted: set[int] = set()
        self.sector_of: list[int | None] = []
        for lane, address in enumerate(lane_addresses(step)):
            self.sector_of.append(None if address is None else address // SECTOR)
            if address is not None:
                self.words[address // SECTOR][address % SECTOR // self.unit].append(lane)
                wanted.update(range(address, address + step.size))
        self.lanes = sum(sector is not None for sector in self.sector_of)
        self.order = sorted(self.words)
        self.wanted = len(wanted)
        self._by_sector = {
            sector: sum(byte // SECTOR == sector for byte in wanted) for sector in self.order
        }  # bytes

    @property
    def wasted(self) -> int:
        """Bytes of the sectors that no lane wants."""
        return SECTOR * len(self.order) - self.wanted

    @property
    def least(self) -> int:
        """Sectors that so many bytes need if they lie side by side."""
        return -(-self.wanted // SECTOR)

    def wanted_in(self, sector: int) -> int:
        return self._by_sector[sector]

    def elements(self, sector: int) -> str:
        """The elements of the buffer that lie in a sector: in[8-15]."""
        lane = next(iter(self.words[sector].values()))[0]
        element = max(self.step.size // self.step.count, 1)
        behind = int(self.step.address[lane]) - sector * SECTOR
        first = int(self.step.index[lane]) - behind // element
        return f"{self.step.buffer or ''}[{spans(range(max(first, 0), first + SECTOR // element))}]"


def _sentence(trace: Trace, access: Access, time: int, times: int, request: _Request) -> str:
    step = request.step
    often = f", time {time} of {times}" if times > 1 else ""
    place = f"Block {trace.block[:2]}, warp {step.warp}, {access}{often}"
    sectors = plural(len(request.order), "sector")
    verb = "want" if step.load else "write"
    if request.lanes == 1:
        told = f"{place}: 1 lane {verb}s {plural(request.wanted, 'byte')}, which lie in {sectors}"
    else:
        told = (
            f"{place}: {request.lanes} lanes of {plural(step.size, 'byte')} each {verb} "
            f"{plural(request.wanted, 'byte')} in all, which lie in {sectors}"
        )
    if request.wasted:
        size = SECTOR * len(request.order)
        whose = "its" if len(request.order) == 1 else "their"
        told += (
            f"; {count(request.wasted)} of {whose} {count(size)} bytes ({percent(request.wasted / size)}) "
            "are moved for nothing."
        )
    else:
        told += ", and no byte of them is wasted."
    if access.what == "atomic":
        told += " Atomics are counted by a rule of their own."
    elif step.sectors is None:
        told += " How the hardware counts this instruction is not known, so no counter holds it."
    return told


def _html(request: _Request, sentence: str, average: list[int], *, counted: bool) -> str:
    number = len(request.order)
    mean = f"{decimal(sum(average) / len(average))} on average of the block's {count(len(average))} here"
    facts = [f"{request.least} would do for these bytes"] + ([mean] if len(average) > 1 else [])
    unit = f"sector{'s' * (number != 1)} for this request"
    told = watch(count(number), unit, *facts, label=COUNTED if counted else UNCOUNTED)
    lanes = lane_strip(
        "lanes of the warp, and the sector that each wants", [_lane(request, lane) for lane in range(LANES)]
    )
    sectors = "".join(_sector(request, place, sector) for place, sector in enumerate(request.order))
    key = legend(
        ("on", "wanted; the number is the lane"),
        ("many", f"wanted by several lanes: 4{TIMES} is four"),
        ("waste", "moved, but wanted by no lane"),
        ("off", "lane takes no part"),
    )
    return (
        f'{told}{key}<div class="lk-access" role="img" aria-label="{html.escape(sentence)}">'
        f"{lanes}"
        f'<p class="lk-row-name">sectors, {SECTOR} bytes each, in the order of their addresses</p>'
        f'<div class="lk-sectors">{sectors}</div></div>'
    )


def _lane(request: _Request, lane: int) -> tuple[str, str, str]:
    sector = request.sector_of[lane]
    if sector is None:
        return "off", DASH, f"lane {lane} takes no part"
    place = request.order.index(sector)
    element = f"{request.step.buffer or ''}[{int(request.step.index[lane])}]"
    return "even" if place % 2 == 0 else "odd", f"s{place}", f"lane {lane}: {element}, sector {place}"


def _sector(request: _Request, place: int, sector: int) -> str:
    words = request.words[sector]
    cells = "".join(_word(request, words.get(word, [])) for word in range(SECTOR // request.unit))
    wanted = request.wanted_in(sector)
    shade = "even" if place % 2 == 0 else "odd"
    return (
        f'<div class="lk-sector {shade}"><div class="lk-sector-name"><b>s{place}</b> '
        f'{html.escape(request.elements(sector))}</div><div class="lk-words">{cells}</div>'
        f'<div class="lk-sector-note">{wanted} of {SECTOR} B</div></div>'
    )


def _word(request: _Request, lanes: list[int]) -> str:
    if not lanes:
        return '<i class="waste"></i>'
    many = len(lanes) > 1
    shown = f"{len(lanes)}{TIMES}" if many else str(lanes[0])
    kind = "many" if many else "on"
    if request.step.size < _WORD and len(lanes) * request.step.size < _WORD:
        kind += " part"
    return f'<i class="{kind}" title="lane{"s" * many} {spans(lanes)}">{shown}</i>'
