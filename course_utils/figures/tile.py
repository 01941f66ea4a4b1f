"""Which elements of its matrices one block touches, and how often: drawn from a trace of the block."""

from __future__ import annotations

from collections.abc import Mapping
from math import log2

import numpy as np

from ..kernels.errors import listed
from ..simulator.trace import Trace
from .figure import Figure
from .numbers import TIMES, between, plural
from .rectangles import rectangles
from .svg import Svg
from .traffic import Counts, Traffic

Shape = tuple[int, int]

_EDGE = 186  # of a matrix in the map
_GAP = 34
_TITLE = 18
_CAPTION = 36
_CELL = 21  # of a magnified element
_MOST = 8  # magnified elements in a row or column
_HEAT, _STORE, _LINE, _INK = "var(--lk-heat)", "var(--lk-blue)", "var(--lk-line)", "var(--lk-text)"
_SMALL = 11.5
_THIN = 12  # the least height and width of a matrix in the map


def tile_picture(trace: Trace, shapes: Mapping[str, Shape], name: str = "kernel") -> Figure:
    """The matrices to scale with what the traced block loads and stores; a corner of each part magnified.

    `trace`: of all warps of a block. `shapes`: (rows, columns) of each buffer, in the order of the
    parameters; three of them are laid out as in a product, C to the right of A and below B. `name` is the
    kernel's.
    """
    traffic = Traffic.of(trace)
    matrices = [_Matrix(buffer, shape, traffic) for buffer, shape in shapes.items()]
    sentence = _sentence(trace, matrices, name, traffic.complete)
    magnified = "".join(str(_magnified(each)) for each in matrices if each.size)
    pictures = f'{_map(matrices, sentence)}<div class="lk-pictures">{magnified}</div>'
    return Figure(sentence, f'<div class="lk-pictures">{pictures}</div>')


class _Matrix:
    """One buffer as a matrix: loads, stores and reads of each element, boxes around the loads of phases."""

    def __init__(self, name: str, shape: Shape, traffic: Traffic) -> None:
        self.name, self.shape = name, shape
        self.loads = self._grid(traffic.loads)
        self.stores = self._grid(traffic.stores)
        self.reads = self._grid(traffic.reads)
        self.phases = [_box(elements, shape) for elements in traffic.phases.get(name, [])]

    def _grid(self, counts: Mapping[str, Counts]) -> np.ndarray:
        grid = np.zeros(self.shape, np.int64)
        if self.name in counts:
            elements, times = counts[self.name]
            grid.flat[elements] = times
        return grid

    @property
    def size(self) -> int:
        """Elements that are loaded."""
        return int((self.loads > 0).sum())

    @property
    def loaded(self) -> str:
        """How often each of them is loaded."""
        return _range(self.loads[self.loads > 0])

    @property
    def reused(self) -> str:
        """How often each is then read from shared memory; empty where none of them lies there."""
        return _range(self.reads[self.loads > 0]) if self.reads.any() else ""


def _range(counts: np.ndarray) -> str:
    return between(int(counts.min()), int(counts.max()))


def _box(elements: np.ndarray, shape: Shape) -> tuple[int, int, int, int]:
    """(first row, first column, rows, columns) of the smallest box around some elements."""
    rows, columns = np.divmod(elements, shape[1])
    top, left = int(rows.min()), int(columns.min())
    return top, left, int(rows.max()) - top + 1, int(columns.max()) - left + 1


def _sentence(trace: Trace, matrices: list[_Matrix], name: str, complete: bool) -> str:
    loaded = [each for each in matrices if each.size]
    x, y = trace.block[:2]
    if not loaded:
        return f"Block ({x}, {y}) of the {name} kernel loads nothing from these buffers."
    things = [f"{plural(each.size, 'element')} of {each.name}" for each in loaded]
    told = f"Block ({x}, {y}) of the {name} kernel loads {_each(things, [each.loaded for each in loaded])}"
    kept = [each for each in loaded if each.reused]
    if kept:
        often = {each.reused for each in kept}
        those = [f"those of {each.name}" for each in kept]
        alike = len(often) == 1 and len(kept) == len(loaded)
        again = f"each {often.pop()}" if alike else _each(those, [each.reused for each in kept])
        told += f" from global memory; its threads then read {again} from shared memory."
    else:
        told += " all from global memory; it keeps none of them in shared memory."
    return (
        told if complete else f"{told} The trace was full before the block ended: these are its first steps."
    )


def _each(things: list[str], often: list[str]) -> str:
    """4 elements of A and 4 elements of B, each once; where they differ, the number stands after each."""
    if len(set(often)) == 1:
        return f"{listed(things)}, each {often[0]},"
    return " and ".join(f"{thing}, each {times}," for thing, times in zip(things, often, strict=True))


# The map


def _map(matrices: list[_Matrix], sentence: str) -> Svg:
    slots = _slots(len(matrices))
    right = max(column for column, _ in slots) + 1
    down = max(row for _, row in slots) + 1
    step_x, step_y = _EDGE + _GAP, _TITLE + _EDGE + _CAPTION
    picture = Svg(right * step_x - _GAP + 2, down * step_y, sentence)
    for matrix, (column, row) in zip(matrices, slots, strict=True):
        _draw(picture, matrix, 1 + column * step_x, row * step_y + _TITLE)
    if (0, 0) not in slots:
        _legend(picture, any(len(each.phases) > 1 for each in matrices))
    return picture


def _slots(count: int) -> list[tuple[int, int]]:
    """(column, row) of each matrix: three as in a product, others side by side."""
    return [(0, 1), (1, 0), (1, 1)] if count == 3 else [(column, 0) for column in range(count)]


def _draw(picture: Svg, matrix: _Matrix, x: float, y: float) -> None:
    rows, columns = matrix.shape
    scale = _EDGE / max(rows, columns)
    down, across = max(scale, _THIN / rows), max(scale, _THIN / columns)  # a vector is a bar, not a line

    def place(top: int, left: int, height: int, width: int) -> tuple[float, float, float, float]:
        return x + left * across, y + top * down, width * across, height * down

    picture.text(x, y - 6, matrix.name, bold=True, size=13)
    picture.text(x + 14, y - 6, f"{rows} {TIMES} {columns}", soft=True)
    picture.rectangle(*place(0, 0, rows, columns), fill="var(--lk-fill)", line=_LINE)
    for *box, times in rectangles(matrix.loads):
        picture.rectangle(*place(*box), fill=_HEAT, opacity=_heat(times))
    for *box, _ in rectangles(matrix.stores):
        picture.rectangle(*place(*box), fill=_STORE, opacity=0.35, line=_STORE, thickness=1.5)
    if len(matrix.phases) > 1:
        for box in matrix.phases:
            picture.rectangle(*place(*box), line=_INK, thickness=0.6)
    for line, told in enumerate(_caption(matrix)):
        picture.text(x, y + _EDGE + 14 + 15 * line, told, size=_SMALL)


def _caption(matrix: _Matrix) -> list[str]:
    if matrix.size:
        again = [f"shared: reads each {matrix.reused}"] if matrix.reused else []
        return [f"loads {plural(matrix.size, 'element')} {matrix.loaded}", *again]
    stored = matrix.stores[matrix.stores > 0]
    return [f"stores {plural(stored.size, 'element')} {_range(stored)}"] if stored.size else ["not touched"]


def _legend(picture: Svg, stepped: bool) -> None:
    entries = [(_HEAT, _heat(8), "none", "loaded from global memory"), (_STORE, 0.35, _STORE, "stored")]
    if stepped:
        entries.append(("none", 1.0, _INK, "loaded in one step"))
    y = _TITLE + 6
    for fill, opacity, line, told in entries:
        picture.rectangle(1, y, 16, 12, fill=fill, opacity=opacity, line=line)
        picture.text(24, y + 10.5, told, size=_SMALL)
        y += 22
    picture.text(1, y + 12, "stronger: loaded more often", soft=True, size=_SMALL)


def _heat(times: int) -> float:
    """Opacity: 0.2 for once, 0.68 from 32 times on."""
    return 0.2 + 0.48 * min(log2(max(times, 1)) / 5, 1)


# The magnified corner


def _magnified(matrix: _Matrix) -> Svg:
    """The first elements of the part that is loaded first, with their numbers."""
    top, left, height, width = matrix.phases[0]
    rows, columns = min(height, _MOST), min(width, _MOST)
    again = f", read {matrix.reused} from shared memory" if matrix.reused else ""
    label = (
        f"{matrix.name} magnified, {rows} by {columns} elements from [{top}, {left}]: each loaded "
        f"{matrix.loaded} from global memory{again}."
    )
    edge = _MOST * _CELL
    picture = Svg(edge + 2, _TITLE + edge + _CAPTION, label)
    picture.text(1, _TITLE - 6, matrix.name, bold=True, size=13)
    picture.text(15, _TITLE - 6, f"from [{top}, {left}], magnified", soft=True)
    for row in range(rows):
        for column in range(columns):
            _element(picture, matrix, top + row, left + column, 1 + column * _CELL, _TITLE + row * _CELL)
    told = ["upper: global loads", "lower: shared reads"] if matrix.reused else ["number: global loads"]
    for line, text in enumerate(told):
        picture.text(1, _TITLE + rows * _CELL + 14 + 15 * line, text, size=_SMALL)
    return picture


def _element(picture: Svg, matrix: _Matrix, row: int, column: int, x: float, y: float) -> None:
    loads, reads = int(matrix.loads[row, column]), int(matrix.reads[row, column])
    fill, opacity = (_HEAT, _heat(loads)) if loads else ("var(--lk-fill)", 1.0)
    picture.rectangle(x, y, _CELL, _CELL, fill=fill, opacity=opacity, line="var(--lk-paper)")
    middle = x + _CELL / 2
    picture.text(middle, y + (9.5 if reads else 14.5), str(loads), size=10.5, anchor="middle", bold=True)
    if reads:
        picture.text(middle, y + 18.5, str(reads), size=9.5, anchor="middle", soft=True)
