"""Where variables live and for how long, what a GPU's memories take and give, and what it asks for a byte."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

import numpy as np

from .. import devices, kernels, metrics, problems, recordings, simulator
from ..figures import Point, Table, latencies, roofline
from ..figures.numbers import DASH, count, decimal
from ..figures.sample import COUNTED
from ..kernels import Geometry
from ..recordings import Recording
from ..simulator.trace import Step
from .counted import Counted, Shown, traced

_SUM = "bank_conflicts/strided_sum"
_SUM_SIZES = {"stride": 1, "rounds": 1024, "n": 270336}
_SUM_BYTES = 4 * 8 * _SUM_SIZES["rounds"] * _SUM_SIZES["n"]
"""Of shared memory that strided_sum reads: 8 words a round in each thread."""
_COPIED = 1 << 26
"""Floats of the largest recorded copy."""


def lifetimes(launches: int = 3, n: int = 256) -> Shown:
    """What the kernel memory_hierarchy/lifetimes has counted after each of several launches of one program:
    in a variable of each thread, of each block, and of the program."""
    kernel = kernels.load("memory_hierarchy/lifetimes")
    program = simulator.compile(kernel.source, name=kernel.path.name)
    rows = []
    for launch in range(1, launches + 1):
        problem, geometry = _made(kernel, {"n": n})
        program.launch(kernel.entry.name, geometry.grid, geometry.block, problem.arguments(kernel.entry))
        own = (np.unique(problem.arrays[name]) for name in ("by_thread", "by_block"))
        by_program = int(program.get_symbol("by_program").view(np.int32)[0])
        rows.append((str(launch), *(" or ".join(map(str, each)) for each in own), str(by_program)))
    head = ("launch", "in_thread, of each thread", "in_block, of each block", "by_program")
    return Shown(Table(f"n = {n:,}, {COUNTED}", head, tuple(rows)))


def without_line(kernel: str, line: int, check: str, **sizes: int) -> None:
    """Run a kernel whose `line` is left out, with one of simulator.CHECKS, and print what is found."""
    loaded = kernels.load(kernel)
    lines = loaded.source.splitlines()
    print(f"Without line {line}: {lines[line - 1].split('//')[0].strip()}")
    lines[line - 1] = ""
    problem, geometry = _made(loaded, sizes)
    program = simulator.compile("\n".join(lines), name=loaded.path.name)
    arguments = problem.arguments(loaded.entry)
    run = program.launch(
        loaded.entry.name, geometry.grid, geometry.block, arguments, geometry.shared_bytes, checks=[check]
    )
    print("\n".join(finding.message for finding in run.findings) or "The check found nothing.")


def _made(kernel: kernels.Kernel, sizes: problems.Sizes) -> tuple[problems.Problem, Geometry]:
    """Inputs of a kernel with its default tunables, and the launch for them."""
    problem = problems.of(kernel).make({**sizes, **kernel.values()}, np.random.default_rng(0))
    return problem, problems.geometry(kernel, {}, sizes)


SPACES = ("global", "local", "shared", "const")
"""Memories as PTX names them, those of parameters left out."""


def memory_instructions(*counted: Counted) -> Shown:
    """A row for each run, a column for each memory: what the PTX instructions do there that it executed, such
    as ld (load) and st (store)."""
    rows = []
    for run in counted:
        opcodes = [opcode.split(".") for opcode in run.run.by_opcode]
        found = [sorted({what for what, *rest in opcodes if space in rest[:1]}) for space in SPACES]
        rows.append((run.sample().name, *(", ".join(each) or DASH for each in found)))
    return Shown(Table(f"PTX instructions executed, {COUNTED}", ("kernel", *SPACES), tuple(rows)))


def table_reads(different: Sequence[int], n: int = 256, rounds: int = 4) -> Shown:
    """What a read of the table costs a warp, for so many different places among its lanes: in constant memory
    the different words that its first warp wants, in global memory the sectors that a request touches."""
    rows = []
    for each in different:
        settings = {"n": n, "rounds": rounds, "different": each}
        cells = [mean(_cost(step, space) for step in _table_steps(space, settings)) for space in _TABLES]
        rows.append((str(each), *(decimal(cell) for cell in cells)))
    head = ("different places", "table_constant:\ndifferent words a read", "table_device:\nsectors a read")
    return Shown(Table(f"n = {n:,}, rounds = {rounds}, first warp, {COUNTED}", head, tuple(rows)))


_TABLES = {"const": "memory_hierarchy/table_constant", "global": "memory_hierarchy/table_device"}
"""Memory, as a trace names it -> the kernel whose table lies there."""


def _table_steps(space: str, settings: problems.Sizes) -> list[Step]:
    """The reads of the table by the first warp."""
    steps = traced(_TABLES[space], settings, {"block": (0, 0), "warp": 0}).run.trace.steps
    return [step for step in steps if step.space == space and step.load and step.buffer == "square"]


def _cost(step: Step, space: str) -> int:
    return len(np.unique(step.index[step.index >= 0])) if space == "const" else int(step.sectors)


def latency_curve() -> Shown:
    """The recorded cycles of a read that waits for the one before it, over how much memory is walked through.

    Raises ValueError where no recording has the curve.
    """
    return Shown(latencies(recordings.load()))


def chase(*kib: int) -> None:
    """Walk through so many KiB of memory on this machine's GPU, each read waiting for the one before it, and
    print the clock cycles of a read; without a GPU, say so."""
    if devices.current() == devices.SIMULATOR:
        print(devices.describe())
        return
    kernel = kernels.load("memory_hierarchy/pointer_chase")
    for each in kib:
        problem, geometry = _made(kernel, {"bytes": each << 10})
        arguments = problem.arguments(kernel.entry)
        run = devices.launch(kernel, None, geometry.grid, geometry.block, arguments, repeats=0)
        cycles = int(problem.arrays["cycles"][0]) / int(problem.scalars["hops"])
        print(f"{each:>9,} KiB: {cycles:7.1f} cycles a read, measured on {run.device}")


def memories(gpu: metrics.Gpu = metrics.H200) -> Shown:
    """For each memory of the GPU of the course's recording: how large it is, how many cycles a read takes
    that waits for the one before it, and how much all SMs together read or copy in a second."""
    recording = recordings.load()[0]
    latency = recording.curves["latency"].points
    shared = recording.curves["shared latency"].points[0][1]
    total = recording.time(_SUM, {}, **_SUM_SIZES)
    copy = _copy(recording)
    rows = (
        ("registers", _size(4 * gpu.sm.registers), _size(4 * gpu.sm.registers * gpu.sms), DASH, DASH),
        ("shared memory, at most", _size(gpu.sm.max_shared), _size(gpu.sm.max_shared * gpu.sms),
         decimal(shared), _rate(_SUM_BYTES / total.seconds.median) if total else DASH),
        ("L1 cache", "what is left of 256 KB", DASH, decimal(_at(latency, 1 << 16)), DASH),
        ("L2 cache", DASH, _size(gpu.l2_bytes), decimal(_at(latency, 1 << 20)), DASH),
        ("L2 cache, its far part", DASH, DASH, decimal(_at(latency, 40 << 20)), DASH),
        ("global memory (DRAM)", DASH, "141 GB", decimal(_at(latency, 1 << 28)),
         _rate(copy) if copy else DASH),
    )  # fmt: skip
    head = ("", "in an SM", "in the GPU", "cycles a read", "bytes a second")
    return Shown(Table(recording.label, head, rows))


def _at(points: Sequence[tuple[float, float]], x: int) -> float:
    return dict(points)[x]


def _copy(recording: Recording) -> float | None:
    """Bytes that the driver's copy of 256 MB reads and writes in a second."""
    for timed in recording.libraries.get("coalescing", ()):
        if timed.name == "device copy" and timed.sizes == {"n": _COPIED}:
            return timed.bytes_per_second
    return None


def _size(bytes: int) -> str:
    """256 KB, 33 MB; powers of 1,024."""
    return f"{count(bytes >> 10)} KB" if bytes < 1 << 20 else f"{count(bytes / (1 << 20))} MB"


def _rate(bytes_per_second: float) -> str:
    return f"{bytes_per_second / 1e12:.1f} TB/s"


def gpus(*names: str) -> Shown:
    """GPUs of the course's table: their SMs and memories, and how many FP32 operations each needs for a byte
    from its memory before arithmetic limits it. Computed from what their makers state.

    names: those to show, by default all.
    """
    rows = []
    for gpu in (metrics.GPUS[name] for name in names or metrics.GPUS):
        sm = gpu.sm
        rows.append(
            (
                gpu.name,
                str(gpu.sms),
                count(sm.registers),
                _size(sm.max_shared),
                decimal(gpu.fp32_flops / 1e12),
                count(gpu.dram_bytes_per_second / 1e9),
                decimal(gpu.fp32_flops / gpu.dram_bytes_per_second),
            )
        )
    head = (
        "",
        "SMs",
        "registers\nan SM",
        "shared memory\nan SM",
        "FP32\n[TFLOP/s]",
        "memory\n[GB/s]",
        "FP32 operations a byte,\nwhere both limits meet",
    )
    return Shown(Table("as stated by their makers; the last column is computed", head, tuple(rows)))


def intensity_of_loads(*counted: Counted, told: Sequence[str] = ()) -> Shown:
    """FP32 operations for each byte of the sectors that a run's loads fetch, two a multiply-add. `told`: the
    settings that are named. Raises ValueError for a run without multiply-adds."""
    rows = []
    for run in counted:
        fetched = run.bytes_per_multiply_add
        rows.append((run.sample(told).name, decimal(fetched, 2), decimal(2 / fetched, 2)))
    head = ("kernel", "bytes fetched\na multiply-add", "FP32 operations\na byte fetched")
    return Shown(Table(COUNTED, head, tuple(rows)))


def roof(*counted: Counted, gpu: str = metrics.H200.name, told: Sequence[str] = ()) -> Shown:
    """Counted runs below the ceilings of a GPU, a name of metrics.GPUS. `told`: the settings that are
    named."""
    points = [Point.counted(run.sample(told)) for run in counted]
    return Shown(roofline(points, metrics.GPUS[gpu]))


def asked_per_second(
    kernel: str, bytes_per_multiply_add: float, tunables: dict[str, int], **sizes: int
) -> None:
    """Print how many bytes a second a kernel's warps asked for in a recorded launch, beside what the memory
    of that GPU gives at most."""
    recording = recordings.load()[0]
    timed = recording.time(kernel, tunables, **sizes)
    if timed is None or timed.operations is None:
        print(f"No recording has a time of {kernel} with {tunables} at {sizes}.")
        return
    asked = bytes_per_multiply_add * timed.operations
    print(
        f"asked for        {asked / 1e9:>8,.1f} GB in {timed.seconds.median * 1e3:.3g} ms, {recording.label}"
    )
    print(f"that is          {asked / timed.seconds.median / 1e12:>8.1f} TB/s")
    print(f"memory at most   {metrics.H200.dram_bytes_per_second / 1e12:>8.1f} TB/s")
