"""The kernel's own lines, and what a run spent in each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..kernels import Kernel
from ..kernels.listing import highlighted
from ..metrics import METRICS, Level, names
from ..simulator import Run
from .figure import Figure
from .numbers import count, decimal, percent
from .table import aligned


@dataclass(frozen=True)
class _Line:
    """Counts of one source line; sectors a request are those of the traced block, None without any."""

    instructions: int
    sectors: int
    per_request: float | None
    wavefronts: int
    ideal: int


@dataclass(frozen=True)
class _Column:
    head: str
    value: Callable[[_Line], float | None]
    written: Callable[[float], str]
    heat: bool = True


def _leveled(label: str, metric: str) -> str:
    """A head with the level that the metric is counted on, where that is not the hardware's."""
    level = METRICS[metric].level
    return f"{label}\n({level.value})" if level is Level.PTX else label.replace(" ", "\n", 1)


_COLUMNS = (
    _Column(
        _leveled("warp instructions", names.WARP_INSTRUCTIONS), lambda line: line.instructions or None, count
    ),
    _Column("global\nsectors", lambda line: line.sectors or None, count),
    _Column("sectors a\nrequest", lambda line: line.per_request, decimal, heat=False),
    _Column(
        _leveled("shared wavefronts", names.SHARED_LOAD_WAVEFRONTS),
        lambda line: line.wavefronts or None,
        count,
    ),
    _Column(
        "wavefronts\n÷ ideal",
        lambda line: line.wavefronts / line.ideal if line.ideal else None,
        decimal,
        heat=False,
    ),
)


def source_view(kernel: Kernel, run: Run, rows: int = 0) -> Figure:
    """The entry points of a kernel's file with instructions, sectors and wavefronts beside each line.

    Bars show a line's share of the column's total. `rows`: pad to so many lines, so that kernels of different
    length take the same height.
    """
    first, last = kernel.entry_points[0].first, kernel.entry_points[-1].last
    lines = _lines(run)
    sentence = _sentence(lines, run)
    shown = range(first, last + 1)
    return Figure(sentence, _html(kernel, lines, shown, rows), _text(kernel, lines, shown), listing=True)


def _lines(run: Run) -> dict[int, _Line]:
    requests: dict[int, list[int]] = {}
    for step in run.trace.steps if run.trace is not None else ():
        if step.sectors is not None and step.line is not None:
            requests.setdefault(step.line, []).append(step.sectors)
    return {
        number: _Line(
            counts["inst"],
            counts["global_sectors"],
            sum(requests[number]) / len(requests[number]) if number in requests else None,
            counts["shared_wavefronts"],
            counts["shared_wavefronts_ideal"],
        )
        for number, counts in run.by_line.items()
    }


def _cells(lines: dict[int, _Line], number: int) -> list[str]:
    line = lines.get(number)
    values = [column.value(line) if line else None for column in _COLUMNS]
    return [
        "" if value is None else column.written(value) for column, value in zip(_COLUMNS, values, strict=True)
    ]


def _text(kernel: Kernel, lines: dict[int, _Line], shown: Iterable[int]) -> str:
    code = kernel.source.splitlines()
    head = ["line", *(column.head.replace("\n", " ") for column in _COLUMNS), "source"]
    rows = [[str(number), *_cells(lines, number), code[number - 1]] for number in shown]
    return aligned(head, rows, left=(len(head) - 1,))


def _html(kernel: Kernel, lines: dict[int, _Line], shown: range, rows: int) -> str:
    code = highlighted(kernel.source)
    totals = [sum(column.value(line) or 0 for line in lines.values()) for column in _COLUMNS]
    head = "".join(f'<th scope="col">{column.head}</th>' for column in _COLUMNS)
    body = "".join(_row(number, lines, totals, code[number - 1]) for number in shown)
    empty = f'<tr class="empty" aria-hidden="true"><td colspan="{len(_COLUMNS) + 2}">&nbsp;</td></tr>'
    body += empty * max(rows - len(shown), 0)
    name = kernel.path.name
    return (
        f'<div class="lk-scroll" tabindex="0" role="region" aria-label="{name}, line by line">'
        f'<table class="lk-table lk-source"><thead><tr><th scope="col">line</th>{head}'
        f'<th scope="col" class="code">{name}</th></tr></thead><tbody>{body}</tbody></table></div>'
    )


def _row(number: int, lines: dict[int, _Line], totals: list[float], code: str) -> str:
    line = lines.get(number)
    cells = []
    for column, total, text in zip(_COLUMNS, totals, _cells(lines, number), strict=True):
        value = column.value(line) if line else None
        attributes = ""
        if column.heat and value and total:
            attributes = f' class="heat" style="--share:{100 * value / total:.0f}%"'
        elif column is _COLUMNS[-1] and value and value > 1:
            attributes = ' class="conflict"'
        told = column.head.replace("\n", " ")
        cells.append(f'<td data-column="{told}"{attributes}>{text}</td>')
    cells.append(f'<td class="code">{code}</td>')
    return f'<tr data-line="{number}"><th scope="row">{number}</th>{"".join(cells)}</tr>'


def _sentence(lines: dict[int, _Line], run: Run) -> str:
    told = [
        _most("executes", "of the warp instructions", {n: line.instructions for n, line in lines.items()}),
        _most("moves", "of the global sectors", {n: line.sectors for n, line in lines.items()}),
    ]
    clashing = [str(n) for n, line in lines.items() if line.wavefronts > line.ideal]
    if clashing:
        told.append(f"Bank conflicts are in line{'s' * (len(clashing) > 1)} {', '.join(clashing)}.")
    elif any(line.wavefronts for line in lines.values()):
        told.append("No line has bank conflicts.")
    if run.trace is not None and any(line.per_request for line in lines.values()):
        told.append(f"Sectors a request are those of block {run.trace.block[:2]}.")
    return " ".join(filter(None, told))


def _most(verb: str, what: str, values: dict[int, int]) -> str:
    """Line 34 executes 71 % of ...; several lines where they are equal at the top."""
    total = sum(values.values())
    if not total:
        return ""
    top = max(values.values())
    leading = [number for number, value in values.items() if value == top]
    if len(leading) == 1:
        return f"Line {leading[0]} {verb} {percent(top / total)} {what}."
    return (
        f"Lines {', '.join(map(str, leading))} {verb.removesuffix('s')} {percent(top / total)} {what} each."
    )
