"""compile(): source in, PTX and machine code out, by way of the caches and the worker."""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from . import cubin as cubins
from . import includes, toolchain
from . import options as flags
from .cache import DiskCache, MemoryCache
from .cubin import Resources
from .errors import CompileError, CompilerFailed, parse
from .pool import Pool
from .worker import pack, unpack

TIME_LIMIT_SECONDS = 20.0
SOURCE_LIMIT_BYTES = 4 << 20
_FORMAT = "live-kernels compiler 1"
_DISK = DiskCache("compiler", 256 << 20)
_MEMORY = MemoryCache(512)
_POOL = Pool()
_OUT_OF_MEMORY = re.compile(r"catastrophic error: .*out of memory|LLVM ERROR: out of memory")
# What -Xptxas=-v adds to the log. Other remarks of the assembler, on wgmma for instance, are the reader's.
_STATISTICS = re.compile(
    r"^ptxas (?:info\s*: (?:\d+ bytes gmem|Compiling entry function|Function properties|Used \d+ registers"
    r"|Compile time)|\s+\.\s+\d+ bytes stack frame).*\n?",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Compiled:
    """What NVRTC made of a source.

    `log` holds its warnings. `lowered_names` maps each name expression to its mangled name. `resources` maps
    each kernel, by its name in the PTX, to its Resources. `key` identifies source, flags and versions
    (hexadecimal digits).
    """

    source: str
    name: str
    arch: str
    ptx: str
    cubin: bytes
    log: str
    lowered_names: dict[str, str]
    resources: dict[str, Resources]
    key: str


def compile(
    source: str,
    *,
    defines: Mapping[str, object] | None = None,
    arch: str = "sm_90",
    name: str = "kernel.cu",
    options: Sequence[str] = (),
    optimise: bool = True,
    expressions: Sequence[str] = (),
    time_limit: float = TIME_LIMIT_SECONDS,
    cancelled: Callable[[], bool] | None = None,
) -> Compiled:
    """Compile CUDA C++ with NVRTC for one GPU architecture, in a process of its own.

    `defines` become -DNAME=value (None: -DNAME; True and False: 1 and 0). `name` is the file's name in
    messages. `expressions` name template instantiations, such as "scale<float>". `optimise=False` compiles
    with -G: every statement is kept, addresses are generic, and the PTX carries debug sections. The C++
    standard is C++17 unless `options` choose one. `time_limit` is in seconds, of NVRTC's own time.
    `cancelled` is asked every 20 ms whether the result is still wanted; True ends the compile with Cancelled.

    Raises CompileError (the source, an include or an option is refused), its subclass CompilerFailed (the
    compiler crashed, or ran out of time or memory), and toolchain.ToolchainMissing.
    """
    if not isinstance(source, str):
        raise TypeError(f"source must be a string, not {type(source).__name__}")
    tools = toolchain.find()
    source = source.removeprefix("\ufeff")  # the mark that some Windows editors write first
    _check_text(source, name)
    if isinstance(expressions, str):
        raise TypeError("expressions must be a list of strings, not one string")
    arguments = flags.build(defines, arch, options, optimise, expressions)
    headers = includes.scan(source, name, toolchain.KERNELS, toolchain.WORKING_FOLDER)
    key = _key(source, name, arguments, expressions, headers, tools.fingerprint)
    kept = _MEMORY.get(key)
    if kept is None:
        data = _DISK.get(key)
        kept = _revive(data, source, name, arch, key) if data is not None else None
    if kept is None:
        folders = [f"-I{folder}" for folder in toolchain.include_folders() if folder.is_dir()]
        arguments = [_located(argument) for argument in arguments] + [*folders, "-Xptxas=-v"]
        request = [source.encode(), name.encode(), str(len(arguments)).encode()]
        request += [text.encode() for text in (*arguments, *expressions)]
        kept = _settle(_POOL.run(request, name, time_limit, cancelled), source, name, arch, expressions, key)
    _MEMORY.put(key, kept)
    if isinstance(kept, Compiled):
        return kept
    raise CompileError(kept.log, kept.errors, name)


@dataclass(frozen=True)
class _Refused:
    """A source that NVRTC refuses: kept in memory, not on disk."""

    log: str
    errors: list[tuple[int, str]]


def warm() -> None:
    """Start the compiler in the background, so that the first compile need not wait for it."""
    toolchain.find()
    _POOL.warm()


def close() -> None:
    """End the compiler's processes. The next compile starts one again."""
    _POOL.close()


def _located(argument: str) -> str:
    """A header that is always included by its whole path, so that NVRTC looks for it nowhere else."""
    return f"-include={toolchain.STANDARD / 'nvcc.h'}" if argument == flags.AS_NVCC else argument


def _check_text(source: str, name: str) -> None:
    if not isinstance(name, str) or not name or not name.isprintable() or '"' in name:
        raise CompileError.at("", 0, f"the file name {name!r} must be printable and without quotation marks")
    if (at := source.find("\0")) >= 0:
        raise CompileError.at(name, source.count("\n", 0, at) + 1, "the source holds a NUL character")
    try:
        size = len(source.encode())
    except UnicodeEncodeError as error:
        line = source.count("\n", 0, error.start) + 1
        sentence = f"{source[error.start]!r} is half of a surrogate pair and has no UTF-8 form"
        raise CompileError.at(name, line, sentence) from None
    if size > SOURCE_LIMIT_BYTES:
        limit = f"at most {SOURCE_LIMIT_BYTES} are compiled"
        raise CompileError.at(name, 0, f"{name} has {size} bytes; {limit}")


def _key(
    source: str,
    name: str,
    arguments: Sequence[str],
    expressions: Sequence[str],
    headers: Mapping[str, bytes],
    fingerprint: str,
) -> str:
    parts = [_FORMAT, fingerprint, source, name, str(len(arguments)), *arguments, *expressions]
    fields = [part.encode() for part in parts]
    for path, content in sorted(headers.items()):
        fields += [path.encode(), content]
    return hashlib.sha256(pack(fields)).hexdigest()


def _settle(
    answer: list[bytes], source: str, name: str, arch: str, expressions: Sequence[str], key: str
) -> Compiled | _Refused:
    """The program, kept on disk as well; or what NVRTC says of a source that it refuses."""
    code, error, log, ptx, cubin, *lowered = answer
    text = log.decode("utf-8", "replace")
    if int(code):
        if error == b"NVRTC_ERROR_OUT_OF_MEMORY" or _OUT_OF_MEMORY.search(text):
            raise CompilerFailed(
                f"NVRTC ran out of memory on {name}: it may use {_POOL.memory_bytes / 2**30:g} GB. "
                "Look for a template or an array in a constant expression that grows without end.",
                [],
                name,
            )
        if error not in (b"NVRTC_ERROR_COMPILATION", b"NVRTC_ERROR_INVALID_OPTION"):
            raise CompilerFailed(f"NVRTC failed on {name}: {error.decode()}. {text}".strip(), [], name)
        text = _STATISTICS.sub("", text).strip() or f"NVRTC refused {name}: {error.decode()}"
        return _Refused(text, parse(text, name, ptx.decode("utf-8", "replace")))
    names = dict(zip(expressions, (one.decode() for one in lowered), strict=True))
    data = pack([text.encode(), ptx, cubin, json.dumps(names).encode()])
    program = _revive(data, source, name, arch, key)
    if program is None:
        raise CompilerFailed(f"NVRTC gave no readable machine code for {name}.", [], name)
    _DISK.put(key, data)
    return program


def _revive(data: bytes, source: str, name: str, arch: str, key: str) -> Compiled | None:
    """The program from its stored form; None where that is not readable."""
    try:
        log, ptx, cubin, names = unpack(data)
        text = log.decode()
        return Compiled(
            source,
            name,
            arch,
            ptx.decode(),
            cubin,
            _STATISTICS.sub("", text).strip(),
            json.loads(names),
            cubins.read(cubin, text),
            key,
        )
    except (ValueError, LookupError, struct.error):
        return None
