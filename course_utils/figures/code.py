"""A kernel's source beside a picture, with the lines that the picture is about marked."""

from __future__ import annotations

import html
from collections.abc import Collection

from ..kernels import Kernel
from ..kernels.listing import highlighted


def marked_source(kernel: Kernel, lines: Collection[int | None]) -> str:
    """The entry points of a kernel's file; an arrow, bold type and a background mark `lines`."""
    first, last = kernel.entry_points[0].first, kernel.entry_points[-1].last
    code = highlighted(kernel.source)
    rows = "".join(_row(number, code[number - 1], number in lines) for number in range(first, last + 1))
    name = html.escape(kernel.path.name)
    region = f'tabindex="0" role="region" aria-label="{name}, lines {first} to {last}"'
    return (
        f'<div class="lk-scroll lk-code" {region}>'
        f'<div class="lk-row-name">{name}</div><div class="lk-code-lines">{rows}</div></div>'
    )


def _row(number: int, code: str, marked: bool) -> str:
    arrow = "\N{BLACK RIGHT-POINTING TRIANGLE}" if marked else ""
    kind = ' class="now"' if marked else ""
    return f"<div{kind}><b>{arrow}</b><span>{number}</span><code>{code or ' '}</code></div>"
