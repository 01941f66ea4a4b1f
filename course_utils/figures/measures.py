"""The numbers that labs show: each with its unit, the metrics it is made of, and the level of those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from .. import metrics
from ..compiler import Resources
from ..metrics import Level, names, ratios
from ..metrics.operations import fp32_operations
from .numbers import DASH, TIMES, count, decimal, percent
from .sample import Sample

Number = int | float


@dataclass(frozen=True)
class Measure:
    """A number of a run.

    `source` is the metric's exact name, or the formula over such names. `level` is None for what no counter
    counts. `value` gives None where a run lacks what it takes. `compared`: whether the quotient of two
    kernels' values means anything.
    """

    key: str
    label: str
    unit: str
    source: str
    level: Level | None
    value: Callable[[Sample], Number | None]
    written: Callable[[Number], str] = count
    compared: bool = True

    @property
    def note(self) -> str:
        """The level where it is not the hardware's own: PTX-level."""
        return self.level.value if self.level is Level.PTX else ""

    def of(self, sample: Sample) -> str:
        """The value as text, a dash where there is none."""
        value = self.value(sample)
        return DASH if value is None else self.written(value)


def quotient(measure: Measure, chosen: Sample, baseline: Sample) -> str:
    """How many times the chosen kernel's value the baseline's is; blank where that says nothing."""
    ours, theirs = measure.value(chosen), measure.value(baseline)
    return f"{decimal(theirs / ours)}{TIMES}" if measure.compared and ours and theirs else ""


def quotient_head(names: Sequence[str]) -> str:
    """The head of a column of such quotients, for the names of the chosen kernel and the baseline."""
    chosen, baseline = names
    return f"{baseline} / {chosen}"


def occupancy(sample: Sample, gpu: metrics.Gpu = metrics.H200) -> metrics.Occupancy | None:
    """The theoretical occupancy of a run on a GPU, with its largest carve-out: by default the GPU that is
    counted for. Raises ValueError for a block that the GPU does not accept."""
    registers = sample.run.metrics.get(names.REGISTERS)
    static = sample.run.metrics.get(names.STATIC_SHARED)
    if registers is None or static is None:
        return None
    x, y, z = sample.run.block
    return metrics.occupancy(
        gpu,
        threads_per_block=x * y * z,
        registers_per_thread=registers,
        shared_bytes_per_block=static + sample.shared_bytes,
    )


def _metric(key: str, name: str, label: str = "") -> Measure:
    metric = metrics.METRICS[name]
    return Measure(
        key,
        label or metric.label,
        metric.unit,
        name,
        metric.level,
        lambda sample: sample.run.metrics.get(name),
    )


def _sum(key: str, label: str, *parts: str) -> Measure:
    first = metrics.METRICS[parts[0]]

    def value(sample: Sample) -> int | None:
        values = [sample.run.metrics.get(name) for name in parts]
        return None if None in values else sum(values)  # type: ignore[arg-type]

    return Measure(key, label, first.unit, " + ".join(parts), first.level, value)


def _sectors_per_load(sample: Sample) -> float | None:
    return ratios.sectors_per_request(sample.run.metrics, "ld")


def _sectors_per_store(sample: Sample) -> float | None:
    return ratios.sectors_per_request(sample.run.metrics, "st")


def _bytes_per_operation(sample: Sample) -> float | None:
    if sample.operations is None:
        return None
    return ratios.bytes_per_multiply_add(sample.run.metrics, sample.operations)


def _wavefronts_per_operation(sample: Sample) -> float | None:
    wavefronts = sample.run.metrics.get(names.SHARED_LOAD_WAVEFRONTS)
    return 32 * wavefronts / sample.operations if wavefronts is not None and sample.operations else None


def _intensity(sample: Sample) -> float | None:
    moved = [ratios.global_bytes(sample.run.metrics, op) for op in ("ld", "st")]
    if None in moved or not any(moved):
        return None
    return fp32_operations(sample.run.by_opcode) / sum(moved)  # type: ignore[arg-type]


def _resource(key: str, label: str, source: str, value: Callable[[Resources], int | None]) -> Measure:
    """What the machine code states of a thread, in bytes."""

    def found(sample: Sample) -> int | None:
        launched = sample.run.launched
        resources = launched and launched.program.resources.get(sample.run.kernel)
        return value(resources) if resources else None

    return Measure(key, label, "byte", source, None, found)


def _occupied(sample: Sample) -> float | None:
    found = occupancy(sample)
    return None if found is None else found.fraction


MEASURES: dict[str, Measure] = {
    measure.key: measure
    for measure in (
        _metric("sectors", names.GLOBAL_LOAD_SECTORS),
        Measure(
            "sectors_per_request",
            "sectors a load request",
            "sector",
            f"{names.GLOBAL_LOAD_SECTORS} / {names.GLOBAL_LOAD_REQUESTS}",
            Level.HARDWARE,
            _sectors_per_load,
            partial(decimal, places=1),
        ),
        Measure(
            "bytes_per_operation",
            "global load bytes a multiply-add",
            "byte",
            f"32 * {names.GLOBAL_LOAD_SECTORS} / multiply-adds",
            Level.HARDWARE,
            _bytes_per_operation,
            partial(decimal, places=2),
        ),
        _metric("requests", names.GLOBAL_LOAD_REQUESTS),
        _metric("store_sectors", names.GLOBAL_STORE_SECTORS),
        Measure(
            "store_sectors_per_request",
            "sectors a store request",
            "sector",
            f"{names.GLOBAL_STORE_SECTORS} / {names.GLOBAL_STORE_REQUESTS}",
            Level.HARDWARE,
            _sectors_per_store,
            partial(decimal, places=1),
        ),
        _sum(
            "wavefronts",
            "shared-memory wavefronts",
            names.SHARED_LOAD_WAVEFRONTS,
            names.SHARED_STORE_WAVEFRONTS,
        ),
        _metric("load_wavefronts", names.SHARED_LOAD_WAVEFRONTS),
        Measure(
            "load_wavefronts_per_operation",
            "shared load wavefronts for a warp's 32 multiply-adds",
            "wavefront",
            f"32 * {names.SHARED_LOAD_WAVEFRONTS} / multiply-adds",
            Level.HARDWARE,
            _wavefronts_per_operation,
            partial(decimal, places=2),
        ),
        _metric("store_wavefronts", names.SHARED_STORE_WAVEFRONTS),
        _sum("conflicts", "bank conflicts", names.SHARED_LOAD_CONFLICTS, names.SHARED_STORE_CONFLICTS),
        Measure(
            "intensity",
            "FP32 operations a byte fetched or stored",
            "operation",
            f"FP32 operations in {names.THREAD_INSTRUCTIONS} "
            f"/ (32 * ({names.GLOBAL_LOAD_SECTORS} + {names.GLOBAL_STORE_SECTORS}))",
            Level.PTX,
            _intensity,
            partial(decimal, places=2),
        ),
        _metric("instructions", names.WARP_INSTRUCTIONS),
        Measure(
            "active_lanes",
            "active lanes of 32",
            "lane",
            f"{names.THREAD_INSTRUCTIONS} / {names.WARP_INSTRUCTIONS}",
            Level.PTX,
            lambda sample: ratios.active_lanes(sample.run.metrics),
            partial(decimal, places=1),
            compared=False,
        ),
        _metric("divergent", names.DIVERGENT_BRANCHES),
        _metric("registers", names.REGISTERS),
        _metric("static_shared", names.STATIC_SHARED),
        _sum("local_sectors", "local sectors", names.LOCAL_LOAD_SECTORS, names.LOCAL_STORE_SECTORS),
        _resource(
            "local_bytes",
            "local memory a thread",
            "stack frame of the machine code",
            lambda resources: resources.local_bytes_per_thread,
        ),
        _resource(
            "spill_stores",
            "spilled in a thread's code",
            "spill stores, as the assembler ptxas reports them",
            lambda resources: resources.spill_store_bytes,
        ),
        _resource(
            "spill_loads",
            "loaded again in a thread's code",
            "spill loads, as the assembler ptxas reports them",
            lambda resources: resources.spill_load_bytes,
        ),
        Measure(
            "occupancy",
            f"occupancy on an {metrics.H200.name}",
            "%",
            "warps an SM holds / warps it has places for (registers, shared memory, warps, blocks)",
            None,
            _occupied,
            percent,
            compared=False,
        ),
    )
}
