"""SVG as text, made so that a screen reader gets the sentence and both themes the right colours."""

from __future__ import annotations

import html
import re
import zlib

FONT = 12


def with_own_ids(svg: str, label: str) -> str:
    """The ids of a picture, and what refers to them, made its own by its `label`: a browser takes the first
    pattern or clip of an id on the page, and draws nothing where that one is hidden."""
    own = f"{zlib.crc32(label.encode()):08x}"
    return re.sub(r'(\bid="|\burl\(#|\bhref="#)([\w-]+)', rf"\1\2-{own}", svg)


class Svg:
    """A picture of `width` x `height` units whose description is `label`."""

    def __init__(self, width: float, height: float, label: str) -> None:
        self.width, self.height, self.label = width, height, label
        self._parts: list[str] = []

    def rectangle(
        self, x: float, y: float, width: float, height: float, *, fill: str = "none", opacity: float = 1.0,
        line: str = "none", thickness: float = 1.0, dashes: str = "",
    ) -> None:  # fmt: skip
        style = f"fill:{fill}"
        if opacity != 1.0:
            style += f";fill-opacity:{opacity:.2f}"
        if line != "none":
            style += f";stroke:{line};stroke-width:{thickness:g}"
        if dashes:
            style += f";stroke-dasharray:{dashes}"
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" style="{style}"/>'
        )

    def text(
        self, x: float, y: float, content: str, *, size: float = FONT, anchor: str = "start",
        bold: bool = False, soft: bool = False,
    ) -> None:  # fmt: skip
        more = ' font-weight="600"' if bold else ""
        more += ' class="soft"' if soft else ""
        place = f'x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}"'
        self._parts.append(f"<text {place}{more}>{html.escape(content)}</text>")

    def line(
        self,
        x: float,
        y: float,
        to_x: float,
        to_y: float,
        *,
        line: str,
        thickness: float = 1.0,
        dashes: str = "",
    ) -> None:
        style = f"stroke:{line};stroke-width:{thickness:g};fill:none"
        if dashes:
            style += f";stroke-dasharray:{dashes}"
        self._parts.append(f'<path d="M{x:g} {y:g}L{to_x:g} {to_y:g}" style="{style}"/>')

    def grid(
        self, x: float, y: float, columns: int, rows: int, width: float, height: float, *, line: str
    ) -> None:  # fmt: skip
        """Thin lines around `columns` x `rows` cells of one size."""
        right, bottom = x + columns * width, y + rows * height
        across = "".join(f"M{x:g} {y + row * height:g}H{right:g}" for row in range(rows + 1))
        down = "".join(f"M{x + column * width:g} {y:g}V{bottom:g}" for column in range(columns + 1))
        self._parts.append(f'<path d="{across}{down}" style="stroke:{line};stroke-width:0.5;fill:none"/>')

    def mark(self, shape: str, x: float, y: float, radius: float, *, fill: str, line: str) -> None:
        """A "disc", a "square" or a "diamond" around a place."""
        style = f"fill:{fill};stroke:{line};stroke-width:1.5"
        if shape == "disc":
            self._parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" style="{style}"/>')
            return
        edge = radius if shape == "diamond" else 0.85 * radius
        corners = {
            "diamond": ((0, -1), (1, 0), (0, 1), (-1, 0)),
            "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
        }[shape]
        path = "L".join(f"{x + edge * right:g} {y + edge * down:g}" for right, down in corners)
        self._parts.append(f'<path d="M{path}Z" style="{style}"/>')

    def open(self, title: str) -> None:
        """Begin a part of the picture that shows a `title` under the mouse."""
        self._parts.append(f"<g><title>{html.escape(title)}</title>")

    def close(self) -> None:
        """End that part."""
        self._parts.append("</g>")

    def patterns(self) -> None:
        """Make the fills url(#lk-hatch) and url(#lk-dots) known."""
        self._parts.append(
            '<defs><pattern id="lk-hatch" width="5" height="5" patternUnits="userSpaceOnUse" '
            'patternTransform="rotate(45)"><path d="M0 0V5" style="stroke:var(--lk-line);stroke-width:1.5"/>'
            '</pattern><pattern id="lk-dots" width="6" height="6" patternUnits="userSpaceOnUse">'
            '<circle cx="3" cy="3" r="0.9" style="fill:var(--lk-text)"/></pattern></defs>'
        )

    def __str__(self) -> str:
        label, parts = html.escape(self.label), "".join(self._parts)
        return (
            f'<svg role="img" aria-label="{label}" xmlns="http://www.w3.org/2000/svg" width="{self.width:g}" '
            f'height="{self.height:g}" viewBox="0 0 {self.width:g} {self.height:g}"><title>{label}</title>'
            f"{with_own_ids(parts, self.label)}</svg>"
        )
