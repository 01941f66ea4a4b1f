"""One launch() for the GPU and the simulator: the same source, flags, arguments and result.

    kernel = kernels.load("tiling/tiled")
    grid, block, shared = kernel.geometry({"TILE": 8}, N=256)
    run = devices.launch(kernel, None, grid, block, [A, B, C, 256], shared, defines={"TILE": 8})
    run.device, run.kind, run.time          # on a GPU: its name, "measured", a Time with .median in seconds
    run = devices.launch(..., device="simulator")
    run.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]               # "counted"; run.time is None

The simulator always counts for sm_90; a GPU gets machine code for its own architecture, from the same
compiler with the same flags. CuPy is imported only where the NVIDIA driver offers a GPU, and never by
importing this.

In the order data flows: programs (source -> program), checks and symbols (arguments), cuda and gpus (a
launch on a GPU), run (the result), choice (which device).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..kernels import Kernel
from ..simulator import LaunchError
from . import symbols as symbol
from .choice import CHOICE, available, current, describe, gpu
from .errors import GpuLost, NoGpu, OutOfGpuMemory
from .gpus import TIME_LIMIT_SECONDS, Gpu, Timing
from .programs import Source
from .run import SIMULATOR, Kind, Run, Time

__all__ = [
    "CHOICE",
    "SIMULATOR",
    "Gpu",
    "GpuLost",
    "Kind",
    "NoGpu",
    "OutOfGpuMemory",
    "Run",
    "Time",
    "Timing",
    "available",
    "current",
    "describe",
    "gpu",
    "launch",
]

_COUNTED_FOR = "sm_90"


def launch(
    kernel: Kernel | str,
    entry: str | None,
    grid: int | Sequence[int],
    block: int | Sequence[int],
    args: Sequence[object],
    shared_bytes: int = 0,
    *,
    defines: Mapping[str, object] | None = None,
    name: str = "kernel.cu",
    options: Sequence[str] = (),
    symbols: Mapping[str, object] | None = None,
    device: str | None = None,
    allow_large_shared: bool = False,
    repeats: int = 10,
    cold: bool = False,
    time_limit: float = TIME_LIMIT_SECONDS,
    checks: Sequence[str] = (),
    trace: Mapping[str, object] | None = None,
    budget: int | None = None,
    workers: int | None = None,
) -> Run:
    """Compile a kernel for a device and run it there.

    kernel: from kernels.load(...), or source text, which `name` names in messages. entry: the kernel's
    name, or an instance of a template such as "scale<float>"; None: the only one of a Kernel. defines:
    macros; of a Kernel, its tunables. device: "simulator", "gpu", or None for `current()`.

    grid, block, args, shared_bytes, allow_large_shared: as simulator.Program.launch takes them, and
    checked by the same code on either device. NumPy arrays are device buffers, updated in place; slices
    of one array share memory. symbols: `__constant__` and `__device__` variables by name, copied in
    before and, where arrays were passed, back after; at each launch all others hold what the source
    initialises them with.

    On the GPU the kernel runs once for the caller, and then `repeats` times on copies to be timed: after a
    warm-up, each launch between two CUDA events, with every changed buffer restored before it. cold: also
    overwrite the L2 cache. time_limit: seconds after which waiting for a launch ends. repeats=0: no time.

    On the simulator: checks, trace, budget and workers, as simulator.Program.launch has them. A GPU
    launch with checks or a trace is refused; budget and workers have no effect there.

    A GPU does not notice an index that goes astray within its memory; the simulator always does.

    Raises CompileError, KernelError, and under simulator.Error: ArgumentError, LaunchError, Hang; from
    the simulator Unsupported, IllegalAccess, Trap; from the GPU NoGpu, GpuLost, OutOfGpuMemory. Where the
    GPU failed the arrays are as before, unless it failed when the kernel was run again to be timed; the
    simulator leaves in them what the kernel wrote.
    """
    chosen = current() if device is None else device
    if chosen not in (SIMULATOR, "gpu"):
        raise LaunchError(f'there is no device {device!r}: use "simulator", "gpu", or None')
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 0:
        raise LaunchError(f"repeats must be a whole number from 0, not {repeats!r}")
    if not time_limit > 0:
        raise LaunchError(f"time_limit must be a number of seconds above 0, not {time_limit!r}")
    source = Source.of(kernel, defines, name, options)
    if entry is None:
        if not isinstance(kernel, Kernel):
            raise LaunchError("entry must name the kernel, since source text may hold several")
        entry = kernel.entry.name
    if chosen == "gpu":
        if checks or trace is not None:
            raise LaunchError('checks and traces are the simulator\'s: launch with device="simulator"')
        return gpu().launch(
            source, entry, grid, block, args, shared_bytes,
            symbols=symbols, allow_large_shared=allow_large_shared, timing=Timing(repeats, cold, time_limit),
        )  # fmt: skip
    program = source.program(_COUNTED_FOR, entry)
    variables = symbol.contents(program.initial, symbols or {})
    with program.lock:
        for variable, content in variables.items():
            program.simulated.set_symbol(variable, content, given=variable in (symbols or {}))
        run = program.simulated.launch(
            program.entry, grid, block, args, shared_bytes,
            checks=checks, trace=trace, budget=budget, workers=workers, allow_large_shared=allow_large_shared,
        )  # fmt: skip
        symbol.update(symbols or {}, {each: program.simulated.get_symbol(each) for each in variables})
    return Run.counted(run)
