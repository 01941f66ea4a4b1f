"""The host's side of a launch: compiling, the host's code, copies, streams and graphs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from IPython.display import Markdown

from .. import compiler, devices, kernels, machine, playground, recordings
from ..compiler import disassembly
from ..compiler.cubin import INSTRUCTION_BYTES
from ..figures import MILLISECONDS, STEPS, Figure, Table, timeline
from ..figures.numbers import DASH, count, decimal, plural
from ..figures.ptx import instructions_of
from ..recordings import Experiment, Measured, Piece
from ..recordings import host as experiments
from ..simulator import ptx
from .counted import Shown
from .tables import column
from .timing import not_recorded

COUNTED_FOR = "sm_90"
LINK_BYTES_PER_SECOND = 32e9 * 16 / 8
"""Of an H200's link to its host in each direction: PCI Express 5.0, 32 Gbit/s on each of 16 lanes. That is
half of the datasheet's 128 GB/s, which counts both directions. A copy can only be slower."""

RECORD = "On a machine with an NVIDIA GPU, python3 -m course_utils record --only host makes one"


# From source to machine code


def stages(kernel: str) -> Shown:
    """The forms of a kernel on its way to the GPU, with its default tunables: who makes each, its size."""
    loaded, compiled = _compiled(kernel, COUNTED_FOR)
    entry = loaded.entry
    lines = entry.last - entry.first + 1
    virtual, real = _sizes(loaded, compiled)
    rows = (
        ("CUDA C++", "you", "people", f"{lines} lines"),
        ("PTX", f"NVRTC {compiler.version()}", f"{COUNTED_FOR} and later", f"{virtual} instructions"),
        ("machine code", "the assembler in NVRTC", COUNTED_FOR, f"{real} instructions"),
    )
    caption = f"{loaded.path.name}, kernel {entry.name}, compiled now"
    return Shown(Table(caption, ("form", "made by", "for", "size"), rows))


def targets(kernel: str, *archs: str) -> Shown:
    """A kernel compiled for several GPU architectures, such as "sm_80": a row each. Raises ValueError without
    any."""
    if not archs:
        raise ValueError('name at least one architecture, such as "sm_90"')
    rows, first = [], ""
    for arch in archs:
        loaded, compiled = _compiled(kernel, arch)
        body = compiled.ptx[compiled.ptx.index(".entry") :]
        first = first or body
        virtual, real = _sizes(loaded, compiled)
        registers = compiled.resources[loaded.entry.name].registers_per_thread
        same = "yes" if body == first else "no"
        rows.append((arch, str(virtual), same, str(real), str(registers)))
    heads = ("PTX instructions", f"PTX as for {archs[0]}", "machine instructions", "registers a thread")
    head = ("compiled for", *map(column, heads))
    return Shown(Table(f"{kernels.load(kernel).path.name}, compiled now", head, tuple(rows)))


def ptx_of(kernel: str, line: int) -> None:
    """Print the PTX instructions that a line of a kernel's file became."""
    _, compiled = _compiled(kernel, COUNTED_FOR)
    _print_instructions(compiled, line, "PTX", instructions_of(compiled.ptx, line))


def machine_code(kernel: str, line: int) -> None:
    """Print the machine instructions that a line became; where there is no disassembler, say so."""
    loaded, compiled = _compiled(kernel, COUNTED_FOR)
    if disassembly.find() is None:
        print(
            "NVIDIA's disassembler is not installed here. "
            "python -m pip install nvidia-cuda-nvdisasm installs it."
        )
        return
    found = [code for at, code in disassembly.instructions(compiled, loaded.entry.name) if at == line]
    _print_instructions(compiled, line, f"machine code for {COUNTED_FOR}", found)


def _print_instructions(compiled: compiler.Compiled, line: int, form: str, found: Sequence[str]) -> None:
    source = compiled.source.splitlines()
    written = source[line - 1].strip() if 1 <= line <= len(source) else "there is no such line"
    print(f"{compiled.name}, line {line}: {written}")
    print(f"{form}, {plural(len(found), 'instruction')}:", *found, sep="\n  ")


def _compiled(kernel: str, arch: str) -> tuple[kernels.Kernel, compiler.Compiled]:
    loaded = kernels.load(kernel)
    name = loaded.path.name
    return loaded, compiler.compile(loaded.source, defines=loaded.defines(), arch=arch, name=name)


def _sizes(kernel: kernels.Kernel, compiled: compiler.Compiled) -> tuple[int, int]:
    """Of the entry point: PTX instructions and machine instructions, those that only fill up among them."""
    name = kernel.entry.name
    instructions = len(ptx.parse(compiled.ptx).functions[name].instructions)
    return instructions, compiled.resources[name].code_bytes // INSTRUCTION_BYTES


# Host and device


def layers() -> None:
    """Print what lies between a program and a GPU, and what of it this machine has."""
    driver = machine.nvidia_driver()
    if driver is None:
        told = "none"
    else:
        told = f"version {machine.nvml()[0]}, serves CUDA up to {'.'.join(map(str, driver.cuda))}"
    on_gpu = devices.current() != devices.SIMULATOR
    gpu = devices.gpu().name if on_gpu else "none, so that the simulator takes its place"
    through = devices.gpu().through if on_gpu else "not loaded: it is of no use without a GPU"
    rows = (
        ("your program", "Python, on the CPU"),
        ("compiler", f"NVRTC {compiler.version()}"),
        ("CUDA runtime", through),
        ("NVIDIA driver", told),
        ("GPU", gpu),
    )
    print(*(f"{name:<15}{what}" for name, what in rows), sep="\n")


def sides(name: str) -> Markdown:
    """The functions of one of the playground's example programs: where each runs, and who calls it."""
    _, functions = _program(name)
    rows = []
    for each in functions:
        places = [place for place, there in (("device", each.on_gpu), ("host", each.on_host)) if there]
        callers = [other for other in functions if each.name in other.named and other.name != each.name]
        called = ", ".join(
            f"`{other.name}`" + (" (launched)" if "__global__" in each.marks else "") for other in callers
        )
        marks = " ".join(f"`{mark}`" for mark in each.marks) or "nothing"
        rows.append((str(each.first), f"`{each.name}`", marks, ", ".join(places), called or "the system"))
    return _table(("line", "function", "marked", "runs on", "called from"), rows)


_CALLS: dict[str, tuple[str, str, str]] = {
    "cudaMalloc": ("reserves memory on the GPU", "`cupy.empty(shape, dtype)`", "for each array in `args`"),
    "cudaMemcpyHostToDevice": ("copies in, from host to GPU", "`array.set(host)`", "for each array"),
    "<<<": (
        "starts the kernel and returns",
        "`kernel(grid, block, args)`",
        "once, then again on copies to time it",
    ),
    "cudaGetLastError": (
        "asks whether the launch was refused",
        "raises an exception",
        "raises an exception",
    ),
    "cudaDeviceSynchronize": (
        "waits until the GPU is done",
        "`cupy.cuda.Device().synchronize()`",
        "waits for the kernel's end",
    ),
    "cudaMemcpyDeviceToHost": ("copies out, from GPU to host", "`array.get()`", "into the arrays of `args`"),
    "cudaFree": ("gives the memory back", "when nothing refers to the array", "when the launch is over"),
}
"""What a call of the host's does; the same in CuPy; and what devices.launch does of it on a GPU."""


def host_calls(name: str) -> Markdown:
    """The calls of CUDA in the host's code of an example program, in order, with the same in CuPy."""
    rows = [
        (str(line), f"`{written}`", *_CALLS[kind])
        for line, written, kind in _host_calls(name)
        if kind in _CALLS
    ]
    head = ("line", "CUDA C++", "what it does", "in CuPy", "`devices.launch`, on a GPU")
    return _table(head, rows)


def _host_calls(name: str) -> Iterator[tuple[int, str, str]]:
    """(line, statement, key of _CALLS) of each call in the functions of the host."""
    text, functions = _program(name)
    lines = text.splitlines()
    for each in functions:
        if each.on_gpu:
            continue
        for number in range(each.first, each.last + 1):
            code = lines[number - 1].strip().rstrip(";")
            code = re.sub(r"^CHECK\((.*)\)$", r"\1", code)
            if "<<<" in code:
                yield number, code, "<<<"
            elif found := re.match(r"(cuda[A-Z]\w+)\(", code):
                direction = re.search(r"cudaMemcpy\w+To\w+", code)
                yield number, code, direction[0] if direction else found[1]


def _program(name: str) -> tuple[str, tuple[playground.Function, ...]]:
    programs = {path.stem: path for path in sorted(playground.EXAMPLES.glob("*.cu"))}
    if name not in programs:
        raise ValueError(f"there is no example program {name!r}; there are: {', '.join(programs)}")
    text = programs[name].read_text(encoding="utf-8")
    return text, playground.functions(text)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Markdown:
    """Sentences do not fit a table of numbers, so these are tables as in the text around them."""
    lines = [head, ["---"] * len(head), *rows]
    return Markdown("\n".join(f"| {' | '.join(cells)} |" for cells in lines))


# Kernel fast, program slow


def copies_beside(kernel: str, n: int, copied_in: int, copied_out: int) -> Shown:
    """The recorded time of a kernel of n elements beside the least that its copies can take on that GPU's
    link; `copied_in` and `copied_out`: bytes an element. Only for GPUs whose link is known, the H200."""
    loaded = kernels.load(kernel)
    rows = []
    for recording in recordings.load():
        timed = recording.time(kernel, loaded.values(), n=n)
        if timed is None or recording.gpu != "NVIDIA H200":
            continue
        took = timed.seconds.median
        steps = (
            ("copy in", copied_in * n, copied_in * n / LINK_BYTES_PER_SECOND, "at least, by the link"),
            (f"kernel {loaded.entry.name}", None, took, recording.label),
            ("copy out", copied_out * n, copied_out * n / LINK_BYTES_PER_SECOND, "at least, by the link"),
        )
        rows += [
            (name, DASH if size is None else count(size), f"{time * 1e3:.3g}", f"{time / took:.0f}", where)
            for name, size, time, where in steps
        ]
    if not rows:
        return Shown(not_recorded(f"no recording has {kernel} at n = {n:,}"))
    link = f"link to the host: {LINK_BYTES_PER_SECOND / 1e9:.0f} GB/s in each direction (datasheet)"
    head = ("step", "bytes", "time [ms]", "times the kernel", "from")
    return Shown(Table(f"n = {n:,}; {link}", head, tuple(rows)))


def split(kernel: str, n: int, parts: Sequence[int]) -> Shown:
    """For each number of parts the recorded time of a launch of n / part elements, and that of all of them
    one after the other: their number times the time of one."""
    loaded = kernels.load(kernel)
    rows = []
    for recording in recordings.load():
        found = [(part, recording.time(kernel, loaded.values(), n=n // part)) for part in parts]
        known = [(part, timed.seconds.median) for part, timed in found if timed]
        for part, one in known:
            together = part * one / (known[0][0] * known[0][1])
            numbers = (f"{n // part:,}", f"{one * 1e6:.2f}", f"{part * one * 1e6:,.1f}", f"{together:,.1f}")
            rows.append((recording.label, (f"{part:,}", *numbers)))
    if not rows:
        return Shown(not_recorded(f"no recording has times of parts of {kernel} at n = {n:,}"))
    heads = ("elements of each", "time of one [us]", "of all [us]", "times the first row")
    caption = f"{loaded.path.name}, n = {n:,} in equal parts"
    return Shown(_placed(caption, ("launches", *map(column, heads)), rows))


# Streams


def schedule(pieces: int, *streams: int, copy_in: int = 1, kernel: int = 1, copy_out: int = 1) -> Shown:
    """When each step of `pieces` pieces would run on so many streams, by a rule: the steps of a stream follow
    one another, and the GPU does one step of each kind at a time. The others: how long each kind takes.
    Raises ValueError for a number below 1."""
    if not streams or min(pieces, *streams, copy_in, kernel, copy_out) < 1:
        raise ValueError("a schedule needs pieces, streams and lengths of 1 or more")
    lengths = {"copy in": copy_in, "kernel": kernel, "copy out": copy_out}
    planned = [piece for number in streams for piece in _planned(pieces, number, lengths)]
    told = ", ".join(f"{name} {length}" for name, length in lengths.items())
    return Shown(timeline(planned, STEPS, f"computed, for {told}"))


def _planned(pieces: int, streams: int, lengths: Mapping[str, int]) -> Iterator[Piece]:
    case = "one stream" if streams == 1 else f"{streams} streams"
    free, ready = dict.fromkeys(lengths, 0), [0] * streams
    for piece in range(pieces):
        stream = piece % streams
        for what, length in lengths.items():
            start = max(free[what], ready[stream])
            free[what] = ready[stream] = start + length
            yield Piece(case, stream + 1, piece + 1, what, start, start + length)


# Recorded and measured experiments


def recorded_host(experiment: str) -> Shown:
    """What recordings say of one of recordings.host.EXPERIMENTS: "copies", "launches", "streams", "graph",
    "allocation" or "plans". A sentence where none has it yet."""
    show = _shower(experiment)
    known = [(each.label, each.host[experiment]) for each in recordings.load() if experiment in each.host]
    if not known:
        return Shown(not_recorded(f'no recording has the experiment "{experiment}" yet. {RECORD}'))
    return Shown(show(known))


def measure_host(experiment: str) -> Shown | None:
    """Do an experiment on this machine's GPU and show it as `recorded_host` does; without a GPU, say so."""
    show = _shower(experiment)
    if devices.current() == devices.SIMULATOR:
        print(devices.describe())
        return None
    found = Experiment.of(experiment, experiments.EXPERIMENTS[experiment]())
    return Shown(show([(f"measured on {devices.gpu().name}", found)]))


_Known = Sequence[tuple[str, Experiment]]


def _shower(experiment: str) -> Callable[[_Known], Figure | Table]:
    if experiment not in experiments.EXPERIMENTS:
        known = ", ".join(experiments.EXPERIMENTS)
        raise ValueError(f"there is no experiment {experiment!r}; there are: {known}")
    return {"copies": _copies, "streams": _streams}.get(experiment, _cases)


def _streams(known: _Known) -> Figure:
    figures = [timeline(found.pieces, MILLISECONDS, f"{label}, the median run") for label, found in known]
    return Figure(
        " ".join([*(figure.sentence for figure in figures), known[0][1].method]),
        "".join(figure.html for figure in figures),
        "\n".join(figure.text for figure in figures),
    )


def _copies(known: _Known) -> Table:
    """A row for each size, a column for each kind of copy."""
    cases = list(dict.fromkeys(each.case for _, found in known for each in found.measured))
    rows = []
    for label, found in known:
        by_size: dict[int, dict[str, Measured]] = {}
        for each in found.measured:
            by_size.setdefault(each.sizes["bytes"], {})[each.case] = each
        for size, measured in by_size.items():
            rates = (
                decimal(size / measured[case].seconds.median / 1e9, 2) if case in measured else DASH
                for case in cases
            )
            rows.append((label, (count(size), *rates)))
    return _placed(known[0][1].method, ("bytes", *(column(f"{case} [GB/s]") for case in cases)), rows)


def _cases(known: _Known) -> Table:
    """A row for each case."""
    names = list(dict.fromkeys(name for _, found in known for each in found.measured for name in each.sizes))
    rows = []
    for label, found in known:
        for each in found.measured:
            sizes = (count(each.sizes[name]) if name in each.sizes else DASH for name in names)
            times = (f"{time * 1e6:,.2f}" for time in (each.seconds.median, each.seconds.spread))
            rows.append((label, (each.case, *sizes, *times, each.clock)))
    return _placed(known[0][1].method, ("", *names, "time [us]", "spread [us]", "clock"), rows)


def _placed(caption: str, head: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> Table:
    """A table of rows, each with where it comes from: in a column, or in the caption if that is one place."""
    places = {place for place, _ in rows}
    if len(places) == 1:
        return Table(
            f"{caption.rstrip('.')}; {places.pop()}", tuple(head), tuple(tuple(row) for _, row in rows)
        )
    return Table(caption, (*head, "where"), tuple((*row, place) for place, row in rows))
