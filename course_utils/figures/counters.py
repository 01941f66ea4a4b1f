"""The counters of one kernel beside those of another."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from ..kernels.errors import listed
from .figure import Figure
from .measures import MEASURES, Measure, occupancy, quotient, quotient_head
from .numbers import decimal
from .sample import COUNTED, Sample
from .table import aligned

SHOWN = (
    "sectors",
    "sectors_per_request",
    "bytes_per_operation",
    "wavefronts",
    "conflicts",
    "registers",
    "occupancy",
)


def counters_table(
    chosen: Sample, baseline: Sample | None = None, measures: Sequence[str] = SHOWN, label: str = COUNTED
) -> Figure:
    """A table of `measures` (keys of MEASURES): a column for each sample, and the baseline's by the chosen
    one's.

    Every row names its unit and the metrics it is made of, and says where they are counted at PTX level.
    `label` says where the numbers come from.
    """
    shown = [MEASURES[key] for key in measures]
    samples = [chosen] if baseline is None else [chosen, baseline]
    limit = "occupancy" in measures
    sentence = _sentence(chosen, baseline, limit=limit) if "sectors" in measures else _told(shown[0], samples)
    return Figure(sentence, _html(shown, samples, label), _text(shown, samples, label))


def _head(samples: Sequence[Sample]) -> list[str]:
    names = [sample.name for sample in samples]
    return names if len(names) < 2 else [*names, quotient_head(names)]


def _values(measure: Measure, samples: Sequence[Sample]) -> list[str]:
    values = [measure.of(sample) for sample in samples]
    return values if len(samples) < 2 else [*values, quotient(measure, *samples)]


def _text(measures: Sequence[Measure], samples: Sequence[Sample], label: str) -> str:
    """Two lines or more for each measure: its values, and below its label what it is made of."""
    rows = []
    for measure in measures:
        note = f", {measure.note}" if measure.note else ""
        rows.append([f"{measure.label} [{measure.unit}{note}]", *_values(measure, samples)])
        rows += [["    " + part, *[""] * len(rows[-1][1:])] for part in _wrapped(measure.source)]
    return aligned([label, *_head(samples)], rows)


def _wrapped(source: str) -> list[str]:
    """A formula over metric names, a line for each operand."""
    return re.sub(r" ([+/]) ", r"\n\1 ", source).split("\n")


def _html(measures: Sequence[Measure], samples: Sequence[Sample], label: str) -> str:
    names = (html.escape(name).replace("_", "_<wbr>") for name in _head(samples))
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    rows = "".join(_row(measure, samples) for measure in measures)
    return (
        '<table class="lk-table lk-counters"><thead><tr>'
        f'<th scope="col" class="lk-label">{html.escape(label)}</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _row(measure: Measure, samples: Sequence[Sample]) -> str:
    note = f' <span class="lk-level">{measure.note}</span>' if measure.note else ""
    unit = "" if measure.unit == "%" else f' <span class="lk-unit">[{measure.unit}]</span>'
    columns = ("chosen", "baseline", "quotient")
    cells = "".join(
        f'<td data-measure="{measure.key}" data-column="{column}">{html.escape(value)}</td>'
        for column, value in zip(columns, _values(measure, samples), strict=False)
    )
    parts = (re.sub("(__|_(?=mem_))", r"\1<wbr>", part) for part in _wrapped(measure.source))
    source = "<br>".join(parts)
    return (
        f'<tr><th scope="row">{html.escape(measure.label)}{unit}{note}'
        f'<div class="lk-metric">{source}</div></th>{cells}</tr>'
    )


def _told(measure: Measure, samples: Sequence[Sample]) -> str:
    """The first measure in words, where global sectors are none of them."""
    values = [f"{measure.of(sample)} in the {sample.name} kernel" for sample in samples]
    return f"{measure.label[:1].upper()}{measure.label[1:]}: {', '.join(dict.fromkeys(values))}."


def _sentence(chosen: Sample, baseline: Sample | None, *, limit: bool) -> str:
    """`limit`: with what limits the occupancy."""
    sectors = MEASURES["sectors"]
    ours = sectors.value(chosen)
    found = occupancy(chosen) if limit else None
    rest = f" Its occupancy is limited by {listed(found.limited_by)}." if found else ""
    if baseline is None or baseline.name == chosen.name:
        return f"The {chosen.name} kernel loads {sectors.of(chosen)} sectors from global memory.{rest}"
    theirs = sectors.value(baseline)
    told = f"The {chosen.name} kernel loads {sectors.of(chosen)} sectors from global memory,"
    if not ours or not theirs:
        compared = sectors.of(baseline)
    elif ours == theirs:
        compared = "as many"
    elif theirs > ours:
        compared = f"{decimal(theirs / ours)} times as many"
    else:
        compared = f"{decimal(ours / theirs)} times fewer"
    return f"{told} the {baseline.name} kernel {compared}.{rest}"
