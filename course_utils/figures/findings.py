"""What the checks found, as cards: what happened, both accesses marked in the source, and the repair."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

from ..kernels.errors import listed
from ..kernels.listing import highlighted
from .figure import Figure
from .numbers import plural, times
from .table import aligned

AROUND = 2  # lines shown before and after each marked one
NAMED = 5  # findings that the sentence names
TITLES = {
    "memory": "Memory",
    "races": "Race",
    "initialisation": "Never written",
    "barriers": "Barrier",
}


class Access(Protocol):
    """One of the accesses of a finding. `action`: reads, writes, waits ...; line, array and index may be
    None."""

    line: int | None
    text: str
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    array: str | None
    index: object
    action: str


class Finding(Protocol):
    """The part of simulator.Finding that a card shows."""

    kind: str
    message: str
    lines: tuple[int, ...]
    count: int
    build: str
    accesses: Sequence[Access]
    fix: str


def findings_view(findings: Sequence[Finding], source: str = "", name: str = "kernel.cu") -> Figure:
    """A card for each of a run's findings, with the `source` of its kernel, a file called `name`.

    Accesses are numbered in the finding's order; the number and a word stand beside the line, which is
    underlined, the first with a solid line and others with a dashed one. Without a source only the lines'
    own text is shown.
    """
    sentence = _sentence(findings)
    cards = "".join(_card(finding, source, name) for finding in findings)
    return Figure(
        sentence,
        cards or f'<p class="lk-sentence">{html.escape(sentence)}</p>',
        "\n\n".join(_text(finding, source) for finding in findings),
    )


def _sentence(findings: Sequence[Finding]) -> str:
    if not findings:
        return "The checks found nothing."
    alike = Counter(f"{_title(each).lower()} at {_lines(each)}" for each in findings)
    told = [place if count == 1 else f"{place} ({times(count)})" for place, count in alike.items()][:NAMED]
    if len(alike) > NAMED:
        told.append(f"{len(alike) - NAMED:,} more")
    return f"The checks found {plural(len(findings), 'fault')}: {listed(told)}."


def _title(finding: Finding) -> str:
    return TITLES.get(finding.kind, finding.kind.capitalize())


def _lines(finding: Finding) -> str:
    numbers = list(dict.fromkeys(finding.lines))
    return f"line{'s' * (len(numbers) > 1)} {listed(list(map(str, numbers)))}"


def _seen(finding: Finding) -> str:
    """How often, and in which build."""
    return f"{times(finding.count)}, in the {finding.build} build"


def _marks(finding: Finding) -> dict[int, list[tuple[int, str]]]:
    """Source line -> the accesses made there: number and action."""
    marks: dict[int, list[tuple[int, str]]] = {}
    for number, access in enumerate(finding.accesses, 1):
        if access.line:
            marks.setdefault(access.line, []).append((number, access.action))
    for line in finding.lines:
        marks.setdefault(line, [])
    return marks


def _rows(finding: Finding, source: str) -> Iterator[tuple[int, str, str]]:
    """(line, mark, text) of the lines around; line 0 where lines are left out between."""
    code = source.splitlines()
    marks = _marks(finding)
    known = [line for line in marks if 0 < line <= len(code)]
    shown = sorted(
        {near for line in known for near in range(line - AROUND, line + AROUND + 1) if 0 < near <= len(code)}
    )
    texts = {line: code[line - 1] for line in shown}
    if not known:
        texts = {access.line: access.text for access in finding.accesses if access.line}
    previous = 0
    for line in sorted(texts):
        if previous and line > previous + 1:
            yield 0, "", ""
        yield line, ", ".join(f"{number} {action}" for number, action in marks.get(line, [])), texts[line]
        previous = line


def _places(finding: Finding) -> list[list[str]]:
    """A row for each access: number, action, element, thread, block, line."""
    return [
        [
            str(number),
            access.action,
            f"{access.array}[{access.index}]"
            if access.array and access.index is not None
            else access.array or "",
            f"thread {access.thread}",
            f"block {access.block}",
            f"line {access.line}" if access.line else "",
        ]
        for number, access in enumerate(finding.accesses, 1)
    ]


def _repair(finding: Finding) -> str:
    """What would repair it, unless the message says so already."""
    return "" if not finding.fix or finding.fix in finding.message else finding.fix


def _text(finding: Finding, source: str) -> str:
    parts = [f"{_title(finding)} ({_seen(finding)})", finding.message]
    rows = list(_rows(finding, source))
    if rows:
        width = max(len(mark) for _, mark, _ in rows)
        parts.append(
            "\n".join(
                f"  {mark:>{width}} {'>' if mark else ' '} {line or '...':>4}  {code}".rstrip()
                for line, mark, code in rows
            )
        )
    if finding.accesses:
        head = ["", "", "element", "thread", "block", "line"]
        parts.append(aligned(head, _places(finding), left=range(6)))
    if repair := _repair(finding):
        parts.append(f"Repair: {repair}")
    return "\n\n".join(parts)


def _card(finding: Finding, source: str, name: str) -> str:
    title = html.escape(f"{_title(finding)}, {_lines(finding)}")
    message = html.escape(finding.message)
    repair = _repair(finding)
    return (
        f'<section class="lk-finding" aria-label="{title}"><h4>{title} '
        f'<span class="lk-level">{html.escape(_seen(finding))}</span></h4>'
        f'<p class="lk-message">{message}</p>{_source(finding, source, name)}{_accesses(finding)}'
        + (f'<p class="lk-repair"><strong>Repair:</strong> {html.escape(repair)}</p>' if repair else "")
        + "</section>"
    )


def _source(finding: Finding, source: str, name: str) -> str:
    marks = _marks(finding)
    coloured = highlighted(source) if source else ()
    body = ""
    for line, mark, text in _rows(finding, source):
        if not line:
            body += '<tr class="lk-gap"><th></th><td></td><td class="code">...</td></tr>'
            continue
        code = coloured[line - 1] if line <= len(coloured) else html.escape(text)
        if line in marks:
            indent = len(code) - len(code.lstrip())
            code = f'{code[:indent]}<span class="lk-here">{code[indent:]}</span>'
        first = line == finding.lines[0] if finding.lines else False
        kind = (' class="lk-first"' if first else ' class="lk-other"') if line in marks else ""
        body += (
            f'<tr data-line="{line}"{kind}><th scope="row">{line}</th>'
            f'<td class="lk-accessed">{html.escape(mark)}</td><td class="code">{code}</td></tr>'
        )
    if not body:
        return ""
    label = html.escape(name)
    return (
        f'<div class="lk-scroll" tabindex="0" role="region" aria-label="{label}, the lines around">'
        f'<table class="lk-table lk-source"><tbody>{body}</tbody></table></div>'
    )


def _accesses(finding: Finding) -> str:
    if not finding.accesses:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{number}</th>'
        + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
        + "</tr>"
        for number, *cells in _places(finding)
    )
    return (
        '<div class="lk-scroll" tabindex="0" role="region" aria-label="the accesses">'
        f'<table class="lk-table lk-accesses"><tbody>{rows}</tbody></table></div>'
    )
