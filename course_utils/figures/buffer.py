"""A matrix and the flat buffer that it lies in: which element of the one is which of the other."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from .figure import Figure
from .numbers import DASH, TIMES, plural
from .parts import legend
from .table import aligned


def buffer_picture(
    name: str,
    buffer: np.ndarray,
    places: np.ndarray | None,
    ld: int,
    how: str,
    right: np.ndarray | None = None,
) -> Figure:
    """A buffer above, and below it the matrix that a call makes of it.

    places: of each element of the matrix, the number of its element in the buffer; None where the call was
    refused. ld: the leading dimension, at which the shading changes. how: what the call does to it, such as
    "read as op(A)". right: the values that the matrix should have, where it is a result.
    """
    values = [_number(value) for value in buffer]
    cells = [_cell(values, number, ld, places) for number in range(len(values))]
    strip = f'<p class="lk-row-name">{html.escape(name)} in memory: {plural(len(values), "element")}</p>'
    strip += f'<div class="lk-buffer">{"".join(cells)}</div>'
    if places is None:
        sentence = f"{name} is a buffer of {plural(len(values), 'element')}; the call is refused."
        text = aligned(["", *map(str, range(len(values)))], [[name, *values]])
        return Figure(sentence, f'<div role="group" aria-label="{html.escape(sentence)}">{strip}</div>', text)
    wrong = np.zeros(places.shape, bool) if right is None else buffer[places] != right
    sentence = _sentence(name, buffer, places, ld, how, right, wrong)
    rows, columns = places.shape
    boxes = "".join(
        _box(values, int(places[row, column]), ld, bool(wrong[row, column]), f"[{row}][{column}]")
        for row in range(rows)
        for column in range(columns)
    )
    tracks = f"repeat({columns}, minmax(2.6em, 4em))"
    matrix = f'<p class="lk-row-name">{html.escape(how)}: {rows} {TIMES} {columns}</p>'
    matrix += f'<div class="lk-matrix" style="grid-template-columns: {tracks}">{boxes}</div>'
    entries = [("even", "small: its number in the buffer"), ("odd", f"shade: changes every {ld} elements")]
    entries += [("off", "not used")] if places.size < len(values) else []
    entries += [("wrong", "wrong value")] if wrong.any() else []
    picture = f'<div role="img" aria-label="{html.escape(sentence)}">{strip}{matrix}</div>{legend(*entries)}'
    return Figure(sentence, picture, _text(name, values, places, wrong, how))


def _sentence(
    name: str,
    buffer: np.ndarray,
    places: np.ndarray,
    ld: int,
    how: str,
    right: np.ndarray | None,
    wrong: np.ndarray,
) -> str:
    rows, columns = places.shape
    row, column = (1 if extent > 1 else 0 for extent in (rows, columns))
    told = (
        f"{name} is a buffer of {plural(buffer.size, 'element')}, {how}: {rows} {TIMES} {columns}, leading "
        f"dimension {ld}. Element [{row}][{column}] is number {places[row, column]} of the buffer."
    )
    if right is None:
        return told
    count = int(wrong.sum())
    return f"{told} {'All values are right' if not count else f'{count} of {wrong.size} values are wrong'}."


def _cell(values: Sequence[str], number: int, ld: int, places: np.ndarray | None) -> str:
    used = places is not None and number in places
    kind = _shade(number, ld) if used else "off"
    return f'<span class="lk-element {kind}"><small>{number}</small><b>{values[number]}</b></span>'


def _box(values: Sequence[str], number: int, ld: int, wrong: bool, place: str) -> str:
    kind = f"{_shade(number, ld)}{' wrong' if wrong else ''}"
    mark = "\N{MULTIPLICATION X} " if wrong else ""
    title = f"{place}: element {number} of the buffer{', wrong' if wrong else ''}"
    inside = f"<small>{number}</small><b>{mark}{values[number]}</b>"
    return f'<span class="lk-element {kind}" title="{title}">{inside}</span>'


def _shade(number: int, ld: int) -> str:
    return "even" if number // ld % 2 == 0 else "odd"


def _text(name: str, values: Sequence[str], places: np.ndarray, wrong: np.ndarray, how: str) -> str:
    strip = aligned(["", *map(str, range(len(values)))], [[name, *values]])
    head = [how, *(f"column {column}" for column in range(places.shape[1]))]
    rows = [
        [
            f"row {row}",
            *(
                f"{values[place]} <{place}>{' wrong' if bad else ''}"
                for place, bad in zip(places[row], wrong[row], strict=True)
            ),
        ]
        for row in range(places.shape[0])
    ]
    return f"{strip}\n\n{aligned(head, rows)}\n(<0>: the number of an element in the buffer)"


def _number(value: float) -> str:
    return DASH if value != value else f"{value:g}"  # NaN: never written
