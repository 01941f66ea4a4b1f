"""How a kernel's body uses its buffers, as far as its text tells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from .tokens import OPENING, Kind, Token, closing

_CHANGES = {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", "++", "--"}
_ADDS = {"+=", "-=", "++", "--"}


@dataclass
class Use:
    """What happens to the elements of one buffer: `added` means summed into, `atomic` by atomic functions.

    `passed`: the pointer itself is handed on. `indexes`: the buffers that its values are indices of.
    """

    read: bool = False
    written: bool = False
    added: bool = False
    atomic: bool = False
    passed: bool = False
    indexes: set[str] = field(default_factory=set)


def uses(body: Sequence[Token], names: Iterable[str]) -> dict[str, Use]:
    """For each name, how the tokens of a body use it. A name may be a member's, such as p.x."""
    found = {name: Use() for name in names}
    for index, token in enumerate(body):
        if token.kind is not Kind.NAME:
            continue
        before, name = body[index - 1].text if index else "", token.text
        if before == "." and index > 1:
            name = f"{body[index - 2].text}.{name}"
        if name not in found or before in ("->", "::"):
            continue
        use = found[name]
        behind = index + 1
        if behind < len(body) and body[behind].text == "[":
            end = closing(body, behind)
            _element(use, body, index, end)
            inner = [each.text for each in body[behind + 1 : end]]
            for name, next_text in pairwise(inner):
                if name in found and next_text == "[":
                    found[name].indexes.add(token.text)
        elif before == "*" and index > 1 and body[index - 2].text in (";", "{", "}", ")", "else"):
            _element(use, body, index, index)
        elif _atomic(body, index):
            use.atomic = True
        else:
            use.passed = True
    return found


def _element(use: Use, body: Sequence[Token], index: int, end: int) -> None:
    """Note what is done to the element whose last token is at `end`."""
    at = end + 1
    while at + 1 < len(body) and body[at].text in (".", "["):
        at = closing(body, at) + 1 if body[at].text == "[" else at + 2
    text = body[at].text if at < len(body) else ""
    if _atomic(body, index):
        use.atomic = True
    elif text == "=":
        use.written = True
    elif text in _CHANGES or (index and body[index - 1].text in ("++", "--")):
        use.written = True
        if text in _ADDS or not text:
            use.added = True
        else:
            use.read = True
    else:
        use.read = True


def _atomic(body: Sequence[Token], index: int) -> bool:
    """Whether the name at `index` is in the first argument of an atomic function."""
    at = index - 1
    while at >= 0 and body[at].text in ("&", "*", "+"):
        at -= 1
    return at > 0 and body[at].text == "(" and body[at - 1].text.startswith("atomic")


def shared_arrays(body: Sequence[Token]) -> list[tuple[bool, list[Token]]]:
    """(whether extern, tokens) of each declaration with `__shared__`."""
    made = []
    for index, token in enumerate(body):
        if token.text != "__shared__":
            continue
        end = index
        while end < len(body) and body[end].text != ";":
            end = closing(body, end) if body[end].text in OPENING else end
            end += 1
        dynamic = index > 0 and body[index - 1].text == "extern"
        made.append((dynamic, list(body[index + 1 : end])))
    return made


def dimensions(body: Sequence[Token]) -> int:
    """1, 2 or 3: the axes of grid and block that a body asks for."""
    texts = [token.text for token in body]
    axes = {
        after
        for name, dot, after in zip(texts, texts[1:], texts[2:], strict=False)
        if name in ("threadIdx", "blockIdx") and dot == "."
    }
    return 3 if "z" in axes else 2 if "y" in axes else 1
