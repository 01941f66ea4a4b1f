"""How much arithmetic a kernel does for each byte, held against what a GPU can do at most."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log2, log10
from typing import Literal

from .. import metrics
from ..metrics import ratios
from ..metrics.operations import fp32_operations
from .figure import Figure
from .numbers import DASH, count, decimal
from .parts import watch
from .sample import COUNTED, Sample
from .svg import Svg
from .table import aligned

Kind = Literal["counted", "measured", "recorded"]

_WIDTH, _HEIGHT = 640, 330
_LEFT, _RIGHT, _TOP, _BOTTOM = 92, 18, 22, 46
_INK, _LINE, _HEAT = "var(--lk-text)", "var(--lk-line)", "var(--lk-tint)"
_SHAPES = {"counted": "diamond", "measured": "disc", "recorded": "square"}


@dataclass(frozen=True)
class Point:
    """One kernel in a roofline.

    operations: FP32 operations. bytes: that its warps ask for of global memory. least: bytes if each element
    were moved once (None: not known). seconds: how long it took; None where it was only counted. source:
    where a time comes from, such as a GPU and a date.
    """

    name: str
    operations: int
    bytes: int
    least: int | None = None
    seconds: float | None = None
    kind: Kind = "counted"
    source: str = ""

    @classmethod
    def counted(cls, sample: Sample, least: int | None = None) -> Point:
        """What a simulated run did: operations at PTX level, bytes of the sectors of loads and stores."""
        moved = [ratios.global_bytes(sample.run.metrics, op) or 0 for op in ("ld", "st")]
        return cls(sample.name, fp32_operations(sample.run.by_opcode), sum(moved), least)

    @property
    def intensity(self) -> float:
        """FP32 operations for each byte asked for."""
        return self.operations / self.bytes

    @property
    def most(self) -> float | None:
        """FP32 operations for each byte if each element were moved once."""
        return self.operations / self.least if self.least else None

    @property
    def provenance(self) -> str:
        """The kind, and where a time comes from."""
        return f"{self.kind}, {self.source}" if self.source else self.kind

    @property
    def rate(self) -> float | None:
        """FP32 operations a second."""
        return None if self.seconds is None else self.operations / self.seconds


def ceiling(gpu: metrics.Gpu, intensity: float) -> float:
    """FP32 operations a second that a GPU reaches at most with so many for each byte from its memory."""
    return min(gpu.fp32_flops, intensity * gpu.dram_bytes_per_second)


def roofline(points: Sequence[Point], gpu: metrics.Gpu = metrics.H200) -> Figure:
    """The ceilings of a GPU, and each point below them.

    A counted point has no time, so it stands on the roof: what it cannot exceed if all that its warps ask for
    comes from memory. Caches may serve a part, so a thin line leads on to where it would stand if each
    element were moved once. Measured and recorded points stand at the rate that they reached.
    """
    shown = [point for point in points if point.operations and point.bytes]
    if not shown:
        names = " and ".join(point.name for point in points)
        return Figure(f"There is no FP32 arithmetic in {names}, so no place in a roofline.", "")
    sentence = _sentence(shown[0], gpu)
    axes = _Axes(shown, gpu)
    told = watch(
        _number(shown[0].intensity), "FP32 operations a byte", f"of {shown[0].name}", label=_label(shown[0])
    )
    formula = (
        f"ceiling = the lesser of {_rate(gpu.fp32_flops)} (2 x {gpu.sm.fp32_lanes} lanes x {gpu.sms} SMs x "
        f"{gpu.boost_hz / 1e6:,.0f} MHz) and operations a byte x {_bandwidth(gpu)}. Operations: PTX-level; "
        "add, sub and mul count 1, fma counts 2. Bytes: 32 x sectors of global loads and stores, however "
        "many of them a cache serves; the dotted line ends where a kernel would stand if each byte were "
        "moved once."
    )
    region = 'class="lk-scroll lk-roofline" tabindex="0" role="region" aria-label="roofline"'
    return Figure(
        sentence,
        f"{told}<div {region}>{_picture(shown, gpu, axes, sentence)}</div>{_table(shown, gpu)}"
        f'<p class="lk-formula">{html.escape(formula)}</p>',
        _text(shown, gpu),
    )


def _label(point: Point) -> str:
    return COUNTED if point.kind == "counted" else point.kind


def _sentence(point: Point, gpu: metrics.Gpu) -> str:
    ridge = gpu.fp32_flops / gpu.dram_bytes_per_second
    bound = "memory" if point.intensity < ridge else "arithmetic"
    told = (
        f"The {point.name} kernel does {_number(point.intensity)} FP32 operations for each byte that its "
        f"warps ask for. If all of these bytes came from the memory of the {gpu.name}, {bound} would limit "
        f"it to {_rate(ceiling(gpu, point.intensity))}"
    )
    if point.most is not None:
        told += f"; with each element moved once the limit would be {_rate(ceiling(gpu, point.most))}"
    if point.rate is not None:
        told += (
            f". It reached {_rate(point.rate)} ({point.kind}{f', {point.source}' if point.source else ''})"
        )
    return f"{told}."


class _Axes:
    """Logarithmic axes that hold a GPU's ceilings and all points, from powers of 4 and of 10."""

    def __init__(self, points: Sequence[Point], gpu: metrics.Gpu) -> None:
        across = [0.25, 256.0, *(point.intensity for point in points), *(p.most for p in points if p.most)]
        # Even powers of two, so that a tick is four times the one before it.
        self.first = 2 * floor(log2(min(across)) / 2)
        self.last = 2 * ceil(log2(max(across)) / 2)
        down = [ceiling(gpu, 2.0**self.first), gpu.fp32_flops, *(p.rate for p in points if p.rate)]
        self.lowest, self.highest = floor(log10(min(down))), ceil(log10(max(down) * 1.2))

    def x(self, intensity: float) -> float:
        part = (log2(intensity) - self.first) / (self.last - self.first)
        return _LEFT + part * (_WIDTH - _LEFT - _RIGHT)

    def y(self, rate: float) -> float:
        part = (log10(rate) - self.lowest) / (self.highest - self.lowest)
        return _HEIGHT - _BOTTOM - part * (_HEIGHT - _TOP - _BOTTOM)


def _picture(points: Sequence[Point], gpu: metrics.Gpu, axes: _Axes, sentence: str) -> Svg:
    picture = Svg(_WIDTH, _HEIGHT, sentence)
    bottom = _HEIGHT - _BOTTOM
    for power in range(axes.first, axes.last + 1, 2):
        x = axes.x(2.0**power)
        picture.line(x, _TOP, x, bottom, line=_LINE, thickness=0.5)
        tick = f"1/{2**-power}" if power < 0 else count(2**power)
        picture.text(x, bottom + 15, tick, size=11, anchor="middle", soft=True)
    for power in range(axes.lowest, axes.highest + 1):
        y = axes.y(10.0**power)
        picture.line(_LEFT, y, _WIDTH - _RIGHT, y, line=_LINE, thickness=0.5)
        picture.text(_LEFT - 6, y + 4, _rate(10.0**power), size=11, anchor="end", soft=True)
    picture.text(
        (_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 8, "FP32 operations a byte", size=11.5, anchor="middle"
    )
    ridge = gpu.fp32_flops / gpu.dram_bytes_per_second
    left, right = 2.0**axes.first, 2.0**axes.last
    corner = (axes.x(ridge), axes.y(gpu.fp32_flops))
    picture.line(axes.x(left), axes.y(ceiling(gpu, left)), *corner, line=_INK, thickness=2)
    picture.line(*corner, axes.x(right), corner[1], line=_INK, thickness=2)
    picture.text(_WIDTH - _RIGHT, corner[1] - 7, f"FP32: {_rate(gpu.fp32_flops)}", size=11, anchor="end")
    picture.text(_LEFT + 6, _TOP - 8, f"{gpu.name}, memory: {_bandwidth(gpu)}", size=11)
    for letter, point in zip(_letters(points), points, strict=True):
        _draw(picture, axes, gpu, letter, point)
    return picture


def _draw(picture: Svg, axes: _Axes, gpu: metrics.Gpu, letter: str, point: Point) -> None:
    x = axes.x(point.intensity)
    y = axes.y(point.rate or ceiling(gpu, point.intensity))
    if point.rate is None:
        picture.line(x, y, x, _HEIGHT - _BOTTOM, line=_INK, thickness=1, dashes="3 3")
        if point.most is not None:
            to = axes.x(point.most)
            picture.line(x, y, to, y, line=_INK, thickness=1.2, dashes="1 3")
            picture.line(to, y - 5, to, y + 5, line=_INK, thickness=1.5)
    picture.mark(_SHAPES[point.kind], x, y, 6, fill=_HEAT, line=_INK)
    picture.text(x - 9, y - 8, letter, size=12, anchor="end", bold=True)


# Numbers


def _letters(points: Sequence[Point]) -> list[str]:
    return [chr(ord("a") + number) for number in range(len(points))]


_HEAD = (
    "",
    "kernel",
    "kind",
    "operations a byte",
    "if each byte moved once",
    "ceiling without caches",
    "reached",
)


def _rows(points: Sequence[Point], gpu: metrics.Gpu) -> list[list[str]]:
    return [
        [
            letter,
            point.name,
            point.provenance,
            _number(point.intensity),
            DASH if point.most is None else _number(point.most),
            _rate(ceiling(gpu, point.intensity)),
            DASH if point.rate is None else _rate(point.rate),
        ]
        for letter, point in zip(_letters(points), points, strict=True)
    ]


def _text(points: Sequence[Point], gpu: metrics.Gpu) -> str:
    return f"{gpu.name}\n{aligned(_HEAD, _rows(points, gpu), left=(0, 1, 2))}"


def _table(points: Sequence[Point], gpu: metrics.Gpu) -> str:
    head = "".join(f'<th scope="col">{cell}</th>' for cell in ("mark", *_HEAD[1:]))
    body = ""
    for point, row in zip(points, _rows(points, gpu), strict=True):
        mark = Svg(14, 14, point.kind)
        mark.mark(_SHAPES[point.kind], 7, 7, 5.5, fill=_HEAT, line=_INK)
        cells = "".join(f"<td>{html.escape(cell)}</td>" for cell in row[1:])
        body += f'<tr><th scope="row"><span class="lk-inline">{mark} {row[0]}</span></th>{cells}</tr>'
    return (
        '<div class="lk-scroll" tabindex="0" role="region" aria-label="points of the roofline">'
        f'<table class="lk-table lk-points"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _number(value: float) -> str:
    """Three digits that count."""
    places = max(2 - floor(log10(value)), 0) if value > 0 else 0
    return decimal(value, min(places, 4))


def _rate(value: float) -> str:
    """66.9 TFLOP/s."""
    for scale, unit in ((1e12, "TFLOP/s"), (1e9, "GFLOP/s"), (1e6, "MFLOP/s")):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value:.3g} FLOP/s"


def _bandwidth(gpu: metrics.Gpu) -> str:
    return f"{gpu.dram_bytes_per_second / 1e12:.3g} TB/s"
