"""A compiled program: its kernels to launch, its variables to set and get."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np

from .. import compiler, metrics
from . import arguments, calls, ptx, signature, stack
from . import launch as launching
from . import trace as tracing
from .checks import second
from .checks.monitor import Monitor
from .counters import Counts
from .errors import ArgumentError, Index, LaunchError, PtxError, Unsupported
from .findings import Finding
from .kernel import Kernel
from .kinds import LANES
from .layout import CONSTANT_REGION, REGION_BITS
from .memory import Memory
from .plan import Addresses

STATIC_SHARED_LIMIT = 48 * 1024
SHARED_LIMIT = 227 * 1024  # of a block on sm_90, when asked for
LOCAL_LIMIT = 512 * 1024  # of a thread
MAX_BLOCK = (1024, 1024, 64)
MAX_GRID = ((1 << 31) - 1, 65535, 65535)
CHECKS = ("memory", "races", "initialisation", "barriers")
_MALFORMED = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


@dataclass
class Run:
    """What one launch did.

    metrics: metric name -> count. by_line: source line -> counts (keys: counters.LINE_KEYS). output: what the
    kernel printed. findings: what the checks found. notes: harmless, but worth knowing. trace: the steps
    asked for. launched: how it was launched, for compare(); it keeps the arguments, arrays too. by_opcode:
    PTX opcode -> executions by threads. writers: with the check for races, buffer -> for each element who
    stored there last, as block and thread (numbers, x first) and source line; line 0: nobody.
    """

    kernel: str
    grid: Index
    block: Index
    metrics: dict[str, int]
    by_line: dict[int, dict[str, int]]
    output: str = ""
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    trace: tracing.Trace | None = None
    launched: Launched | None = field(default=None, repr=False, compare=False)
    by_opcode: dict[str, int] = field(default_factory=dict)
    find_writers: Callable[[], dict[str, np.ndarray]] = field(default=dict, repr=False, compare=False)

    @cached_property
    def writers(self) -> dict[str, np.ndarray]:
        """Worked out when first asked for."""
        return self.find_writers()


@dataclass(frozen=True)
class Launched:
    """A launch that was made. args: as given; the arrays are the caller's own, with what has become of them.

    read_only: names of the parameters that are pointers to const.
    """

    program: Program
    kernel: str
    grid: Index
    block: Index
    args: Sequence[object]
    shared_bytes: int
    options: Mapping[str, bool]
    read_only: frozenset[str]

    def again(self, args: Sequence[object], checks: Sequence[str]) -> Run:
        """The same launch with other arguments of the same kinds."""
        return self.program.launch(
            self.kernel, self.grid, self.block, args, self.shared_bytes, checks=checks, **self.options
        )


class Program:
    """Kernels compiled from one source, for the simulator. Made by `compile` or `load_ptx`."""

    def __init__(
        self,
        module: ptx.Module,
        source: str | None = None,
        resources: Mapping[str, compiler.Resources] | None = None,
        name: str = "kernel.cu",
        instantiate: Callable[[str, Callable[[], bool] | None], tuple[Program, str]] | None = None,
        variables_of: Program | None = None,
        text: str = "",
        plain: Callable[[], Program] | None = None,
        optimised: bool = True,
    ) -> None:
        self.source = source
        self.ptx = text
        self.name = name
        self.resources = dict(resources or {})
        self._module = module
        self._instantiate = instantiate
        self._functions: dict[str, ptx.Function] = {}  # with their calls written out
        self._plain = plain  # makes the same program without optimisation
        self._optimised = optimised
        self._set: set[str] = set()  # the __constant__ variables that were given a value
        self._kernels: dict[tuple[str, Index, bool, frozenset[str]], Kernel] = {}
        self._signatures: dict[str, list[signature.Parameter] | None] = {}
        self._addresses: dict[str, Addresses] = {}
        self._lock = threading.Lock()
        self._variables = Memory()
        self._globals: dict[str, tuple[int, np.ndarray]] = {}
        self._constants, self._constant_places = self._lay_out_constants()
        self._lay_out_globals(variables_of)

    @property
    def kernels(self) -> list[str]:
        """Names of the entry points."""
        return [name for name, function in self._module.functions.items() if function.entry]

    def launch(
        self,
        kernel: str,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        args: Sequence[object],
        shared_bytes: int = 0,
        *,
        checks: Sequence[str] = (),
        workers: int | None = None,
        budget: int | None = None,
        trace: Mapping[str, object] | None = None,
        cooperative: bool = False,
        allow_large_shared: bool = False,
        cancelled: Callable[[], bool] | None = None,
    ) -> Run:
        """Run a kernel over a grid and count.

        grid, block: x, or (x, y), or (x, y, z). args: NumPy arrays are device buffers, changed in place;
        NumPy scalars, ints, floats and None (a null pointer) go by value. shared_bytes: dynamic shared
        memory. workers: threads of the host (default: as many as it has processors). trace:
        {"block": (x, y, z), "warp": 0} records the steps of one block, or of one of its warps. budget: loop
        rounds a worker may spend (default 200 million, 50 million with checks).

        checks: any of CHECKS; what they find is in the run's findings and does not end the launch. A checked
        launch runs on one thread of the host. Afterwards, where the launch is small (BOTH_BUILDS) and the
        program came from source, the build without optimisation runs too, on copies of the arguments as they
        were before: an optimiser can hide a fault. Findings that only this one shows say so (Finding.build).

        cancelled: asked while an instance of a template is compiled for this launch, as `compile` asks its.

        Raises ArgumentError, LaunchError, Unsupported, IllegalAccess, Trap, Hang; compiler.Cancelled.
        """
        kernel = self._mangled(kernel)
        if "<" in kernel or (kernel not in self._module.functions and self._instantiate):
            instance, lowered = self._instance(kernel, cancelled)
            return instance.launch(
                lowered, grid, block, args, shared_bytes,
                checks=checks, workers=workers, budget=budget, trace=trace,
                cooperative=cooperative, allow_large_shared=allow_large_shared,
            )  # fmt: skip
        function = self._function(kernel)
        _refuse_options(checks, workers=workers, budget=budget, trace=trace)
        limit = SHARED_LIMIT if allow_large_shared else STATIC_SHARED_LIMIT
        grid_index, block_index, total_shared = self.checked(kernel, grid, block, shared_bytes, limit)
        addresses = self._places(function)
        chosen = frozenset(checks)
        blocks, warps = int(np.prod(grid_index)), -(-int(np.prod(block_index)) // LANES)
        again = None
        if chosen and self._plain is not None:
            again = second.prepare(self, kernel, args, blocks * warps)
        asked = (
            None
            if trace is None
            else tracing.request(trace, grid_index, -(-int(np.prod(block_index)) // LANES))
        )
        memory = Memory()
        for variable, (_, array) in self._globals.items():
            memory.add(variable, array)
        workspace = 0
        if cooperative:
            self._check_cooperative(kernel, grid_index, block_index, total_shared)
            workspace = memory.add("the grid's barrier", np.zeros(64, np.uint8))
        parameters, _ = self.pack(kernel, args, memory)
        made = self._kernel(function, addresses, grid_index, block_index, chosen)
        request = launching.Request(
            grid_index,
            total_shared,
            parameters,
            memory,
            self._constant_memory(function, addresses, parameters),
            workers or launching.default_workers(),
            budget or (launching.CHECKED_BUDGET if chosen else launching.DEFAULT_BUDGET),
            self.name,
            workspace,
        )
        monitor = None
        if chosen:
            request = request.checked()
            build = "optimised" if self._optimised else "unoptimised"
            names = self._parameter_names(function)
            unset = self._unset_constants(request.constants)
            monitor = Monitor(made, request, self.source, names, unset, build)
        outcome = launching.run(made, request, asked, monitor)
        counts = Counts(made.plan, outcome.counters, made.costs)
        counted, spilled = self._local_memory(kernel, counts.metrics())
        counted |= self._static_metrics(kernel, block_index, shared_bytes)
        run = Run(
            kernel,
            grid_index,
            block_index,
            counted,
            counts.by_line(),
            outcome.output,
            notes=outcome.notes + counts.notes() + spilled,
            trace=outcome.trace,
            launched=Launched(
                self,
                kernel,
                grid_index,
                block_index,
                tuple(args),
                shared_bytes,
                {"cooperative": cooperative, "allow_large_shared": allow_large_shared},
                frozenset(each.name for each in self._signature(kernel) or () if each.read_only),
            ),
            by_opcode=counts.by_opcode(),
        )
        if monitor is not None:
            monitor.close()
            run.findings = monitor.findings
            run.notes += monitor.report.notes
            run.find_writers = monitor.writers if monitor.scheme.races else dict
        if chosen and self._plain is not None and again is None:
            run.notes.append(second.TOO_LARGE)
        if again is not None:
            again.run(
                run, grid, block, shared_bytes,
                checks=checks, budget=budget, cooperative=cooperative, allow_large_shared=allow_large_shared,
            )  # fmt: skip
        return run

    def instructions(self, kernel: str) -> int:
        """PTX instructions of a kernel, functions that it calls included as often as it calls them."""
        return len(self._function(kernel).instructions)

    def checked(
        self,
        kernel: str,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        shared_bytes: int,
        shared_limit: int,
    ) -> tuple[Index, Index, int]:
        """Grid and block as (x, y, z), and the bytes of shared memory a block, static and dynamic.

        Raises LaunchError where a GPU would refuse the launch, or a block has more shared memory than
        shared_limit."""
        function = self._function(kernel)
        grid_index, block_index = _index(grid, "grid", MAX_GRID), _index(block, "block", MAX_BLOCK)
        total = self._check_launch(function, block_index, self._places(function), shared_bytes, shared_limit)
        return grid_index, block_index, total

    def pack(self, kernel: str, args: Sequence[object], memory: Memory) -> tuple[bytearray, list[int]]:
        """The bytes of a kernel's parameters and the offset of each; arrays are added to `memory`.

        Raises ArgumentError."""
        function = self._function(kernel)
        packed = arguments.pack(function, self._signature(kernel), args, memory)
        return packed, arguments.parameter_offsets(function)[0]

    def set_symbol(self, name: str, value: object, *, given: bool = True) -> None:
        """Copy an array into a __constant__ or __device__ variable. given=False: for the check of
        initialisation the variable is as its source declares it, and counts as never set.

        Raises ArgumentError if it does not fit."""
        place = self._symbol(name)
        array = np.asarray(value)
        data = np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8)
        if data.size > place.size:
            raise ArgumentError(f"{name} has {place.size} bytes, the value has {data.size}")
        place[: data.size] = data
        (self._set.add if given else self._set.discard)(name)

    def get_symbol(self, name: str) -> np.ndarray:
        """A copy of a variable's bytes; .view(dtype) gives them a type."""
        return self._symbol(name).copy()

    # Variables

    def _symbol(self, name: str) -> np.ndarray:
        if name in self._globals:
            return self._globals[name][1]
        if name in self._constant_places:
            start, size = self._constant_places[name]
            return self._constants[start : start + size]
        known = sorted([*self._globals, *self._constant_places])
        raise ArgumentError(
            f"there is no variable {name!r} in this program; there is: {', '.join(known) or 'none'}"
        )

    def _lay_out_constants(self) -> tuple[np.ndarray, dict[str, tuple[int, int]]]:
        places, end = {}, 0
        variables = [each for each in self._module.variables.values() if each.space == "const"]
        for variable in variables:
            end = (end + variable.align - 1) // variable.align * variable.align
            places[variable.name] = (end, variable.size)
            end += variable.size
        memory = np.zeros(end, np.uint8)
        for variable in variables:
            start, size = places[variable.name]
            memory[start : start + size] = np.frombuffer(_initial_bytes(variable, {}), np.uint8)
        return memory, places

    def _lay_out_globals(self, others: Program | None) -> None:
        """Instances of templates share the variables of the program that they belong to, addresses too."""
        for name, (_, array) in others._globals.items() if others else ():
            self._globals[name] = (self._variables.add(name, array), array)
        used = _referenced(self._module)
        variables = [
            each
            for each in self._module.variables.values()
            if each.space == "global" and each.name in used and each.name not in self._globals
        ]
        for variable in variables:
            array = np.zeros(max(variable.size, 1), np.uint8)
            self._globals[variable.name] = (self._variables.add(variable.name, array), array)
            if others is not None:
                others._globals[variable.name] = (others._variables.add(variable.name, array), array)
        addresses = {name: address for name, (address, _) in self._globals.items()}
        addresses |= stack.function_addresses(self._module)
        addresses |= {
            name: (CONSTANT_REGION << REGION_BITS) + start
            for name, (start, _) in self._constant_places.items()
        }
        for variable in variables:
            if variable.size:
                self._globals[variable.name][1][:] = np.frombuffer(
                    _initial_bytes(variable, addresses), np.uint8
                )

    def _constant_memory(
        self, function: ptx.Function, addresses: Addresses, parameters: bytearray
    ) -> np.ndarray:
        """The constants, and behind them the parameters where a kernel takes a parameter's address."""
        if not any(each.name == "cvta" and each.has("param") for each in function.instructions):
            return self._constants
        memory = np.zeros(addresses.parameters_at + len(parameters), np.uint8)
        memory[: self._constants.size] = self._constants
        memory[addresses.parameters_at :] = np.frombuffer(bytes(parameters), np.uint8)
        return memory

    def _places(self, function: ptx.Function) -> Addresses:
        """Where everything lies that the function's instructions name."""
        if function.name in self._addresses:
            return self._addresses[function.name]
        places: dict[str, tuple[str, int]] = {}
        for name, (address, _) in self._globals.items():
            places[name] = ("global", address)
        for name, (start, _) in self._constant_places.items():
            places[name] = ("const", start)
        sizes = {name: size for name, (_, size) in self._constant_places.items()}
        offsets, size = arguments.parameter_offsets(function)
        for parameter, offset in zip(function.parameters, offsets, strict=True):
            places[parameter.name] = ("param", offset)
        ends = {"shared": 0, "local": 0}
        open_ended: list[ptx.Variable] = []
        for variable in [*self._module.variables.values(), *function.variables.values()]:
            if variable.space not in ends or not _used(variable, function):
                continue
            sizes[variable.name] = variable.size
            if not variable.count:
                open_ended.append(variable)
                continue
            start = (ends[variable.space] + variable.align - 1) // variable.align * variable.align
            places[variable.name] = (variable.space, start)
            ends[variable.space] = start + variable.size
        for variable in open_ended:  # extern __shared__: all of them begin behind the static arrays
            start = (ends["shared"] + variable.align - 1) // variable.align * variable.align
            places[variable.name] = ("shared", start)
        if open_ended:
            ends["shared"] = max(places[each.name][1] for each in open_ended)
        for name, address in stack.function_addresses(self._module).items():
            places.setdefault(name, ("function", address))
        local = (ends["local"] + 15) // 16 * 16
        if stack.POINTER.name in function.registers:
            places["$stack"] = ("local", local)
            local += stack.STACK_BYTES
        found = Addresses(
            places, ends["shared"], local, self._constants.nbytes, size, sizes, self._module.locals
        )
        self._addresses[function.name] = found
        return found

    # Kernels

    def _function(self, kernel: str) -> ptx.Function:
        function = self._functions.get(kernel)
        if function is None and kernel in self.kernels:
            with self._naming_lines():
                function = calls.inline(self._module, self._module.functions[kernel])
            self._functions[kernel] = function
        if function is None:
            raise _no_kernel(kernel, self)
        return function

    def _instance(self, kernel: str, cancelled: Callable[[], bool] | None = None) -> tuple[Program, str]:
        if self._instantiate is None:
            raise LaunchError(f"{kernel!r}: templates need the source; this program was loaded from PTX")
        instance, lowered = self._instantiate(kernel, cancelled)
        for name, (start, size) in self._constant_places.items():
            if name in instance._constant_places:
                there, _ = instance._constant_places[name]
                instance._constants[there : there + size] = self._constants[start : start + size]
        instance._set |= self._set
        return instance, lowered

    def _mangled(self, kernel: str) -> str:
        """The entry point of a kernel that is neither a template nor extern "C"."""
        if not isinstance(kernel, str):
            raise LaunchError(f"the kernel's name must be a string, not {kernel!r}")
        if kernel in self._module.functions:
            return kernel
        found = [each for each in self.kernels if re.match(rf"_Z{len(kernel)}{re.escape(kernel)}(?!I)", each)]
        return found[0] if len(found) == 1 else kernel

    def _parameter_names(self, function: ptx.Function) -> dict[str, str]:
        """What the source calls the parameters: "name in the PTX+0" -> name."""
        known = self._signature(function.name)
        if known is None or len(known) != len(function.parameters):
            return {}
        pairs = zip(function.parameters, known, strict=True)
        return {f"{parameter.name}+0": each.name for parameter, each in pairs}

    def _unset_constants(self, constants: np.ndarray) -> np.ndarray:
        """A byte for each of constant memory: 0 where no initialiser and no set_symbol gave it a value."""
        known = np.ones(constants.nbytes, np.uint8)
        for name, (start, size) in self._constant_places.items():
            variable = self._module.variables[name]
            if name not in self._set and variable.initial is None and not self._initialised(name):
                known[start : start + size] = 0
        return known

    def _initialised(self, name: str) -> bool:
        """Does the source give the variable a value where it declares it? PTX leaves out zeros. Variables
        that the source does not name, a header's for one, count as initialised."""
        plain = ptx.plain_name(name)
        found = re.search(rf"__constant__[^;{{]*\b{re.escape(plain)}\b[^;]*", self.source or "")
        return found is None or "=" in found.group() or "{" in found.group()

    def _kernel(
        self,
        function: ptx.Function,
        addresses: Addresses,
        grid: Index,
        block: Index,
        checks: frozenset[str] = frozenset(),
    ) -> Kernel:
        small = all(size * count < 1 << 31 for size, count in zip(block, grid, strict=True))
        key = (function.name, block, small, checks)
        with self._lock:
            if key not in self._kernels:
                try:
                    with self._naming_lines():
                        self._kernels[key] = Kernel(
                            function, addresses, block, small, checks, self._optimised
                        )
                except _MALFORMED as problem:
                    # Instructions with operands missing, or of types that do not exist, pass the reader.
                    raise PtxError(f"the PTX of {function.name} is malformed: {problem!r}") from problem
            return self._kernels[key]

    @contextmanager
    def _naming_lines(self) -> Iterator[None]:
        """Say on which line of the source a refused instruction stands; code of headers has none."""
        try:
            yield
        except Unsupported as refused:
            own = any(
                (each.opcode, each.location.file, each.location.line)
                == (refused.instruction, 1, refused.line)
                for function in self._module.functions.values()
                for each in function.instructions
            )
            if not own or not refused.line:
                raise
            sentence = f"{refused} ({self.name}:{refused.line})"
            raise Unsupported(sentence, refused.instruction, refused.line) from None

    def _signature(self, kernel: str) -> list[signature.Parameter] | None:
        if kernel not in self._signatures:
            plain = _plain_name(kernel)
            self._signatures[kernel] = signature.parameters(self.source, plain) if self.source else None
        return self._signatures[kernel]

    def _check_launch(
        self, function: ptx.Function, block: Index, addresses: Addresses, shared_bytes: int, limit: int
    ) -> int:
        threads = block[0] * block[1] * block[2]
        most = function.directives.get("maxntid") or function.directives.get("reqntid")
        allowed = int(np.prod(most)) if most else 1024
        if threads > min(allowed, 1024):
            why = "__launch_bounds__ allows" if allowed < 1024 else "a block can have"
            raise LaunchError(f"block {block} has {threads} threads; {why} {min(allowed, 1024)}")
        if not isinstance(shared_bytes, (int, np.integer)) or shared_bytes < 0:
            raise LaunchError(f"shared_bytes must be a number of bytes from 0, not {shared_bytes!r}")
        total = addresses.shared_bytes + int(shared_bytes)
        if total > limit:
            more = (
                ""
                if limit > STATIC_SHARED_LIMIT
                else "; allow_large_shared=True raises it to 227 KB, as an opt-in on the GPU does"
            )
            raise LaunchError(
                f"{total} bytes of shared memory ({addresses.shared_bytes} static, {shared_bytes} dynamic) "
                f"are more than the {limit} that a block may have{more}"
            )
        if addresses.local_bytes > LOCAL_LIMIT:
            raise LaunchError(
                f"each thread needs {addresses.local_bytes} bytes of local memory; it may have {LOCAL_LIMIT}"
            )
        resources = self.resources.get(function.name)
        if resources is not None:
            registers = -(-resources.registers_per_thread * 32 // 256) * 256 * -(-threads // 32)
            if registers > 65536:
                raise LaunchError(
                    f"block {block} needs {registers} registers ({resources.registers_per_thread} a thread), "
                    "an SM has 65536: too many resources requested for launch"
                )
        return total

    def _check_cooperative(self, kernel: str, grid: Index, block: Index, shared_bytes: int) -> None:
        """All blocks of a cooperative launch must be on the GPU at once: an H200's 132 SMs."""
        resources = self.resources.get(kernel)
        occupancy = metrics.occupancy(
            metrics.H200,
            threads_per_block=block[0] * block[1] * block[2],
            registers_per_thread=resources.launch_registers_per_thread if resources else 32,
            shared_bytes_per_block=shared_bytes,
        )
        most = occupancy.blocks_per_sm * metrics.H200.sms
        blocks = grid[0] * grid[1] * grid[2]
        if blocks > most:
            raise LaunchError(
                f"a cooperative launch needs all its blocks on the GPU at once: {blocks} blocks are "
                f"more than the {most} that fit an {metrics.H200.name}"
            )

    def _local_memory(self, kernel: str, counted: dict[str, int]) -> tuple[dict[str, int], list[str]]:
        """The metrics with what the machine code says of local memory, and notes on it.

        A stack frame of no bytes: ptxas found a place in registers for all small arrays of the PTX. Spilled
        registers are in no PTX: then there is no number."""
        resources = self.resources.get(kernel)
        if resources is None:
            return counted, []
        local = (metrics.names.LOCAL_LOAD_SECTORS, metrics.names.LOCAL_STORE_SECTORS)
        if not resources.local_bytes_per_thread:
            return counted | dict.fromkeys(local, 0), []
        if not resources.spill_store_bytes:
            return counted, []
        note = (
            "local sectors are not counted: the machine code spills registers, which are not in the PTX "
            f"({resources.spill_store_bytes} bytes stored and {resources.spill_load_bytes} loaded in a "
            "thread's code)"
        )
        return {name: count for name, count in counted.items() if name not in local}, [note]

    def _static_metrics(self, kernel: str, block: Index, dynamic_bytes: int) -> dict[str, int]:
        resources = self.resources.get(kernel)
        if resources is None:
            return {}
        registers = resources.launch_registers_per_thread
        shared = resources.static_shared_bytes
        occupancy = metrics.occupancy(
            metrics.H200,
            threads_per_block=block[0] * block[1] * block[2],
            registers_per_thread=registers,
            shared_bytes_per_block=shared + int(dynamic_bytes),
        )
        found = {"launch__registers_per_thread": registers, "launch__shared_mem_per_block_static": shared}
        for name, value in occupancy.metrics.items():
            if name in (
                "launch__occupancy_limit_registers",
                "launch__occupancy_limit_warps",
                "launch__occupancy_limit_blocks",
            ):
                found[name] = value
        return found


def _refuse_options(
    checks: Sequence[str], *, workers: int | None, budget: int | None, trace: Mapping[str, object] | None
) -> None:
    for what, value in (("workers", workers), ("budget", budget)):
        if value is not None and (not isinstance(value, (int, np.integer)) or value < 1):
            raise LaunchError(f"{what} must be a whole number from 1, not {value!r}")
    if trace is not None and not isinstance(trace, Mapping):
        raise LaunchError(f"trace must be a dictionary such as {{'block': (0, 0)}}, not {trace!r}")
    if isinstance(checks, str):
        raise LaunchError(f"checks must be a list of names, such as [{checks!r}]")
    unknown = [check for check in checks if check not in CHECKS]
    if unknown:
        raise LaunchError(f"unknown check {unknown[0]!r}; there are: {', '.join(CHECKS)}")


def _no_kernel(name: str, program: Program) -> LaunchError:
    known = ", ".join(program.kernels) or "none"
    return LaunchError(f"there is no kernel {name!r} in this program; there is: {known}")


def _index(value: int | Sequence[int], what: str, limits: Index) -> Index:
    parts = tuple(value) if isinstance(value, (Sequence, np.ndarray)) else (value,)
    if not 1 <= len(parts) <= 3 or not all(isinstance(part, (int, np.integer)) for part in parts):
        raise LaunchError(f"{what} must be one to three whole numbers, not {value!r}")
    full = tuple(int(part) for part in parts) + (1,) * (3 - len(parts))
    for axis, (part, limit) in zip("xyz", zip(full, limits, strict=True), strict=True):
        if not 1 <= part <= limit:
            raise LaunchError(f"{what}.{axis} is {part}; it must be from 1 to {limit}")
    return full  # type: ignore[return-value]


def _referenced(module: ptx.Module) -> set[str]:
    """Variables that code names, directly or by way of another one's initial value; headers bring hundreds
    more."""
    named: set[str] = set()

    def name(item: object) -> None:
        if isinstance(item, ptx.Symbol):
            named.add(item.name)
        elif isinstance(item, ptx.Address):
            name(item.base)
        elif isinstance(item, ptx.Group):
            for each in item.items:
                name(each)

    for function in module.functions.values():
        for instruction in function.instructions:
            for operand in instruction.operands:
                name(operand)
    named |= {each.name for each in module.variables.values() if not each.name.startswith("_Z")}
    queue = list(named)
    while queue:
        variable = module.variables.get(queue.pop())
        for _, symbol in (variable.initial or ()) if variable else ():
            if symbol and symbol not in named:
                named.add(symbol)
                queue.append(symbol)
    return named


def _used(variable: ptx.Variable, function: ptx.Function) -> bool:
    """Is the variable named in the function? Shared arrays of other kernels take no room here."""
    for instruction in function.instructions:
        for operand in instruction.operands:
            base = getattr(operand, "base", operand)
            if isinstance(base, ptx.Symbol) and base.name == variable.name:
                return True
    return False


def _initial_bytes(variable: ptx.Variable, addresses: Mapping[str, int]) -> bytes:
    width = max(ptx.TYPE_BITS[variable.type] // 8, 1)
    data = bytearray(variable.size)
    for position, (value, symbol) in enumerate(variable.initial or ()):
        value += addresses.get(symbol, 0)
        data[position * width : (position + 1) * width] = (value & (1 << 8 * width) - 1).to_bytes(
            width, "little"
        )
    return bytes(data)


def _plain_name(kernel: str) -> str:
    """The name in the source of a mangled kernel: _Z5scaleIfE... -> scale."""
    match = re.match(r"_Z(\d+)", kernel)
    if not match:
        return kernel
    start = match.end()
    return kernel[start : start + int(match.group(1))]


def load_ptx(text: str, name: str = "kernel.ptx") -> Program:
    """A program from anyone's PTX. It has no register or occupancy figures, as those are facts of machine
    code."""
    return Program(ptx.parse(text), name=name, text=text)


def compile(
    source: str,
    *,
    defines: Mapping[str, object] | None = None,
    arch: str = "sm_90",
    name: str = "kernel.cu",
    options: Sequence[str] = (),
    optimise: bool = True,
    cancelled: Callable[[], bool] | None = None,
) -> Program:
    """Compile CUDA C++ with NVRTC and load it into the simulator. Raises CompileError with the file's own
    lines.

    cancelled: asked during this compile whether its result is still wanted; True ends it with
    compiler.Cancelled. What the program compiles later, it compiles for a launch, which has its own."""

    def build(
        expressions: Sequence[str],
        cancelled: Callable[[], bool] | None,
        variables_of: Program | None = None,
    ) -> tuple[Program, compiler.Compiled]:
        made = compiler.compile(
            source,
            defines=defines,
            arch=arch,
            name=name,
            options=options,
            optimise=optimise,
            expressions=expressions,
            cancelled=cancelled,
        )
        module = ptx.parse(made.ptx)
        ptx.own_file_first(module, name)
        if not optimise:
            ptx.place_header_code(module)
            module.locals = ptx.local_variables(made.ptx)
        again = None
        if optimise and expressions:
            again = lambda: unoptimised()._instance(expressions[0])[0]  # noqa: E731
        elif optimise:
            again = unoptimised
        program = Program(
            module, source, made.resources, name, instantiate, variables_of, made.ptx, again, optimise
        )
        return program, made

    instances: dict[str, tuple[Program, str]] = {}

    @cache
    def unoptimised() -> Program:
        return compile(
            source,
            defines=defines,
            arch=arch,
            name=name,
            options=options,
            optimise=False,
        )

    def instantiate(expression: str, cancelled: Callable[[], bool] | None = None) -> tuple[Program, str]:
        if expression not in instances:
            try:
                program, made = build((expression,), cancelled, plain)
            except compiler.CompileError as error:
                if "__nv_name_map" not in error.log:  # else the source is right, and the name is not in it
                    raise
                raise _no_kernel(expression, plain) from None
            instances[expression] = (program, made.lowered_names[expression])
        return instances[expression]

    plain = build((), cancelled)[0]
    return plain
