"""Which banks of shared memory one request of a warp wants, wavefront by wavefront: drawn from a trace."""

from __future__ import annotations

import html
from collections import defaultdict
from dataclasses import dataclass

from ..simulator import sectors as rules
from ..simulator.kinds import LANES
from ..simulator.trace import Step, Trace
from .accesses import Access, accesses, chosen, lane_addresses, spans, warps
from .figure import Figure
from .numbers import DASH, TIMES, count, decimal, plural
from .parts import UNCOUNTED, lane_strip, legend, watch
from .sample import COUNTED
from .svg import Svg

_BANK, _ROW = 27, 15  # width of a bank, height of a wavefront
_LEFT, _TOP = 112, 40
_MOST = 32  # wavefronts of any request: as many rows are drawn
_INK, _LINE = "var(--lk-text)", "var(--lk-line)"


def bank_grid(
    trace: Trace, warp: int | None = None, access: Access | str | None = None, occurrence: int = 1
) -> Figure:
    """One request to shared memory: a column for each of the 32 banks, a row for each wavefront.

    The arguments are those of access_map; the accesses are accesses(trace, "shared"). Which of a bank's words
    comes in which wavefront is not known: the picture takes them by address.
    """
    there = warps(trace, "shared")
    number = warp if warp in there or not there else there[0]
    found = accesses(trace, "shared", number)
    if not found:
        return Figure("No warp of this block touches shared memory.", "")
    which, time, step = chosen(found, access, occurrence)
    wavefronts = _wavefronts(step) if step.wavefronts is not None else []
    sentence = _sentence(trace, which, time, len(found[which]), step, wavefronts)
    average = [each.wavefronts for each in accesses(trace, "shared")[which] if each.wavefronts is not None]
    return Figure(sentence, _html(step, sentence, wavefronts, average, counted=which.what != "atomic"))


@dataclass(frozen=True)
class _Wavefront:
    """One pass for the lanes of a `group`, its `first` or a later one: unit of bytes -> lanes that get it."""

    group: range
    units: dict[int, list[int]]
    first: bool


def _unit(step: Step) -> int:
    """Bytes that a lane moves at once, 4 at least: as wide as a bank, or as two, or as four."""
    return max(step.moved or step.size, 4)


def _wavefronts(step: Step) -> list[_Wavefront]:
    addresses, unit = lane_addresses(step), _unit(step)
    columns = rules.BANKS * 4 // unit
    load = step.load and not step.opcode.startswith("ldmatrix")
    found: list[_Wavefront] = []
    for group in rules.groups(addresses, unit, load=load):
        lanes_of: dict[int, list[int]] = defaultdict(list)
        for lane in group:
            address = addresses[lane]
            if address is not None:
                lanes_of[address // unit].append(lane)
        banks: dict[int, list[int]] = defaultdict(list)
        for each in sorted(lanes_of):
            banks[each % columns].append(each)
        for turn in range(max(map(len, banks.values()), default=0)):
            served = {units[turn]: lanes_of[units[turn]] for units in banks.values() if turn < len(units)}
            found.append(_Wavefront(group, served, turn == 0))
    return found


def _sentence(
    trace: Trace, access: Access, time: int, times: int, step: Step, wavefronts: list[_Wavefront]
) -> str:
    often = f", time {time} of {times}" if times > 1 else ""
    place = f"Block {trace.block[:2]}, warp {step.warp}, {access}{often}"
    lanes = step.active.bit_count()
    if step.wavefronts is None:
        return (
            f"{place}: {plural(lanes, 'lane')}; how the hardware counts this instruction is not known, so no "
            "counter holds it."
        )
    conflicts = step.wavefronts - (step.ideal or 0)
    size = _unit(step) if step.moved else step.size
    told = (
        f"{place}: 1 lane of {size} bytes takes "
        if lanes == 1
        else (f"{place}: {lanes} lanes of {size} bytes each take ")
    )
    told += plural(step.wavefronts, "wavefront")
    if conflicts:
        told += f" where {step.ideal} would do: {plural(conflicts, 'bank conflict')}."
    else:
        told += ", as few as possible: no bank conflicts."
    shared = max((len(lanes) for each in wavefronts for lanes in each.units.values()), default=0)
    if shared > 1:
        told += f" Up to {shared} lanes get the same word in one pass (a broadcast)."
    if step.moved and step.moved > step.size:
        told += f" The machine code moves {step.moved // step.size} neighbouring elements at once (modelled)."
    if access.what == "atomic":
        told += " Atomics are counted by a rule of their own."
    return told


def _html(
    step: Step, sentence: str, wavefronts: list[_Wavefront], average: list[int], *, counted: bool
) -> str:
    if step.wavefronts is None:
        return ""
    number, ideal = step.wavefronts, step.ideal or 0
    facts = [f"{ideal} would do", plural(number - ideal, "bank conflict")]
    if len(average) > 1:
        mean = decimal(sum(average) / len(average))
        facts.append(f"{mean} on average of the block's {count(len(average))} here")
    unit = f"wavefront{'s' * (number != 1)} for this request"
    told = watch(count(number), unit, *facts, label=COUNTED if counted else UNCOUNTED)
    key = legend(
        ("on", "a bank gives a lane its word; the number is the lane"),
        ("many", f"one word for several lanes, a broadcast: 4{TIMES} is four"),
    )
    picture = _picture(step, sentence, wavefronts)
    name = f"lanes of the warp, the bank of each, and its element of {step.buffer or 'shared memory'}"
    lanes = lane_strip(name, [_lane(step, lane) for lane in range(LANES)])
    region = 'class="lk-scroll lk-banks" tabindex="0" role="region" aria-label="banks and wavefronts"'
    return (
        f'{told}{key}<div class="lk-access" role="img" aria-label="{html.escape(sentence)}">{lanes}</div>'
        f"<div {region}>{picture}</div>"
    )


def _lane(step: Step, lane: int) -> tuple[str, str, str]:
    if not step.active >> lane & 1:
        return "off", DASH, f"lane {lane} takes no part"
    bank = int(step.address[lane]) // 4 % rules.BANKS
    element = f"{step.buffer or ''}[{int(step.index[lane])}]"
    return "even", f"b{bank}<small>{int(step.index[lane])}</small>", f"lane {lane}: {element}, bank {bank}"


def _picture(step: Step, sentence: str, wavefronts: list[_Wavefront]) -> Svg:
    banks = rules.BANKS
    picture = Svg(_LEFT + banks * _BANK + 2, _TOP + _MOST * _ROW + 4, sentence)
    picture.text(_LEFT, 13, "bank, 4 bytes wide", soft=True, size=11)
    picture.text(2, _TOP - 8, "wavefront", soft=True, size=11)
    for bank in range(banks):
        middle = _LEFT + (bank + 0.5) * _BANK
        picture.text(middle, _TOP - 8, str(bank), size=11, anchor="middle", soft=True)
    picture.grid(_LEFT, _TOP, banks, _MOST, _BANK, _ROW, line=_LINE)
    for row, wavefront in enumerate(wavefronts):
        _draw(picture, step, row, wavefront, several=len(wavefronts[0].group) < banks)
    return picture


def _draw(picture: Svg, step: Step, row: int, wavefront: _Wavefront, *, several: bool) -> None:
    y = _TOP + row * _ROW
    unit = _unit(step)
    told = str(row + 1)
    if several and wavefront.first:
        told += f": lanes {spans(list(wavefront.group))}"
        picture.line(0, y, _LEFT + rules.BANKS * _BANK, y, line=_INK, thickness=1)
    picture.text(2, y + 11.5, told, size=11)
    for address, lanes in wavefront.units.items():
        bank = address * unit // 4 % rules.BANKS
        x, width = _LEFT + bank * _BANK, _BANK * unit // 4
        many = len(lanes) > 1
        lane = lanes[0]
        place = int(step.index[lane]) + (address * unit - int(step.address[lane])) // max(
            step.size // step.count, 1
        )
        title = f"lane{'s' * many} {spans(lanes)}: {step.buffer or ''}[{place}], bank {bank}"
        picture.open(title)
        picture.rectangle(
            x + 0.5,
            y + 0.5,
            width - 1,
            _ROW - 1,
            fill="var(--lk-tint)",
            line=_INK,
            thickness=2 if many else 0.5,
        )
        shown = f"{len(lanes)}{TIMES}" if many else str(lane)
        picture.text(x + width / 2, y + 11.3, shown, size=10.5, anchor="middle", bold=many)
        picture.close()
