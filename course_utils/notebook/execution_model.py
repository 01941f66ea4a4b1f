"""Threads, warps and waves: who sits where, what a warp executes, how many fit, and how long it takes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from .. import compiler, kernels, metrics, problems, recordings
from ..figures import MEASURES, Figure, Table
from ..figures.accesses import spans
from ..figures.numbers import count as counted_number
from ..figures.numbers import milliseconds, percent, plural, told_sizes
from ..figures.sample import COUNTED
from ..kernels import Geometry, Kernel
from ..simulator.kinds import LANES
from .counted import Counted, Shown, count, traced
from .tables import Settings, column

FORMULA = "by formula"
"""The label of what follows from a launch and the limits of a GPU, without a run."""

SCHEDULERS = 4
"""Of an SM, from compute capability 7.0 to 9.0 (CUDA C++ Programming Guide, "Compute Capabilities")."""


def warps_of_block(kernel: str, *extents: str, **settings: int) -> Shown:
    """Which threads of the first block are a warp: a row for each part of a warp that lies side by side in x.

    Seen in a run: the lane that stores an element of `out`, whose extents are the kernel's sizes of these
    names, slowest first ("nz", "ny", "nx").
    """
    counted = traced(kernel, settings, {"block": (0, 0, 0)})
    shape = counted.arrays["out"].shape
    rows: list[tuple[str, ...]] = []
    for step in counted.run.trace.steps:
        if not step.store or step.index is None:
            continue
        lanes = [lane for lane in range(LANES) if step.active >> lane & 1]
        places = [tuple(map(int, np.unravel_index(int(step.index[lane]), shape))) for lane in lanes]
        for row in dict.fromkeys(place[:-1] for place in places):
            along = [number for number, place in enumerate(places) if place[:-1] == row]
            xs, own = [places[each][-1] for each in along], [lanes[each] for each in along]
            rows.append((str(step.warp), *map(str, row), spans(xs), spans(own)))
    axes = [f"threadIdx.{axis}" for axis in "zyx"[-len(extents) :]]
    block = " x ".join(map(str, counted.run.block[: len(extents)]))
    caption = f"{counted.kernel.path.name}, a block of {block} threads, {COUNTED}"
    return Shown(Table(caption, ("warp", *axes, "lanes"), tuple(rows)))


def instructions(counted: Counted) -> Shown:
    """What the first warp executed, an instruction a row, and how many of its lanes took part."""
    rows = [
        (str(number), str(step.line or ""), step.opcode, str(step.active.bit_count()))
        for number, step in enumerate(counted.run.trace.of(0), 1)
    ]
    caption = f"{counted.kernel.path.name}, {told_sizes(counted.settings)}, first warp, {COUNTED}"
    head = ("step", "line", "instruction (PTX-level)", "lanes")
    return Shown(Table(caption, head, tuple(rows), words=(2,)))


def lane_values(named: dict[str, Counted], lanes: Sequence[int] = (0, 1, 2, 3, 15, 16, 30, 31)) -> Shown:
    """What lanes of the first warp read and what they store, in the runs of a kernel from x to out.

    `named`: what a run's column is called -> the run. The sentence counts the lanes, of all 32, that hold the
    sum of all.
    """
    first = next(iter(named.values())).arrays["x"][:LANES]
    total = float(first.sum())
    found = {name: run.arrays["out"][:LANES] for name, run in named.items()}
    told = []
    for name, values in found.items():
        whole = [lane for lane, value in enumerate(values) if value == total]
        told.append(f"{name}: {plural(len(whole), 'lane')} ({spans(whole)})")
    rows = tuple(
        (str(lane), f"{first[lane]:g}", *(f"{values[lane]:g}" for values in found.values())) for lane in lanes
    )
    table = Table(f"first warp, some of its lanes, {COUNTED}", ("lane", "x", *found), rows)
    sentence = f"The sum of the 32 values is {total:g}. Lanes that hold it: {'; '.join(told)}."
    return Shown(Figure(sentence, table.html, table.text))


def occupancy(kernel: str, gpu: metrics.Gpu = metrics.H200, **settings: int) -> metrics.Occupancy:
    """How many blocks an SM of a GPU holds, for a launch with these tunables; nothing is run.

    Registers and shared memory are those of the code for the GPU that is counted for.
    """
    loaded = kernels.load(kernel)
    return _occupancy(loaded, settings, _geometry(loaded, settings), gpu)


def _geometry(kernel: Kernel, settings: Settings) -> Geometry:
    tunables = {name: value for name, value in settings.items() if name in kernel.tunables}
    sizes = {name: value for name, value in settings.items() if name not in kernel.tunables}
    sizes = dict.fromkeys(kernel.sizes, 1) | sizes
    return problems.geometry(kernel, tunables, sizes)


def _resources(kernel: Kernel, settings: Settings, geometry: Geometry) -> tuple[int, int]:
    """Registers a thread, and bytes of shared memory a block."""
    tunables = {name: value for name, value in settings.items() if name in kernel.tunables}
    compiled = compiler.compile(kernel.source, defines=kernel.defines(tunables), name=kernel.path.name)
    found = compiled.resources[kernel.entry.name]
    return found.launch_registers_per_thread, found.static_shared_bytes + geometry.shared_bytes


def _occupancy(kernel: Kernel, settings: Settings, geometry: Geometry, gpu: metrics.Gpu) -> metrics.Occupancy:
    registers, shared = _resources(kernel, settings, geometry)
    return metrics.occupancy(
        gpu,
        threads_per_block=prod(geometry.block),
        registers_per_thread=registers,
        shared_bytes_per_block=shared,
    )


def waves(kernel: str, *gpus: str, **settings: int) -> Shown:
    """In how many waves each GPU (by default every one known) runs a launch of a kernel, which is not run."""
    loaded = kernels.load(kernel)
    geometry = _geometry(loaded, settings)
    grid, rows = prod(geometry.grid), []
    for name in gpus or metrics.GPUS:
        gpu = metrics.GPUS[name]
        found = _occupancy(loaded, settings, geometry, gpu)
        places = gpu.sms * found.blocks_per_sm
        number = metrics.waves(gpu, found, grid)
        last = grid - (-(-grid // places) - 1) * places
        cells = (gpu.sms, found.blocks_per_sm, places)
        rows.append((name, *map(counted_number, cells), f"{number:,.2f}", percent(last / places)))
    head = ("GPU", "SMs", "blocks an\nSM holds", "blocks\nat once", "waves", "the last\nwave is full to")
    caption = (
        f"{loaded.path.name}, {told_sizes(settings)}: {plural(grid, 'block')} of {prod(geometry.block)} "
        f"threads, {FORMULA}"
    )
    return Shown(Table(caption, head, tuple(rows)))


def block_sizes(kernel: str, **sizes: int) -> Shown:
    """For each value of the launch tunable BLOCK: how many warps an SM of the GPU that is counted for holds,
    and how long a launch at these sizes took, where a recording has it. The sentence says what NVIDIA's
    occupancy function would suggest."""
    loaded, gpu = kernels.load(kernel), metrics.H200
    others = {name: value for name, value in sizes.items() if name in loaded.tunables}
    registers, shared = _resources(loaded, others, _geometry(loaded, sizes))
    best = metrics.suggested_block(gpu, registers_per_thread=registers, shared_bytes_per_block=shared)
    rows, timed, known = [], {}, recordings.load()
    for block in loaded.tunables["BLOCK"].values:
        settings = {**sizes, "BLOCK": block}
        found = _occupancy(loaded, settings, _geometry(loaded, settings), gpu)
        timed[block] = _seconds(loaded, settings, known)
        limits = " and ".join(found.limited_by)
        cells = (str(found.blocks_per_sm), str(found.warps_per_sm), percent(found.fraction), limits)
        rows.append((str(block), *cells, *(_time(seconds) for seconds in timed[block].values())))
    labels = list(next(iter(timed.values())))
    head = ("BLOCK", "blocks an\nSM holds", "warps", "occupancy", "limited by")
    told = (
        f"With {plural(registers, 'register')} a thread, cudaOccupancyMaxPotentialBlockSize would suggest "
        f"blocks of {best.threads_per_block:,} threads on an {gpu.name}, and a grid of at least "
        f"{best.blocks:,} of them ({FORMULA})."
    )
    caption = f"{loaded.path.name}, {told_sizes(sizes)}, {gpu.name}"
    table = Table(caption, (*head, *(column(f"time, {label}") for label in labels)), tuple(rows))
    return Shown(Figure(told, table.html, table.text))


def _seconds(
    kernel: Kernel, settings: Settings, recorded: Sequence[recordings.Recording]
) -> dict[str, float | None]:
    """Where -> the recorded median of a launch, None where that place has none."""
    tunables = kernel.values({name: value for name, value in settings.items() if name in kernel.tunables})
    sizes = {name: value for name, value in settings.items() if name not in kernel.tunables}
    found = {each.label: each.time(kernel.name, tunables, **sizes) for each in recorded}
    return {label: timed.seconds.median if timed else None for label, timed in found.items()}


def _time(seconds: float | None) -> str:
    return "not recorded" if seconds is None else milliseconds(seconds)


def in_flight(kernel: str, blocks: Sequence[int], **settings: int) -> Shown:
    """How long a grid-stride kernel took over its number of BLOCKS, as recorded: a row for each, with the
    warps that the whole GPU has to work on, and the time of one round of all of them.

    A round: each warp handles 32 elements. Raises ValueError where no recording has the times.
    """
    loaded, gpu = kernels.load(kernel), metrics.H200
    rows, label, recorded = [], "", recordings.load()
    for number in blocks:
        chosen = {**settings, "BLOCKS": number}
        geometry = _geometry(loaded, chosen)
        found = _occupancy(loaded, chosen, geometry, gpu)
        at_once = min(number, gpu.sms * found.blocks_per_sm) * found.warps_per_block
        found_there = _seconds(loaded, chosen, recorded)
        known = {where: seconds for where, seconds in found_there.items() if seconds}
        if not known:
            raise ValueError(f"no recording has the time of {kernel} with {told_sizes(chosen)}")
        label, seconds = next(iter(known.items()))
        rounds = settings["n"] / (LANES * number * found.warps_per_block)
        share = percent(at_once / (gpu.sms * found.max_warps))
        cells = (counted_number(at_once), share, milliseconds(seconds), f"{seconds / rounds * 1e9:,.0f} ns")
        rows.append((f"{number:,}", *cells))
    head = ("BLOCKS", "warps on\nthe GPU", "of its places", column(f"time, {label}"), "time a round")
    caption = f"{loaded.path.name}, {told_sizes(settings)}, {gpu.name}"
    return Shown(Table(caption, head, tuple(rows)))


def latency(bytes: int) -> float | None:
    """Clock cycles from a load to its value in a chain of loads through so many bytes, as recorded."""
    return _latency(bytes, recordings.load())


def _latency(bytes: int, recorded: Sequence[recordings.Recording]) -> float | None:
    curves = (recording.curves["latency"] for recording in recorded if "latency" in recording.curves)
    return next((dict(curve.points).get(bytes) for curve in curves), None)


L1_BYTES, L2_BYTES, DRAM_BYTES = 32_768, 8_388_608, 268_435_456
"""Chains of loads that stay within the L1 cache of an H200, within its L2, and in neither."""


def followed(kernel: str, **settings: int) -> Shown:
    """One launch of a kernel on its way through the hardware, step by step, with the numbers of a run."""
    counted, gpu = count(kernel, **settings), metrics.H200
    run, sample = counted.run, counted.sample()
    geometry = _geometry(counted.kernel, settings)
    found = _occupancy(counted.kernel, settings, geometry, gpu)
    blocks, threads = prod(run.grid), prod(run.block)
    warps = found.warps_per_block
    each, every = len(run.trace.of(0)), MEASURES["instructions"].of(sample)
    sectors, requests = counted.sectors, counted.requests
    recorded = recordings.load()
    l1, l2, dram = (_latency(size, recorded) for size in (L1_BYTES, L2_BYTES, DRAM_BYTES))
    rows = (
        ("host", "launch: a grid", f"{blocks} blocks of {threads} threads", COUNTED),
        (
            "grid to SMs",
            "a block goes to an SM that has room, and stays there",
            f"{min(blocks, gpu.sms)} of {gpu.sms} SMs get one; {metrics.waves(gpu, found, blocks):.2f} waves",
            FORMULA,
        ),
        (
            "block on its SM",
            "registers and shared memory are set aside for all of it",
            f"{found.registers_per_block:,} of {gpu.sm.registers:,} registers",
            FORMULA,
        ),
        (
            "block to warps",
            "its threads, by number, in groups of 32",
            f"{warps} warps a block, {warps * blocks} in all",
            COUNTED,
        ),
        (
            "warps to schedulers",
            "each picks a ready warp, cycle by cycle",
            f"{SCHEDULERS} schedulers, {warps / SCHEDULERS:g} warps of the block each",
            FORMULA,
        ),
        (
            "warp to pipelines",
            "one instruction for 32 lanes: arithmetic, or load and store",
            f"{each} instructions in the first warp, {every} in all (PTX-level)",
            COUNTED,
        ),
        (
            "load to L1",
            "the addresses of the lanes become sectors of 32 bytes",
            f"{requests:,} requests, {sectors:,} sectors; a hit takes {_cycles(l1)}",
            f"{COUNTED}; recorded",
        ),
        ("L1 to L2", "what L1 does not have", f"then it takes {_cycles(l2)}", "recorded"),
        ("L2 to DRAM", "what L2 does not have either", f"then it takes {_cycles(dram)}", "recorded"),
        (
            "block ends",
            "its registers and its places are free, and the next block comes",
            f"room for {found.blocks_per_sm} blocks an SM",
            FORMULA,
        ),
    )
    caption = f"{counted.kernel.path.name}, {told_sizes(settings)}, on an {gpu.name}"
    return Shown(Table(caption, ("from, to", "what happens", "in this launch", "source"), rows, (1, 2, 3)))


def _cycles(found: float | None) -> str:
    return "a time not recorded" if found is None else f"{found:.0f} cycles"


def symptoms() -> Shown:
    """What to look at first, for five symptoms, each with a kernel that has it and one that has not."""
    add, scale, small, large = "execution_model/vector_add", "execution_model/scale", 1 << 16, 1 << 26
    held, many = "execution_model/held_values", {"n": large, "BLOCK": 256}
    recorded = recordings.load()
    rows = (
        (
            "SMs are idle",
            "the grid: too small? the SM: too few warps?",
            "scale, BLOCKS 1 against 1,024",
            *(_recorded(recorded, scale, **many, BLOCKS=blocks) for blocks in (1, 1024)),
            "recorded",
        ),
        (
            "memory bandwidth stays low",
            "the addresses of a warp, layout, alignment",
            "strided_copy, stride 32 against 1",
            *(_sectors(stride) for stride in (32, 1)),
            COUNTED,
        ),
        (
            "branches are inefficient",
            "the condition, within a warp",
            "two_paths, span 1 against 32",
            *(_active(span) for span in (1, 32)),
            f"{COUNTED}, PTX-level",
        ),
        (
            "occupancy is low",
            "registers, shared memory, block size",
            "held_values, HELD 64 against 4",
            *(percent(occupancy(held, HELD=values).fraction) for values in (64, 4)),
            FORMULA,
        ),
        (
            "kernels are fast, the program is slow",
            "copies, waiting, number of launches",
            f"vector_add, {large // small:,} launches of {small:,} against 1",
            _recorded(recorded, add, large // small, n=small),
            _recorded(recorded, add, n=large),
            f"recorded; the first, {large // small:,} times the time of one",
        ),
    )
    head = ("symptom", "look first at", "a kernel", "with it", "without", "source")
    return Shown(Table("five symptoms", head, rows, words=(1, 2, 5)))


def _recorded(
    recorded: Sequence[recordings.Recording], kernel: str, launches: int = 1, **settings: int
) -> str:
    """The time of so many launches, one after the other, by that of one."""
    known = [seconds for seconds in _seconds(kernels.load(kernel), settings, recorded).values() if seconds]
    return milliseconds(launches * known[0]) if known else "not recorded"


def _sectors(stride: int) -> str:
    sample = count("coalescing/strided_copy", n=4096, stride=stride, offset=0).sample()
    return f"{MEASURES['sectors_per_request'].of(sample)} sectors a request"


def _active(span: int) -> str:
    sample = count("execution_model/two_paths", n=1024, span=span, length=100).sample()
    return f"{MEASURES['active_lanes'].of(sample)} of {LANES} lanes"
