"""The state of a lab as a short text, for a message, a slide or a cell: kernel=tiling/tiled&TILE=8."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

from .controls import Value

_NUMBER = re.compile(r"-?\d+")


def link(state: Mapping[str, Value]) -> str:
    """The text of a state. A text among its values that looks like a number is put in quotes."""
    quoted = {
        name: f"'{value}'" if isinstance(value, str) and _NUMBER.fullmatch(value) else value
        for name, value in state.items()
    }
    return urlencode(quoted, safe="/'")


def at(text: str) -> dict[str, Value]:
    """The state of a text that `Lab.link` gave: `Lab(..., state=at(text))`, or `lab.set(**at(text))`.

    Raises ValueError for what is no such text.
    """
    try:
        pairs = parse_qsl(text.strip(), keep_blank_values=True, strict_parsing=True)
    except ValueError:
        pairs = []
    if not pairs:
        raise ValueError(f"{text!r} is no state of a lab; one looks like kernel=tiling/tiled&TILE=8")
    return {name: _value(value) for name, value in pairs}


def _value(text: str) -> Value:
    if _NUMBER.fullmatch(text):
        return int(text)
    inner = text[1:-1]
    return inner if text == f"'{inner}'" and _NUMBER.fullmatch(inner) else text
