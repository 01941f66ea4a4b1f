"""A part of a source file for display: numbered text, and numbered, coloured HTML in a notebook."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

_NUMBER = "color:var(--jp-ui-font-color3);user-select:none"
_BLOCK = "overflow-x:auto;white-space:pre;word-break:normal;line-height:1.4"


@dataclass(frozen=True, repr=False)
class Listing:
    """Lines ``first`` to ``last`` of a source, counted from 1, both included, under a ``title``."""

    title: str
    source: str = field(repr=False)
    first: int
    last: int

    def __repr__(self) -> str:
        lines = self.source.splitlines()[self.first - 1 : self.last]
        numbered = (f"{number}{line}".rstrip() for number, line in self._numbered(lines))
        return "\n".join([self.title, *numbered])

    def _repr_html_(self) -> str:
        title = html.escape(self.title)
        python = self.title.endswith(".py")
        lines = highlighted(self.source, python)[self.first - 1 : self.last]
        body = "".join(
            f'<span style="{_NUMBER}" aria-hidden="true">{number}</span>{line}\n'
            for number, line in self._numbered(lines)
        )
        return f'<div>{title}</div><pre tabindex="0" aria-label="{title}" style="{_BLOCK}">{body}</pre>'

    def _numbered(self, lines: list[str] | tuple[str, ...]) -> list[tuple[str, str]]:
        width = len(str(self.last))
        return [(f"{number:>{width}}  ", line) for number, line in enumerate(lines, self.first)]


@lru_cache(maxsize=64)
def highlighted(source: str, python: bool = False) -> tuple[str, ...]:
    """The lines of a CUDA (or Python) source as HTML, coloured with the variables of JupyterLab's theme,
    light or dark.

    Outside JupyterLab the variables are undefined, and the text takes the colour around it.
    """
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers.c_like import CudaLexer
    from pygments.lexers.python import PythonLexer
    from pygments.style import Style
    from pygments.token import Comment, Keyword, Name, Number, Operator, String

    class Theme(Style):
        styles: ClassVar[dict[object, str]] = {
            Comment: "italic var(--jp-mirror-editor-comment-color)",
            Comment.Preproc: "noitalic var(--jp-mirror-editor-meta-color)",
            Keyword: "bold var(--jp-mirror-editor-keyword-color)",
            Keyword.Type: "nobold",
            Name.Builtin: "var(--jp-mirror-editor-builtin-color)",
            Name.Function: "var(--jp-mirror-editor-def-color)",
            Number: "var(--jp-mirror-editor-number-color)",
            Operator: "var(--jp-mirror-editor-operator-color)",
            String: "var(--jp-mirror-editor-string-color)",
        }

    lexer = PythonLexer if python else CudaLexer
    formatter = HtmlFormatter(nowrap=True, noclasses=True, style=Theme)
    return tuple(highlight(source, lexer(stripnl=False), formatter).splitlines())
