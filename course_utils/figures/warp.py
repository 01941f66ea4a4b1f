"""A warp step by step: which lanes take part, in which line, doing what. Drawn from a trace."""

from __future__ import annotations

import html

from ..kernels import Kernel
from ..simulator.kinds import LANES
from ..simulator.trace import Trace
from .accesses import spans, warps
from .code import marked_source
from .figure import Figure
from .frames import MEMORY, Frame, frames
from .numbers import DASH, count
from .parts import lane_strip, legend, watch
from .svg import Svg

_ROWS, _ROW, _BAND = 15, 19, 26  # frames in sight, their height, and the room for arrows above the chosen one
_LEFT, _CELL = 224, 13
_INK, _LINE, _ON = "var(--lk-text)", "var(--lk-line)", "var(--lk-tint)"


def warp_film(
    trace: Trace,
    warp: int | None = None,
    step: int = 1,
    kernel: Kernel | None = None,
    *,
    by_line: bool = True,
) -> Figure:
    """One frame of a warp's film: its lanes, and the frames before and after it.

    `trace`: of the warp, or of its block. `step`: the frame's number, from 1. With a `kernel` its source
    stands beside. `by_line`: a frame for each visit of a line and each exchange, else for each instruction.
    """
    there = warps(trace)
    if not there:
        return Figure("No warp of this block did anything.", "")
    number = warp if warp in there else there[0]
    film = frames(trace, number, by_line=by_line)
    place = min(max(step, 1), len(film)) - 1
    frame = film[place]
    sentence = _sentence(trace, number, film, place)
    lanes = lane_strip("lanes of the warp", [_lane(frame, lane) for lane in range(LANES)])
    told = watch(str(len(frame.lanes)), f"of {LANES} lanes take part", _where(frame))
    opcodes = [each.opcode for each in frame.steps]
    more = f" and {count(len(opcodes) - 6)} more" if len(opcodes) > 6 else ""
    executed = html.escape(", ".join(opcodes[-6:]))
    source = marked_source(kernel, {frame.line}) if kernel is not None else ""
    key = legend(("on", "takes part"), ("off", "takes no part"))
    return Figure(
        sentence,
        f'{told}{key}<div class="lk-access">{lanes}</div>'
        f'<p class="lk-ptx"><span class="lk-level">PTX-level</span> <code>{executed}</code>{more}</p>'
        f'<div class="lk-beside"><div class="lk-scroll lk-film" tabindex="0" role="region" '
        f'aria-label="steps before and after">{_strip(film, place, sentence)}</div>{source}</div>',
    )


def _where(frame: Frame) -> str:
    return f"{'a header' if frame.line is None else f'line {frame.line}'}: {frame.deed}"


def _sentence(trace: Trace, warp: int, film: list[Frame], place: int) -> str:
    frame = film[place]
    lanes = frame.lanes
    told = (
        f"Step {place + 1} of {count(len(film))} of warp {warp} in block {trace.block[:2]}, {_where(frame)}. "
    )
    if len(lanes) == LANES:
        told += "All 32 lanes take part."
    else:
        names = f"lane{'s' * (len(lanes) != 1)} {spans(lanes)}"
        rest = LANES - len(lanes)
        told += f"Of 32 lanes {len(lanes)} take{'s' * (len(lanes) == 1)} part ({names}), and {rest} do not."
    if frame.sources is not None:
        moved = [lane for lane in lanes if frame.sources[lane] != lane]
        if moved:
            lane = moved[0]
            told += f" Lane {lane} gets the value of lane {frame.sources[lane]}, and so on."
    if place + 1 == len(film) and not trace.complete:
        told += " The trace was full here."
    return told


def _lane(frame: Frame, lane: int) -> tuple[str, str, str]:
    step = frame.last
    if not step.active >> lane & 1:
        return "off", DASH, f"lane {lane} takes no part"
    if frame.sources is not None:
        source = frame.sources[lane]
        if source == lane:
            return "on", "own", f"lane {lane} keeps its own value"
        return "on", f"\N{LEFTWARDS ARROW}{source}", f"lane {lane} gets the value of lane {source}"
    if step.index is not None and step.space in MEMORY:
        element = f"{step.buffer or ''}[{int(step.index[lane])}]"
        return "on", f"<small>{int(step.index[lane])}</small>", f"lane {lane}: {element}"
    return "on", "\N{BULLET}", f"lane {lane} takes part"


def _strip(film: list[Frame], place: int, sentence: str) -> Svg:
    """The chosen frame in the middle of those around it: a row each, with a cell for each lane."""
    first = max(min(place - _ROWS // 2, len(film) - _ROWS), 0)
    band = _BAND if any(frame.sources for frame in film) else 0
    picture = Svg(_LEFT + LANES * _CELL + 34, (_ROWS + 1) * _ROW + band + 4, sentence)
    picture.text(22, 13, "step, line, what it does", soft=True, size=11)
    picture.text(_LEFT, 13, "lanes 0 to 31", soft=True, size=11)
    y: float = _ROW
    for number in range(first, min(first + _ROWS, len(film))):
        if number == place:
            _arrows(picture, film[number], y)
            y += band
            picture.rectangle(0.5, y, _LEFT + LANES * _CELL + 32, _ROW, line="var(--lk-blue)", thickness=1.5)
            picture.text(4, y + 14, "\N{BLACK RIGHT-POINTING TRIANGLE}", size=11)
        _frame(picture, film[number], number, y, chosen=number == place)
        y += _ROW
    return picture


def _frame(picture: Svg, frame: Frame, number: int, y: float, *, chosen: bool) -> None:
    line = DASH if frame.line is None else str(frame.line)
    picture.text(52, y + 14, f"{number + 1}", size=11, anchor="end", soft=not chosen)
    picture.text(80, y + 14, line, size=11, anchor="end", bold=chosen)
    shown = frame.deed if len(frame.deed) <= 22 else f"{frame.deed[:21]}\N{HORIZONTAL ELLIPSIS}"
    picture.text(88, y + 14, shown, size=11, bold=chosen)
    for start, stop in _runs(frame.lanes):
        x, width = _LEFT + start * _CELL, (stop - start) * _CELL
        picture.rectangle(x, y + 3, width, _ROW - 6, fill=_ON, line=_INK, thickness=0.8)
    picture.rectangle(_LEFT, y + 3, LANES * _CELL, _ROW - 6, line=_LINE, thickness=0.6, dashes="2 2")
    picture.text(_LEFT + LANES * _CELL + 28, y + 14, str(len(frame.lanes)), size=11, anchor="end")


def _arrows(picture: Svg, frame: Frame, y: float) -> None:
    """From the lane that gives a value, above, to the lane that gets it, below."""
    if frame.sources is None:
        return
    for lane in frame.lanes:
        source = frame.sources[lane]
        if source != lane:
            x, to = (_LEFT + (each + 0.5) * _CELL for each in (source, lane))
            picture.line(x, y + 2, to, y + _BAND - 1, line=_INK, thickness=0.8)
            picture.rectangle(to - 1.5, y + _BAND - 3, 3, 3, fill=_INK)


def _runs(lanes: list[int]) -> list[tuple[int, int]]:
    """Neighbouring lanes as (first, behind the last)."""
    runs: list[tuple[int, int]] = []
    for lane in lanes:
        if runs and runs[-1][1] == lane:
            runs[-1] = (runs[-1][0], lane + 1)
        else:
            runs.append((lane, lane + 1))
    return runs
