"""What every view of a run gives: a picture, a sentence, and the same in plain text."""

from __future__ import annotations

from dataclasses import dataclass

from .style import STYLE, scoped


@dataclass(frozen=True, repr=False)
class Figure:
    """A picture of a run.

    `html` holds the picture (an SVG or a table) and `sentence` what it shows, without markup. `text` is the
    content of a table as plain text, empty for a picture; a `listing` is a source with numbers, which a
    report leaves out.
    """

    sentence: str
    html: str
    text: str = ""
    listing: bool = False

    def __repr__(self) -> str:
        return "\n".join(part for part in (self.text, self.sentence) if part)

    def _repr_html_(self) -> str:
        return f"<style>{STYLE}</style>{scoped(self.html)}"
