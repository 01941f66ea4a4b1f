"""One control over several values: a row for each, any measures as columns."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from .measures import MEASURES, quotient, quotient_head
from .sample import COUNTED, Sample
from .table import Table

_HEAD_WIDTH = 18


def sweep_table(
    control: str,
    samples: Mapping[object, tuple[Sample, Sample | None]],
    measures: Sequence[str] = ("sectors", "bytes_per_operation"),
    label: str = COUNTED,
) -> Table:
    """A row for each value of `control`: the measures of its sample and of the baseline's, and their
    quotient.

    A baseline may be None, for all values. `measures` are keys of MEASURES.
    """
    first, other = next(iter(samples.values()))
    compared = other is not None and other.name != first.name
    head = [control]
    for key in measures:
        measure = MEASURES[key]
        names = [first.name, other.name] if compared and other else [first.name]
        title = textwrap.fill(f"{measure.label} {measure.note}".strip(), _HEAD_WIDTH)
        head += [f"{title}\n{name}" for name in names]
        if compared and measure.compared:
            head.append(quotient_head(names))
    rows = [
        _row(value, chosen, baseline, measures, compared) for value, (chosen, baseline) in samples.items()
    ]
    return Table(label, tuple(head), tuple(rows))


def _row(
    value: object, chosen: Sample, baseline: Sample | None, measures: Sequence[str], compared: bool
) -> tuple[str, ...]:
    cells = [str(value)]
    for key in measures:
        measure = MEASURES[key]
        cells.append(measure.of(chosen))
        if not compared or baseline is None:
            continue
        cells.append(measure.of(baseline))
        if measure.compared:
            cells.append(quotient(measure, chosen, baseline))
    return tuple(cells)
