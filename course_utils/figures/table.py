"""A table with one content and two forms: aligned text and HTML."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from .style import STYLE, scoped


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Columns of one width, those in `left` aligned to the left; cells of the head may have several lines."""
    heads = [cell.split("\n") for cell in head]
    depth = max(map(len, heads))
    tops = [[([""] * (depth - len(cell)) + cell)[row] for cell in heads] for row in range(depth)]
    widths = [max(len(row[column]) for row in [*tops, *rows]) for column in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return "  ".join(padded).rstrip()

    return "\n".join([*map(line, tops), line(["-" * width for width in widths]), *map(line, rows)])


@dataclass(frozen=True, repr=False)
class Table:
    """A `caption`, a `head`, and `rows` of text; displays as a table in a notebook and as text elsewhere.

    `words`: columns besides the first that hold words instead of numbers, and are aligned to the left.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        return f"{self.caption}\n{aligned(self.head, self.rows, (0, *self.words))}"

    @property
    def html(self) -> str:
        head = "".join(
            f'<th scope="col"{self._kind(column)}>{html.escape(cell).replace(chr(10), "<br>")}</th>'
            for column, cell in enumerate(self.head)
        )
        body = "".join(f"<tr>{self._cells(row)}</tr>" for row in self.rows)
        caption = html.escape(self.caption)
        return (
            f'<table class="lk-table"><caption>{caption}</caption><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table>"
        )

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<style>{STYLE}</style>{scoped(self.html)}"

    def _cells(self, row: Sequence[str]) -> str:
        first, *others = (html.escape(cell) for cell in row)
        cells = (f"<td{self._kind(column)}>{cell}</td>" for column, cell in enumerate(others, 1))
        return f'<th scope="row">{first}</th>' + "".join(cells)

    def _kind(self, column: int) -> str:
        return ' class="lk-prose"' if column in self.words else ""
