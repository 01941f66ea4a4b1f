"""One control over its values and one measure against it, as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

from .figure import Figure
from .measures import MEASURES, Measure
from .numbers import DASH, decimal, plural
from .parts import legend
from .sample import Sample
from .svg import Svg
from .sweep import sweep_table

_WIDTH, _HEIGHT = 640, 296
_LEFT, _RIGHT, _TOP, _BOTTOM = 74, 10, 38, 44
_DIGIT = 7.5  # width of one below a bar
_ALL_NAMED = 16  # of more values than these only as many are named as have room
_INK, _LINE = "var(--lk-text)", "var(--lk-line)"
_FILLS = ("var(--lk-tint)", "url(#lk-hatch)")

Samples = Mapping[object, tuple[Sample, Sample | None]]


def sweep_bars(
    control: str, samples: Samples, measure: str = "sectors", values: Sequence[object] = (), where: str = ""
) -> Figure:
    """A bar for each value of `control`, and a hatched one beside it for the baseline; below, the table.

    `values`: all that there are to be, where `samples` has not all of them (yet). `measure`: a key of
    MEASURES. `where`: what else was chosen, such as "tiled, N 96".
    """
    wanted = list(values) or list(samples)
    if not samples:
        return Figure(f"Of {plural(len(wanted), 'value')} of {control} none was run.", "")
    kind = MEASURES[measure]
    sentence = _sentence(control, samples, kind, wanted, where)
    names = _names(samples)
    key = legend(*zip(("on", "waste"), names, strict=False)) if len(names) > 1 else ""
    region = 'class="lk-scroll lk-sweep" tabindex="0" role="region" aria-label="bars of the sweep"'
    table = sweep_table(control, samples, (measure,))
    picture = _picture(control, samples, kind, wanted, sentence)
    return Figure(
        sentence,
        f'{key}<div class="lk-beside"><div {region}>{picture}</div><div>{table.html}</div></div>',
        table.text,
    )


def _names(samples: Samples) -> list[str]:
    first, baseline = next(iter(samples.values()))
    compared = baseline is not None and baseline.name != first.name
    return [first.name, baseline.name] if compared and baseline else [first.name]


def _sentence(control: str, samples: Samples, kind: Measure, wanted: Sequence[object], where: str) -> str:
    known = {value: kind.value(sample) for value, (sample, _) in samples.items()}
    numbers = {value: number for value, number in known.items() if number is not None}
    head = f"{where}: " if where else ""
    level = f" ({kind.note})" if kind.note else ""
    if not numbers:
        told = f"{head}no number of {kind.label} is known."
    else:
        least, most = min(numbers, key=numbers.__getitem__), max(numbers, key=numbers.__getitem__)
        name = _names(samples)[0]
        if numbers[least] == numbers[most]:
            span = f"{kind.written(numbers[least])} for every {control}"
        else:
            span = (
                f"least at {control} {least} ({kind.written(numbers[least])}) and most at {control} {most} "
                f"({kind.written(numbers[most])})"
            )
        told = f"{head}{kind.label}{level} of {name}: {span}."
    if len(samples) < len(wanted):
        told += f" Only {len(samples)} of {plural(len(wanted), 'value')} were run."
    return told


def _picture(control: str, samples: Samples, kind: Measure, wanted: Sequence[object], sentence: str) -> Svg:
    series = _names(samples)
    numbers = {
        value: [kind.value(sample) for sample in pair[: len(series)] if sample is not None]
        for value, pair in samples.items()
    }
    most = max((number for pair in numbers.values() for number in pair if number), default=1)
    step = _step(most)
    top = step * -(-most // step)
    picture = Svg(_WIDTH, _HEIGHT, sentence)
    picture.patterns()
    base, height = _HEIGHT - _BOTTOM, _HEIGHT - _TOP - _BOTTOM

    def y(number: float) -> float:
        return base - number / top * height

    unit = kind.unit if kind.unit == "%" else f"{kind.unit}{'s' if not kind.unit.endswith('s') else ''}"
    picture.text(_LEFT, 14, f"{kind.label} [{unit}]", size=11.5)
    for tick in range(round(top / step) + 1):
        picture.line(_LEFT, y(tick * step), _WIDTH - _RIGHT, y(tick * step), line=_LINE, thickness=0.5)
        picture.text(
            _LEFT - 6, y(tick * step) + 4, _short(kind, tick * step), size=11, anchor="end", soft=True
        )
    slot = (_WIDTH - _LEFT - _RIGHT) / len(wanted)
    bar = min(0.8 * slot / len(series), 56)
    every = ceil((_DIGIT * max(len(str(value)) for value in wanted) + 5) / slot)
    for place, value in enumerate(wanted):
        middle = _LEFT + (place + 0.5) * slot
        if place % every == 0 or len(wanted) <= _ALL_NAMED:
            picture.text(middle, base + 16, str(value), size=11.5, anchor="middle", bold=value in samples)
        for number, amount in enumerate(numbers.get(value, [])):
            x = middle + (number - len(series) / 2) * bar
            if amount is None:
                picture.text(x + bar / 2, base - 4, DASH, size=11, anchor="middle")
                continue
            tall = max(base - y(amount), 0.75)
            fill = _FILLS[number]
            picture.rectangle(x + 1, base - tall, bar - 2, tall, fill=fill, line=_INK, thickness=1)
            if bar >= 24 or (len(series) == 1 and bar >= 18):
                shown = _short(kind, amount)
                picture.text(x + bar / 2, base - tall - 4, shown, size=10.5, anchor="middle")
    picture.line(_LEFT, base, _WIDTH - _RIGHT, base, line=_INK, thickness=1)
    picture.text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 8, control, size=11.5, anchor="middle", bold=True)
    return picture


def _step(most: float) -> float:
    """A round distance of ticks, three to six of them up to `most`."""
    power = 10.0 ** floor(log10(most))
    for part in (0.2, 0.5, 1, 2):
        if most / (part * power) <= 6:
            return part * power
    return 2 * power


def _short(kind: Measure, value: float) -> str:
    """As the table has it, or 12.3 k, 4.5 M where that is long."""
    for scale, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= scale:
            number = decimal(value / (1e3 if letter == "k" else scale))
            return f"{number.removesuffix('.0')} {letter}"
    written = kind.written(value)
    return written if float(value) != 0 else "0"
