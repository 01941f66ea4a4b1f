"""Pictures of what real GPUs measured: bars with the library's line, curves over sizes, counts beside counts.

Every picture names the GPU and the date. Where the learner has recordings of their own, these stand beside
the course's.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Literal

from ..kernels.errors import listed
from ..recordings import Recording, Timed
from ..recordings.agreement import Agreement
from .chart import BAD, BLUE, HEAT, SOFT, TEXT, chart
from .figure import Figure
from .numbers import decimal, milliseconds, told_sizes
from .table import aligned

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

Values = Mapping[str, int]
_BARS = ("", "//", "..", "xx")
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
_LINES = ("-", "--", "-.", ":")
_COLOURS = (BLUE, HEAT, TEXT, SOFT, BAD)


@dataclass(frozen=True)
class Quantity:
    """What a curve shows of a time: its axis, and its value, None where a problem has none."""

    axis: str
    unit: str
    scale: float
    attribute: str

    def of(self, timed: Timed) -> float | None:
        value = timed.seconds.median if self.attribute == "seconds" else getattr(timed, self.attribute)
        return None if value is None else value * self.scale


QUANTITIES: dict[str, Quantity] = {
    "time": Quantity("time of a launch", "us", 1e6, "seconds"),
    "flops": Quantity("operations a second", "TFLOP/s", 1e-12, "flops"),
    "bandwidth": Quantity("useful bandwidth", "TB/s", 1e-12, "bytes_per_second"),
}


def ladder(
    recordings: Sequence[Recording],
    kernels: Mapping[str, Sequence[Values]],
    libraries: Sequence[str] = (),
    **sizes: int,
) -> Figure:
    """A bar for the time of each kernel with each of its tunables, at one size; a line for each library.

    kernels: name -> tunables, in the order of the bars. Raises ValueError where no recording has any.
    """
    rows: list[tuple[str, str, Timed]] = []
    lines: list[tuple[str, Timed]] = []
    for recording in recordings:
        for name, choices in kernels.items():
            for tunables in choices:
                if timed := recording.time(name, tunables, **sizes):
                    rows.append((recording.label, _name(name, tunables), timed))
        for library in libraries:
            found = [each for each in _library(recording, library) if each.sizes == sizes]
            lines += [(recording.label, each) for each in found]
    if not rows:
        raise ValueError(f"no recording has a time of {listed(kernels)} at {told_sizes(sizes)}")
    labels = list(dict.fromkeys(label for label, _, _ in rows))
    best = min(rows, key=lambda row: row[2].seconds.median)
    sentence = _ladder_sentence(best, rows, lines, sizes)

    times = [timed.seconds.median * 1e3 for _, _, timed in rows]
    times += [each.seconds.median * 1e3 for _, each in lines]
    limits = min(times) / 1.5, max(times) * 2

    def draw(axes: Axes) -> None:
        looks = dict(zip(labels, cycle(_BARS), strict=False))
        several = len(labels) > 1
        axes.set_xscale("log")
        axes.set_xlim(*limits)
        for place, (label, name, timed) in enumerate(rows):
            time = timed.seconds.median * 1e3
            axes.barh(place, time, color=BLUE, alpha=0.55, hatch=looks[label], height=0.45)
            _beside(axes, f"{time:.3g}", time, place)
            told = f"{name} ({label})" if several else name  # above its bar: names can be long
            start = axes.get_yaxis_transform()
            axes.text(0.005, place - 0.43, told, transform=start, va="center", fontsize=9)
        for place, ((label, each), style) in enumerate(zip(lines, cycle(_LINES[1:]), strict=False), 1):
            time = each.seconds.median * 1e3
            axes.axvline(time, color=HEAT, linestyle=style, linewidth=1.5)
            told = f"{each.name}: {time:.3g}" + (f" ({label})" if several else "")
            right_half = time > (limits[0] * limits[1]) ** 0.5
            _beside(axes, told, time, -0.45 - 0.5 * place, before=right_half)
        axes.set_yticks([])
        axes.grid(False, axis="y")
        axes.set_ylim(len(rows) - 0.65, -0.7 - 0.5 * len(lines))
        _plain(axes.xaxis)
        axes.set_xlabel("time of a launch [ms] (logarithmic)")

    head = ["", "time [ms]", "spread [ms]", "launches", "where"]
    everything = [*((name, label, timed) for label, name, timed in rows)]
    everything += [(timed.name, label, timed) for label, timed in lines]
    texts = [
        [
            name,
            f"{t.seconds.median * 1e3:.3g}",
            f"{t.seconds.spread * 1e3:.2g}",
            str(t.seconds.launches),
            label,
        ]
        for name, label, t in everything
    ]
    picture = chart(draw, sentence, height=0.7 + 0.42 * len(rows) + 0.21 * len(lines))
    return Figure(sentence, _framed(labels, picture), aligned(head, texts, left=(0, 4)))


def _beside(axes: Axes, told: str, x: float, y: float, before: bool = False) -> None:
    """Text behind a point, or before it."""
    axes.annotate(
        told,
        (x, y),
        xytext=(-4 if before else 4, 0),
        textcoords="offset points",
        ha="right" if before else "left",
        va="center",
        fontsize=9,
    )


def _ladder_sentence(
    best: tuple[str, str, Timed],
    rows: Sequence[tuple[str, str, Timed]],
    lines: Sequence[tuple[str, Timed]],
    sizes: Values,
) -> str:
    label, name, timed = best
    there = [row for row in rows if row[0] == label]
    worst = max(there, key=lambda row: row[2].seconds.median)
    told = (
        f"At {told_sizes(sizes)} the fastest of these kernels is {name} with "
        f"{milliseconds(timed.seconds.median)}, the slowest {worst[1]} with "
        f"{milliseconds(worst[2].seconds.median)}"
    )
    if len(there) == 1:
        told = f"At {told_sizes(sizes)} {name} takes {milliseconds(timed.seconds.median)}"
    beside = [(where, each) for where, each in lines if where == label]
    if beside:
        least = min(beside, key=lambda line: line[1].seconds.median)[1]
        ratio = timed.seconds.median / least.seconds.median
        told += f"; {least.name} takes {milliseconds(least.seconds.median)}, "
        told += (
            f"{decimal(ratio)} times less than the fastest"
            if ratio > 1
            else f"{decimal(1 / ratio, 2)} times the fastest"
        )
    return f"{told} ({label})."


@dataclass(frozen=True)
class _Series:
    name: str
    label: str
    points: list[tuple[float, float]]


def over_sizes(
    recordings: Sequence[Recording],
    size: str,
    kernels: Iterable[tuple[str, Values]],
    libraries: Sequence[str] = (),
    quantity: Literal["time", "flops", "bandwidth"] = "time",
    **others: int,
) -> Figure:
    """A curve for each kernel with its tunables, and each library, over one of their sizes; `others` hold the
    other sizes. Raises ValueError where no recording has any."""
    shown = QUANTITIES[quantity]
    series: list[_Series] = []
    for recording in recordings:
        asked = [(_name(name, tunables), recording.times, name, tunables) for name, tunables in kernels]
        asked += [(name, _library(recording, name), name, {}) for name in libraries]
        for told, times, name, tunables in asked:
            points = sorted(_points(times, name, tunables, size, others, shown))
            if points:
                series.append(_Series(told, recording.label, points))
    if not series:
        raise ValueError(f"no recording has times of these kernels over {size}")
    labels = list(dict.fromkeys(each.label for each in series))
    highest = max(series, key=lambda each: max(y for _, y in each.points))
    place, value = max(highest.points, key=lambda point: point[1])
    sentence = (
        f"{shown.axis.capitalize()} over {size}: the highest value is {value:.3g} {shown.unit}, of "
        f"{highest.name} at {size} = {place:,.0f} ({highest.label})."
    )

    def draw(axes: Axes) -> None:
        for each, mark, line, colour in zip(
            series, cycle(_MARKS), cycle(_LINES), cycle(_COLOURS), strict=False
        ):
            told = f"{each.name} ({each.label})" if len(labels) > 1 else each.name
            axes.plot(*zip(*each.points, strict=True), marker=mark, linestyle=line, color=colour, label=told)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        places = sorted({x for each in series for x, _ in each.points})
        axes.set_xticks(places, [_power(int(place)) for place in places])
        axes.minorticks_off()
        _plain(axes.yaxis)
        axes.set_xlabel(size)
        axes.set_ylabel(f"{shown.axis} [{shown.unit}]")
        axes.legend(fontsize=9, loc="center left", bbox_to_anchor=(1.01, 0.5))

    columns = sorted({x for each in series for x, _ in each.points})
    texts = [[each.name, *(_cell(dict(each.points).get(x)) for x in columns), each.label] for each in series]
    head = [f"[{shown.unit}]", *(f"{size} {x:,.0f}" for x in columns), "where"]
    picture = chart(draw, sentence, width=8.6)
    return Figure(sentence, _framed(labels, picture), aligned(head, texts, left=(0, len(head) - 1)))


def latencies(recordings: Sequence[Recording]) -> Figure:
    """The cycles of a hop of a pointer chase over the bytes that it walks through: a plateau for each memory.

    Raises ValueError where no recording has the curve.
    """
    having = [recording for recording in recordings if "latency" in recording.curves]
    if not having:
        raise ValueError("no recording has a curve of latencies")
    curves = {recording.label: recording.curves["latency"] for recording in having}
    told = [f"{_plateaus(curve.points)} ({label})" for label, curve in curves.items()]
    sentence = f"A hop takes {'; '.join(told)}."

    def draw(axes: Axes) -> None:
        for (label, curve), mark, line, colour in zip(
            curves.items(), cycle(_MARKS), cycle(_LINES), cycle(_COLOURS), strict=False
        ):
            axes.plot(
                *zip(*curve.points, strict=True), marker=mark, linestyle=line, color=colour, label=label
            )
            for least, _, value in _flat(curve.points):
                axes.annotate(
                    f"{value:.0f}", (least, value), xytext=(0, 7), textcoords="offset points", fontsize=9
                )
        axes.set_xscale("log", base=2)
        ticks = [1 << exponent for exponent in range(12, 31, 3)]
        axes.set_xticks(ticks, [_bytes(tick) for tick in ticks])
        axes.set_ylim(bottom=0)
        axes.set_xlabel("memory that the chase walks through")
        axes.set_ylabel("cycles a hop")
        if len(curves) > 1:
            axes.legend(fontsize=9)

    rows = [[_bytes(int(x)), f"{y:.1f}", label] for label, curve in curves.items() for x, y in curve.points]
    text = aligned(["memory", "cycles a hop", "where"], rows, left=(2,))
    return Figure(sentence, _framed(list(curves), chart(draw, sentence)), text)


def recorded_against_counted(agreement: Agreement) -> Figure:
    """A point for each number of each launch: what the GPU counted across, what the simulator counted up."""
    numbers = [
        number
        for number in agreement.numbers
        if number.line is None and number.counted is not None and not number.metric.startswith("launch__")
    ]
    exact = [number for number in numbers if number.agrees]
    others = [number for number in numbers if not number.agrees]
    label = agreement.recording.label
    sentence = (
        f"Of {len(numbers):,} counts of memory traffic in {len(agreement.recording.counted)} launches the "
        f"simulator has {len(exact):,} exactly as they were {label}; {len(others)} differ, by at most "
        f"{100 * max((number.off for number in others), default=0):.0f} %."
    )

    def draw(axes: Axes) -> None:
        for some, mark, colour, told in ((exact, ".", BLUE, "exact"), (others, "x", BAD, "different")):
            across = [max(number.least, 0.5) for number in some]
            up = [max(number.counted or 0, 0.5) for number in some]
            axes.scatter(across, up, marker=mark, color=colour, label=f"{told}: {len(some):,}", alpha=0.8)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("counted by Nsight Compute")
        axes.set_ylabel("counted by the simulator")
        axes.legend(loc="upper left")

    return Figure(sentence, _framed([label], chart(draw, sentence, width=5.6, height=4.4)))


def _plain(axis: Axis) -> None:
    """Numbers and no powers of ten on a logarithmic axis."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _points(
    times: Iterable[Timed], name: str, tunables: Values, size: str, others: Values, quantity: Quantity
) -> Iterable[tuple[float, float]]:
    for timed in times:
        value = quantity.of(timed)
        rest = {key: each for key, each in timed.sizes.items() if key != size}
        if (
            timed.name == name
            and timed.tunables == dict(tunables)
            and rest == dict(others)
            and value is not None
        ):
            yield float(timed.sizes[size]), value


def _library(recording: Recording, name: str) -> list[Timed]:
    return [each for times in recording.libraries.values() for each in times if each.name == name]


def _flat(points: Sequence[tuple[float, float]]) -> list[tuple[float, float, float]]:
    """The plateaus: (first x, last x, y), where three points or more in a row stay within 3 %."""
    found = []
    start = 0
    for end in range(1, len(points) + 1):
        if end == len(points) or abs(points[end][1] - points[start][1]) > 0.03 * points[start][1]:
            if end - start >= 3:
                found.append((points[start][0], points[end - 1][0], points[start][1]))
            start = end
    return found


def _plateaus(points: Sequence[tuple[float, float]]) -> str:
    flat = _flat(points)
    parts = [f"{value:.0f} cycles up to {_bytes(int(last))}" for _, last, value in flat[:-1]]
    if flat:
        first, _, value = flat[-1]
        parts.append(f"{value:.0f} from {_bytes(int(first))} on")
    return ", ".join(parts) or "a different number of cycles at each size"


def _name(kernel: str, tunables: Values) -> str:
    settings = ", ".join(f"{name} {value}" for name, value in tunables.items())
    short = kernel.split("/")[-1]
    return f"{short}, {settings}" if settings else short


def _power(count: int) -> str:
    """1,024 or 64 Ki or 64 Mi."""
    for power, unit in ((20, "Mi"), (10, "Ki")):
        if count >= 1 << max(power, 14) and count % (1 << power) == 0:
            return f"{count >> power} {unit}"
    return f"{count:,}"


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def _bytes(count: int) -> str:
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 1 << power:
            return f"{count / (1 << power):g} {unit}"
    return f"{count} bytes"


def _framed(labels: Sequence[str], picture: str) -> str:
    """A picture under the names of the recordings that it shows."""
    return f'<p class="lk-unit">{html.escape("; ".join(labels))}</p><div class="lk-scroll">{picture}</div>'
