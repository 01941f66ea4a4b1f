"""Work on streams over time: a row for each stream, a bar for each step of each piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10

from ..recordings import Piece
from .figure import Figure
from .numbers import decimal, plural
from .parts import legend
from .svg import Svg

_WIDTH, _LEFT, _RIGHT, _TOP = 820, 150, 14, 8
_ROW, _BAR, _GAP, _AXIS = 34, 26, 14, 40
_DIGIT = 8.0  # width of one in a bar
_INK, _LINE = "var(--lk-text)", "var(--lk-line)"
_FILLS = {"copy in": "url(#lk-hatch)", "kernel": "var(--lk-tint)", "copy out": "url(#lk-dots)"}
_MARKS = {"copy in": "waste", "kernel": "on", "copy out": "dots"}


@dataclass(frozen=True)
class Scale:
    """What one unit of the axis is: `factor` of them are 1 in the pieces' own unit."""

    unit: str
    factor: float = 1.0
    places: int = 0

    def told(self, value: float) -> str:
        """The number, without its unit."""
        return decimal(value * self.factor, self.places)


STEPS = Scale("steps")
MILLISECONDS = Scale("ms", 1e3, 2)


def timeline(pieces: Sequence[Piece], scale: Scale, where: str) -> Figure:
    """Each case's streams as rows of bars on one axis. `where`: recorded on what, or computed by which rule.

    Raises ValueError without pieces.
    """
    if not pieces:
        raise ValueError("a timeline needs at least one piece")
    cases = _cases(pieces)
    sentence = _sentence(cases, scale, where)
    region = 'class="lk-scroll" tabindex="0" role="region" aria-label="streams over time"'
    key = legend(*((_MARKS[what], what) for what in _FILLS))
    picture = f'<div class="lk-timeline"><div {region}>{_picture(cases, scale, sentence)}</div>{key}</div>'
    return Figure(sentence, picture, _text(cases, scale))


def _cases(pieces: Sequence[Piece]) -> dict[str, list[Piece]]:
    found: dict[str, list[Piece]] = {}
    for piece in pieces:
        found.setdefault(piece.case, []).append(piece)
    return found


def _end(pieces: Sequence[Piece]) -> float:
    return max(piece.end for piece in pieces)


def _sentence(cases: Mapping[str, Sequence[Piece]], scale: Scale, where: str) -> str:
    (first, *_), *_ = cases.items()
    number = len({piece.piece for piece in cases[first]})
    verb = "takes" if number == 1 else "take"
    told = [f"{scale.told(_end(pieces))} {scale.unit} through {case}" for case, pieces in cases.items()]
    listed = told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"
    return f"{plural(number, 'piece')}, each copied in, worked on and copied out, {verb} {listed} ({where})."


def _picture(cases: Mapping[str, Sequence[Piece]], scale: Scale, sentence: str) -> Svg:
    most = max(map(_end, cases.values()))
    rows = sum(len({piece.stream for piece in pieces}) for pieces in cases.values())
    height = _TOP + rows * _ROW + (len(cases) - 1) * _GAP + _AXIS
    picture = Svg(_WIDTH, height, sentence)
    picture.patterns()
    base = height - _AXIS

    def x(time: float) -> float:
        return _LEFT + time / most * (_WIDTH - _LEFT - _RIGHT)

    step = _step(most * scale.factor)
    for tick in range(floor(most * scale.factor / step + 1e-9) + 1):
        at = x(tick * step / scale.factor)
        picture.line(at, _TOP, at, base, line=_LINE, thickness=0.5)
        picture.text(at, base + 15, f"{tick * step:g}", size=11, anchor="middle", soft=True)
    picture.text(
        (_LEFT + _WIDTH - _RIGHT) / 2, height - 8, f"time [{scale.unit}]", size=11.5, anchor="middle"
    )

    y = _TOP
    for case, pieces in cases.items():
        streams = sorted({piece.stream for piece in pieces})
        for stream in streams:
            name = f"{case}: stream {stream}" if len(streams) > 1 else case
            picture.text(0, y + _BAR / 2 + 4, name, size=11.5)
            for piece in pieces:
                if piece.stream == stream:
                    _bar(picture, piece, (x(piece.start), y, x(piece.end)), scale)
            y += _ROW
        y += _GAP
    return picture


def _bar(picture: Svg, piece: Piece, place: tuple[float, float, float], scale: Scale) -> None:
    left, top, right = place
    width = max(right - left, 1)
    picture.open(
        f"{piece.what} of piece {piece.piece}, stream {piece.stream}: {scale.told(piece.start)} to "
        f"{scale.told(piece.end)} {scale.unit}"
    )
    picture.rectangle(left, top, width, _BAR, fill="var(--lk-paper)")
    picture.rectangle(left, top, width, _BAR, fill=_FILLS[piece.what], line=_INK)
    number = str(piece.piece)
    if width > _DIGIT * len(number) + 8:
        middle, wide = left + width / 2, _DIGIT * len(number) + 4
        picture.rectangle(middle - wide / 2, top + 5, wide, _BAR - 10, fill="var(--lk-paper)")
        picture.text(middle, top + _BAR / 2 + 4, number, size=11.5, anchor="middle", bold=True)
    picture.close()


def _step(most: float) -> float:
    """A round distance of ticks, at most twelve of them up to `most`."""
    power = 10.0 ** floor(log10(most))
    for part in (0.1, 0.2, 0.5, 1):
        if most / (part * power) <= 12:
            return part * power
    return power


def _text(cases: Mapping[str, Sequence[Piece]], scale: Scale) -> str:
    lines = [f"time in {scale.unit}"]
    for case, pieces in cases.items():
        for stream in sorted({piece.stream for piece in pieces}):
            lines.append(f"{case}, stream {stream}")
            for number in dict.fromkeys(piece.piece for piece in pieces if piece.stream == stream):
                steps = (
                    f"{piece.what} {scale.told(piece.start)} to {scale.told(piece.end)}"
                    for piece in pieces
                    if (piece.stream, piece.piece) == (stream, number)
                )
                lines.append(f"  piece {number}: {', '.join(steps)}")
    return "\n".join(lines)
