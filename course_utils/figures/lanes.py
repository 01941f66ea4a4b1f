"""How the work of a block is spread: over the lanes of a warp, and over its warps. Drawn from a trace."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..metrics import Level
from ..simulator.kinds import LANES
from ..simulator.trace import Step, Trace
from .accesses import warps
from .figure import Figure
from .numbers import count, decimal, plural
from .parts import legend, watch
from .sample import COUNTED
from .svg import Svg

_CELL, _HEIGHT, _LEFT, _TOP, _ROW, _LONG = 22, 110, 52, 22, 20, 520
_INK, _LINE, _ON = "var(--lk-text)", "var(--lk-line)", "var(--lk-tint)"


def lane_work(trace: Trace, warp: int | None = None) -> Figure:
    """For each lane of a warp the instructions in which it takes part, of all that the warp executes; and for
    each warp of the block how many these are. `warp`: default the first one that did anything."""
    there = warps(trace)
    if not there:
        return Figure("No warp of this block did anything.", "")
    number = warp if warp in there else there[0]
    executed = {each: len(trace.of(each)) for each in there}
    lanes = lanes_at_work(trace.of(number))
    total = executed[number]
    mean = sum(lanes) / total
    most, least = (
        max(executed, key=lambda each: executed[each]),
        min(executed, key=lambda each: executed[each]),
    )
    sentence = (
        f"Block {trace.block[:2]}, warp {number}: {plural(total, 'instruction')} ({Level.PTX.value}), "
        f"{decimal(mean)} of {LANES} lanes active on average. Lane {lanes.index(max(lanes))} takes part in "
        f"{count(max(lanes))} of them, lane {lanes.index(min(lanes))} in {count(min(lanes))}."
    )
    if len(there) > 1:
        sentence += (
            f" Of the block's {len(there)} warps, warp {most} executes most, {count(executed[most])}, and "
            f"warp {least} fewest, {count(executed[least])}."
        )
    if not trace.complete:
        sentence += " The trace was full before the block ended."
    facts = (f"{count(total)} instructions ({Level.PTX.value})", f"warp {number}")
    told = watch(decimal(mean), f"of {LANES} lanes active on average", *facts, label=COUNTED)
    key = legend(("on", "the lane takes part"), ("waste", "the warp works, and the lane waits"))
    region = 'class="lk-scroll" tabindex="0" role="region" aria-label="work of lanes and warps"'
    return Figure(
        sentence, f"{told}<div {region}>{_picture(lanes, total, executed, number, sentence)}</div>{key}"
    )


def lanes_at_work(steps: Sequence[Step]) -> list[int]:
    """For each lane the number of these steps of one warp in which it takes part."""
    active = np.array([step.active for step in steps], np.uint32)
    return [int(work) for work in (active[:, None] >> np.arange(LANES, dtype=np.uint32) & 1).sum(axis=0)]


def _picture(lanes: list[int], total: int, executed: dict[int, int], chosen: int, sentence: str) -> Svg:
    bottom = _TOP + _HEIGHT
    below = bottom + 58
    picture = Svg(_LEFT + LANES * _CELL + 8, below + _ROW * len(executed) + 4, sentence)
    picture.patterns()
    picture.text(
        2, 13, f"instructions of warp {chosen}, and how many each lane takes part in", soft=True, size=11
    )
    picture.text(_LEFT - 6, _TOP + 9, count(total), size=11, anchor="end", soft=True)
    picture.text(_LEFT - 6, bottom, "0", size=11, anchor="end", soft=True)
    for lane, work in enumerate(lanes):
        x, filled = _LEFT + lane * _CELL, _HEIGHT * work / total
        picture.open(f"lane {lane}: {work:,} of {total:,}")
        picture.rectangle(x, _TOP, _CELL - 3, _HEIGHT, fill="url(#lk-hatch)", line=_LINE)
        picture.rectangle(x, bottom - filled, _CELL - 3, filled, fill=_ON, line=_INK, thickness=0.8)
        picture.close()
        picture.text(x + (_CELL - 3) / 2, bottom + 14, str(lane), size=11, anchor="middle", soft=True)
    picture.text(_LEFT, bottom + 28, "lane", size=11, soft=True)
    picture.text(2, below - 8, "instructions of each warp of the block", soft=True, size=11)
    longest = max(executed.values())
    for place, (warp, work) in enumerate(executed.items()):
        y, width = below + place * _ROW, _LONG * work / longest
        picture.text(_LEFT - 6, y + 13, f"warp {warp}", size=11, anchor="end", bold=warp == chosen)
        picture.rectangle(_LEFT, y + 2, width, _ROW - 5, fill=_ON, line=_INK, thickness=0.8)
        picture.text(_LEFT + width + 6, y + 13, count(work), size=11, bold=warp == chosen)
    return picture
