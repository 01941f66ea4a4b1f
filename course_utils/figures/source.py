"""The kernel's own lines, and what a run spent in each."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..kernels import Kernel
from ..kernels.listing import highlighted
from ..metrics import METRICS, Level, names
from ..simulator import Run
from ..simulator.kinds import LANES
from .figure import Figure
from .numbers import count, decimal, percent, plural
from .ptx import instructions_of
from .table import aligned

_HYPHEN = "\N{NON-BREAKING HYPHEN}"


@dataclass(frozen=True)
class _Line:
    """Counts of one source line; sectors a request are those of the traced block, None without any.
    `parting`: branches at which the lanes of a warp went different ways."""

    instructions: int
    lanes: float | None
    parting: int
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

    @property
    def name(self) -> str:
        """The head in one line."""
        return self.head.replace("\n", " ").replace(_HYPHEN, "-")


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


_DIVERGENCE = _Column(
    f"active lanes\n({Level.PTX.value.replace('-', _HYPHEN)})",
    lambda line: line.lanes,
    decimal,
    heat=False,
)
BY_LINE = "line"


def sorts(divergence: bool = False) -> tuple[str, ...]:
    """By what the lines can be sorted: their number, or a column."""
    columns = (*_COLUMNS, _DIVERGENCE) if divergence else _COLUMNS
    return (BY_LINE, *(column.name for column in columns))


def source_view(
    kernel: Kernel,
    run: Run,
    rows: int = 0,
    *,
    divergence: bool = False,
    sort: str = BY_LINE,
    ptx: str = "",
    ptx_line: int | None = None,
    machine: Sequence[str] | None = None,
) -> Figure:
    """The entry points of a kernel's file with instructions, sectors and wavefronts beside each line.

    Bars show a line's share of the column's total. `rows`: pad to so many lines, so that kernels of different
    length take the same height. `divergence`: with the lanes that are active on average. `sort`: one of
    sorts(); a column's largest numbers come first. `ptx_line`: a line whose instructions, of the program's
    `ptx`, stand below. `machine`: its machine instructions, to stand there instead.
    """
    first, last = kernel.entry_points[0].first, kernel.entry_points[-1].last
    lines = _lines(run)
    sentence = _sentence(lines, run)
    if divergence:
        sentence = f"{sentence} {_parting(lines)}"
    columns = (*_COLUMNS, _DIVERGENCE) if divergence else _COLUMNS
    shown = _sorted(range(first, last + 1), lines, columns, sort)
    table = _html(kernel, lines, columns, shown, rows, sort)
    below = ""
    if ptx_line is not None:
        below = _code("PTX", instructions_of(ptx, ptx_line), ptx_line)
        if machine is not None:
            below = _code("Machine code", machine, ptx_line)
    return Figure(sentence, table + below, _text(kernel, lines, columns, shown), listing=True)


def _sorted(shown: range, lines: dict[int, _Line], columns: Sequence[_Column], sort: str) -> Sequence[int]:
    column = next((column for column in columns if column.name == sort), None)
    if column is None:
        return shown

    def key(number: int) -> float:
        value = column.value(lines[number]) if number in lines else None
        return -1 if value is None else value

    return sorted(shown, key=key, reverse=True)  # stable: equal lines stay in their order


def _parting(lines: dict[int, _Line]) -> str:
    parting = [str(number) for number, line in lines.items() if line.parting]
    if not parting:
        return "No warp diverges."
    return f"Warps diverge in line{'s' * (len(parting) > 1)} {', '.join(parting)}."


def _code(kind: str, found: Sequence[str], line: int) -> str:
    """The instructions of a line, in the order of the program."""
    told = f"{kind} of line {line}: {plural(len(found), 'instruction')}"
    code = html.escape("\n".join(found)) or "none"
    region = f'tabindex="0" role="region" aria-label="{told}"'
    return f'<p class="lk-row-name">{told}</p><pre class="lk-scroll lk-ptx-code" {region}>{code}</pre>'


def _lines(run: Run) -> dict[int, _Line]:
    requests: dict[int, list[int]] = {}
    for step in run.trace.steps if run.trace is not None else ():
        if step.sectors is not None and step.line is not None:
            requests.setdefault(step.line, []).append(step.sectors)
    return {
        number: _Line(
            counts["inst"],
            counts["thread_inst"] / counts["inst"] if counts["inst"] else None,
            counts["divergent_branches"],
            counts["global_sectors"],
            sum(requests[number]) / len(requests[number]) if number in requests else None,
            counts["shared_wavefronts"],
            counts["shared_wavefronts_ideal"],
        )
        for number, counts in run.by_line.items()
    }


def _cells(lines: dict[int, _Line], columns: Sequence[_Column], number: int) -> list[str]:
    line = lines.get(number)
    values = [column.value(line) if line else None for column in columns]
    return [
        "" if value is None else column.written(value) for column, value in zip(columns, values, strict=True)
    ]


def _text(kernel: Kernel, lines: dict[int, _Line], columns: Sequence[_Column], shown: Iterable[int]) -> str:
    code = kernel.source.splitlines()
    head = ["line", *(column.name for column in columns), "source"]
    rows = [[str(number), *_cells(lines, columns, number), code[number - 1]] for number in shown]
    return aligned(head, rows, left=(len(head) - 1,))


def _html(
    kernel: Kernel,
    lines: dict[int, _Line],
    columns: Sequence[_Column],
    shown: Sequence[int],
    rows: int,
    sort: str,
) -> str:
    code = highlighted(kernel.source)
    totals = [sum(column.value(line) or 0 for line in lines.values()) for column in columns]
    head = "".join(_head(column, sorted_by=column.name == sort) for column in columns)
    body = "".join(_row(number, lines, columns, totals, code[number - 1]) for number in shown)
    empty = f'<tr class="empty" aria-hidden="true"><td colspan="{len(columns) + 2}">&nbsp;</td></tr>'
    body += empty * max(rows - len(shown), 0)
    name = kernel.path.name
    return (
        f'<div class="lk-scroll" tabindex="0" role="region" aria-label="{name}, line by line">'
        f'<table class="lk-table lk-source"><thead><tr><th scope="col">line</th>{head}'
        f'<th scope="col" class="code">{name}</th></tr></thead><tbody>{body}</tbody></table></div>'
    )


def _head(column: _Column, *, sorted_by: bool) -> str:
    if not sorted_by:
        return f'<th scope="col">{column.head}</th>'
    return f'<th scope="col" aria-sort="descending">{column.head} \N{BLACK DOWN-POINTING TRIANGLE}</th>'


def _row(
    number: int, lines: dict[int, _Line], columns: Sequence[_Column], totals: list[float], code: str
) -> str:
    line = lines.get(number)
    cells = []
    for column, total, text in zip(columns, totals, _cells(lines, columns, number), strict=True):
        value = column.value(line) if line else None
        attributes = ""
        if column.heat and value and total:
            attributes = f' class="heat" style="--share:{100 * value / total:.0f}%"'
        elif (column is _COLUMNS[-1] and value and value > 1) or (
            column is _DIVERGENCE and value and value < LANES
        ):
            attributes = ' class="conflict"'
        cells.append(f'<td data-column="{column.name}"{attributes}>{text}</td>')
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
