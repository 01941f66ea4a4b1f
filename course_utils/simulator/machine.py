"""LLVM: IR text -> machine code in this process.

Machine code is cached on disk, keyed by the text, the LLVM version and the processor, so that a kernel seen
before starts without compiling.
"""

from __future__ import annotations

import ctypes
import hashlib
import re
import threading
from collections.abc import Callable
from functools import cache
from importlib import resources

import llvmlite
import llvmlite.binding as llvm

from ..compiler.cache import DiskCache
from . import helpers, layout, printing, trace
from .checks.structures import Clock, Event, Watch
from .layout import Launch, Status, Warp, Worker, at

_LOCK = threading.RLock()  # LLVM's contexts are not for several threads at once
_PASSES = ("always_inliner", "sroa", "instruction_combine", "new_gvn", "simplify_cfg", "sinking")

RUNTIME = ("counting", "lanes", "barriers", "watch", "records", "runtime")
"""Files of IR text, *.ll beside this one."""

RUNTIME_FUNCTIONS = """
declare i32 @simulator_sectors(<32 x i64>, i32)
declare i32 @simulator_wavefronts(<32 x i32>, i32, i32, i1)
declare i32 @simulator_atomic_sectors(<32 x i64>, i32)
declare i32 @simulator_atomic_rounds(<32 x i32>, i32)
declare i32 @simulator_atomic_loop(<32 x i32>, i32)
declare i1 @simulator_lanes_global(ptr, ptr, <32 x i64>, i32, i64, i64, ptr)
declare i1 @simulator_lanes_shared(ptr, i64, <32 x i64>, i32, i64, i32, i1, ptr)
declare i1 @simulator_lanes_local(ptr, ptr, <32 x i64>, i32, i64, i64, ptr)
declare i1 @simulator_lanes_window(ptr, ptr, i64, <32 x i64>, i32, i64)
declare i1 @simulator_lanes_generic(ptr, ptr, <32 x i64>, i32, i64, i64, i32, i1, ptr)
declare i32 @simulator_any_of(ptr, i64)
declare i64 @simulator_highest(ptr, ptr, i64)
declare void @simulator_reduce(ptr, i32, i32, i32)
declare void @simulator_arrive(ptr, i32)
declare void @simulator_print(ptr, ptr, <32 x i64>, <32 x i64>, i32, i64)
declare void @simulator_trace_block(ptr, i32, i32, i32)
declare void @simulator_trace_site(ptr, i32, <32 x i64>)
!0 = !{!"branch_weights", i32 2000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 2000}
!2 = !{}
"""


class Code:
    """Machine code in memory, and the addresses of its functions."""

    def __init__(self, machine_code: bytes) -> None:
        with _LOCK:
            target = _new_target()  # the engine owns it
            empty = llvm.parse_assembly(f'target triple = "{target.triple}"')
            self._engine = llvm.create_mcjit_compiler(empty, target)
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(machine_code))
            self._engine.finalize_object()

    def address(self, function: str) -> int:
        with _LOCK:
            found = self._engine.get_function_address(function)
        if not found:
            raise KeyError(function)
        return found


def _new_target() -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=1,
        jit=True,
    )


@cache
def _target() -> llvm.TargetMachine:
    """The target for which IR is translated; LLVM's lock guards it."""
    return _new_target()


@cache
def _cache() -> DiskCache:
    return DiskCache("machine-code", 256 << 20)


@cache
def fingerprint() -> str:
    """What machine code depends on besides the IR: LLVM and the processor."""
    features = llvm.get_host_cpu_features().flatten()
    return "|".join((llvmlite.__version__, llvm.get_host_cpu_name(), features, " ".join(_PASSES)))


def compile(text: str) -> Code:
    """Machine code for a module of IR text. Intrinsics and helpers used in it are declared here."""
    named = sorted(set(re.findall(r"@(simulator_\w+)\(", text)) & helpers.KNOWN.keys())
    for name in named:
        _helper(name)
    return _compiled("\n".join([text, *(helpers.KNOWN[name].declaration for name in named)]))


@cache
def _helper(name: str) -> Code:
    """A compiled helper, made known to every kernel."""
    code = _compiled(helpers.KNOWN[name].text())
    with _LOCK:
        llvm.add_symbol(name, code.address(name))
    return code


def _compiled(text: str) -> Code:
    whole = text + "\n" + RUNTIME_FUNCTIONS + _declarations(text)
    key = hashlib.sha256((fingerprint() + whole).encode()).hexdigest()
    found = _cache().get(key)
    if found is None:
        found = _translate(whole)
        _cache().put(key, found)
    runtime()
    return Code(found)


def _translate(text: str) -> bytes:
    with _LOCK:
        target = _target()
        module = llvm.parse_assembly(text)
        module.triple = target.triple
        module.data_layout = str(target.target_data)
        builder = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=1))
        passes = llvm.create_new_module_pass_manager()
        for name in _PASSES:
            getattr(passes, f"add_{name}_pass")()
        passes.run(module, builder)
        return target.emit_object(module)


def _declarations(text: str) -> str:
    """Declarations of the intrinsics that the text calls: LLVM wants each with its own types."""
    known: set[str] = set()
    lines = []
    for result, name, arguments in re.findall(
        r"call ((?:<[^>]*>|\{[^}]*\}|\w+)) @(llvm[\w.]*)\(([^\n]*)\)", text
    ):
        if name in known:
            continue
        known.add(name)
        kinds = ", ".join(_argument_types(arguments))
        lines.append(f"declare {result} @{name}({kinds})")
    return "\n".join(lines)


def _argument_types(arguments: str) -> list[str]:
    depth, start, pieces = 0, 0, []
    for position, character in enumerate(arguments):
        depth += character in "<([{"
        depth -= character in ">)]}"
        if character == "," and depth == 0:
            pieces.append(arguments[start:position].strip())
            start = position + 1
    pieces.append(arguments[start:].strip())
    return [
        piece[: piece.index(">") + 1] if piece.startswith("<") else piece.split()[0]
        for piece in pieces
        if piece
    ]


@cache
def runtime() -> Code:
    """The compiled runtime; its functions are made known to every kernel."""
    folder = resources.files(__package__)
    text = "\n".join(folder.joinpath(f"{part}.ll").read_text(encoding="utf-8") for part in RUNTIME)
    for name, value in _constants().items():
        text = text.replace("{" + name + "}", str(value))
    text += _declarations(text)
    key = hashlib.sha256((fingerprint() + text).encode()).hexdigest()
    with _LOCK:
        found = _cache().get(key)
        if found is None:
            found = _translate(text)
            _cache().put(key, found)
        code = Code(found)
        for name in re.findall(r"@(simulator_\w+)", RUNTIME_FUNCTIONS):
            llvm.add_symbol(name, code.address(name))
    return code


def _constants() -> dict[str, int]:
    values = {
        f"{structure.__name__}.{name}": at(structure, name)
        for structure in (Launch, Worker, Warp, Watch, Clock)
        for name, *_ in structure._fields_
    }
    values |= {f"Status.{name}": value for name, value in vars(Status).items() if name.isupper()}
    for name in (
        "FAST",
        "MASKED",
        "REST",
        "READY",
        "WAITING",
        "DONE",
        "REGION_BITS",
        "LOCAL_REGION",
        "SHARED_REGION",
        "FIRST_BUFFER",
        "YIELDS_BEFORE_TURNS",
    ):
        values[name] = getattr(layout, name)
    for name in ("BLOCK_RECORD", "SITE_RECORD", "BLOCK_LENGTH", "SITE_LENGTH"):
        values[name] = getattr(trace, name)
    values |= {f"Event.{name}": value for name, value in vars(Event).items() if name.isupper()}
    values["CLOCK_BYTES"] = ctypes.sizeof(Clock)
    values["PRINT_LENGTH"] = printing.LENGTH
    values["LAST_REGION"] = layout.REGIONS - 1
    values["OFFSET_MASK"] = (1 << layout.REGION_BITS) - 1
    return values


@cache
def run_function() -> Callable[..., int]:
    """simulator_run(launch, worker) -> Status. Calling it releases Python's lock."""
    return ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)(
        runtime().address("simulator_run")
    )
