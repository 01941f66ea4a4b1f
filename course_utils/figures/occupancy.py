"""How many blocks of a kernel fit on one SM of a GPU, and which resource says so."""

from __future__ import annotations

import html
from dataclasses import dataclass

from .. import metrics
from ..kernels.errors import listed
from .figure import Figure
from .measures import occupancy
from .numbers import TIMES, count, percent, plural
from .parts import legend, watch
from .sample import Sample

COMPILED_FOR = "9.0"
"""The compute capability for which kernels are compiled to be counted."""


@dataclass(frozen=True)
class _Resource:
    """What an SM `has` of something, what a block `takes` of it, and how many blocks that `fits` (None: any
    number). Without a `unit`: bytes."""

    name: str
    unit: str
    has: int
    takes: int
    fits: int | None


def occupancy_view(sample: Sample, gpu: metrics.Gpu = metrics.H200) -> Figure:
    """A bar for each resource of an SM: what the blocks that it holds take of it, and what is left.

    Computed by the formula of NVIDIA's occupancy calculator from the launch and from the registers and the
    shared memory of the machine code.
    """
    try:
        found = occupancy(sample, gpu)
    except ValueError as error:
        return Figure(f"The {sample.name} kernel does not run on the {gpu.name}: {error}", "")
    if found is None:
        return Figure("The registers of this kernel are not known, so neither is its occupancy.", "")
    sentence = _sentence(sample, gpu, found)
    bars = "".join(_bar(each, found) for each in _resources(gpu, found))
    held = found.blocks_per_sm
    told = watch(
        percent(found.fraction),
        "occupancy",
        f"{count(found.warps_per_sm)} of {plural(found.max_warps, 'warp')} in {plural(held, 'block')}",
        label="by formula",
    )
    formula = (
        f"occupancy = blocks an SM holds {TIMES} warps a block / warps an SM has places for = "
        f"{held} {TIMES} {found.warps_per_block} / {found.max_warps}. The blocks are those that the scarcest "
        f"resource allows, with {_bytes(found.carveout_bytes)} of the SM set apart as shared memory."
    )
    if gpu.compute_capability != COMPILED_FOR:
        formula += (
            f" Registers and shared memory are those of code for compute capability {COMPILED_FOR}; code for "
            f"{gpu.compute_capability} may take others."
        )
    key = legend(
        ("held", "taken by a block that the SM holds"),
        ("room", "would do for more blocks"),
        ("waste", "too little for another block"),
    )
    return Figure(
        sentence,
        f'{told}<div class="lk-access"><div class="lk-bars" role="img" aria-label="{html.escape(sentence)}">'
        f'{bars}</div></div>{key}<p class="lk-formula">{html.escape(formula)}</p>',
    )


def _resources(gpu: metrics.Gpu, found: metrics.Occupancy) -> list[_Resource]:
    sm = gpu.sm
    return [
        _Resource("registers", "registers", sm.registers, found.registers_per_block, found.registers),
        _Resource("warps", "places for warps", sm.max_warps, found.warps_per_block, found.warps),
        _Resource("blocks", "places for blocks", sm.max_blocks, 1, found.blocks),
        _Resource(
            "shared memory", "", found.carveout_bytes, found.shared_bytes_per_block, found.shared_memory
        ),
    ]


def _sentence(sample: Sample, gpu: metrics.Gpu, found: metrics.Occupancy) -> str:
    held = found.blocks_per_sm
    if not held:
        return (
            f"On the {gpu.name} not even one block of the {sample.name} kernel fits on an SM: too few "
            f"{listed(found.limited_by)}."
        )
    return (
        f"One SM of the {gpu.name} holds {plural(held, 'block')} of the {sample.name} kernel at once, "
        f"{count(found.warps_per_sm)} of the {found.max_warps} warps that it has places for: an occupancy of "
        f"{percent(found.fraction)}, limited by {listed(found.limited_by)}."
    )


def _bar(resource: _Resource, found: metrics.Occupancy) -> str:
    held = found.blocks_per_sm
    share = 100 * resource.takes / resource.has if resource.has else 0
    more = (resource.fits or 0) - held
    blocks = f'<i class="held" style="width:{share:.3f}%"></i>' * held if resource.takes else ""
    left = share * more if resource.fits is not None else 100
    room = f'<i class="room" style="width:{left:.3f}%"></i>' if left > 0 else ""
    limits = resource.name in found.limited_by
    if resource.fits is None:
        fits, takes = "no limit", "a block takes none"
    else:
        fits = f"{plural(resource.fits, 'block')}{': limits' if limits else ''}"
        takes = f"a block takes {_amounts(resource)}"
    kind = ' class="lk-limits"' if limits else ""
    return (
        f'<div{kind}>{resource.name}</div><div class="lk-bar">{blocks}{room}</div><div{kind}>{fits}</div>'
        f'<div class="lk-note">{takes}</div>'
    )


def _amounts(resource: _Resource) -> str:
    """8 of 64 places for warps."""
    if not resource.unit:
        return f"{_bytes(resource.takes)} of {_bytes(resource.has)}"
    return f"{count(resource.takes)} of {count(resource.has)} {resource.unit}"


def _bytes(amount: int) -> str:
    """48 KB; where it is no round number, as 8.25 KB, or 384 bytes."""
    if amount < 1024:
        return plural(amount, "byte")
    return f"{amount / 1024:.2f}".rstrip("0").rstrip(".") + " KB"
