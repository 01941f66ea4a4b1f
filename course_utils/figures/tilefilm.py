"""A block phase by phase: what it loads, what its shared memory then holds, and who reads it."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np

from ..kernels import Kernel
from ..simulator.trace import Trace
from .accesses import spans
from .code import marked_source
from .figure import Figure
from .numbers import TIMES, between, count, plural
from .parts import legend, watch
from .phases import Contents, Phase, contents, moves, phases
from .rectangles import rectangles
from .svg import Svg

_MAP, _ARRAY = 118, 236  # edges of a matrix in global memory, and of a shared array
_TITLE, _CAPTION = 18, 36
_NUMBERED = 14  # the smallest cell that has room for a number
_SEEN = 3  # phases before and after the chosen one in the row of phases
_ARITHMETIC = ("fma.", "add.f", "add.rn.f", "mul.f", "mul.rn.f", "mma.", "wmma.")
_Reader = tuple[int | None, int | None]  # warp and lane whose reads are shown, None for all
_INK, _LINE, _NEW, _OLD = "var(--lk-text)", "var(--lk-line)", "var(--lk-tint)", "var(--lk-cool)"


def tile_film(
    trace: Trace,
    shapes: Mapping[str, tuple[int, int]],
    shared: Mapping[str, tuple[int, ...]],
    step: int = 1,
    warp: int | None = None,
    lane: int | None = None,
    kernel: Kernel | None = None,
) -> Figure:
    """One phase of a block: the elements of its buffers that it loads and stores, and its shared arrays.

    `trace`: of all warps of a block. `shapes`: (rows, columns) of each buffer. `shared`: the extents of each
    shared array; one that is not there is drawn in rows of 32. `step`: the phase, from 1. `warp`, `lane`:
    show the reads from shared memory of these alone. With a `kernel` its source stands beside.
    """
    film = phases(trace)
    if not film:
        return Figure("This block touches no memory.", "")
    place = min(max(step, 1), len(film)) - 1
    phase = film[place]
    # A barrier changes nothing: what came before it is still new.
    reached = film[: place + 1] if phase.barrier is None else film[:place]
    held = contents(reached)
    every = contents(film)
    sentence = _sentence(trace, film, place, held, (warp, lane))
    maps = "".join(str(_map(name, shape, phase)) for name, shape in shapes.items())
    extents = {name: _extents(shared.get(name), len(each.written)) for name, each in every.items()}
    arrays = "".join(
        str(_array(name, extents[name], held.get(name, Contents()), phase, shapes, (warp, lane)))
        for name in every
    )
    source = marked_source(kernel, _lines(phase)) if kernel is not None else ""
    key = legend(
        ("new", "written in this phase"),
        ("old", "written before"),
        ("waste", "not written yet"),
        ("read", "read in this phase; the number says how often"),
    )
    return Figure(
        sentence,
        f"{watch(f'{place + 1}', f'of {len(film)} phases', _deed(phase))}{_row(film, place)}"
        f"{key if arrays else ''}"
        f'<div class="lk-beside"><div><p class="lk-row-name">global memory: what this phase touches</p>'
        f'<div class="lk-pictures">{maps}</div></div><div><p class="lk-row-name">'
        f"{'shared memory of the block' if arrays else 'the block uses no shared memory'}</p>"
        f'<div class="lk-pictures">{arrays}</div></div>{source}</div>',
    )


# In words


def _deed(phase: Phase) -> str:
    if phase.barrier is not None:
        where = f" in line {phase.barrier}" if phase.barrier else ""
        return f"barrier{where}: {plural(phase.warps, 'warp')} meet"
    deeds = [
        ("load", phase.touched("global", load=True)),
        ("fill", phase.touched("shared", load=False)),
        ("read", phase.touched("shared", load=True)),
        ("store to", phase.touched("global", load=False)),
    ]
    told = [f"{verb} {_and(names)}" for verb, names in deeds if names]
    return ", ".join(told) or "arithmetic"


def _and(names: Mapping[str, object]) -> str:
    first, *others = names
    return " and ".join([", ".join([first, *others[:-1]]), *others[-1:]])


def _sentence(
    trace: Trace, film: list[Phase], place: int, held: Mapping[str, Contents], reader: _Reader
) -> str:
    phase = film[place]
    told = f"Phase {place + 1} of {count(len(film))} of block {trace.block[:2]}: "
    if phase.barrier is not None:
        alone = "the only warp goes on at once"
        wait = f"all {phase.warps} warps wait until the last has come" if phase.warps > 1 else alone
        told += f"a barrier, {wait}"
        filled = [name for name, each in held.items() if each.lately.any()]
        told += f"; then {_and(dict.fromkeys(filled))} can be read by all." if filled else "."
    else:
        told += f"its warps {_deed(phase)}."
        told += _read(phase, reader)
    if place + 1 == len(film) and not trace.complete:
        told += " The trace was full before the block ended."
    return told


def _read(phase: Phase, reader: _Reader) -> str:
    """Who reads how many elements of which array, how often."""
    warp, lane = reader
    read = []
    for array in phase.touched("shared", load=True):
        _, times = np.unique(phase.reads(array, *reader), return_counts=True)
        if len(times):
            read.append(f"{plural(len(times), 'element')} of {array}, each {_range(times)}")
    if not phase.touched("shared", load=True):
        return ""
    if lane is None:
        who = "They" if warp is None else f"Warp {warp}"
    else:
        who = f"Lane {lane} of {'each warp' if warp is None else f'warp {warp}'}"
    verb = "read" if who == "They" else "reads"
    return f" {who} {verb} {', and '.join(read) or 'none of it'}."


def _range(times: np.ndarray) -> str:
    return between(int(times.min()), int(times.max()))


def _row(film: list[Phase], place: int) -> str:
    """The phases around the chosen one, in short."""
    first = max(min(place - _SEEN, len(film) - 2 * _SEEN - 1), 0)
    shown = range(first, min(first + 2 * _SEEN + 1, len(film)))
    pills = "".join(
        f'<span class="lk-pill{" now" if number == place else ""}"'
        f"{' aria-current=step' if number == place else ''}>{number + 1} {_short(film[number])}</span>"
        for number in shown
    )
    before, after = "…" if first else "", "…" if shown[-1] + 1 < len(film) else ""
    return f'<p class="lk-pills">{before}{pills}{after}</p>'


def _lines(phase: Phase) -> set[int | None]:
    """The lines in which a phase touches memory, or that of its barrier."""
    if phase.barrier is not None:
        return {phase.barrier}
    return {step.line for step in phase.steps if moves(step)}


def _use(phase: Phase) -> str:
    """What the block does with what it reads from shared memory."""
    return "compute" if any(step.opcode.startswith(_ARITHMETIC) for step in phase.steps) else "read"


def _short(phase: Phase) -> str:
    if phase.barrier is not None:
        return "barrier"
    words = [
        word
        for word, space, load in (
            ("load", "global", True), (_use(phase), "shared", True), ("store", "global", False)
        )
        if phase.touched(space, load=load)
    ]  # fmt: skip
    return " + ".join(words) or ("fill" if phase.touched("shared", load=False) else "arithmetic")


# Global memory


def _map(name: str, shape: tuple[int, int], phase: Phase) -> Svg:
    """A buffer to scale, with the elements that a phase loads or stores."""
    rows, columns = shape
    scale = _MAP / max(rows, columns)
    height = max(rows * scale, 14)
    down = height / rows
    loads = phase.touched("global", load=True).get(name)
    stores = phase.touched("global", load=False).get(name)
    told = [f"loads {count(len(loads))}"] if loads is not None else []
    told += [f"stores {count(len(stores))}"] if stores is not None else []
    caption = " and ".join(told) or "not touched"
    picture = Svg(_MAP + 4, _TITLE + height + 22, f"{name}, {rows} by {columns} elements: {caption}.")
    picture.text(1, _TITLE - 6, name, bold=True, size=13)
    picture.text(5 + 9.4 * len(name), _TITLE - 6, f"{rows} {TIMES} {columns}", soft=True, size=11)
    picture.rectangle(1, _TITLE, columns * scale, height, fill="var(--lk-fill)", line=_LINE)
    for touched, fill, dashes in ((loads, _NEW, ""), (stores, _OLD, "3 2")):
        grid = np.zeros(rows * columns, np.int64)
        if touched is not None:
            grid[touched[touched < grid.size]] = 1
        for top, left, tall, wide, _ in rectangles(grid.reshape(shape)):
            picture.rectangle(
                1 + left * scale, _TITLE + top * down, max(wide * scale, 1), max(tall * down, 1),
                fill=fill, line=_INK, thickness=0.8, dashes=dashes,
            )  # fmt: skip
    picture.text(1, _TITLE + height + 15, caption, size=11)
    return picture


# Shared memory


def _extents(shape: tuple[int, ...] | None, touched: int) -> tuple[int, int]:
    """(rows, columns) to draw an array of so many elements in."""
    if shape is not None and prod(shape) >= touched:
        columns = shape[-1]
        return (prod(shape) // columns, columns) if len(shape) > 1 else _rows(columns)
    return _rows(touched)


def _rows(size: int) -> tuple[int, int]:
    columns = min(size, 16 if size <= 256 else 32)
    return -(-size // columns), columns


def _array(
    name: str,
    extents: tuple[int, int],
    held: Contents,
    phase: Phase,
    shapes: Mapping[str, tuple[int, int]],
    reader: _Reader,
) -> Svg:
    rows, columns = extents
    cell = min(_ARRAY / max(rows, columns), 26)
    size = rows * columns
    state = np.ones(size, np.int64)  # 1 not written, 2 written before, 3 written in this phase
    state[: len(held.written)] += held.written[:size]
    state[: len(held.lately)] += held.lately[:size]
    reads = np.zeros(size, np.int64)
    found, times = np.unique(phase.reads(name, *reader), return_counts=True)
    reads[found] = times
    told = [_holds(held, shapes), _how_often(times)]
    label = f"{name} in shared memory, {rows} by {columns} elements: {told[0]}; {told[1]}."
    picture = Svg(_ARRAY + 6, _TITLE + rows * cell + _CAPTION, label)
    picture.patterns()
    picture.text(1, _TITLE - 6, name, bold=True, size=13)
    picture.text(9 + 9.4 * len(name), _TITLE - 6, f"{rows} {TIMES} {columns}", soft=True, size=11)

    def draw(grid: np.ndarray, fills: Mapping[int, str], **line: object) -> None:
        for top, left, tall, wide, kind in rectangles(grid.reshape(extents)):
            place = (2 + left * cell, _TITLE + top * cell, wide * cell, tall * cell)
            picture.rectangle(*place, fill=fills[kind], **line)  # type: ignore[arg-type]

    draw(state, {1: "url(#lk-hatch)", 2: _OLD, 3: _NEW})
    draw((state == 3).astype(np.int64), {1: "url(#lk-dots)"})
    picture.grid(2, _TITLE, columns, rows, cell, cell, line=_LINE)
    draw((reads > 0).astype(np.int64), {1: "none"}, line=_INK, thickness=2)
    if cell >= _NUMBERED:
        for element in np.flatnonzero(reads):
            row, column = divmod(int(element), columns)
            x, y = 2 + (column + 0.5) * cell, _TITLE + (row + 0.5) * cell
            picture.text(x, y + 3.7, str(reads[element]), size=10.5, anchor="middle")
    for line, text in enumerate(told):
        picture.text(1, _TITLE + rows * cell + 15 + 15 * line, text, size=11)
    return picture


def _how_often(times: np.ndarray) -> str:
    if not len(times):
        return "nobody reads it now"
    return f"{plural(len(times), 'element')} read, each {_range(times)}"


def _holds(held: Contents, shapes: Mapping[str, tuple[int, int]]) -> str:
    """What an array is a copy of, where that is one part of one buffer."""
    if not held.written.any():
        return "nothing is written yet"
    known = held.element >= 0
    if not known.any() or len(set(held.source[known].tolist())) > 1:
        return f"{plural(int(held.written.sum()), 'element')} written"
    buffer = held.buffers[int(held.source[known][0])]
    columns = shapes.get(buffer, (1, 0))[1]
    if not columns:
        return f"copies of {buffer}"
    rows, across = (np.unique(part).tolist() for part in np.divmod(held.element[known], columns))
    part = f"{spans(rows)}, {spans(across)}" if shapes[buffer][0] > 1 else spans(across)
    return f"holds {buffer}[{part}]"
