"""How the blocks of a grid are handed to the SMs of a GPU: in how many waves, and how full the last is."""

from __future__ import annotations

import html
from math import ceil

from .. import metrics
from .figure import Figure
from .measures import occupancy
from .numbers import TIMES, count, decimal, percent, plural
from .parts import legend, watch
from .sample import Sample

SHOWN = 8
"""Waves that have a bar; of more, the first ones and the last."""


def waves_view(sample: Sample, gpu: metrics.Gpu = metrics.H200, blocks: int | None = None) -> Figure:
    """A bar for each wave: the share of the places for blocks that it takes.

    `blocks`: of the grid (default: the run's own). Computed from the occupancy and the number of SMs; a GPU
    hands out the next block as soon as one ends, so that waves mix where blocks do not take equally long.
    """
    x, y, z = sample.run.grid
    grid = x * y * z if blocks is None else blocks
    try:
        found = occupancy(sample, gpu)
    except ValueError as error:
        return Figure(f"The {sample.name} kernel does not run on the {gpu.name}: {error}", "")
    if found is None:
        return Figure("The registers of this kernel are not known, so neither are its waves.", "")
    if not found.blocks_per_sm:
        return Figure(f"Not even one block of the {sample.name} kernel fits on an SM of the {gpu.name}.", "")
    waves = metrics.waves(gpu, found, grid)
    places = gpu.sms * found.blocks_per_sm
    whole = ceil(waves)
    last = grid - (whole - 1) * places
    sentence = _sentence(gpu, grid, places, whole, last)
    told = watch(
        decimal(waves, 2),
        "waves",
        f"{plural(grid, 'block')} for {count(places)} places",
        f"{percent(grid / (whole * places))} of the places of {plural(whole, 'wave')} are taken",
        label="by formula",
    )
    formula = (
        f"waves = blocks of the grid / (SMs {TIMES} blocks an SM holds) = {count(grid)} / "
        f"({gpu.sms} {TIMES} {found.blocks_per_sm}), if all blocks take equally long."
    )
    bars = "".join(_bar(number, whole, places, last) for number in _numbers(whole))
    key = legend(("held", "places with a block"), ("waste", "places that stay empty"))
    return Figure(
        sentence,
        f'{told}<div class="lk-access"><div class="lk-bars" role="img" aria-label="{html.escape(sentence)}">'
        f'{bars}</div></div>{key}<p class="lk-formula">{html.escape(formula)}</p>',
    )


def _sentence(gpu: metrics.Gpu, grid: int, places: int, whole: int, last: int) -> str:
    begin = f"A grid of {plural(grid, 'block')} on the {gpu.name}, which holds {count(places)} at once"
    if whole == 1 and grid < gpu.sms:
        return f"{begin}: {gpu.sms - grid} of its {gpu.sms} SMs get no block at all."
    if whole == 1:
        return f"{begin}: all run in one wave, which takes {percent(grid / places)} of the places."
    part = percent(last / places)
    return f"{begin}: {whole:,} waves, of which the last has {plural(last, 'block')} and is full to {part}."


def _numbers(whole: int) -> list[int]:
    """The waves that are shown, from 1; 0 stands for those that are left out."""
    return list(range(1, whole + 1)) if whole <= SHOWN else [*range(1, SHOWN - 1), 0, whole]


def _bar(number: int, whole: int, places: int, last: int) -> str:
    if not number:
        left = whole - SHOWN + 1
        return f'<div></div><div class="lk-soft">{plural(left, "more wave")}, as full</div><div></div>'
    taken = last if number == whole else places
    return (
        f'<div>wave {number:,}</div><div class="lk-bar"><i class="held" '
        f'style="width:{100 * taken / places:.3f}%"></i></div><div>{plural(taken, "block")}</div>'
    )
